// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compare/byte_differences.h"
#include "core/compare/byte_ranges.h"
#include "diff_sample.h"
#include "tests/test_program.h"

/// Bytes that differ are counted by side: no figure is larger than the file that it is of, and the
/// comparison of files and that of the aligned bytes come to the same.
class TestByteTally : public QObject
{
    Q_OBJECT

private slots:
    void runs()
    {
        const Bytes a = hex("01 02 03 04 05"), b = hex("01 00 03");
        QCOMPARE(diff::differentBytes(a, b), (ByteTally{1, 2, 0}));
        QCOMPARE(diff::differentBytes(b, a), (ByteTally{1, 0, 2}));
        QCOMPARE(diff::differentBytes(a, a), ByteTally());
        QCOMPARE(diff::differentBytes({}, a), (ByteTally{0, 0, 5}));
        QCOMPARE(ByteTally::of(5, 3), (ByteTally{3, 2, 0}));
        QCOMPARE((ByteTally{3, 2, 7}.inA()), std::uint64_t(5));
        QCOMPARE((ByteTally{3, 2, 7}.inB()), std::uint64_t(10));
    }

    void words()
    {
        QCOMPARE(tallyText({}), "no byte differs");
        QCOMPARE(tallyText({1, 0, 0}), "1 byte changed");
        QCOMPARE(tallyText({12345, 1, 2}), "12,345 bytes changed, 1 only in A, 2 only in B");
        QCOMPARE(tallyText({0, 0, 1000}), "1,000 bytes only in B");
    }

    void noMoreThanTheFile_data()
    {
        QTest::addColumn<QByteArray>("form");
        for (const SampleForm &form : sampleForms())
            addRow(form.name.c_str(), QByteArray::fromStdString(form.name));
    }

    void noMoreThanTheFile()
    {
        QFETCH(const QByteArray, form);
        const BundlePtr a = *sampleBundle("dense-fp16").open();
        const BundlePtr b = *sampleBundle(form.toStdString()).open();
        const Difference difference = *compareBundles(*a, *b, {});
        ByteTally whole;
        for (const FileDifference &file : difference.files) {
            QVERIFY(file.tally.inA() <= file.bytesA.value_or(ByteCount()).value);
            QVERIFY(file.tally.inB() <= file.bytesB.value_or(ByteCount()).value);
            if (file.bytesA && file.bytesB)
                QCOMPARE(file.equal, file.tally == ByteTally());
            whole += file.tally;
        }
        const AlignedBytes bytes{a, b, ByteAlignment(*a, *b, difference.weights)};
        Progress progress;
        const auto found = VERIFIED(ByteDifferences::find(bytes, progress));
        QCOMPARE(found->tally(), whole);
        ByteTally sections;
        for (std::size_t i = 0; i < bytes.alignment.sections().size(); ++i)
            sections += found->tallyOf(i);
        QCOMPARE(sections, whole);
    }

    /// More runs than are listed: the count is exact, the last run is not counted to the end.
    void manyRanges()
    {
        constexpr std::size_t kElements = 3 * FileDifference::kMaxRanges;
        Bytes from, to;
        for (std::size_t i = 0; i < kElements; ++i) {
            const Bytes one = halves({1.0f}), other = halves({i % 2 == 0 ? 1.25f : 1.0f});
            from.insert(from.end(), one.begin(), one.end());
            to.insert(to.end(), other.begin(), other.end()); // one byte of every other element
        }
        const BundlePtr a = *denseBundle(from).open(), b = *denseBundle(to).open();
        const Difference difference = *compareBundles(*a, *b, {});
        std::size_t cut = 0;
        for (const FileDifference &file : difference.files) {
            if (file.equal)
                continue;
            cut += file.rangesCut;
            QCOMPARE(file.tally, (ByteTally{kElements / 2, 0, 0}));
        }
        QCOMPARE(cut, std::size_t(1));
    }

    /// Lines of one length byte by byte; of others from what they begin with to what they end with.
    void linesOfText()
    {
        const auto bundle = [](const char *pad) {
            MadeBundle made;
            made.weight("w", "[10]", kTen);
            made.line(fmt::format("tensor<fp16, [1]> y = conv(pad = {}, weight = w, x = x)[name = "
                                  "string(\"y\")]",
                                  pad));
            return *made.open();
        };
        const auto tallies = [](const BundlePtr &a, const BundlePtr &b) {
            const Difference difference = *compareBundles(*a, *b, {});
            ByteTally whole;
            for (const FileDifference &file : difference.files)
                whole += file.tally;
            const AlignedBytes bytes{a, b, ByteAlignment(*a, *b, difference.weights)};
            Progress progress;
            return std::pair(whole, ByteDifferences::find(bytes, progress)->tally());
        };
        const auto [files, aligned] = tallies(bundle("12345"), bundle("92349"));
        QCOMPARE(files, (ByteTally{2, 0, 0}));
        QCOMPARE(aligned, files);
        const auto [longer, longerAligned] = tallies(bundle("15"), bundle("12345"));
        QCOMPARE(longer, (ByteTally{0, 0, 3}));
        QCOMPARE(longerAligned, longer);
    }
};

KERNSCOPE_TEST(TestByteTally, QCoreApplication)
#include "tst_byte_tally.moc"
