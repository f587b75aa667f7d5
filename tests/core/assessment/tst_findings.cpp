// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/assessment/bundle_findings.h"
#include "core/assessment/coverage.h"
#include "made_coreai.h"
#include "made_programs.h"

namespace {

using Kind = Finding::Kind;

Bytes repeated(std::initializer_list<float> values, int times)
{
    Bytes all;
    const Bytes once = halves(values);
    for (int i = 0; i < times; ++i)
        all.insert(all.end(), once.begin(), once.end());
    return all;
}

Bytes floats(std::initializer_list<float> values)
{
    Bytes bytes;
    for (const float value : values) {
        const auto *first = reinterpret_cast<const std::byte *>(&value);
        bytes.insert(bytes.end(), first, first + sizeof value);
    }
    return bytes;
}

void addDense(MadeBundle &made, const std::string &name, const std::string &shape,
              const Bytes &values, ElementType type = ElementType::Fp16)
{
    made.constant("tensor<" + std::string(elementTypeName(type)) + ", " + shape + ">", name,
                  made.blob(type, shape, values));
    made.consume(name);
}

std::vector<std::string> texts(const Bundle &bundle, std::vector<Finding> findings)
{
    std::vector<std::string> all;
    for (const Finding &finding : findings)
        all.push_back(findingText(bundle, finding));
    return all;
}

std::vector<std::string> examined(const MadeBundle &made)
{
    const auto bundle = made.open();
    if (!bundle)
        return {"not opened"};
    Progress progress;
    const BundleReadLock lock(**bundle);
    return texts(**bundle, examineBundle(**bundle, true, progress).findings);
}

} // namespace

/// What is worth a look in a bundle.
class TestFindings : public QObject
{
    Q_OBJECT

private slots:
    void channels()
    {
        MadeBundle made;
        Bytes values = repeated({1, 2, 3, 4, 5, 6, 7, 8}, 1);
        const Bytes constant = repeated({-2}, 8), zero = repeated({0}, 8);
        values.insert(values.end(), constant.begin(), constant.end());
        values.insert(values.end(), zero.begin(), zero.end());
        addDense(made, "w", "[3, 8]", values);
        addDense(made, "all_one", "[2, 8]", repeated({1}, 16));
        addDense(made, "short_channels", "[8, 2]", repeated({1, 1, 2, 2}, 4));
        QCOMPARE(examined(made),
                 (std::vector<std::string>{"all_one is 1 everywhere",
                                           "w: 2 of 3 output channels hold a single value"}));
    }

    void entries()
    {
        MadeBundle made;
        const auto indices = made.blob(ElementType::Uint8, "[4]", hex("04 D5 04 D5"));
        const auto lut = made.blob(ElementType::Fp16, "[4]", halves({1, 2, 3, 4}));
        made.line("tensor<fp16, [2, 8]> p = constexpr_lut_to_dense()[indices = " + indices +
                  ", lut = " + lut +
                  ", name = string(\"p\"), shape = tensor<uint32, [2]>([2, 8])]");
        made.consume("p");
        QCOMPARE(examined(made),
                 (std::vector<std::string>{"p: 1 of 4 codebook entries never used"}));
    }

    /// The digest is of the values as fp16: what differs beyond fp16 is no duplicate.
    void duplicates()
    {
        MadeBundle made;
        const Bytes values = repeated({1, 2, 3, 4, 5, 6, 7, 8}, 2);
        addDense(made, "first", "[2, 8]", values);
        addDense(made, "second", "[4, 4]", values);
        const auto wide = [](float last) {
            return floats({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, last});
        };
        addDense(made, "wide", "[2, 8]", wide(16), ElementType::Fp32);
        addDense(made, "wide_beyond", "[2, 8]", wide(16.001F), ElementType::Fp32);
        addDense(made, "wide_again", "[2, 8]", wide(16), ElementType::Fp32);
        std::vector<std::string> found = examined(made);
        std::erase_if(found, [](const std::string &text) {
            return text.find("has the values of") == std::string::npos;
        });
        QCOMPARE(found, (std::vector<std::string>{
                            "second has the values of first: 32 B are stored once more",
                            "wide_again has the values of wide: 64 B are stored once more"}));
    }

    /// What two weights share is stored once: nothing is wasted.
    void sharedRecords()
    {
        MadeBundle made;
        const Bytes values = repeated({1, 2, 3, 4, 5, 6, 7, 8}, 2);
        addDense(made, "first", "[2, 8]", values);
        made.constant("tensor<fp16, [4, 4]>", "again",
                      MadeBundle::blobAt("fp16", "[4, 4]", made.lastRecord()));
        made.consume("again");
        QCOMPARE(examined(made), std::vector<std::string>());
    }

    /// Values that fp16 holds with fewer bits, of a Core AI package: where they are many.
    void subnormal()
    {
        for (const int every : {0, 2, 200}) { // one of that many is subnormal
            MadeCoreAi made;
            std::vector<float> values(32 * 32);
            for (std::size_t i = 0; i < values.size(); ++i)
                values[i] = every != 0 && i % std::size_t(every) == 0 ? 3e-5F : float(i + 1) / 1024;
            made.output({made.blob({32, 32}, Elem::F16, halves(values))});
            Progress progress;
            const BundlePtr bundle = VERIFIED(made.open());
            std::vector<std::string> found;
            for (const Finding &finding : examineBundle(*bundle, true, progress).findings)
                found.push_back(findingText(*bundle, finding));
            QCOMPARE(std::ranges::any_of(found,
                                         [](const std::string &text) {
                                             return text.ends_with("[subnormal-weights]");
                                         }),
                     every == 2);
        }
    }

    /// Every row, or every column, reaches 1: coremltools left it divided by its scale.
    void dividedByTheirScales()
    {
        const auto isNamed = [](auto valueOf) {
            MadeBundle made;
            std::vector<float> values(16 * 32);
            for (std::size_t i = 0; i < values.size(); ++i)
                values[i] = valueOf(i / 32, i % 32);
            addDense(made, "w", "[16, 32]", halves(values));
            return std::ranges::any_of(examined(made), [](const std::string &text) {
                return text.ends_with("[left-divided-by-scale]");
            });
        };
        const auto plain = [](std::size_t row, std::size_t column) {
            return float(row * 7 + column * 5 % 11) / 256;
        };
        QVERIFY(!isNamed(plain));
        QVERIFY(isNamed([&](std::size_t row, std::size_t column) {
            return row == column % 16 ? -1 : plain(row, column);
        }));
        QVERIFY(isNamed([&](std::size_t row, std::size_t column) {
            return column == 3 ? 1 : plain(row, column);
        }));
        QVERIFY(!isNamed([&](std::size_t row, std::size_t column) {
            return row < 15 && column == 3 ? 1 : plain(row, column);
        }));
        QVERIFY(!isNamed([](std::size_t row, std::size_t column) { // a mask
            return float((row + column) % 2);
        }));
    }

    /// Values that fp16 has only as infinities, and scales of 0.
    void lostValues()
    {
        MadeBundle made;
        addDense(made, "mask", "[2, 8]",
                 floats({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 65504, 65520, -3.4e38F}),
                 ElementType::Fp32);
        const auto data = made.blob(ElementType::Int8, "[4, 4]",
                                    hex("01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F 10"));
        const auto scale = made.blob(ElementType::Fp16, "[4]", halves({1, 0, 2, 0}));
        made.line("tensor<fp16, [4, 4]> a = constexpr_affine_dequantize()[axis = int32(0), "
                  "name = string(\"a\"), quantized_data = " +
                  data + ", scale = " + scale + ", zero_point = int8(3)]");
        made.consume("a");
        std::vector<std::string> found = examined(made);
        std::erase_if(found, [](const std::string &text) {
            return text.find("beyond") == text.npos && text.find("scales") == text.npos;
        });
        QCOMPARE(found,
                 (std::vector<std::string>{"mask: 2 values are beyond fp16 (infinite there)",
                                           "a: 2 of 4 scales are 0, so their elements are lost"}));
    }

    void folds()
    {
        MadeBundle made;
        const auto data = made.blob(ElementType::Int8, "[4, 4]",
                                    hex("01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F 10"));
        made.line("tensor<fp16, [4, 4]> a = constexpr_affine_dequantize()[axis = int32(0), "
                  "name = string(\"a\"), quantized_data = " +
                  data + ", scale = fp16(0x1p-1), zero_point = int8(3)]");
        made.consume("a");
        addDense(made, "dense", "[2, 8]", repeated({1, 2, 3, 4, 5, 6, 7, 8}, 2));
        const auto bundle = VERIFIED(made.open());
        const DecisionTable table(**bundle, allTargets());
        const std::vector<Finding> found = foldFindings(table);
        // Counted here from the table itself: what no chip streams and some chip folds.
        for (std::size_t row = 0; row < table.rows(); ++row) {
            std::uint64_t folds = 0, others = 0;
            for (std::size_t column = 0; column < table.columns(); ++column) {
                const auto outcome = table.verdict(row, column).outcome;
                folds += outcome == decision::Outcome::Folds ? 1 : 0;
                others +=
                    outcome == decision::Outcome::Streams || outcome == decision::Outcome::Dense
                        ? 1
                        : 0;
            }
            const auto at = std::ranges::find_if(
                found, [row](const Finding &each) { return each.weight == row; });
            QCOMPARE(at != found.end(), folds > 0 && others == 0);
            if (at != found.end())
                QCOMPARE(at->count, folds);
        }
        // Chips that stream or fold int8 by its zero point are a matter of the tables; dense never
        // folds.
        for (const Finding &finding : found)
            QVERIFY((*bundle)->weights()[finding.weight].name != "dense");
    }

    void cancelled()
    {
        MadeBundle made;
        addDense(made, "w", "[2, 8]", repeated({1}, 16));
        const auto bundle = VERIFIED(made.open());
        Progress progress;
        progress.cancel();
        const BundleReadLock lock(**bundle);
        QVERIFY(examineBundle(**bundle, true, progress).findings.empty());
    }

    void names()
    {
        std::vector<std::string_view> seen;
        for (int kind = 0; kind <= int(Kind::Outlier); ++kind) {
            const auto name = findingName(static_cast<Kind>(kind));
            QVERIFY(!name.empty());
            QVERIFY(std::ranges::find(seen, name) == seen.end());
            seen.push_back(name);
        }
    }

    void init()
    {
        const MadeBundle made = fourForms();
        const auto bundle = VERIFIED(made.open());
        m_bundle = *bundle;
        m_options = made.options();
        m_options.memory.pop_back();
        QCOMPARE(m_bundle->weights().size(), 4U);
    }

    void figures()
    {
        const Coverage coverage = coverageOf(*m_bundle, {});
        QCOMPARE(coverage.rows[0].found, "palette4");
        QCOMPARE(coverage.rows[1].found, "int8");
        QCOMPARE(coverage.rows[2].found, "dense-fp16");
        QCOMPARE(*coverage.rows[0].bits, 8.0 * (1024 + 32) / 2048);
        QCOMPARE(*coverage.rows[2].bits, 16.0);
        QCOMPARE(coverage.parameters, std::uint64_t(3 * 2048 + 32));
        QCOMPARE(coverage.rows[3].why,
                 "too small: 32 elements, the smallest compressed weight has 2,048");
        QCOMPARE(coverage.broken, 0U);
    }

    /// Weights that share all of their records, as those of several functions do.
    void sharedOnce()
    {
        MadeBundle made;
        const std::string data = made.blob(ElementType::Fp16, "[8, 4]", Bytes(64));
        for (const char *name : {"a", "b"})
            made.constant("tensor<fp16, [8, 4]>", name, data);
        made.layer("other", "[8, 4]", Bytes(64, std::byte{1}));
        const auto bundle = VERIFIED(made.open());
        const Coverage coverage = coverageOf(**bundle, {});
        QCOMPARE(coverage.rows.size(), 3U);
        QCOMPARE(coverage.parameters, std::uint64_t(2 * 32));
        QCOMPARE(coverage.bits(), 16.0);
    }

    /// What is compressed says more than a usual threshold does; coremltools compresses what any
    /// operation reads, but nothing of one axis.
    void whyLeftDense()
    {
        MadeBundle made;
        made.form("q", "[8, 4]", "blockwise_shift_scale",
                  {{"data", made.blob(ElementType::Int8, "[8, 4]", Bytes(32))},
                   {"scale", made.blob(ElementType::Fp16, "[8, 1]", Bytes(16))}});
        made.layer("small", "[6, 4]", Bytes(48));
        made.layer("vector", "[40]", Bytes(80));
        made.weight("added", "[8, 8]", Bytes(128));
        made.op("sum", "[8, 8]", "add(x = added, y = added)");
        const auto bundle = VERIFIED(made.open());
        QCOMPARE(whyDense(**bundle, 1),
                 "too small: 24 elements, the smallest compressed weight has 32");
        QCOMPARE(whyDense(**bundle, 2), "of one axis: coremltools leaves those dense");
        QVERIFY2(whyDense(**bundle, 3).find("too small") == std::string::npos &&
                     whyDense(**bundle, 3).find("operation") == std::string::npos,
                 whyDense(**bundle, 3).c_str());
        MadeBundle plain;
        plain.layer("small", "[8, 4]", Bytes(64));
        QCOMPARE(whyDense(**VERIFIED(plain.open()), 0),
                 "too small: 32 elements, more than 2,048 are compressed");
    }

    void integersStay()
    {
        MadeBundle made;
        made.layer("ids", "[64, 32]", Bytes(8192), ElementType::Int32);
        const auto bundle = VERIFIED(made.open());
        QCOMPARE(coverageOf(**bundle, {}).rows.at(0).why, "no real numbers");
    }

    /// The program says forms and sizes where the weight file is missing.
    void withoutTheWeightFile()
    {
        const auto bundle = VERIFIED(Bundle::open("made.mlmodelc", m_options));
        QVERIFY((*bundle)->weights()[0].fault);
        const Coverage there = coverageOf(*m_bundle, {}), missing = coverageOf(**bundle, {});
        for (std::size_t i = 0; i < there.rows.size(); ++i) {
            QCOMPARE(missing.rows[i].found, there.rows[i].found);
            QCOMPARE(missing.rows[i].bits, there.rows[i].bits);
            QCOMPARE(missing.rows[i].why, there.rows[i].why);
        }
        CoverageRules rules;
        rules.expected.push_back(*readExpectedForm("*=palette4"));
        QCOMPARE(coverageOf(**bundle, rules).broken, 1U);
        rules = {};
        rules.ofPartners = partnerForms(**bundle, std::vector<std::size_t>{0, 1, 2, 3});
        QCOMPARE(coverageOf(*m_bundle, rules).broken, 0U);
    }

    void typedRules()
    {
        CoverageRules rules;
        rules.expected.push_back(*readExpectedForm("*=palette4"));
        Coverage coverage = coverageOf(*m_bundle, rules);
        // coremltools leaves 2,048 elements and fewer dense where nothing else is said.
        QCOMPARE(coverage.broken, 1U);
        QVERIFY(coverage.rows[0].kept && !coverage.rows[1].kept);
        rules.expected.back().threshold = 1024;
        coverage = coverageOf(*m_bundle, rules);
        QCOMPARE(coverage.broken, 2U);
        QCOMPARE(coverage.rows[2].extraBytes, std::uint64_t(4096 - 1024));
        rules.except = {"q"};
        rules.expected.push_back(*readExpectedForm("lar*=dense"));
        coverage = coverageOf(*m_bundle, rules);
        QCOMPARE(coverage.broken, 0U);
        QVERIFY(coverage.rows[1].expected.empty());
        for (const char *wrong : {"palette4", "=palette4", "*="})
            QVERIFY(!readExpectedForm(wrong));
        // What matches nothing is told, and what is not asked for has no row.
        rules = {};
        rules.expected.push_back(*readExpectedForm("sm*=fp32"));
        rules.expected.push_back(*readExpectedForm("none*=dense"));
        coverage = coverageOf(*m_bundle, rules);
        QCOMPARE(coverage.broken, 1U); // values of another type are no small weight left as it is
        QCOMPARE(coverage.unused, std::vector<std::string>{"none*"});
        coverage = coverageOf(*m_bundle, rules, {true, true, true, false});
        QCOMPARE(coverage.rows.size(), 3U);
        QCOMPARE(coverage.judged, 0U);
    }

    /// Each weight has the form of its partner; those without one are counted.
    void sibling()
    {
        CoverageRules rules;
        rules.ofPartners = partnerForms(*m_bundle, std::vector<std::size_t>{0, 1, 2, 3});
        QCOMPARE(coverageOf(*m_bundle, rules).broken, 0U);
        rules.ofPartners = partnerForms(*m_bundle, std::vector<std::size_t>{1, 1, kNoIndex, 3});
        Coverage coverage = coverageOf(*m_bundle, rules);
        QCOMPARE(coverage.rows[0].expected, "int8");
        QCOMPARE(coverage.rows[2].expected, "");
        QCOMPARE(coverage.judged, 3U);
        QCOMPARE(coverage.broken, 1U);
        QCOMPARE(coverage.alone, 1U);
        // All of the form counts, in both directions; what a partner takes it may take.
        rules.ofPartners[0] = PartnerForm{"palette4+groups8", 900};
        rules.ofPartners[1] = PartnerForm{"int8+blocks16", 9000};
        coverage = coverageOf(*m_bundle, rules);
        QCOMPARE(coverage.broken, 2U);
        QCOMPARE(coverage.rows[0].extraBytes, std::uint64_t(1024 + 32 - 900));
        QCOMPARE(coverage.rows[1].extraBytes, std::uint64_t(0));
    }

private:
    BundlePtr m_bundle;
    OpenOptions m_options; ///< of its program alone
};

KERNSCOPE_TEST(TestFindings, NoApplication)
#include "tst_findings.moc"
