// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codec/decode/decoder.h"
#include "core/codec/microscaled/microscaled.h"
#include "core/numeric/half.h"
#include "core/numeric/stream_copy.h"
#include "tests/test_program.h"

#include <hwy/targets.h>

using namespace kernscope::codec;

namespace {

/// A sound matrix of random bytes: every code and every exponent occurs; with `nearOne` only those
/// at which every E2M1 element is a normal number of fp16.
Microscaled randomMatrix(MxFormat format, MxAxis axis, std::uint64_t rows, std::uint64_t columns,
                         std::mt19937 &random, bool nearOne = false)
{
    Microscaled matrix;
    matrix.format = format;
    matrix.axis = axis;
    matrix.rows = rows;
    matrix.columns = columns;
    matrix.validColumns = columns;
    matrix.data.resize(rows * matrix.bytesPerRow());
    matrix.exponents.resize(matrix.exponentRows() * matrix.exponentColumns());
    for (auto &byte : matrix.data)
        byte = std::uint8_t(random());
    for (auto &exponent : matrix.exponents) // the range of fp16 more often than the rest
        exponent = std::uint8_t(nearOne             ? 114 + random() % 27
                                : random() % 3 == 0 ? random()
                                                    : 100 + random() % 50);
    return matrix;
}

/// The decoder that a weight of this matrix has.
Decoder decoderOf(const Microscaled &matrix)
{
    Encoding encoding;
    encoding.type = ElementType::Fp32;
    encoding.shape = {matrix.rows, matrix.columns};
    encoding.payload =
        Operand{PartRole::Data,
                matrix.format == MxFormat::Mxfp8 ? ElementType::Fp8E4M3Fn : ElementType::Fp4E2M1,
                encoding.shape, std::as_bytes(std::span(matrix.data))};
    Scaling scaling;
    scaling.kind = Scaling::Kind::Blockwise;
    scaling.scale = Operand{PartRole::Scale,
                            ElementType::Fp8E8M0,
                            {matrix.exponentRows(), matrix.exponentColumns()},
                            std::as_bytes(std::span(matrix.exponents))};
    encoding.scaling = scaling;
    return *Decoder::make(encoding);
}

std::uint16_t expectedHalf(double value)
{
    return std::isnan(value) ? 0x7e00 : doubleToHalf(value);
}

MxRequest request(MxFormat format, MxAxis axis, MxSource source, std::uint64_t rows,
                  std::uint64_t columns)
{
    MxRequest asked;
    asked.format = format;
    asked.axis = axis;
    asked.source = source;
    asked.rows = rows;
    asked.columns = columns;
    return asked;
}

} // namespace

class TestMicroscaled : public QObject
{
    Q_OBJECT

private slots:
    /// resources/formats/numbers.md, table 2.7: exponents and what 500, 0.3 and 7 become.
    void workedValues_data()
    {
        addColumns<double, int, int, int, double>();
        addRow("500 e4m3 ocp", 500.0, 0, 0, 127, 448.0);
        addRow("500 e4m3 nv", 500.0, 0, 1, 128, 512.0);
        addRow("500 e2m1 ocp", 500.0, 1, 0, 133, 384.0);
        addRow("500 e2m1 nv", 500.0, 1, 1, 134, 512.0);
        addRow("0.3 e4m3 ocp", 0.3, 0, 0, 117, 0.3125);
        addRow("0.3 e2m1 nv", 0.3, 1, 1, 123, 0.25);
        addRow("7 e2m1 ocp", 7.0, 1, 0, 127, 6.0);
        addRow("7 e2m1 nv", 7.0, 1, 1, 128, 8.0);
        addRow("tiny e4m3", 0x1p-130, 0, 0, 0, 0x1p-130);
        addRow("tiny e2m1", 0x1p-130, 1, 0, 0, 0.0);
    }
    void workedValues()
    {
        const auto [largest, format, algorithm, exponent, held] =
            fetched<double, int, int, int, double>();
        std::vector<float> values(32, 0.0f);
        values[5] = float(largest);
        auto asked = request(static_cast<MxFormat>(format), MxAxis::Columns, MxSource::Fp32, 1, 32);
        asked.algorithm = static_cast<MxAlgorithm>(algorithm);
        asked.simulator = true;
        const auto matrix = VERIFIED(quantizeMicroscaled(values, asked));
        QCOMPARE(int(matrix->exponents[0]), exponent);
        std::vector<double> decoded(32);
        dequantizeMicroscaled(*matrix, decoded);
        QCOMPARE(decoded[5], held);
    }

    void groupsAlongTheRowsAreTheTransposedOnes()
    {
        std::mt19937 random(5);
        std::normal_distribution<float> normal(0, 3);
        std::vector<float> values(64 * 96);
        std::vector<float> transposed(values.size());
        for (std::size_t r = 0; r < 64; ++r) {
            for (std::size_t c = 0; c < 96; ++c)
                transposed[c * 64 + r] = values[r * 96 + c] = normal(random);
        }
        const auto dn = quantizeMicroscaled(
            values, request(MxFormat::Mxfp8, MxAxis::Rows, MxSource::Fp32, 64, 96));
        const auto nd = quantizeMicroscaled(
            transposed, request(MxFormat::Mxfp8, MxAxis::Columns, MxSource::Fp32, 96, 64));
        QVERIFY(dn && nd);
        for (std::size_t r = 0; r < 64; ++r) {
            for (std::size_t c = 0; c < 96; ++c) {
                QCOMPARE(dn->data[r * 96 + c], nd->data[c * 64 + r]);
                QCOMPARE(dn->exponents[r / 32 * 96 + c], nd->exponents[c * 2 + r / 32]);
            }
        }
    }

    void constraints_data()
    {
        // flags: n: NZ data, z: ZZ exponents, i: interleaved
        const auto row = addColumns<int, int, int, quint64, quint64, QString, QString>();
        const int nd = int(MxAxis::Columns);
        const int dn = int(MxAxis::Rows);
        const int fp32 = int(MxSource::Fp32);
        const int fp16 = int(MxSource::Fp16);
        row("plain", 0, nd, fp32, 3, 32, "", "");
        row("empty", 0, nd, fp32, 0, 32, "", "shape");
        row("columns are padded", 0, nd, fp32, 16, 40, "", "");
        row("columns of 16 bits are padded", 0, nd, fp16, 16, 40, "", "");
        row("rows are padded", 0, dn, fp32, 48, 64, "", "");
        row("rows of 16 bits are padded", 0, dn, fp16, 48, 40, "", "");
        row("mxfp4 of fp32", 1, nd, fp32, 16, 64, "", "source");
        row("mxfp4 of fp16", 1, nd, fp16, 16, 64, "", "");
        row("the largest tile", 0, nd, fp32, 1858, 32, "", "");
        row("a tile too large", 0, nd, fp32, 1859, 32, "", "tile");
        row("NZ pads rows", 0, nd, fp32, 17, 32, "n", "");
        row("ZZ pads rows", 0, nd, fp32, 17, 64, "z", "");
        row("ZZ with odd groups", 0, nd, fp32, 16, 96, "z", "ZZ columns");
        row("ZZ of rows", 0, dn, fp32, 96, 64, "z", "ZZ rows");
        row("ZZ of rows, whole", 0, dn, fp32, 64, 64, "z", "");
        row("interleaved", 0, dn, fp32, 96, 64, "i", "interleaved rows");
        row("interleaved along columns", 0, nd, fp32, 64, 64, "i", "interleaved axis");
    }
    void constraints()
    {
        const auto [format, axis, source, rows, columns, flags, refused] =
            fetched<int, int, int, quint64, quint64, QString, QString>();
        auto asked = request(static_cast<MxFormat>(format), static_cast<MxAxis>(axis),
                             static_cast<MxSource>(source), rows, columns);
        asked.nzData = flags.contains(u'n');
        asked.zzExponents = flags.contains(u'z');
        asked.interleaved = flags.contains(u'i');
        const std::vector<float> values(rows * columns, 1.0f);
        const auto matrix = quantizeMicroscaled(values, asked);
        QCOMPARE(matrix.has_value(), refused.isEmpty());
        if (matrix) {
            QVERIFY(checkMicroscaled(*matrix));
            QCOMPARE(matrix->columns % 32, 0u);
            QCOMPARE(matrix->rows, axis == int(MxAxis::Rows) ? (rows + 31) / 32 * 32 : rows);
            std::vector<double> decoded(values.size());
            dequantizeMicroscaled(*matrix, decoded);
            QCOMPARE(decoded, std::vector<double>(values.size(), 1.0));
            return;
        }
        QCOMPARE(matrix.error().code, "mx.constraint");
        QCOMPARE(QString::fromStdString(matrix.error().field), refused);
        QVERIFY(!matrix.error().expected.empty() && !matrix.error().found.empty());
    }

    void paddedColumnsAreZero()
    {
        const std::vector<float> values(2 * 40, 3.0f);
        const auto matrix = VERIFIED(quantizeMicroscaled(
            values, request(MxFormat::Mxfp4, MxAxis::Columns, MxSource::Fp16, 2, 40)));
        QCOMPARE(matrix->columns, 64u);
        for (std::size_t c = 40; c < 64; c += 2)
            QCOMPARE(int(matrix->data[c / 2]), 0);
        std::vector<double> decoded(values.size());
        dequantizeMicroscaled(*matrix, decoded);
        QCOMPARE(decoded, std::vector<double>(values.size(), 3.0));
    }

    /// E5M2: the largest of a group is at 2^15 times its scale (OCP), nothing is clipped (NV).
    void e5m2()
    {
        std::vector<float> values(32, 0.375F);
        values[0] = 3.4F; // between 3 and 3.5: mantissas of two bits
        values[1] = -4;
        for (const auto algorithm : {MxAlgorithm::Ocp, MxAlgorithm::Nv}) {
            auto asked = request(MxFormat::Mxfp8E5M2, MxAxis::Columns, MxSource::Fp32, 1, 32);
            asked.algorithm = algorithm;
            const auto matrix = quantizeMicroscaled(values, asked);
            QVERIFY(matrix && matrix->data.size() == 32);
            QCOMPARE(int(matrix->exponents[0]), 127 + 2 - 15);
            std::vector<double> decoded(32);
            dequantizeMicroscaled(*matrix, decoded);
            QCOMPARE(decoded[0], 3.5);
            QCOMPARE(decoded[1], -4.0);
            QCOMPARE(decoded[2], 0.375);
        }
    }

    void wrongLengthsAreRefused()
    {
        std::mt19937 random(1);
        auto matrix = randomMatrix(MxFormat::Mxfp8, MxAxis::Columns, 4, 64, random);
        matrix.data.pop_back();
        QCOMPARE(checkMicroscaled(matrix).error().code, "mx.length");
        QVERIFY(!toNz(matrix.data, 4, 64));
        QVERIFY(!fromNz(matrix.data, 4, 64));
        QVERIFY(!toZz(matrix.data, MxAxis::Columns, 4, 64));
        QVERIFY(!fromZz(matrix.data, MxAxis::Rows, 64, 64));
        QVERIFY(!toNz(matrix.data, UINT64_MAX, 64));
        QVERIFY(!toZz(matrix.data, MxAxis::Columns, UINT64_MAX, 64));
        QVERIFY(!toInterleaved(matrix.data, 64, UINT64_MAX));
        const std::vector<float> values(31);
        QCOMPARE(quantizeMicroscaled(
                     values, request(MxFormat::Mxfp8, MxAxis::Columns, MxSource::Fp32, 1, 32))
                     .error()
                     .code,
                 "mx.length");
    }

    /// Every code and exponent, from any element on, by every instruction set.
    void halvesAreTheExactValuesRounded()
    {
        std::mt19937 random(9);
        int targets = 0;
        for (const auto format : {MxFormat::Mxfp8, MxFormat::Mxfp4}) {
            for (const auto &[axis, columns, nearOne] :
                 {std::tuple{MxAxis::Columns, 320u, false}, std::tuple{MxAxis::Rows, 160u, false},
                  std::tuple{MxAxis::Rows, 1056u, false}, std::tuple{MxAxis::Rows, 8224u, false},
                  std::tuple{MxAxis::Rows, 1056u, true}, std::tuple{MxAxis::Rows, 8224u, true}}) {
                const auto matrix = randomMatrix(format, axis, 64, columns, random, nearOne);
                const Decoder decoder = decoderOf(matrix);
                std::vector<double> exact(64 * columns);
                dequantizeMicroscaled(matrix, exact);
                std::vector<std::uint16_t> expected(exact.size());
                std::ranges::transform(exact, expected.begin(), expectedHalf);
                for (std::int64_t rest = hwy::SupportedTargets(); rest != 0; rest &= rest - 1) {
                    hwy::GetChosenTarget().Update(rest & -rest);
                    ++targets;
                    for (int round = 0; round < 8; ++round) {
                        const std::size_t first = round < 2 ? 0 : random() % 2000;
                        const std::size_t count =
                            round < 2 ? exact.size() : random() % (exact.size() - first);
                        const std::size_t shift = random() % 40;
                        std::vector<std::uint16_t> found(shift + count + 1, 0xabcd);
                        setStreamedBytes(round % 2 == 0 ? 1 : SIZE_MAX); // past the caches or not
                        decoder.decodeHalf(first, std::span(found).subspan(shift, count));
                        setStreamedBytes(0);
                        QVERIFY(std::memcmp(found.data() + shift, expected.data() + first,
                                            2 * count) == 0);
                        QCOMPARE(int(found[shift + count]), 0xabcd);
                    }
                }
            }
        }
        hwy::GetChosenTarget().DeInit();
        QVERIFY(targets > 0);
    }

    void int8Parameters()
    {
        const std::vector<float> values{-2.0f, 0.5f, 8.0f, std::numeric_limits<float>::quiet_NaN()};
        const auto symmetric = codec::int8Parameters(values, Int8Mode::Symmetric);
        QCOMPARE(symmetric.scale, 8.0f / 127.0f);
        QCOMPARE(symmetric.offset, 0.0f);
        const auto asymmetric = codec::int8Parameters(values, Int8Mode::Asymmetric);
        QCOMPARE(asymmetric.scale, 10.0f / 255.0f);
        QCOMPARE(asymmetric.offset, 51.0f);
        const std::vector<float> zeros(4, 0.0f);
        QCOMPARE(codec::int8Parameters(zeros, Int8Mode::Symmetric).inverse, 0.0f);
    }

    void int8RoundTripStaysWithinHalfAStep()
    {
        std::mt19937 random(3);
        std::normal_distribution<float> normal(0.5f, 1);
        std::vector<float> values(8 * 50);
        for (float &value : values)
            value = normal(random);
        for (const auto mode : {Int8Mode::Symmetric, Int8Mode::Asymmetric}) {
            const auto rows = VERIFIED(int8ParametersOfRows(values, 8, 50, mode, false));
            const auto matrix = quantizeInt8(values, 8, 50, mode, Int8Chain::FiveStage, *rows);
            const auto direct = quantizeInt8(values, 8, 50, mode, Int8Chain::Direct, *rows);
            QVERIFY(matrix && direct);
            QVERIFY(matrix->codes == direct->codes);
            std::vector<double> decoded(values.size());
            dequantizeInt8(*matrix, decoded);
            for (std::size_t i = 0; i < values.size(); ++i) {
                // The offset is a whole code, which moves the range by up to half a step.
                const double step = double((*rows)[i / 50].scale);
                QVERIFY(std::abs(decoded[i] - double(values[i])) <= step * 1.001);
            }
        }
        QVERIFY(!int8ParametersOfRows(values, 7, 50, Int8Mode::Symmetric, true));
        QVERIFY(!quantizeInt8(values, 8, 50, Int8Mode::Symmetric, Int8Chain::Direct, {}));
    }
};

KERNSCOPE_TEST(TestMicroscaled, NoApplication)
#include "tst_microscaled.moc"
