// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/overlaid_file.h"
#include "core/base/text.h"
#include "core/bundle/statistics.h"
#include "core/codec/decode/decoder.h"
#include "core/compare/element_changes.h"
#include "core/patch/patch.h"
#include "diff_sample.h"
#include "plain_figures.h"
#include "tests/core/patch/form_rows.h"

namespace {

/// Names of A and B of every pair, with the reason: "w=w (consumer)".
std::vector<std::string> pairsText(const Bundle &a, const Bundle &b)
{
    const PairedWeights paired = pairWeights(a, b);
    std::vector<std::string> text;
    for (const ComparedPair &pair : paired.pairs)
        text.push_back(fmt::format("{}={} ({})", a.weights()[pair.a].name, b.weights()[pair.b].name,
                                   pairingName(pair.pairing)));
    for (const std::size_t i : paired.onlyA)
        text.push_back("A " + a.weights()[i].name);
    for (const std::size_t i : paired.onlyB)
        text.push_back("B " + b.weights()[i].name);
    return text;
}

/// Weights of the given names; each read by a linear op of the name beside it, or by none.
struct Named {
    std::string weight, op;
    Bytes values;
};

BundlePtr namedBundle(const std::vector<Named> &weights)
{
    MadeBundle made;
    for (const Named &named : weights) {
        const std::string shape = fmt::format("[{}]", named.values.size() / 2);
        made.weight(named.weight, shape, named.values);
        made.line(fmt::format("tensor<fp16, [1]> {0} = linear(weight = {1}, x = x)[name = "
                              "string(\"{0}\")]",
                              named.op, named.weight));
    }
    return *made.open();
}

/// What every element is stored as and stands for.
struct Elements {
    std::vector<std::int64_t> codes;
    std::vector<float> values;
};

Elements elementsOf(const Bundle &bundle, std::size_t weight)
{
    const auto decoder = *bundle.decoder(weight);
    Elements elements;
    elements.codes.resize(decoder.elements().value);
    elements.values.resize(decoder.elements().value);
    decoder.codes(0, elements.codes);
    decoder.decodeFloat(0, elements.values);
    return elements;
}

std::set<std::uint64_t> differencesOf(const Elements &a, const Elements &b)
{
    std::set<std::uint64_t> found;
    for (std::size_t i = 0; i < a.codes.size(); ++i) {
        if (a.codes[i] != b.codes[i] ||
            std::bit_cast<std::uint32_t>(a.values[i]) != std::bit_cast<std::uint32_t>(b.values[i]))
            found.insert(i);
    }
    return found;
}

std::set<std::uint64_t> markedElements(const Bundle &bundle, std::size_t weight)
{
    const auto decoder = *bundle.decoder(weight);
    const ElementChanges changes(bundle, weight, decoder);
    std::set<std::uint64_t> found;
    for (std::uint64_t e = 0; e < decoder.elements().value; ++e) {
        if (changes.changed(e))
            found.insert(e);
    }
    return found;
}

BundlePtr sampleOf(const char *form)
{
    return *sampleBundle(form).open();
}

/// What the comparisons of these builds have decoded, weight by weight.
std::vector<std::uint64_t> decodedInAll(const std::vector<Difference> &all, std::size_t weight)
{
    std::vector<std::uint64_t> decoded;
    for (const Difference &one : all) {
        for (const ComparedPair &pair : one.weights) {
            if (pair.a == weight && pair.values)
                decoded.push_back(pair.values->decoded);
        }
    }
    return decoded;
}

std::vector<Difference> compareAll(const BundlePtr &base, const std::vector<BundlePtr> &builds)
{
    std::vector<const Bundle *> others;
    for (const BundlePtr &build : builds)
        others.push_back(build.get());
    const std::vector<DiffOptions> options(builds.size(), withValues());
    return *compareBuilds(*base, others, options);
}

} // namespace

/// The cells that the pictures and the grid outline as changed.
/// Several builds against one base: the answers of single comparisons.
class TestDiff : public QObject
{
    Q_OBJECT

private slots:
    void baseNames_data()
    {
        const auto row = addColumns<QByteArray, QByteArray>();
        row("w", "w");
        row("w_quantized", "w");
        row("w_palettized_sparsified", "w");
        row("w_sparsified_palettized_quantized", "w");
        row("w_quantized_2", "w_quantized_2");
        row("_quantized", "_quantized");
        row("quantized", "quantized");
        row("", "");
    }

    void baseNames()
    {
        const auto [name, base] = fetched<QByteArray, QByteArray>();
        QCOMPARE(QByteArray::fromStdString(baseName(name.toStdString())), base);
    }

    void patchedElementIsOneChange_data() { addForms(); }

    void patchedElementIsOneChange()
    {
        const auto [form] = fetched<QString>();
        const BundlePtr a = *sampleBundle(form.toStdString()).open();
        const BundlePtr fresh = *sampleBundle(form.toStdString()).open();
        const auto before = decoded(*a, "w");
        // Another held value for the first element that can have one.
        Result<std::vector<AppliedEdit>> planned;
        for (std::size_t i = 0; i < before.size(); ++i) {
            for (const float value : before) {
                if (before[i] == 0.0f || value == 0.0f || value == before[i])
                    continue;
                Edit edit = *parseEdit(Edit::Kind::Set, fmt::format("w[{}]={}", i, value));
                planned = planEdits(fresh, {edit}, 0.0);
                if (planned && !planned->front().bytes.empty())
                    break;
            }
            if (planned && !planned->empty() && !planned->front().bytes.empty())
                break;
        }
        if (!planned || planned->empty())
            return; // vectors whose lanes allow no other entry
        const BundlePtr b = *applyEdit(fresh, planned->front());
        const auto difference = compareBundles(*a, *b, withValues());
        QVERIFY(!difference->identical);
        const ComparedPair &pair = difference->weights[0];
        QVERIFY(pair.layoutEqual && !pair.storedEqual);
        QCOMPARE(pair.values->changed, 1U);
        QCOMPARE(pair.values->equal, std::uint64_t(before.size() - 1));
        QCOMPARE(verdict(pair, *a, *b), "1 value differs");
        QCOMPARE(verdict(difference->weights[1], *a, *b), "identical");
        std::uint64_t planBytes = 0;
        for (const FileEdit &edit : planned->front().bytes)
            planBytes += edit.after.size();
        QCOMPARE(bytesApart(*difference), planBytes);
    }

    void pairing()
    {
        const BundlePtr a =
            namedBundle({{"by_consumer", "op1", kTen},
                         {"by_name", "op2", kTen},
                         {"suffix_quantized", "op3", kTen},
                         {"content", "op4", kOtherTen},
                         {"shape", "op5", kTwelve},
                         {"gone", "op6", halves({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11})}});
        auto other = kTwelve;
        other[0] ^= std::byte{1};
        const BundlePtr b = namedBundle({{"elsewhere", "op9", other},
                                         {"renamed", "op8", kOtherTen},
                                         {"suffix_palettized_sparsified", "op7", kTen},
                                         {"by_name", "op10", kTen},
                                         {"other_name", "op1", kTen}});
        const std::vector<std::string> expected{
            "by_consumer=other_name (consumer)",
            "by_name=by_name (name)",
            "suffix_quantized=suffix_palettized_sparsified (name)",
            "content=renamed (content)",
            "shape=elsewhere (shape)",
            "A gone"};
        QCOMPARE(pairsText(*a, *b), expected);
        const auto back = pairsText(*b, *a);
        QCOMPARE(back.size(), expected.size());
        QCOMPARE(back.back(), "B gone");
        // Several of one shape: in their order.
        auto third = kTwelve;
        third[2] ^= std::byte{1};
        const BundlePtr c = namedBundle({{"m", "o1", kTwelve}, {"n", "o2", other}});
        const BundlePtr d = namedBundle({{"p", "o3", third}, {"q", "o4", third}});
        const std::vector<std::string> byPlace{"m=p (position)", "n=q (position)"};
        QCOMPARE(pairsText(*c, *d), byPlace);
    }

    /// Two weights of one parameter, and one weight of two consumers.
    void pairingOfSharedParameter()
    {
        const auto build = [](const char *first, const char *second, const char *use) {
            MadeBundle made;
            for (const char *name : {first, second})
                made.weight(name, "[10]", kTen);
            made.line(fmt::format("tensor<fp16, [20]> c = concat(values = ({}, {}))[name = "
                                  "string(\"c\")]",
                                  first, second));
            made.line(fmt::format("tensor<fp16, [1]> {0} = linear(weight = {1}, x = x)[name = "
                                  "string(\"{0}\")]",
                                  use, first));
            return *made.open();
        };
        const auto same = pairsText(*build("u", "v", "l"), *build("v", "u", "k"));
        const std::vector<std::string> byName{"u=u (consumer)", "v=v (consumer)"};
        QCOMPARE(same, byName);
        const auto renamed = pairsText(*build("u", "v", "l"), *build("x1", "x2", "l"));
        const std::vector<std::string> byPlace{"u=x1 (consumer)", "v=x2 (consumer)"};
        QCOMPARE(renamed, byPlace);
    }

    /// Names made of offsets only pair places that hold as much.
    void pairingOfBareWeightFiles()
    {
        const auto bare = [](const Bytes &first, const Bytes &second) {
            milblob::Writer writer;
            writer.add(ElementType::Fp16, first, 0);
            writer.add(ElementType::Fp16, second, 0);
            return *Bundle::open("weight.bin", {.memory = {{"weight.bin", writer.finish()}}});
        };
        const auto same = pairsText(*bare(kTen, kTwelve), *bare(kOtherTen, kTwelve));
        QCOMPARE(same.size(), 2U);
        QVERIFY(same[0].ends_with("(name)") && same[1].ends_with("(name)"));
        const auto moved = pairsText(*bare(kTen, kTwelve), *bare(kTwelve, kTen));
        const std::vector<std::string> byContent{"blob@0x40=blob@0xc0 (content)",
                                                 "blob@0xc0=blob@0x40 (content)"};
        QCOMPARE(moved, byContent);
    }

    /// Files of the same part in different kinds of bundle, and files that only one has.
    void filesOfBothKinds()
    {
        OpenOptions options = denseBundle(kTen).options();
        options.memory.push_back({"extra.txt", hex("41")});
        const BundlePtr a = *Bundle::open("a.mlmodelc", options);
        const BundlePtr b = *denseBundle(kTen).open();
        const auto difference = compareBundles(*a, *b, {});
        QVERIFY(!difference->identical);
        QCOMPARE(difference->files.size(), 4U);
        for (const FileDifference &file : difference->files) {
            QCOMPARE(file.equal, file.path != "extra.txt");
            QCOMPARE(file.bytesB.has_value(), file.path != "extra.txt");
        }
        QVERIFY(!difference->weights[0].values);
        // A bare weight file against the one in a bundle.
        const BundlePtr bare =
            *Bundle::open("other.bin", {.memory = {{"other.bin", denseBundle(kTen).weights()}}});
        const auto mixed = compareBundles(*bare, *b, withValues());
        QVERIFY(!mixed->identical);
        QVERIFY(mixed->files[0].equal);
        QCOMPARE(mixed->weights.size(), 1U);
        QVERIFY(mixed->weights[0].values->identical());
    }

    void verdicts()
    {
        const auto word = [](const BundlePtr &a, const BundlePtr &b) {
            const auto difference = compareBundles(*a, *b, withValues());
            return verdict(difference->weights[0], *a, *b);
        };
        // Of one layout, few changes are counted.
        Bytes some = kTen;
        some[0] ^= std::byte{1};
        some[4] ^= std::byte{1};
        QCOMPARE(word(*denseBundle(kTen).open(), *denseBundle(some).open()), "2 values differ");
        // fp32 against fp16 of the same numbers: other bytes, same values.
        const BundlePtr half = *sampleBundle("dense-fp16").open();
        QCOMPARE(word(half, *sampleBundle("dense-fp32").open()), "same values");
        // A scaled form approximates within its largest scale.
        QCOMPARE(word(half, *sampleBundle("affine").open()), "within one step");
        QCOMPARE(word(half, *sampleBundle("blockwise-int8").open()), "within one step");
        // Without the values, what the bytes say.
        const BundlePtr lut = *sampleBundle("lut4").open();
        const auto plain = compareBundles(*half, *lut, {});
        QCOMPARE(verdict(plain->weights[0], *half, *lut), "forms differ");
        // Pruned: what is kept is exact.
        Bytes pruned = kTen;
        std::fill_n(pruned.begin(), 4, std::byte{0});
        const BundlePtr full = *denseBundle(kTen).open();
        MadeBundle sparse;
        const std::string mask = sparse.blob(ElementType::Uint1, "[10]", hex("fc 03"), 6);
        sparse.form("w", "[10]", "sparse_to_dense",
                    {{"mask", mask},
                     {"nonzero_data",
                      sparse.blob(ElementType::Fp16, "[8]", halves({3, 4, 5, 6, 7, 8, 9, 10}))}});
        QCOMPARE(word(full, *sparse.open()), "kept values exact");
        QCOMPARE(word(*denseBundle(pruned).open(), *sparse.open()), "same values");
        // Zeros that became values are said, whatever else changed.
        Bytes touched = kTen;
        for (std::size_t i = 0; i < touched.size(); i += 2)
            touched[i] ^= std::byte{1};
        QCOMPARE(word(*sparse.open(), *denseBundle(touched).open()), "similar, zeros revived");
    }

    /// Nothing is said of values that a mask which does not fit them leaves open.
    void masksThatDoNotFit()
    {
        const auto masked = [](const char *bits) {
            MadeBundle made;
            made.form("w", "[10]", "sparse_to_dense",
                      {{"mask", made.blob(ElementType::Uint1, "[10]", hex(bits), 6)},
                       {"nonzero_data",
                        made.blob(ElementType::Fp16, "[8]", halves({3, 4, 5, 6, 7, 8, 9, 10}))}});
            return *made.open();
        };
        const BundlePtr sound = masked("fc 03"), less = masked("f8 03");
        QVERIFY(!maskFault(*sound, 0));
        const auto difference = VERIFIED(compareBundles(*sound, *less, withValues()));
        QVERIFY(difference->weights[0].fault);
        QCOMPARE(difference->weights[0].fault->code, "codec.mask");
        QVERIFY(!difference->weights[0].values);
    }

    /// Extents of one do not count, and what differs is counted all the same.
    void extentsOfOne()
    {
        const auto shaped = [](const char *shape, const Bytes &values) {
            MadeBundle made;
            made.weight("w", shape, values);
            return *made.open();
        };
        Bytes other = kTen;
        other[0] ^= std::byte{1};
        const BundlePtr a = shaped("[10]", kTen), b = shaped("[1, 10, 1, 1]", other);
        const auto summary = [&](const Bundle &to, bool values) {
            return differenceSummary(
                *a, to, *compareBundles(*a, to, values ? withValues() : DiffOptions()));
        };
        for (const bool values : {false, true}) {
            QVERIFY2(summary(*b, values).find("1 of 1 weight with other bytes") !=
                         std::string::npos,
                     summary(*b, values).c_str());
            QVERIFY(summary(*shaped("[1, 10, 1, 1]", kTen), values).find("1 weight identical") !=
                    std::string::npos);
        }
    }

    void unsoundWeights()
    {
        MadeBundle bad;
        bad.constant("tensor<fp16, [10]>", "w", MadeBundle::blobAt("fp16", "[10]", 640));
        bad.consume("w");
        const BundlePtr a = *denseBundle(kTen).open(), b = *bad.open();
        const auto difference = VERIFIED(compareBundles(*a, *b, withValues()));
        QCOMPARE(difference->weights.size(), 1U);
        QVERIFY(difference->weights[0].fault);
        QCOMPARE(verdict(difference->weights[0], *a, *b), "cannot be compared");
    }

    void differentShapes()
    {
        const BundlePtr a = *denseBundle(kTen).open(), b = *denseBundle(kTwelve).open();
        const auto difference = compareBundles(*a, *b, withValues());
        QCOMPARE(difference->weights.size(), 1U);
        QVERIFY(!difference->weights[0].shapeEqual && !difference->weights[0].values);
        QCOMPARE(verdict(difference->weights[0], *a, *b), "shapes differ");
        const Error values = REFUSED(compareValues(*a, *b, {0, 0}, 0.0));
        QCOMPARE(values.code, "diff.shape");
    }

    void cancelled()
    {
        const BundlePtr a = *sampleBundle("lut4").open(), b = *sampleBundle("lut4").open();
        Progress progress;
        progress.cancel();
        const Error difference = REFUSED(compareBundles(*a, *b, withValues(), &progress));
        QCOMPARE(difference.code, "task.cancelled");
        Progress whole;
        QVERIFY(compareBundles(*a, *b, withValues(), &whole));
        QCOMPARE(whole.fraction(), 1.0);
    }

    void flippedBits_data() { addForms(); }

    /// Every bit of every part in a weight file, one at a time: exactly the elements whose code or
    /// value is another one are marked. (A changed scale marks all that it scales, zeros too.)
    void flippedBits()
    {
        const auto [form] = fetched<QString>();
        const BundlePtr bundle = *sampleBundle(form.toStdString()).open();
        const Elements before = elementsOf(*bundle, 0);
        for (const codec::Operand &part : bundle->weights()[0].operands()) {
            const OperandPlace &place = *part.place;
            if (place.isLiteral() || part.role == codec::PartRole::Mask)
                continue; // a single bit of a mask contradicts the number of survivors
            const bool scales =
                part.role != codec::PartRole::Data && part.role != codec::PartRole::NonzeroData &&
                part.role != codec::PartRole::Indices && part.role != codec::PartRole::Lut;
            OverlaidFile &file = *bundle->files()[place.file].file;
            for (std::uint64_t bit = 0; bit < 8 * place.bytes.value; ++bit) {
                const FileOffset at(place.dataOffset.value + bit / 8);
                const std::byte old = file.bytes()[at.value];
                const std::byte now = old ^ static_cast<std::byte>(1u << (bit % 8));
                QVERIFY(file.write(at, std::span(&now, 1)));
                const auto expected = differencesOf(before, elementsOf(*bundle, 0));
                const auto found = markedElements(*bundle, 0);
                QVERIFY(file.write(at, std::span(&old, 1)));
                const QByteArray text = QByteArray::fromStdString(
                    std::string(codec::partRoleName(part.role)) + " bit " + std::to_string(bit));
                if (scales)
                    QVERIFY2(
                        std::includes(found.begin(), found.end(), expected.begin(), expected.end()),
                        text.constData());
                else
                    QVERIFY2(found == expected, text.constData());
            }
        }
    }

    void asOneByOne()
    {
        for (const SampleForm &form : sampleForms()) {
            const BundlePtr base = sampleOf(form.name.c_str());
            const std::vector<BundlePtr> builds{sampleOf("lut4"), sampleOf("dense-fp32"),
                                                sampleOf("sparse"), base};
            const auto all = compareAll(base, builds);
            QCOMPARE(all.size(), builds.size());
            for (std::size_t i = 0; i < builds.size(); ++i) {
                const Difference alone = whole(base, builds[i]);
                QCOMPARE(all[i].identical, alone.identical);
                QCOMPARE(all[i].weights.size(), alone.weights.size());
                for (std::size_t k = 0; k < alone.weights.size(); ++k) {
                    const ComparedPair &pair = all[i].weights[k], &expected = alone.weights[k];
                    QCOMPARE(pair.values != nullptr, expected.values != nullptr);
                    const std::string wrong = disagreement(*pair.values, *expected.values);
                    QVERIFY2(wrong.empty(), wrong.c_str());
                    QCOMPARE(pair.step, expected.step);
                    QCOMPARE(verdict(pair, *base, *builds[i]),
                             verdict(expected, *base, *builds[i]));
                }
            }
        }
    }

    void sameBytesAreNotDecoded()
    {
        const BundlePtr base = sampleOf("dense-fp16");
        const auto all = compareAll(base, {base, sampleOf("lut4"), sampleOf("dense-fp16")});
        QCOMPARE(decodedInAll(all, 0), (std::vector<std::uint64_t>{0, 128, 0}));
        QCOMPARE(decodedInAll(all, 1),
                 (std::vector<std::uint64_t>{0, 0, 0})); // "behind" is in all alike
        for (const SampleForm &form : sampleForms()) {
            const Difference self = whole(sampleOf(form.name.c_str()), sampleOf(form.name.c_str()));
            for (const ComparedPair &pair : self.weights)
                QCOMPARE(pair.values->decoded, 0U);
        }
    }

    void buildsCancelled()
    {
        const BundlePtr base = sampleOf("dense-fp16"), build = sampleOf("lut4");
        const std::vector<const Bundle *> builds{build.get(), build.get()};
        const std::vector<DiffOptions> options(2, withValues());
        Progress progress;
        progress.cancel();
        const Error all = REFUSED(compareBuilds(*base, builds, options, &progress));
        QCOMPARE(all.code, "task.cancelled");
    }
};

KERNSCOPE_TEST(TestDiff, QCoreApplication)
#include "tst_diff.moc"
