// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/assessment/bundle_findings.h"

#include "made_bundle.h"
#include "tests/test_program.h"

using namespace kernscope;
using namespace kernscope::test;

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
        QCOMPARE(found, (std::vector<std::string>{
                            "mask: 2 values are beyond fp16, which become infinite there",
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
            const auto at = std::find_if(found.begin(), found.end(),
                                         [row](const Finding &each) { return each.weight == row; });
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
            QVERIFY(std::find(seen.begin(), seen.end(), name) == seen.end());
            seen.push_back(name);
        }
    }
};

KERNSCOPE_TEST(TestFindings, kernscope::test::NoApplication)
#include "tst_findings.moc"
