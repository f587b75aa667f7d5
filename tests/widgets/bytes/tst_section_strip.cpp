// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/widgets/sample_bundles.h"
#include "widgets/bytes/section_strip.h"
#include "widgets/common/controls.h"
#include "widgets/models/byte_models.h"

using namespace kernscope::ui;

namespace {

/// The widest section of a bundle's weight file.
std::size_t widestSection(const Bundle &bundle, std::size_t file)
{
    const auto [first, last] = bundle.sectionsOf(file);
    std::size_t widest = first;
    for (std::size_t i = first; i < last; ++i) {
        if (bundle.sections()[i].range.bytes > bundle.sections()[widest].range.bytes)
            widest = i;
    }
    return widest;
}

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

class TestSectionStrip : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init() { theme::apply(false); }

    void paintsKindsInTheirColours_data() { addThemes(); }

    void paintsKindsInTheirColours()
    {
        QFETCH(bool, dark);
        theme::apply(dark);
        const BundlePtr bundle = openSample("sparse");
        const auto strip = VERIFIED(shownStrip(bundle));
        const std::size_t widest = widestSection(*bundle, strip->file());
        const Section &section = bundle->sections()[widest];
        const double middle = strip->scale().pixelOf(double(section.range.offset.value) +
                                                     double(section.range.bytes.value) * 0.9);
        const QImage picture = strip->viewport()->grab().toImage();
        const QPoint at(int(middle), strip->band().top() + 2);
        QCOMPARE(colorAt(picture, at), theme::color(theme::tokenOf(section.kind), dark));
    }

    void clickPicksTheSection()
    {
        const BundlePtr bundle = openSample("sparse");
        const auto strip = VERIFIED(shownStrip(bundle));
        const std::size_t widest = widestSection(*bundle, strip->file());
        const ByteRange range = bundle->sections()[widest].range;
        const QPoint at(
            int(strip->scale().pixelOf(double(range.offset.value + range.bytes.value / 2))),
            strip->band().center().y());
        QCOMPARE(strip->sectionAtPixel(at.x()), widest);
        QSignalSpy picked(strip.get(), &SectionStrip::picked);
        QSignalSpy activated(strip.get(), &SectionStrip::activated);
        QTest::mouseClick(strip->viewport(), Qt::LeftButton, {}, at);
        QCOMPARE(picked.size(), 1);
        QCOMPARE(picked.first().first().value<std::size_t>(), widest);
        QCOMPARE(strip->current(), widest);
        QVERIFY(strip->accessibleDescription().contains(
            QString::fromStdString(bundle->nameOf(bundle->sections()[widest]))));
        QTest::mouseDClick(strip->viewport(), Qt::LeftButton, {}, at);
        QCOMPARE(activated.size(), 1);
        QTest::keyClick(strip.get(), Qt::Key_Return);
        QCOMPARE(activated.size(), 2);
    }

    void keysGoFromSectionToSection()
    {
        const BundlePtr bundle = openSample("dense");
        const auto strip = VERIFIED(shownStrip(bundle));
        const auto [first, last] = bundle->sectionsOf(strip->file());
        QTest::keyClick(strip.get(), Qt::Key_Home);
        QCOMPARE(strip->current(), first);
        for (std::size_t section = first + 1; section < last; ++section) {
            QTest::keyClick(strip.get(), Qt::Key_Right);
            QCOMPARE(strip->current(), section);
        }
        QTest::keyClick(strip.get(), Qt::Key_Right);
        QCOMPARE(strip->current(), last - 1);
        QTest::keyClick(strip.get(), Qt::Key_Left);
        QCOMPARE(strip->current(), last - 2);
        QTest::keyClick(strip.get(), Qt::Key_End);
        QCOMPARE(strip->current(), last - 1);
    }

    void wheelAndKeysZoom()
    {
        const BundlePtr bundle = openSample("dense");
        const auto strip = VERIFIED(shownStrip(bundle));
        const double fitted = strip->scale().bytesPerPixel();
        QVERIFY(strip->scale().fitted());
        const QPointF at(300, strip->band().center().y());
        const double under = strip->scale().byteAt(at.x());
        QWheelEvent wheel(at, strip->viewport()->mapToGlobal(at), {}, QPoint(0, 240), Qt::NoButton,
                          Qt::NoModifier, Qt::NoScrollPhase, false);
        QApplication::sendEvent(strip->viewport(), &wheel);
        QVERIFY(strip->scale().bytesPerPixel() < fitted);
        QVERIFY(std::abs(strip->scale().byteAt(at.x()) - under) < 1);
        QVERIFY(strip->horizontalScrollBar()->maximum() > 0);
        QTest::keyClick(strip.get(), Qt::Key_0);
        QVERIFY(strip->scale().fitted());
        QTest::keyClick(strip.get(), Qt::Key_1);
        QVERIFY(std::abs(strip->scale().bytesPerPixel() - std::min(1.0, fitted)) < 1e-9);
        const double before = strip->scale().bytesPerPixel();
        QTest::keyClick(strip.get(), Qt::Key_Plus);
        QVERIFY(strip->scale().bytesPerPixel() < before);
        QTest::keyClick(strip.get(), Qt::Key_Minus);
        QTest::keyClick(strip.get(), Qt::Key_Minus);
        QVERIFY(strip->scale().bytesPerPixel() > before || strip->scale().fitted());
    }

    void draggingPans()
    {
        const BundlePtr bundle = openSample("dense");
        const auto strip = VERIFIED(shownStrip(bundle));
        for (int i = 0; i < 4; ++i)
            strip->zoomIn();
        const double begin = strip->scale().begin();
        QSignalSpy picked(strip.get(), &SectionStrip::picked);
        const int y = strip->band().center().y();
        QTest::mousePress(strip->viewport(), Qt::LeftButton, {}, QPoint(400, y));
        QTest::mouseMove(strip->viewport(), QPoint(380, y));
        QTest::mouseMove(strip->viewport(), QPoint(300, y));
        QTest::mouseRelease(strip->viewport(), Qt::LeftButton, {}, QPoint(300, y));
        QVERIFY(strip->scale().begin() > begin);
        QCOMPARE(picked.size(), 0);
        strip->horizontalScrollBar()->setValue(0);
        QCOMPARE(strip->scale().begin(), 0.0);
    }

    void marksChangedBytes()
    {
        const BundlePtr bundle = openSample("dense");
        const auto strip = VERIFIED(shownStrip(bundle));
        const std::size_t widest = widestSection(*bundle, strip->file());
        const std::uint64_t at = bundle->sections()[widest].range.offset.value +
                                 bundle->sections()[widest].range.bytes.value / 2;
        const int x = int(strip->scale().pixelOf(double(at)));
        const auto marked = [&] {
            const QImage picture = strip->viewport()->grab().toImage();
            const QColor mark = theme::color(Token::MarkChanged, false);
            for (int y = 0; y < strip->band().top(); ++y) {
                for (int dx = -2; dx <= 2; ++dx) {
                    if (colorAt(picture, QPoint(x + dx, y)) == mark)
                        return true;
                }
            }
            return false;
        };
        QVERIFY(!marked());
        QVERIFY(turnByte(*bundle, strip->file(), FileOffset(at)));
        strip->setFile(bundle, strip->file());
        QVERIFY(marked());
    }

    void outlinesTheCurrentSection()
    {
        const BundlePtr bundle = openSample("dense");
        const auto strip = VERIFIED(shownStrip(bundle));
        const std::size_t widest = widestSection(*bundle, strip->file());
        const QImage before = strip->viewport()->grab().toImage();
        strip->setCurrent(widest);
        const QImage after = strip->viewport()->grab().toImage();
        const int left =
            int(strip->scale().pixelOf(double(bundle->sections()[widest].range.offset.value)));
        const QPoint edge(left + 1, strip->band().center().y());
        QVERIFY(colorAt(before, edge) != colorAt(after, edge));
        QCOMPARE(colorAt(after, edge), strip->palette().color(QPalette::Text));
    }

    void tooltipNamesTheSection()
    {
        const BundlePtr bundle = openSample("palette");
        for (std::size_t i = 0; i < bundle->sections().size(); ++i) {
            const QString text = describeSection(*bundle, i);
            const Section &section = bundle->sections()[i];
            QVERIFY(text.startsWith(QString::fromStdString(bundle->nameOf(section))));
            QVERIFY(text.contains(theme::sectionKindLabel(section.kind)));
            QVERIFY(text.contains(QString::fromStdString(bundle->files()[section.file].path)));
        }
    }

    void keepsTheViewAfterAnEdit()
    {
        const BundlePtr bundle = openSample("dense");
        const auto strip = VERIFIED(shownStrip(bundle));
        strip->zoomIn();
        strip->zoomIn();
        const double begin = strip->scale().begin(), zoom = strip->scale().bytesPerPixel();
        strip->setFile(bundle, strip->file());
        QCOMPARE(strip->scale().begin(), begin);
        QCOMPARE(strip->scale().bytesPerPixel(), zoom);
        strip->setFile(bundle, strip->file() == 0 ? 1 : 0);
        QVERIFY(strip->scale().fitted());
    }

    void emptyFileIsSaid()
    {
        SectionStrip strip;
        strip.resize(400, 100);
        strip.grab();
        QCOMPARE(strip.sectionAtPixel(10), kNoIndex);
        QTest::keyClick(&strip, Qt::Key_Right);
        QTest::keyClick(&strip, Qt::Key_Home);
        QCOMPARE(strip.current(), kNoIndex);
    }

    void legendNamesTheKinds()
    {
        KindLegend legend;
        legend.setKinds({SectionKind::Data, SectionKind::Padding, SectionKind::Data}, true);
        QCOMPARE(legend.kinds().size(), 2U);
        QVERIFY(legend.accessibleDescription().contains(u"padding"_s));
        QVERIFY(legend.heightForWidth(40) > legend.heightForWidth(900));
        legend.resize(400, legend.heightForWidth(400));
        const QImage picture = legend.grab().toImage();
        const QColor data = theme::color(Token::KindData, false);
        bool seen = false;
        for (int x = 0; x < legend.height() && !seen; ++x)
            seen = colorAt(picture, QPoint(x, legend.height() / 2)) == data;
        QVERIFY(seen);
    }

    void scaleStaysInsideTheFile()
    {
        QRandomGenerator random(1);
        StripScale scale;
        scale.setWidth(500);
        for (const std::uint64_t size : {1ull, 64ull, 4096ull, 1ull << 33, 1ull << 50}) {
            scale.setSize(size);
            QVERIFY(scale.fitted());
            QCOMPARE(scale.begin(), 0.0);
            for (int i = 0; i < 200; ++i) {
                switch (random.bounded(3)) {
                case 0: scale.zoom(0.2 + random.generateDouble() * 4, random.bounded(500)); break;
                case 1: scale.pan(random.bounded(-2000, 2000)); break;
                default: scale.setWidth(1 + random.bounded(2000)); break;
                }
                QVERIFY(scale.begin() >= 0);
                QVERIFY(scale.bytesPerPixel() >= StripScale::kLeastBytesPerPixel);
                const double end = double(size);
                QVERIFY(scale.begin() == 0 || scale.end() <= end * (1 + 1e-9) + 1e-6);
            }
        }
    }

    void scaleKeepsTheByteUnderThePointer()
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

    void runsCoverThePixels_data()
    {
        addColumns<int, int, double, double>();
        for (const int sections : {1, 2, 30, 5000})
            for (const double zoom : {1.0, 7.0, 500.0})
                for (const double column : {1.0, 0.5})
                    QTest::addRow("%d sections, zoom %g, column %g", sections, zoom, column)
                        << sections << 3000 << zoom << column;
    }

    void runsCoverThePixels()
    {
        const auto [sections, longest, zoom, column] = fetched<int, int, double, double>();
        QRandomGenerator random(static_cast<quint32>(sections));
        std::vector<std::uint64_t> lengths;
        for (int i = 0; i < sections; ++i)
            lengths.push_back(1 + random.bounded(quint32(longest)));
        const auto all = sectionsOf(lengths);
        StripScale scale;
        scale.setWidth(640);
        scale.setSize(sizeOf(all));
        scale.zoom(zoom, 321);
        const auto runs = stripRuns(all, scale, column);
        QVERIFY(!runs.empty());
        QVERIFY(runs.size() <= 2 * std::size_t(640 / column) + 2);
        double at = 0;
        for (const StripRun &run : runs) {
            QVERIFY(std::abs(run.left - at) < 1e-6);
            QVERIFY(run.right > run.left);
            at = run.right;
            QVERIFY(run.section < all.size());
            QCOMPARE(run.section, stripSectionAt(all, std::uint64_t(scale.byteAt(run.left))));
            if (run.merged)
                continue;
            QCOMPARE(run.kind, all[run.section].kind);
            const double middle = scale.byteAt((run.left + run.right) / 2);
            QVERIFY(middle >= double(all[run.section].range.offset.value) - 1);
            QVERIFY(middle <= double(all[run.section].range.end()) + 1);
        }
        QVERIFY(at >= std::min(640.0, scale.pixelOf(double(scale.size()))) - 1e-6);
    }

    void widestKindWinsAPixel()
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
        scale.setWidth(double(at) / 1000);
        scale.setSize(at);
        double data = 0, rest = 0;
        for (const StripRun &run : stripRuns(all, scale, 1.0)) {
            QVERIFY(run.merged);
            (run.kind == SectionKind::Data ? data : rest) += run.right - run.left;
        }
        QVERIFY(data > 0 && rest == 0);
    }

private:
    /// A strip over the sample's weight file, shown.
    std::unique_ptr<SectionStrip> shownStrip(const BundlePtr &bundle)
    {
        auto strip = std::make_unique<SectionStrip>();
        strip->resize(900, strip->sizeHint().height());
        strip->setFile(bundle, weightFile(*bundle));
        strip->show();
        if (!QTest::qWaitForWindowExposed(strip.get()))
            return nullptr;
        return strip;
    }
};

KERNSCOPE_TEST(TestSectionStrip, QApplication)
#include "tst_section_strip.moc"
