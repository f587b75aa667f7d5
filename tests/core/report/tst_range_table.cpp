// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/overlaid_file.h"
#include "core/report/places_table.h"

#include "tests/core/patch/sample_bundles.h"
#include "tests/test_program.h"

namespace {

AlignedBytes aligned(const BundlePtr &a, const BundlePtr &b)
{
    return {a, b, ByteAlignment(*a, *b, pairWeights(*a, *b).pairs)};
}

report::RangeList rangesOf(const AlignedBytes &bytes,
                           std::size_t most = report::RangeList::kMostRanges)
{
    Progress progress;
    const auto differences = ByteDifferences::find(bytes, progress);
    return *report::differentRanges(bytes, *differences, most, progress);
}

/// The bundle with bytes of its weight file turned round.
BundlePtr turned(const Bundle &bundle, std::size_t file, std::span<const ByteRange> ranges)
{
    OpenOptions options;
    auto contents = contentOf(bundle);
    for (const ByteRange &range : ranges) {
        for (std::uint64_t i = range.offset.value; i < range.end(); ++i)
            contents[file][i] ^= std::byte{0x41};
    }
    for (std::size_t i = 0; i < contents.size(); ++i)
        options.memory.emplace_back(bundle.files()[i].path, contents[i]);
    return Bundle::open(bundle.path(), options).value_or(nullptr);
}

} // namespace

/// The list of ranges of bytes that differ.
class TestRangeTable : public QObject
{
    Q_OBJECT

private slots:
    /// Two elements changed far apart are two ranges, each with its bytes, part and element.
    void elementsThatWereChanged()
    {
        const BundlePtr a = *sampleBundle("dense-fp16").open();
        std::vector<ByteRange> places;
        for (const std::uint64_t element : {5U, 40U})
            places.push_back(placeOfElement(*a, 0, element)->bytes);
        const std::size_t file = placeOfElement(*a, 0, 5)->file;
        const BundlePtr b = VERIFIED(turned(*a, file, places));
        const auto list = rangesOf(aligned(a, b));
        QCOMPARE(list.rows.size(), 2U);
        for (std::size_t i = 0; i < places.size(); ++i) {
            const report::RangeFacts &row = list.rows[i];
            QCOMPARE(row.file, a->files()[file].path);
            QCOMPARE(*row.offsetA, places[i].offset.value);
            QCOMPARE(*row.offsetB, places[i].offset.value);
            QCOMPARE(row.bytesA, 2U);
            QCOMPARE(row.bytesB, 2U);
            QCOMPARE(row.weight, "w");
            QCOMPARE(row.state, report::RangeFacts::State::Changed);
            QCOMPARE(*row.firstElement, std::uint64_t(i == 0 ? 5 : 40));
            QCOMPARE(row.firstElement, row.lastElement);
            QCOMPARE(row.elements, std::string(i == 0 ? "[0,5]" : "[5,0]"));
        }
    }

    /// Every byte that differs lies in a range of its side, and ranges do not overlap.
    void everyPairOfForms()
    {
        for (const SampleForm &from : sampleForms()) {
            const BundlePtr a = *sampleBundle(from.name).open();
            for (const SampleForm &to : sampleForms()) {
                const BundlePtr b = *sampleBundle(to.name).open();
                const AlignedBytes bytes = aligned(a, b);
                const auto list = rangesOf(bytes);
                const QByteArray names = (from.name + " > " + to.name).c_str();
                QVERIFY2(!list.cut, names);
                for (const bool ofA : {true, false}) {
                    const Bundle &side = ofA ? *a : *b;
                    for (std::size_t file = 0; file < side.files().size(); ++file) {
                        const std::string &path = side.files()[file].path;
                        std::vector<bool> covered(side.files()[file].file->bytes().size());
                        for (const report::RangeFacts &row : list.rows) {
                            const auto &offset = ofA ? row.offsetA : row.offsetB;
                            const std::uint64_t length = ofA ? row.bytesA : row.bytesB;
                            QCOMPARE(offset.has_value(), length > 0);
                            if (row.file != path || !offset)
                                continue;
                            QVERIFY2(*offset + length <= covered.size(), names);
                            for (std::uint64_t i = *offset; i < *offset + length; ++i) {
                                QVERIFY2(!covered[i], names);
                                covered[i] = true;
                            }
                        }
                        for (const AlignedSegment &segment : bytes.alignment.segments()) {
                            const AlignedFile &at = bytes.alignment.fileOf(segment);
                            if ((ofA ? at.a : at.b) != file || segment.stretched())
                                continue;
                            const std::uint64_t start = ofA ? segment.firstA : segment.firstB;
                            for (std::uint64_t i = 0; i < segment.lengthOn(ofA); ++i)
                                QVERIFY2(!byteDiffers(bytes, segment, i, ofA) || covered[start + i],
                                         names);
                        }
                    }
                }
            }
        }
    }

    void cut()
    {
        const BundlePtr a = *sampleBundle("dense-fp16").open();
        std::vector<ByteRange> places;
        for (const std::uint64_t element : {0U, 20U, 40U, 60U})
            places.push_back(placeOfElement(*a, 0, element)->bytes);
        const BundlePtr b = turned(*a, placeOfElement(*a, 0, 0)->file, places);
        const AlignedBytes bytes = aligned(a, b);
        QCOMPARE(rangesOf(bytes).rows.size(), 4U);
        QVERIFY(!rangesOf(bytes, 4).cut);
        const auto some = rangesOf(bytes, 3);
        QVERIFY(some.cut);
        QCOMPARE(some.rows.size(), 3U);
        Progress stopped;
        stopped.cancel();
        Progress progress;
        QVERIFY(
            !report::differentRanges(bytes, *ByteDifferences::find(bytes, progress), 9, stopped));
    }

    void equal()
    {
        const BundlePtr a = *sampleBundle("lut4").open(), b = *sampleBundle("lut4").open();
        QVERIFY(rangesOf(aligned(a, b)).rows.empty());
    }
};

KERNSCOPE_TEST(TestRangeTable, QCoreApplication)
#include "tst_range_table.moc"
