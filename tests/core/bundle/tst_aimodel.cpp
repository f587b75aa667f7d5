// SPDX-License-Identifier: GPL-3.0-or-later
// Core AI packages of the tests' own: forms with the worked values of coreai-format.md, section 7,
// names, findings.
#include "made_coreai.h"
#include "tests/test_program.h"

#include "core/base/overlaid_file.h"
#include "core/bundle/byte_field.h"
#include "core/bundle/statistics.h"
#include "core/codec/edit/run_editor.h"
#include "core/container/mil/program.h"
#include "core/numeric/half.h"

namespace {

using Values = std::vector<float>;

/// An operation that reads a weight, so that it has a name.
MadeCoreAi::Value added(MadeCoreAi &made, MadeCoreAi::Value weight, const Shape &shape)
{
    const auto x = made.operation("primitive.input_v1", {}, shape, Elem::F16);
    return made.operation("broadcasting_add_v1", {x, weight}, shape, Elem::F16);
}

bool says(const Bundle &bundle, std::string_view code)
{
    return std::ranges::any_of(bundle.diagnostics(),
                               [code](const Diagnostic &row) { return row.error.code == code; });
}

} // namespace

class TestAimodel : public QObject
{
    Q_OBJECT

private slots:
    void scalesWithTwoOffsets()
    {
        MadeCoreAi made;
        const auto data = made.constant({2, 2}, Elem::Si8, byteRow({100, 110, 90, 105}));
        const auto scale = made.constant({1, 1}, Elem::F16, halves({2}), true);
        const auto offset = made.constant({1, 1}, Elem::Si8, byteRow({100}), true);
        const auto bias = made.constant({1, 1}, Elem::F16, halves({0.5f}), true);
        made.output({made.scaled({data, scale, offset, bias}, {2, 2})});
        const BundlePtr bundle = VERIFIED(made.open());
        QCOMPARE(bundle->weights().size(), 1U);
        QCOMPARE(valuesOf(*bundle, 0), (Values{0.5f, 20.5f, -19.5f, 10.5f}));
        const Weight &weight = bundle->weights().front();
        QCOMPARE(formText(weight.form), "blockwise");
        QVERIFY(weight.has(codec::PartRole::Offset) && weight.has(codec::PartRole::Bias));
        QVERIFY(!weight.operand(codec::PartRole::Data)->place->isLiteral());
    }

    void addsAfterTheProductAlongTheLastAxis_data()
    {
        addColumns<Shape, Shape, bool>();
        addRow("rows", Shape{2, 2}, Shape{2, 1}, true);
        addRow("elements", Shape{2, 2}, Shape{2, 2}, true);
        addRow("one axis", Shape{4}, Shape{1}, true);
        addRow("one axis, blocks", Shape{4}, Shape{2}, true);
        addRow("one axis, elements", Shape{4}, Shape{4}, true);
        addRow("one row", Shape{1, 4}, Shape{1, 1}, true);
        addRow("the whole", Shape{2, 2}, Shape{1, 1}, false);
        addRow("columns", Shape{2, 2}, Shape{1, 2}, false);
    }

    void addsAfterTheProductAlongTheLastAxis()
    {
        const auto [shape, blocks, product] = fetched<Shape, Shape, bool>();
        const std::size_t count = elementCount(blocks)->value;
        const std::vector<float> codes{255, 1, 3, 255}, all{0.1f, 8.0078125f, 0.3f, 0.7f};
        const std::vector<int> offsets{128, 1, 77, 3};
        MadeCoreAi made;
        const auto data = made.constant(shape, Elem::Ui8, byteRow({255, 1, 3, 255}));
        Bytes scales = halves({0.1f, 8.0078125f, 0.3f, 0.7f}), zeros = byteRow({128, 1, 77, 3});
        scales.resize(2 * count);
        zeros.resize(count);
        const auto scale = made.constant(blocks, Elem::F16, scales);
        const auto offset = made.constant(blocks, Elem::Ui8, zeros);
        const auto bias = made.constant(blocks, Elem::F16, halves({0}), true);
        made.output({made.scaled({data, scale, offset, bias}, shape)});
        const BundlePtr bundle = VERIFIED(made.open());
        const auto rounded = [](float value) { return halfToFloat(floatToHalf(value)); };
        Values expected, others;
        for (std::size_t i = 0; i < 4; ++i) {
            const bool columns = blocks == Shape{1, 2};
            const std::size_t cell = columns ? i % 2 : i * count / 4;
            const float by = rounded(all[cell]), less = float(offsets[cell]);
            const float after = rounded(rounded(codes[i] * by) + rounded(0 - rounded(less * by)));
            const float before = rounded((codes[i] - less) * by);
            expected.push_back(product ? after : before);
            others.push_back(product ? before : after);
        }
        QCOMPARE(valuesOf(*bundle, 0), expected);
        QVERIFY(expected != others);
    }

    /// As the runtime computed them.
    void roundsRowsOfBfloat16Once()
    {
        MadeCoreAi made;
        const auto data = made.constant({1, 4}, Elem::Si8, byteRow({11, 101, -77, 3}));
        const auto scale = made.constant({1, 1}, Elem::Bf16, byteRow({0xCD, 0x3D}), true);
        const auto offset = made.constant({1, 1}, Elem::Si8, byteRow({5}), true);
        made.output({made.operation("primitive.blockwise_shift_scale_v2",
                                    {data, scale, offset, scale}, {1, 4}, Elem::Bf16)});
        const BundlePtr bundle = VERIFIED(made.open());
        QCOMPARE(valuesOf(*bundle, 0), (Values{0.69921875f, 9.6875f, -8.125f, -0.10009765625f}));
    }

    /// One complex number for all elements: both of its parts.
    void complexSplats()
    {
        constexpr auto kComplexF16 = Elem(13);
        MadeCoreAi made;
        made.output({made.constant({3}, kComplexF16, halves({1, -2}), true)});
        const BundlePtr bundle = VERIFIED(made.open());
        QCOMPARE(bundle->weights().front().shape, (Shape{3, 2}));
        QCOMPARE(valuesOf(*bundle, 0), (Values{1, -2, 1, -2, 1, -2}));
        QCOMPARE(bundle->weights().front().storedBytes.value, 4U);
    }

    /// Types may leave extents open (indices of scatter_nd do): the values have those they have.
    void openExtents()
    {
        for (const auto &[shape, known] : {std::pair(Shape{UINT64_MAX, 2}, true),
                                           {{2, 6}, false},
                                           {{UINT64_MAX, 1}, false},
                                           {{UINT64_MAX}, false}}) {
            MadeCoreAi made;
            const auto indices =
                made.constant({6, 2}, Elem::Si8, byteRow({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}));
            const auto cast = made.operation("primitive.cast_v1", {indices}, shape, Elem::Si32);
            made.output(
                {made.operation("primitive.scatter_nd_v1", {cast, cast, cast}, shape, Elem::Si32)});
            const BundlePtr bundle = VERIFIED(made.open());
            const Weight &weight = bundle->weights().at(0);
            QCOMPARE(!weight.fault, known);
            if (known) {
                QCOMPARE(weight.shape, (Shape{6, 2}));
                QCOMPARE(valuesOf(*bundle, 0), (Values{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}));
            }
        }
    }

    void looksUpVectors()
    {
        MadeCoreAi made;
        const auto axis = [&made](int number) {
            return made.constant({}, Elem::Si16, byteRow({number, number < 0 ? 255 : 0}), true);
        };
        const auto codes = made.constant({1, 2}, Elem::Ui2, byteRow({0x02}));
        const auto book = made.constant({1, 1, 4, 1}, Elem::F16, halves({5, 6, 7, 8}));
        const auto bits = made.constant({1, 2}, Elem::Ui1, byteRow({0x01}));
        const auto pairs = made.constant({1, 1, 2, 2}, Elem::F16, halves({1, 2, 3, 4}));
        made.output(
            {made.operation("primitive.lut_to_dense_v1", {codes, book, axis(0)}, {1, 2}, Elem::F16),
             made.operation("primitive.lut_to_dense_v1", {bits, pairs, axis(-1)}, {1, 4},
                            Elem::F16),
             made.operation("primitive.lut_to_dense_v1", {bits, pairs, axis(0)}, {2, 2},
                            Elem::F16)});
        const BundlePtr bundle = VERIFIED(made.open());
        QCOMPARE(bundle->weights().size(), 3U);
        QCOMPARE(valuesOf(*bundle, 0), (Values{7, 5}));
        QCOMPARE(valuesOf(*bundle, 1), (Values{3, 4, 1, 2}));
        QCOMPARE(valuesOf(*bundle, 2), (Values{3, 1, 4, 2}));
    }

    /// Code 0 under a zero point is no zero: what is left out holds that and nothing else.
    void editsOfWhatIsNoZero()
    {
        for (const int zero : {127, 0}) {
            MadeCoreAi made;
            const auto values = made.constant({3}, Elem::Ui8, byteRow({7, 8, 9}));
            const auto mask = made.constant({5}, Elem::Ui1, byteRow({0x1A}));
            const auto codes = made.masked(values, mask, {5}, Elem::Ui8);
            const auto scale = made.constant({1}, Elem::F16, halves({0.5f}), true);
            const auto offset = made.constant({1}, Elem::Ui8, byteRow({zero}), true);
            const auto bias = made.constant({1}, Elem::F16, halves({0}), true);
            made.output({made.scaled({codes, scale, offset, bias}, {5})});
            const BundlePtr bundle = VERIFIED(made.open());
            const float absent = -0.5f * float(zero);
            QCOMPARE(valuesOf(*bundle, 0)[0], absent);
            const auto decoder = VERIFIED(bundle->decoder(0));
            const codec::Editor editor(*decoder);
            for (const auto &[asked, tolerance] :
                 {std::pair(double(absent), 0.0), std::pair(1.0, 1000.0)}) {
                const auto plan = VERIFIED(editor.setElement(0, asked, tolerance));
                QCOMPARE(plan->stored, double(absent));
                QVERIFY(plan->parts.empty());
            }
            QCOMPARE(REFUSED(editor.setElement(0, 1 + double(absent), 0.5)).code, "patch.masked");
            QCOMPARE(codec::RunEditor::make(*decoder, {}).has_value(), zero == 0);
        }
    }

    void keepsWhatTheMaskKeeps()
    {
        MadeCoreAi made;
        const auto values = made.constant({3}, Elem::F16, halves({7, 8, 9}));
        const auto mask = made.constant({5}, Elem::Ui1, byteRow({0x1A}));
        made.output({made.masked(values, mask, {5}, Elem::F16)});
        const BundlePtr bundle = VERIFIED(made.open());
        QCOMPARE(valuesOf(*bundle, 0), (Values{0, 7, 0, 8, 9}));
        QCOMPARE(formText(bundle->weights().front().form), "sparse");
    }

    void absentElementsAreCodeZero()
    {
        MadeCoreAi made;
        const auto values = made.constant({3}, Elem::Ui8, byteRow({127, 128, 129}));
        const auto mask = made.constant({5}, Elem::Ui1, byteRow({0x1A}));
        const auto dense = made.masked(values, mask, {5}, Elem::Ui8);
        const auto scale = made.constant({1}, Elem::F16, halves({0.5f}), true);
        const auto offset = made.constant({1}, Elem::Ui8, byteRow({127}), true);
        const auto bias = made.constant({1}, Elem::F16, halves({0}), true);
        made.output({made.scaled({dense, scale, offset, bias}, {5})});
        const BundlePtr bundle = VERIFIED(made.open());
        QCOMPARE(valuesOf(*bundle, 0), (Values{-63.5f, 0, -63.5f, 0.5f, 1}));
        QVERIFY(bundle->weights().front().form.isSparse());
        QVERIFY(says(*bundle, "aimodel.absent_not_zero"));
    }

    void codesOneAByte()
    {
        MadeCoreAi made;
        const auto codes = made.blob({4}, Elem::Si4, byteRow({0x0F, 0x07, 0x08, 0x00}));
        made.output({made.operation("primitive.cast_v1", {codes}, {4}, Elem::F32)});
        const BundlePtr bundle = VERIFIED(made.open());
        QCOMPARE(valuesOf(*bundle, 0), (Values{-1, 7, -8, 0}));
        QVERIFY(says(*bundle, "aimodel.one_code_a_byte"));
    }

    void joinedCasts_data()
    {
        addColumns<int, int, int, bool>();
        addRow("narrow", int(Elem::Si8), int(Elem::F16), int(Elem::F32), false); // 8 bits are exact
        addRow("the processor's types", int(Elem::Si16), int(Elem::F16), int(Elem::F32), false);
        addRow("fp32 by bf16 to a wider one", int(Elem::F32), int(Elem::Bf16), int(Elem::F32),
               false);
        addRow("to fp8 by a wider one", int(Elem::F32), int(Elem::F16), int(Elem::E5m2), false);
        addRow("fp32 by bf16", int(Elem::F32), int(Elem::Bf16), int(Elem::F16), true);
        addRow("fp16 by bf16", int(Elem::F16), int(Elem::Bf16), int(Elem::F32), true);
        addRow("unsigned", int(Elem::Ui16), int(Elem::F16), int(Elem::F32), true);
        addRow("fp8 by an integer", int(Elem::E5m2), int(Elem::Si8), int(Elem::F32), true);
    }

    /// As the runtime was seen to join them.
    void joinedCasts()
    {
        const auto [from, between, to, joined] = fetched<int, int, int, bool>();
        MadeCoreAi made;
        const auto numbers = made.constant({1}, Elem(from), byteRow({1, 2, 0, 0}));
        const auto inner = made.operation("primitive.cast_v1", {numbers}, {1}, Elem(between));
        made.output({made.operation("primitive.cast_v1", {inner}, {1}, Elem(to))});
        QCOMPARE(says(*made.open(), "aimodel.joined_casts"), joined);
    }

    void numbersThatTheRuntimeChanges_data()
    {
        addColumns<int, float, float, bool>();
        addRow("fp8's largest", int(Elem::E4m3), 448.0f, 448.0f, false);
        addRow("rounded to it", int(Elem::E4m3), 449.0f, 448.0f, true);
        addRow("infinite", int(Elem::E5m2), HUGE_VALF, HUGE_VALF, false);
        addRow("rounded to e5m2's", int(Elem::E5m2), 57376.0f, 57344.0f, true);
        addRow("too large for 8 bits", int(Elem::Si8), 300.0f, 127.0f, false);
        addRow("no integer", int(Elem::Si32), HUGE_VALF, 0x1p31f, true);
        addRow("below none", int(Elem::Ui32), -2.0f, 0.0f, true);
        addRow("subnormal", int(Elem::F32), 0x1p-20f, 0x1p-20f, true);
        addRow("of the same width", int(Elem::Bf16), 0x1p-20f, 0x1p-20f, false);
    }

    void numbersThatTheRuntimeChanges()
    {
        const auto [to, number, shown, said] = fetched<int, float, float, bool>();
        MadeCoreAi made;
        const auto numbers = made.constant({2}, Elem::F16, halves({1, number}));
        made.output({made.operation("primitive.cast_v1", {numbers}, {2}, Elem(to))});
        const BundlePtr bundle = VERIFIED(made.open());
        QCOMPARE(valuesOf(*bundle, 0), (Values{1, shown}));
        QCOMPARE(says(*bundle, "aimodel.cast_values"), said);
    }

    void subnormalScales()
    {
        for (const bool small : {false, true}) {
            MadeCoreAi made;
            const auto codes = made.constant({2}, Elem::Si8, byteRow({1, 2}));
            const auto scale = made.constant({}, Elem::F16, halves({small ? 0x1p-15f : 0x1p-14f}));
            const auto zero = made.constant({}, Elem::Si8, byteRow({0}));
            const auto bias = made.constant({}, Elem::F16, halves({0}));
            const auto axis = made.constant({}, Elem::Si32, byteRow({0, 0, 0, 0}));
            made.output({made.operation("dequantize_v2", {codes, scale, zero, bias, axis}, {2},
                                        Elem::F16)});
            QCOMPARE(says(*made.open(), "aimodel.cast_values"), small);
        }
    }

    /// Nothing times infinity, which rows add.
    void infiniteScales()
    {
        MadeCoreAi made;
        const auto data = made.constant({2, 2}, Elem::Si8, byteRow({1, 2, 3, 4}));
        const auto scale = made.constant({2, 1}, Elem::F16, halves({HUGE_VALF, 2}));
        const auto zero = made.constant({2, 1}, Elem::Si8, byteRow({0, 0}));
        const auto bias = made.constant({2, 1}, Elem::F16, halves({0, 0}));
        made.output({made.scaled({data, scale, zero, bias}, {2, 2})});
        const Values values = valuesOf(*VERIFIED(made.open()), 0);
        QVERIFY(std::isnan(values[0]) && std::isnan(values[1]));
        QCOMPARE(Values(values.begin() + 2, values.end()), (Values{6, 8}));
    }

    /// What the vendor's runtime computes: powers of two become fp16 before they scale, products
    /// are rounded before a zero is added, and a second offset of -0 leaves -0.
    void roundsScalesAndProductsToHalves()
    {
        MadeCoreAi made;
        const auto zeros = made.constant({3, 1}, Elem::F4, byteRow({0}), true);
        const auto bias = made.constant({3, 1}, Elem::F16, halves({0}), true);
        made.output({made.scaled(
            {made.constant({3, 2}, Elem::F4, byteRow({0x10, 0x79, 0x90})), // 0 .5, -.5 6, 0 -.5
             made.constant({3, 1}, Elem::E8m0, byteRow({127 + 16, 127 - 25, 127 - 24})), zeros,
             bias},
            {3, 2})});
        const auto small = made.constant({1, 1}, Elem::F16, byteRow({1, 0}), true); // 2^-24
        const auto none = made.constant({1, 1}, Elem::F16, halves({0}), true);
        made.output({made.scaled(
            {made.constant({1, 2}, Elem::F16, halves({-0.25f, -2})), small, none, none}, {1, 2})});
        const auto negative = made.constant({1, 1}, Elem::F16, byteRow({0, 0x80}), true);
        const auto codes = made.constant({2, 2}, Elem::Si4, byteRow({0x21, 0x43}));
        made.output({made.scaled(
            {codes, negative, made.constant({1, 1}, Elem::Si4, byteRow({0}), true), negative},
            {2, 2})});
        const BundlePtr bundle = VERIFIED(made.open());
        const auto hasSign = [](float value) { return std::signbit(value); };
        const Values powers = valuesOf(*bundle, 0);
        QVERIFY(std::isnan(powers[0]) && std::isinf(powers[1]));
        QCOMPARE(Values(powers.begin() + 2, powers.end()), (Values{0, 0, 0, 0}));
        QVERIFY(std::none_of(powers.begin() + 2, powers.end(), hasSign));
        const Values products = valuesOf(*bundle, 1);
        QVERIFY(products[0] == 0 && !hasSign(products[0]));
        QCOMPARE(products[1], -0x1p-23f);
        QVERIFY(std::ranges::all_of(valuesOf(*bundle, 2), hasSign));
    }

    void saysThatNegativeAxesAreNotCounted()
    {
        for (const bool negative : {true, false}) {
            MadeCoreAi made;
            const auto codes = made.constant({2, 2}, Elem::Si8, byteRow({1, 2, 3, 4}));
            const auto axis = made.constant(
                {}, Elem::Si32, negative ? byteRow({255, 255, 255, 255}) : byteRow({1, 0, 0, 0}),
                true);
            made.output({made.operation("dequantize_v2",
                                        {codes, made.constant({2}, Elem::F16, halves({1, 2})),
                                         made.constant({2}, Elem::Si8, byteRow({0}), true),
                                         made.constant({2}, Elem::F16, halves({0}), true), axis},
                                        {2, 2}, Elem::F16)});
            const BundlePtr bundle = VERIFIED(made.open());
            QCOMPARE(says(*bundle, "aimodel.negative_axis"), negative);
            QCOMPARE(valuesOf(*bundle, 0), (Values{1, 4, 3, 8}));
        }
    }

    void transposesAndCasts()
    {
        MadeCoreAi made;
        const auto codes = made.constant({2, 3}, Elem::Si2, byteRow({0xE4, 0x01})); // 0 1 -2 -1 1 0
        const auto turned = made.transposed(codes, {1, 0}, {3, 2}, Elem::Si2);
        const auto numbers = made.operation("primitive.cast_v1", {turned}, {3, 2}, Elem::F16);
        made.output({numbers});
        const BundlePtr bundle = VERIFIED(made.open());
        QCOMPARE(valuesOf(*bundle, 0), (Values{0, -1, 1, 1, -2, 0}));
        QVERIFY(bundle->weights().front().type == ElementType::Fp16);
    }

    /// A form beside its transpose: the same numbers at the same bytes, read in another order.
    void turnedForms_data()
    {
        addColumns<int, bool>();
        addRow("values behind a mask", 0, false);
        addRow("codes behind a mask, scaled", 1, true);
        addRow("several codebooks", 2, false);
        addRow("several codebooks behind a mask", 3, false);
        addRow("a scaled codebook for each row", 4, false);
        addRow("vectors", 5, false);
        addRow("vectors behind a mask", 6, false);
        addRow("values behind a mask that keeps all", 7, false);
    }

    void turnedForms()
    {
        const auto [kind, gaps] = fetched<int, bool>();
        const Shape shape{2, 3, 4}, turned{4, 2, 3};
        MadeCoreAi made;
        // 1011 0110 0101 | 1110 0001 1000: 12 of 24
        const auto mask = made.constant(shape, Elem::Ui1, byteRow({0x6D, 0x7A, 0x18}));
        const auto kept = [&](MadeCoreAi::Value values, Elem type) {
            return made.operation("primitive.build_sparse_with_bitmask_v1", {values, mask}, shape,
                                  type);
        };
        const auto dense = [&](MadeCoreAi::Value sparse, Elem type) {
            return made.operation("primitive.sparse_with_bitmask_to_dense_v1", {sparse}, shape,
                                  type);
        };
        const auto axis = made.constant({}, Elem::Si16, byteRow({0, 0}), true);
        const auto books = [&](std::initializer_list<float> entries) {
            return made.constant({2, 1, 1, 4, 1}, Elem::F16, halves(entries));
        };
        MadeCoreAi::Value value = 0;
        if (kind == 0) {
            value = made.masked(
                made.constant({12}, Elem::F16, halves({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})),
                mask, shape, Elem::F16);
        } else if (kind == 1) {
            const auto codes = made.masked(
                made.constant({12}, Elem::Ui8, byteRow({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})),
                mask, shape, Elem::Ui8);
            const auto scale = made.constant({2, 1, 2}, Elem::F16, halves({1, 2, 0.5f, 4}));
            const auto offset = made.constant({2, 1, 2}, Elem::Ui8, byteRow({0, 1, 2, 3}));
            const auto bias = made.constant({2, 1, 2}, Elem::F16, halves({0, 1, 2, 3}));
            value = made.scaled({codes, scale, offset, bias}, shape);
        } else if (kind == 2) {
            const auto codes =
                made.constant(shape, Elem::Ui2, byteRow({0xE4, 0x1B, 0x4E, 0xB1, 0x39, 0xC6}));
            value =
                made.operation("primitive.lut_to_dense_v1",
                               {codes, books({1, 2, 3, 4, 5, 6, 7, 8}), axis}, shape, Elem::F16);
        } else if (kind == 3) {
            const auto codes = made.constant({12}, Elem::Ui2, byteRow({0xE4, 0x1B, 0x4E}));
            value = dense(
                made.operation("primitive.lut_to_sparse_with_bitmask_v1",
                               {kept(codes, Elem::Ui2), books({1, 2, 3, 4, 5, 6, 7, 8}), axis},
                               shape, Elem::F16),
                Elem::F16);
        } else if (kind == 5 || kind == 6) {
            const auto last = made.constant({}, Elem::Si16, byteRow({2, 0}), true);
            const auto pairs =
                made.constant({2, 1, 1, 4, 2}, Elem::F16,
                              halves({1, 9, 2, 9, 3, 9, 4, 0, 5, 8, 6, 8, 7, 8, 8, 0}));
            const Shape indices{2, 3, 2};
            if (kind == 5) {
                const auto codes = made.constant(indices, Elem::Ui2, byteRow({0xE4, 0x1B, 0x4E}));
                value = made.operation("primitive.lut_to_dense_v1", {codes, pairs, last}, shape,
                                       Elem::F16);
            } else {
                const auto kept6 =
                    made.operation("primitive.build_sparse_with_bitmask_v1",
                                   {made.constant({6}, Elem::Ui2, byteRow({0xE4, 0x0B})),
                                    made.constant(indices, Elem::Ui1, byteRow({0x65, 0x0C}))},
                                   indices, Elem::Ui2);
                value = dense(made.operation("primitive.lut_to_sparse_with_bitmask_v1",
                                             {kept6, pairs, last}, shape, Elem::F16),
                              Elem::F16);
            }
        } else if (kind == 7) {
            const auto all = made.constant(shape, Elem::Ui1, byteRow({1}), true);
            const auto values = made.constant(
                {24}, Elem::F16, halves({1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12,
                                         13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24}));
            value = made.masked(values, all, shape, Elem::F16);
        } else {
            const auto codes =
                made.constant(shape, Elem::Ui2, byteRow({0xE4, 0x1B, 0x4E, 0xB1, 0x39, 0xC6}));
            const auto entries =
                made.constant({2, 1, 1, 4, 1}, Elem::Si8, byteRow({1, 2, 3, 4, 5, 6, 7, 8}));
            const auto scale = made.constant({2, 1, 1, 1, 1}, Elem::F16, halves({2, 3}));
            const auto zero = made.constant({2, 1, 1, 1, 1}, Elem::Si8, byteRow({0, 1}));
            const auto bias = made.constant({2, 1, 1, 1, 1}, Elem::F16, halves({0, 0}));
            const auto scaled = made.scaled({entries, scale, zero, bias}, {2, 1, 1, 4, 1});
            value = made.operation("primitive.lut_to_dense_v1", {codes, scaled, axis}, shape,
                                   Elem::F16);
        }
        // Through a transpose that nothing follows a weight is read as it is stored.
        const auto other = made.transposed(value, {2, 0, 1}, turned, Elem::F16);
        made.output({made.operation("primitive.cast_v1", {value}, shape, Elem::F32),
                     made.operation("primitive.cast_v1", {other}, turned, Elem::F32)});
        const BundlePtr bundle = VERIFIED(made.open());
        QVERIFY(!hasErrors(bundle->diagnostics()));
        QCOMPARE(says(*bundle, "aimodel.absent_not_zero"), gaps);
        QCOMPARE(bundle->weights().size(), 2U);
        QCOMPARE(bundle->weights()[1].shape, turned);
        QCOMPARE(formText(bundle->weights()[1].form), formText(bundle->weights()[0].form));
        const auto straight = valuesOf(*bundle, 0), across = valuesOf(*bundle, 1);
        QVERIFY(std::set<float>(straight.begin(), straight.end()).size() > 5);
        const auto first = VERIFIED(bundle->decoder(0)), second = VERIFIED(bundle->decoder(1));
        QCOMPARE(second->codebookUse(), first->codebookUse());
        QCOMPARE(second->payloadElements().value, first->payloadElements().value);
        const auto bytesOf = [&](const Result<codec::EditPlan> &plan, std::size_t weight) {
            std::vector<std::pair<std::uint64_t, Bytes>> bytes;
            for (const auto &part : plan ? plan->parts : decltype(plan->parts)()) {
                const codec::Operand &operand = *bundle->weights()[weight].operand(part.role);
                const auto from = operand.order ? 0 : operand.place->dataOffset.value;
                bytes.emplace_back(from + part.offset, part.bytes);
            }
            return bytes;
        };
        const auto changed = [&](const codec::Decoder &decoder, std::size_t weight,
                                 std::uint64_t element) {
            return bytesOf(codec::Editor(decoder).setElement(element, 3.0, 100), weight);
        };
        const auto keptOrNot = [&](const codec::Decoder &decoder, std::size_t weight,
                                   std::uint64_t element) {
            const codec::Editor editor(decoder);
            const auto plan =
                decoder.stored(element) ? editor.drop(element) : editor.keep(element, 3, 100);
            return std::pair(bytesOf(plan, weight), plan ? plan->payloadElements : std::nullopt);
        };
        bool moves = false;
        for (std::uint64_t i = 0; i < 24; ++i) {
            const std::uint64_t there = i % 4 * 6 + i / 4;
            QCOMPARE(across[there], straight[i]);
            const auto a = placeOfElement(*bundle, 0, i), b = placeOfElement(*bundle, 1, there);
            QVERIFY(a && b);
            QCOMPARE(b->bytes.offset.value, a->bytes.offset.value);
            QCOMPARE(first->stored(i), second->stored(there));
            if (first->stored(i))
                QCOMPARE(changed(*second, 1, there), changed(*first, 0, i));
            else
                QVERIFY(changed(*second, 1, there).empty());
            const auto one = codec::Editor(*first).setElement(i, 3, 100);
            const auto turnedBack = codec::Editor(*second).setElement(there, 3, 100);
            QVERIFY(one && turnedBack);
            QCOMPARE(turnedBack->stored, one->stored);
            const auto moved = keptOrNot(*first, 0, i);
            QCOMPARE(keptOrNot(*second, 1, there), moved);
            moves |= moved.second.has_value();
        }
        QCOMPARE(moves, bundle->weights()[0].form.isSparse());
        QVERIFY(!hasErrors(verifyPayloads(*bundle)));
    }

    /// What cannot be described as a transpose of its parts is read through the permutation.
    void turnedViews_data()
    {
        addColumns<bool>();
        addRow("codebooks across the axes", false);
        addRow("scaled values behind a mask", true);
    }

    void turnedViews()
    {
        const auto [sparse] = fetched<bool>();
        const Shape shape{2, 6}, read{3, 4}, turned{4, 3};
        MadeCoreAi made;
        MadeCoreAi::Value value = 0;
        if (sparse) {
            const auto codes = made.constant({8}, Elem::Si8, byteRow({1, 2, 3, 4, 5, 6, 7, 8}));
            const auto scale = made.constant({2}, Elem::F16, halves({2, 3}));
            const auto zero = made.constant({2}, Elem::Si8, byteRow({0, 1}));
            const auto bias = made.constant({2}, Elem::F16, halves({0, 0}));
            const auto mask = made.constant(shape, Elem::Ui1, byteRow({0x6D, 0x07}));
            value =
                made.masked(made.scaled({codes, scale, zero, bias}, {8}), mask, shape, Elem::F16);
        } else {
            const auto codes = made.constant(shape, Elem::Ui2, byteRow({0xE4, 0x1B, 0x4E}));
            const auto books =
                made.constant({2, 1, 4, 1}, Elem::F16, halves({1, 2, 3, 4, 5, 6, 7, 8}));
            const auto axis = made.constant({}, Elem::Si16, byteRow({0, 0}), true);
            value =
                made.operation("primitive.lut_to_dense_v1", {codes, books, axis}, shape, Elem::F16);
        }
        const auto extents = made.constant({2}, Elem::Ui32, byteRow({3, 0, 0, 0, 4, 0, 0, 0}));
        const auto flat = made.operation("primitive.reshape_v2", {value, extents}, read, Elem::F16);
        const auto other = made.transposed(flat, {1, 0}, turned, Elem::F16);
        made.output({made.operation("primitive.cast_v1", {value}, shape, Elem::F32),
                     made.operation("primitive.cast_v1", {other}, turned, Elem::F32)});
        const BundlePtr bundle = VERIFIED(made.open());
        QVERIFY(!hasErrors(bundle->diagnostics()));
        QCOMPARE(bundle->weights()[1].shape, turned);
        QCOMPARE(formText(bundle->weights()[1].form), formText(bundle->weights()[0].form));
        const auto straight = valuesOf(*bundle, 0), across = valuesOf(*bundle, 1);
        QVERIFY(std::set<float>(straight.begin(), straight.end()).size() > 5);
        const codec::Encoding &first = *bundle->weights()[0].form.encoding();
        const codec::Encoding &second = *bundle->weights()[1].form.encoding();
        for (std::uint64_t i = 0; i < 12; ++i) {
            const std::uint64_t there = i % 4 * 3 + i / 4;
            QCOMPARE(across[there], straight[i]);
            const auto a = codeOfElement(*bundle, first, i);
            const auto b = codeOfElement(*bundle, second, there);
            QVERIFY(a && b);
            QCOMPARE(b->operand->place->dataOffset, a->operand->place->dataOffset);
            QCOMPARE(b->entry, a->entry);
            QCOMPARE(elementsOfCode(*bundle, second, *b->operand, b->entry),
                     std::vector<std::uint64_t>{there});
        }
        const auto decoder = VERIFIED(bundle->decoder(1));
        QVERIFY(!codec::Editor(*decoder).setElement(3, 1.0, 100));
        QVERIFY(!hasErrors(verifyPayloads(*bundle)));
    }

    void manySteps()
    {
        MadeCoreAi made;
        const Shape shape{2, 6}, read{3, 4}, turned{4, 3};
        const auto codes = made.constant(shape, Elem::Ui2, byteRow({0xE4, 0x1B, 0x4E}));
        const auto books = made.constant({2, 1, 4, 1}, Elem::F16, halves({1, 2, 3, 4, 5, 6, 7, 8}));
        const auto axis = made.constant({}, Elem::Si16, byteRow({0, 0}), true);
        auto value =
            made.operation("primitive.lut_to_dense_v1", {codes, books, axis}, shape, Elem::F16);
        for (int i = 0; i < 8; ++i) {
            value = made.operation("primitive.reshape_v2", {value, axis}, read, Elem::F16);
            value = made.transposed(value, {1, 0}, turned, Elem::F16);
        }
        auto scaled =
            made.constant(shape, Elem::Si8, byteRow({1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3}));
        const auto scale = made.constant({1, 6}, Elem::F16, halves({1, 2, 3, 4, 5, 6}));
        const auto zero = made.constant({1, 6}, Elem::Si8, byteRow({0}), true);
        const auto bias = made.constant({1, 6}, Elem::F16, halves({0}), true);
        for (int i = 0; i < 9; ++i)
            scaled = made.scaled({scaled, scale, i == 0 ? zero : bias, bias}, shape);
        made.output({made.operation("primitive.cast_v1", {value}, turned, Elem::F32),
                     made.operation("primitive.cast_v1", {scaled}, shape, Elem::F32)});
        const BundlePtr bundle = VERIFIED(made.open());
        Values expected{1, 2, 3, 4, 4, 3, 6, 5, 7, 8, 5, 6}, other(12);
        for (int i = 0; i < 8; ++i) {
            for (std::size_t k = 0; k < 12; ++k)
                other[k % 4 * 3 + k / 4] = expected[k];
            expected = other;
        }
        QCOMPARE(valuesOf(*bundle, 0), expected);
        QVERIFY(!bundle->weights()[0].fault);
        QVERIFY(bundle->weights()[1].fault && !bundle->decoder(1)); // more than a decoder chains
    }

    void splatsAreLocked()
    {
        MadeCoreAi made;
        made.output({made.constant({4, 4}, Elem::F16, halves({0.25f}), true)});
        const BundlePtr bundle = VERIFIED(made.open());
        QCOMPARE(valuesOf(*bundle, 0), Values(16, 0.25f));
        QCOMPARE(bundle->weights().front().storedBytes.value, 2U);
        const auto decoder = VERIFIED(bundle->decoder(0));
        QVERIFY(!codec::Editor(*decoder).setElement(3, 1.0, 0));
        // The byte is all elements, and that of an element is named with its own number.
        const auto place = placeOfElement(*bundle, 0, 5);
        QVERIFY(place);
        BoundOrder order;
        const ByteField field = fieldAt(*bundle, place->file, place->bytes.offset, order, 5);
        QVERIFY(field.text.starts_with("all 16 elements (one stored value): values of "));
        QVERIFY(field.element == 5U);
    }

    void names()
    {
        MadeCoreAi made;
        const auto a = made.constant({4}, Elem::F16, halves({1, 2, 3, 4}));
        made.nameNext("layer.0.bias");
        const auto b = made.constant({4}, Elem::F16, halves({1, 2, 3, 5}));
        const auto c = made.constant({4}, Elem::F16, halves({1, 2, 3, 6}));
        const auto d = made.constant({1, 4}, Elem::F16, halves({1, 2, 3, 7}));
        const auto x = added(made, a, {4}), y = added(made, b, {4}), z = added(made, c, {4});
        const auto turned = made.transposed(d, {1, 0}, {4, 1}, Elem::F16);
        const auto product =
            made.operation("broadcasting_batch_matmul_v1", {x, turned}, {1}, Elem::F16);
        made.output({y, z, product});
        const BundlePtr bundle = VERIFIED(made.open());
        std::vector<std::string> found;
        for (const Weight &weight : bundle->weights())
            found.push_back(weight.name);
        QCOMPARE(found, (std::vector<std::string>{"add_1.bias", "layer.0.bias", "add_3.bias",
                                                  "matmul_1.weight"}));
        const Weight &through = bundle->weights().back();
        QCOMPARE(through.consumers.size(), 1U);
        QCOMPARE(through.consumers.front().op, "matmul");
        QCOMPARE(through.consumers.front().via, std::vector<std::string>{"transpose"});
        QVERIFY(says(*bundle, "aimodel.author_paths"));
        const mil::Function &function = bundle->program()->functions.front();
        QCOMPARE(function.name, "main");
        QCOMPARE(function.body.outputs.size(), 3U);
    }

    void refusesWhatDoesNotFit()
    {
        MadeCoreAi made;
        const auto axis = made.constant({}, Elem::Si16, byteRow({0, 0}), true);
        const auto codes = made.constant({1, 2}, Elem::Ui4, byteRow({0x02}));
        const auto book = made.constant({1, 1, 8, 1}, Elem::F16, halves({5, 6, 7, 8, 1, 2, 3, 4}));
        const auto values = made.constant({2}, Elem::F16, halves({7, 8}));
        const auto mask = made.constant({5}, Elem::Ui1, byteRow({0x1A}));
        made.output(
            {made.operation("primitive.lut_to_dense_v1", {codes, book, axis}, {1, 2}, Elem::F16),
             made.masked(values, mask, {5}, Elem::F16),
             made.constant({4}, Elem::F16, byteRow({0, 0, 0}))});
        const BundlePtr bundle = VERIFIED(made.open());
        QCOMPARE(bundle->weights().size(), 3U);
        const std::vector<std::string> codesOf{"codec.codebook", "codec.mask", "aimodel.constant"};
        for (std::size_t i = 0; i < codesOf.size(); ++i) {
            const auto &fault = bundle->weights()[i].fault;
            QVERIFY(fault);
            QCOMPARE(fault->code, codesOf[i]);
            QCOMPARE(fault->file, "main.mlirb");
            QVERIFY(fault->offset);
        }
    }

    void wrongHashIsAFinding()
    {
        MadeCoreAi made;
        made.output({made.constant({4}, Elem::F16, halves({1, 2, 3, 4}))});
        QVERIFY(!says(*made.open(), "aimodel.hash"));
        OpenOptions options = made.options();
        options.memory.front().second.front() ^= std::byte{1};
        const auto bundle = VERIFIED(Bundle::open("made.aimodel", options));
        QVERIFY(says(**bundle, "aimodel.hash"));
    }

    void editsUnderABias()
    {
        MadeCoreAi made;
        const auto data = made.constant({2, 2}, Elem::Si8, byteRow({100, 110, 90, 105}));
        const auto scale = made.constant({1, 1}, Elem::F16, halves({2}), true);
        const auto offset = made.constant({1, 1}, Elem::Si8, byteRow({100}), true);
        const auto bias = made.constant({1, 1}, Elem::F16, halves({0.5f}), true);
        made.output({made.scaled({data, scale, offset, bias}, {2, 2})});
        const BundlePtr bundle = made.open();
        const auto decoder = VERIFIED(bundle->decoder(0));
        const auto plan = VERIFIED(codec::Editor(*decoder).setElement(1, -7.5, 0));
        QCOMPARE(plan->stored, -7.5); // (96 - 100) x 2 + 0.5
        QCOMPARE(plan->code.value_or(0), std::int64_t(96));
    }

    /// What an edit says is what the cast makes of the entry.
    void editsUnderACast()
    {
        MadeCoreAi made;
        const auto axis = made.constant({}, Elem::Si16, byteRow({0, 0}), true);
        const auto codes = made.constant({2}, Elem::Ui1, byteRow({0x02}));
        const auto book = made.constant({1, 2, 1}, Elem::F32, // 0.1, 0.3
                                        byteRow({0xCD, 0xCC, 0xCC, 0x3D, 0x9A, 0x99, 0x99, 0x3E}));
        const auto found =
            made.operation("primitive.lut_to_dense_v1", {codes, book, axis}, {2}, Elem::F32);
        made.output({made.operation("primitive.cast_v1", {found}, {2}, Elem::F16)});
        const BundlePtr bundle = VERIFIED(made.open());
        const auto decoder = VERIFIED(bundle->decoder(0));
        const auto plan = VERIFIED(codec::Editor(*decoder).setElement(0, 0.25, 1));
        QCOMPARE(plan->stored, double(valuesOf(*bundle, 0)[1]));
    }

    void everyByteHasAField()
    {
        MadeCoreAi made;
        made.nameNext("layer.0.weight");
        const auto codes = made.blob({4}, Elem::Si4, byteRow({0x0F, 0x07, 0x08, 0x00}));
        made.output({made.operation("primitive.cast_v1", {codes}, {4}, Elem::F32)});
        const BundlePtr bundle = VERIFIED(made.open());
        const std::size_t file = bundle->programFile();
        BoundOrder order;
        std::string all;
        for (std::uint64_t at = 0; at < bundle->files()[file].file->size().value; ++at) {
            const ByteField field = fieldAt(*bundle, file, FileOffset(at), order);
            QVERIFY2(field.bytes.contains(FileOffset(at)) && !field.text.empty(),
                     std::to_string(at).c_str());
            all += field.text + "\n";
        }
        for (const char *wanted : {"magic, version", "section strings: id", "attribute 0 (unit_v1)",
                                   "(tensor_v1): shape", "(aicode.primitive.cast_v1)", "string ",
                                   "properties 0", "element 2 [2]: values of"})
            QVERIFY2(all.find(wanted) != all.npos, (std::string(wanted) + "\n" + all).c_str());
    }
};

KERNSCOPE_TEST(TestAimodel, NoApplication)
#include "tst_aimodel.moc"
