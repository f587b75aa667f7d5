// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codec/decode/decoder.h"
#include "core/compare/byte_differences.h"
#include "joined_sample.h"
#include "tests/core/patch/form_rows.h"

namespace {

/// The bundle with bytes of a file turned round; null where it does not open any more.
BundlePtr changed(const Bundle &bundle, std::size_t file, const ByteRange &bytes)
{
    OpenOptions options;
    auto contents = contentOf(bundle);
    for (std::uint64_t i = bytes.offset.value; i < bytes.end(); ++i)
        contents[file][i] ^= std::byte{0xFF};
    for (std::size_t i = 0; i < contents.size(); ++i)
        options.memory.emplace_back(bundle.files()[i].path, contents[i]);
    return Bundle::open(bundle.path(), options).value_or(nullptr);
}

std::vector<std::int64_t> codesOf(const Bundle &bundle)
{
    const auto decoder = bundle.decoder(0);
    if (!decoder)
        return {};
    std::vector<std::int64_t> codes(decoder->elements().value);
    decoder->codes(0, codes);
    return codes;
}

AlignedBytesPtr alignedPair(const BundlePtr &a, const BundlePtr &b)
{
    return std::make_shared<AlignedBytes>(
        AlignedBytes{a, b, ByteAlignment(*a, *b, pairWeights(*a, *b).pairs)});
}

/// Bytes in a file that a run of a segment is on a side.
ByteRange fileBytes(const AlignedBytes &bytes, const SegmentRun &run, bool ofA)
{
    const AlignedSegment &segment = bytes.alignment.segments()[run.segment];
    return {FileOffset((ofA ? segment.firstA : segment.firstB) + run.first), ByteCount(run.length)};
}

bool holds(const std::vector<std::uint64_t> &all, std::uint64_t one)
{
    return std::ranges::find(all, one) != all.end();
}

} // namespace

/// A byte of one build and what the other one has for it, whatever the forms of both.
/// Bytes that differ are counted by side: no figure is larger than the file that it is of, and the
/// comparison of files and that of the aligned bytes come to the same.
class TestByteCounterpart : public QObject
{
    Q_OBJECT

private slots:
    void bytesOfElements_data() { addForms(); }

    /// Bytes that are turned round change the codes of the elements that are said to be stored
    /// there, and of no others.
    void bytesOfElements()
    {
        const auto [form] = fetched<QString>();
        const BundlePtr bundle = *sampleBundle(form.toStdString()).open();
        const auto before = codesOf(*bundle);
        QCOMPARE(before.size(), 64U);
        BoundOrder order;
        std::map<std::uint64_t, std::set<std::uint64_t>> byByte;
        for (std::uint64_t element = 0; element < 64; ++element) {
            const auto place = placeOfElement(*bundle, 0, element, order);
            QVERIFY2(place, qPrintable(QString::number(element)));
            for (std::uint64_t at = place->bytes.offset.value; at < place->bytes.end(); ++at) {
                byByte[at].insert(element);
                const auto owner = ownerOfByte(*bundle, place->file, FileOffset(at), order);
                QVERIFY(owner && owner->weight == 0);
                QVERIFY(holds(owner->elements, element));
            }
            if (before[element] == codec::Decoder::kNotStored) // turning a mask round is no weight
                continue;
            const BundlePtr other = VERIFIED(changed(*bundle, place->file, place->bytes));
            const auto after = codesOf(*other);
            QCOMPARE(after.size(), before.size());
            QVERIFY(after[element] != before[element]);
        }
        for (const auto &[at, elements] : byByte) {
            const auto owner =
                VERIFIED(ownerOfByte(*bundle, bundle->weights()[0].operands().front().place->file,
                                     FileOffset(at), order));
            const codec::Operand &operand = bundle->weights()[0].operands()[owner->operand];
            if (operand.role == codec::PartRole::Mask)
                continue;
            const BundlePtr other =
                changed(*bundle, operand.place->file, {FileOffset(at), ByteCount(1)});
            const auto after = codesOf(*other);
            std::set<std::uint64_t> differing;
            for (std::uint64_t i = 0; i < 64; ++i) {
                if (after[i] != before[i])
                    differing.insert(i);
            }
            QVERIFY(differing == elements);
            QVERIFY(differing ==
                    std::set<std::uint64_t>(owner->elements.begin(), owner->elements.end()));
        }
    }

    /// From every byte of every element of A to B and back, for every form against every form.
    void everyPairOfForms()
    {
        std::vector<BundlePtr> bundles;
        for (const SampleForm &form : sampleForms())
            bundles.push_back(*sampleBundle(form.name).open());
        for (const BundlePtr &a : bundles) {
            for (const BundlePtr &b : bundles) {
                const auto bytes = alignedPair(a, b);
                ByteCounterparts counterparts(bytes);
                BoundOrder orderA, orderB;
                for (std::uint64_t element = 0; element < 64; ++element) {
                    const auto own = placeOfElement(*a, 0, element, orderA);
                    const auto there = placeOfElement(*b, 0, element, orderB);
                    QVERIFY(own && there);
                    const auto at =
                        bytes->alignment.placeOf(true, own->file, own->bytes.offset.value);
                    QVERIFY(at.segment != kNoIndex);
                    const auto found = counterparts.of(at.segment, at.offset, true);
                    QVERIFY(found.by == ByteCounterpart::By::Element);
                    QVERIFY(holds(found.elements, element));
                    QCOMPARE(found.otherElements, found.elements);
                    QVERIFY(!found.runs.empty());
                    QCOMPARE(found.file, there->file);
                    const bool marked = std::ranges::any_of(found.runs, [&](const SegmentRun &run) {
                        return fileBytes(*bytes, run, false).contains(there->bytes.offset);
                    });
                    QVERIFY(marked);
                    // And back: the element's own byte is among what A has for it.
                    const auto back =
                        bytes->alignment.placeOf(false, there->file, there->bytes.offset.value);
                    const auto returned = counterparts.of(back.segment, back.offset, false);
                    QVERIFY(holds(returned.otherElements, element));
                    const bool home =
                        std::ranges::any_of(returned.runs, [&](const SegmentRun &run) {
                            return fileBytes(*bytes, run, true).contains(own->bytes.offset);
                        });
                    QVERIFY(home);
                }
            }
        }
    }

    void equalBundles_data() { bytesOfElements_data(); }

    /// Each stored byte of a bundle has the same byte of an equal one to be compared with, also
    /// where several elements share it: codes of fewer bits than eight, bits of a mask, vectors.
    void equalBundles()
    {
        const auto [form] = fetched<QString>();
        const auto bytes = alignedPair(*sampleBundle(form.toStdString()).open(),
                                       *sampleBundle(form.toStdString()).open());
        ByteCounterparts counterparts(bytes);
        std::size_t compared = 0;
        for (const codec::Operand &operand : bytes->a->weights()[0].operands()) {
            const std::uint64_t first = operand.place ? operand.place->dataOffset.value : 0;
            if (!operand.place ||
                bytes->alignment.placeOf(true, operand.place->file, first).segment == kNoIndex)
                continue; // a literal of the program
            for (std::uint64_t i = 0; i < bytes->a->operandBytes(operand).size(); ++i) {
                const auto at = bytes->alignment.placeOf(true, operand.place->file, first + i);
                QVERIFY(at.segment != kNoIndex);
                const auto found = counterparts.of(at.segment, at.offset, true);
                QVERIFY2(found.byteForByte, qPrintable(QString::number(first + i, 16)));
                QCOMPARE(fileBytes(*bytes, found.sameByte, false).offset.value, first + i);
                ++compared;
            }
        }
        QVERIFY(compared > 0);
    }

    /// Two bytes against one: the element, not the distance from the start; the second byte of two
    /// is the second byte of two.
    void halvesAgainstBytes()
    {
        const BundlePtr dense = *sampleBundle("dense-fp16").open();
        const BundlePtr affine = *sampleBundle("affine").open();
        const auto dataOf = [](const Bundle &bundle) {
            return bundle.weights()[0].operands().front().place->dataOffset.value;
        };
        const std::size_t file = dense->weights()[0].operands().front().place->file;
        const auto mixed = alignedPair(dense, affine);
        ByteCounterparts counterparts(mixed);
        const auto at = mixed->alignment.placeOf(true, file, dataOf(*dense) + 2 * 21 + 1);
        QVERIFY(at.segment != kNoIndex);
        const auto found = counterparts.of(at.segment, at.offset, true);
        QCOMPARE(found.elements, std::vector<std::uint64_t>{21});
        QCOMPARE(found.runs.size(), 1U);
        QCOMPARE(fileBytes(*mixed, found.runs.front(), false),
                 (ByteRange{FileOffset(dataOf(*affine) + 21), ByteCount(1)}));
        QVERIFY(!found.byteForByte);
        // One section on both sides, two bytes beside one, and none of them equal by chance.
        const AlignedSegment &segment = mixed->alignment.segments()[at.segment];
        QVERIFY(segment.otherwise && segment.unitA == 2 && segment.unitB == 1);
        Progress progress;
        const auto differences = VERIFIED(ByteDifferences::find(*mixed, progress));
        QCOMPARE(differences->tallyOf(segment.section).total(), segment.length());
        QVERIFY(byteDiffers(*mixed, segment, 0, true) && byteDiffers(*mixed, segment, 63, false));
        QVERIFY(!byteDiffers(*mixed, segment, 64, false));
        const auto back =
            counterparts.of(found.runs.front().segment, found.runs.front().first, false);
        QCOMPARE(fileBytes(*mixed, back.runs.front(), true),
                 (ByteRange{FileOffset(dataOf(*dense) + 2 * 21), ByteCount(2)}));

        const auto same = alignedPair(dense, dense);
        ByteCounterparts equals(same);
        const auto second = same->alignment.placeOf(true, file, dataOf(*dense) + 2 * 21 + 1);
        const auto there = equals.of(second.segment, second.offset, true);
        QVERIFY(there.byteForByte);
        QCOMPARE(there.runs, (std::vector<SegmentRun>{{second.segment, second.offset, 1}}));
    }

    /// Codebooks and scales go by their entries, headers by their bytes.
    void entries()
    {
        const BundlePtr grouped = *sampleBundle("lut4").open();
        const BundlePtr affine = *sampleBundle("affine").open();
        const auto same = alignedPair(grouped, grouped);
        ByteCounterparts counterparts(same);
        const Weight &weight = grouped->weights()[0];
        std::size_t lut = 0;
        while (weight.operands()[lut].role != codec::PartRole::Lut)
            ++lut;
        const auto entry = VERIFIED(placeOfEntry(*grouped, 0, lut, 3));
        const auto at = same->alignment.placeOf(true, entry->file, entry->bytes.offset.value);
        const auto found = counterparts.of(at.segment, at.offset, true);
        QVERIFY(found.by == ByteCounterpart::By::Entry && found.byteForByte);
        QCOMPARE(found.runs, (std::vector<SegmentRun>{{at.segment, at.offset, 1}}));
        const auto header =
            counterparts.of(same->alignment.placeOf(true, entry->file, 4).segment,
                            same->alignment.placeOf(true, entry->file, 4).offset, true);
        QVERIFY(header.by == ByteCounterpart::By::Offset);
        QCOMPARE(header.runs.size(), 1U);
        // A codebook against a form that has none.
        const auto mixed = alignedPair(grouped, affine);
        ByteCounterparts none(mixed);
        const auto alone = mixed->alignment.placeOf(true, entry->file, entry->bytes.offset.value);
        QVERIFY(none.of(alone.segment, alone.offset, true).runs.empty());
    }

    /// Weights that are no pair, in sections that are not aligned, have nothing for each other.
    void sharedNothing()
    {
        const BundlePtr a = *denseBundle(kTen).open(), b = *denseBundle(kTwelve).open();
        auto bytes = std::make_shared<AlignedBytes>(AlignedBytes{a, b, ByteAlignment(*a, *b, {})});
        ByteCounterparts counterparts(bytes);
        const auto place = placeOfElement(*a, 0, 4);
        const auto at = bytes->alignment.placeOf(true, place->file, place->bytes.offset.value);
        const auto found = counterparts.of(at.segment, at.offset, true);
        QCOMPARE(found.elements, std::vector<std::uint64_t>{4});
        QVERIFY(found.runs.empty());
        QVERIFY(counterparts.of(kNoIndex, 0, true).runs.empty());
    }

    /// An element of a part stands elsewhere in the whole.
    void joinedWeights()
    {
        const std::vector<Made> parts{{"q", {4, 16}, randomValues(64, 1)},
                                      {"k", {4, 16}, randomValues(64, 2)},
                                      {"v", {4, 16}, randomValues(64, 3)}};
        const BundlePtr whole = bundleOf({joined("qkv", parts, 1)}), apart = bundleOf(parts);
        const auto bytes = alignedPair(whole, apart);
        QCOMPARE(bytes->alignment.sliced().size(), parts.size());
        ByteCounterparts counterparts(bytes);
        // Row 2, column 5 of the second part is column 21 of the whole.
        const auto inWhole = placeOfElement(*whole, 0, 2 * 48 + 21);
        const auto inPart = placeOfElement(*apart, 1, 2 * 16 + 5);
        const auto at = bytes->alignment.placeOf(true, inWhole->file, inWhole->bytes.offset.value);
        const auto found = counterparts.of(at.segment, at.offset, true);
        QCOMPARE(found.otherElements, std::vector<std::uint64_t>{2 * 16 + 5});
        QCOMPARE(found.otherWeight, 1U);
        QCOMPARE(fileBytes(*bytes, found.runs.front(), false).offset, inPart->bytes.offset);
        QVERIFY(found.byteForByte);
        const auto back =
            counterparts.of(found.runs.front().segment, found.runs.front().first, false);
        QCOMPARE(back.otherElements, std::vector<std::uint64_t>{2 * 48 + 21});
    }

    void runs()
    {
        const Bytes a = hex("01 02 03 04 05"), b = hex("01 00 03");
        QCOMPARE(diff::differentBytes(a, b), (ByteTally{1, 2, 0}));
        QCOMPARE(diff::differentBytes(b, a), (ByteTally{1, 0, 2}));
        QCOMPARE(diff::differentBytes(a, a), ByteTally());
        QCOMPARE(diff::differentBytes({}, a), (ByteTally{0, 0, 5}));
        QCOMPARE(ByteTally::of(5, 3), (ByteTally{3, 2, 0}));
        QCOMPARE((ByteTally{3, 2, 7}.inA()), 5U);
        QCOMPARE((ByteTally{3, 2, 7}.inB()), 10U);
    }

    void words()
    {
        QCOMPARE(tallyText({}), "no byte differs");
        QCOMPARE(tallyText({1, 0, 0}), "1 byte changed");
        QCOMPARE(tallyText({12345, 1, 2}), "12,345 bytes changed, 1 only in A, 2 only in B");
        QCOMPARE(tallyText({0, 0, 1000}), "1,000 bytes only in B");
    }

    void noMoreThanTheFile_data() { addForms(); }

    void noMoreThanTheFile()
    {
        const auto [form] = fetched<QString>();
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
        QCOMPARE(cut, 1U);
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

KERNSCOPE_TEST(TestByteCounterpart, QCoreApplication)
#include "tst_byte_counterpart.moc"
