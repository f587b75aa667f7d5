// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/quantity.h"
#include "core/bundle/bundle.h"
#include "tests/test_program.h"
#include "widgets/bytes/strip_runs.h"

#include <QRandomGenerator>
#include <QTest>

#include <array>
#include <cmath>

using namespace kernscope;
using namespace kernscope::ui;

namespace {

/// Sections one behind the other, of these lengths and kinds in turn.
std::vector<Section> sectionsOf(const std::vector<std::uint64_t> &lengths)
{
    constexpr std::array kKinds{SectionKind::Data, SectionKind::Mask, SectionKind::Values,
                                SectionKind::Padding, SectionKind::Metadata};
    std::vector<Section> sections;
    std::uint64_t at = 0;
    for (const std::uint64_t length : lengths) {
        Section section;
        section.range = {FileOffset(at), ByteCount(length)};
        section.kind = kKinds[sections.size() % kKinds.size()];
        sections.push_back(section);
        at += length;
    }
    return sections;
}

std::uint64_t sizeOf(const std::vector<Section> &sections)
{
    return sections.back().range.end();
}

} // namespace

class TestStripRuns : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void scaleStaysInsideTheFile();
    void scaleKeepsTheByteUnderThePointer();
    void runsCoverThePixels_data();
    void runsCoverThePixels();
    void runsOfAMillionSectionsAreFew();
    void widestKindWinsAPixel();
};

void TestStripRuns::scaleStaysInsideTheFile()
{
    QRandomGenerator random(1);
    StripScale scale;
    scale.setWidth(500);
    for (const std::uint64_t size : {1ull, 64ull, 4096ull, 1ull << 33, 1ull << 50}) {
        scale.setSize(size);
        QVERIFY(scale.fitted());
        QCOMPARE(scale.begin(), 0.0);
        for (int i = 0; i < 200; ++i) {
            switch (random.bounded(4)) {
            case 0: scale.zoom(0.2 + random.generateDouble() * 4, random.bounded(500)); break;
            case 1: scale.pan(random.bounded(-2000, 2000)); break;
            case 2: scale.setWidth(1 + random.bounded(2000)); break;
            default: scale.setBytesPerPixel(random.generateDouble() * 10); break;
            }
            QVERIFY(scale.begin() >= 0);
            QVERIFY(scale.bytesPerPixel() >= StripScale::kLeastBytesPerPixel);
            const double end = static_cast<double>(size);
            QVERIFY(scale.begin() == 0 || scale.end() <= end * (1 + 1e-9) + 1e-6);
        }
    }
}

void TestStripRuns::scaleKeepsTheByteUnderThePointer()
{
    StripScale scale;
    scale.setWidth(1000);
    scale.setSize(1000000);
    scale.zoom(8, 250);
    QVERIFY(std::abs(scale.byteAt(250) - 250000) < 1);
    QVERIFY(!scale.fitted());
    scale.setWidth(800);
    QVERIFY(!scale.fitted());
    scale.reveal(900000, 900010);
    QVERIFY(scale.begin() <= 900000 && scale.end() >= 900010);
    scale.fit();
    QVERIFY(scale.fitted());
}

void TestStripRuns::runsCoverThePixels_data()
{
    QTest::addColumn<int>("sections");
    QTest::addColumn<int>("longest");
    QTest::addColumn<double>("zoom");
    QTest::addColumn<double>("column");
    for (const int sections : {1, 2, 30, 5000})
        for (const double zoom : {1.0, 7.0, 500.0})
            for (const double column : {1.0, 0.5})
                QTest::addRow("%d sections, zoom %g, column %g", sections, zoom, column)
                    << sections << 3000 << zoom << column;
}

void TestStripRuns::runsCoverThePixels()
{
    QFETCH(int, sections);
    QFETCH(int, longest);
    QFETCH(double, zoom);
    QFETCH(double, column);
    QRandomGenerator random(static_cast<quint32>(sections));
    std::vector<std::uint64_t> lengths;
    for (int i = 0; i < sections; ++i)
        lengths.push_back(1 + random.bounded(static_cast<quint32>(longest)));
    const auto all = sectionsOf(lengths);
    StripScale scale;
    scale.setWidth(640);
    scale.setSize(sizeOf(all));
    scale.zoom(zoom, 321);
    const auto runs = stripRuns(all, scale, column);
    QVERIFY(!runs.empty());
    QVERIFY(runs.size() <= 2 * static_cast<std::size_t>(640 / column) + 2);
    double at = 0;
    for (const StripRun &run : runs) {
        QVERIFY(std::abs(run.left - at) < 1e-6);
        QVERIFY(run.right > run.left);
        at = run.right;
        QVERIFY(run.section < all.size());
        QCOMPARE(run.section,
                 stripSectionAt(all, static_cast<std::uint64_t>(scale.byteAt(run.left))));
        if (run.merged)
            continue;
        QCOMPARE(run.kind, all[run.section].kind);
        const double middle = scale.byteAt((run.left + run.right) / 2);
        QVERIFY(middle >= static_cast<double>(all[run.section].range.offset.value) - 1);
        QVERIFY(middle <= static_cast<double>(all[run.section].range.end()) + 1);
    }
    QVERIFY(at >= std::min(640.0, scale.pixelOf(static_cast<double>(scale.size()))) - 1e-6);
}

void TestStripRuns::runsOfAMillionSectionsAreFew()
{
    const auto all = sectionsOf(std::vector<std::uint64_t>(1000000, 64));
    StripScale scale;
    scale.setWidth(2000);
    scale.setSize(sizeOf(all));
    const auto runs = stripRuns(all, scale, 0.5);
    QVERIFY(!runs.empty());
    QVERIFY(runs.size() <= 2 * 2000 + 2); // what a strip of so many pixels can show, not a million
}

void TestStripRuns::widestKindWinsAPixel()
{
    // Within each pixel of 1000 bytes, 900 are data and the rest is metadata.
    std::vector<Section> all;
    std::uint64_t at = 0;
    for (int i = 0; i < 10000; ++i) {
        Section section;
        section.kind = i % 2 ? SectionKind::Data : SectionKind::Metadata;
        section.range = {FileOffset(at), ByteCount(i % 2 ? 90 : 10)};
        at = section.range.end();
        all.push_back(section);
    }
    StripScale scale;
    scale.setWidth(static_cast<double>(at) / 1000);
    scale.setSize(at);
    double data = 0, rest = 0;
    for (const StripRun &run : stripRuns(all, scale, 1.0)) {
        QVERIFY(run.merged);
        (run.kind == SectionKind::Data ? data : rest) += run.right - run.left;
    }
    QVERIFY(data > 0 && rest == 0);
}

KERNSCOPE_TEST(TestStripRuns, QApplication)
#include "tst_strip_runs.moc"
