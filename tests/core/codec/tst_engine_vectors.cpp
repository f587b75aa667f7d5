// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codec/decode/decoder.h"
#include "tests/data/data_folder.h"

#include <nlohmann/json.hpp>

using namespace kernscope::codec;

/// The golden vectors of engine weights (resources/formats/forms.md).
class TestEngineVectors : public QObject
{
    Q_OBJECT

private:
    static std::string folder() { return dataPathBytes("vectors/engine/"); }

    static nlohmann::json readJson(const std::string &name)
    {
        std::ifstream file(folder() + name);
        return nlohmann::json::parse(file, nullptr, false);
    }

    /// fp16 numbers of four hexadecimal digits each.
    static std::vector<std::uint16_t> halves(const nlohmann::json &text)
    {
        const QByteArray bytes = QByteArray::fromHex(QByteArray::fromStdString(text));
        std::vector<std::uint16_t> values;
        for (qsizetype i = 0; i + 1 < bytes.size(); i += 2)
            values.push_back(
                std::uint16_t(std::uint8_t(bytes[i]) << 8 | std::uint8_t(bytes[i + 1])));
        return values;
    }

    static std::vector<std::byte> bytes(const nlohmann::json &text)
    {
        const QByteArray raw = QByteArray::fromHex(QByteArray::fromStdString(text));
        const auto *data = reinterpret_cast<const std::byte *>(raw.constData());
        return {data, data + raw.size()};
    }

    static void compare(const Encoding &encoding, const std::vector<std::uint16_t> &expected)
    {
        const auto decoder = VERIFIED(Decoder::make(encoding));
        QCOMPARE(decoder->elements().value, expected.size());
        std::vector<std::uint16_t> found(expected.size());
        decoder->decodeHalf(0, found);
        QCOMPARE(found, expected);
        QVERIFY(decoder->verify().empty());
    }

private slots:
    void initTestCase()
    {
        if (!std::ifstream(folder() + "palette.json"))
            QSKIP("No golden vectors: set KERNSCOPE_DATA to the folder that holds vectors/");
    }

    void palette()
    {
        const nlohmann::json cases = readJson("palette.json");
        QVERIFY(cases.is_array() && !cases.empty());
        for (const auto &row : cases) {
            const std::uint64_t v = row["v"];
            const unsigned bits = row["nbits"];
            const std::uint64_t rows = row["index_rows"];
            const std::uint64_t inner = row["inner"];
            const auto lut = halves(row["lut_f16"]);
            const auto indices = bytes(row["packed_indices"]);
            Encoding encoding;
            encoding.shape = {rows * v, inner};
            encoding.payload = Operand{PartRole::Indices,
                                       elementTypeFromName("uint" + std::to_string(bits)),
                                       {rows, inner},
                                       indices};
            Palette palette;
            palette.grid = {row["codebooks"].get<std::uint64_t>(), 1};
            palette.entries = std::uint64_t{1} << bits;
            palette.vector = v;
            palette.lut = Operand{PartRole::Lut,
                                  ElementType::Fp16,
                                  {palette.grid[0], 1, palette.entries, v},
                                  std::as_bytes(std::span(lut))};
            encoding.palette = palette;
            compare(encoding, halves(row["dense_f16"]));
        }
    }

    void sparse()
    {
        const nlohmann::json cases = readJson("sparse.json");
        QVERIFY(cases.is_array() && !cases.empty());
        for (const auto &row : cases) {
            const auto mask = bytes(row["mask"]);
            const auto values = halves(row["values_f16"]);
            Encoding encoding;
            encoding.shape = {row["count"].get<std::uint64_t>()};
            encoding.mask = Operand{PartRole::Mask, ElementType::Uint1, encoding.shape, mask};
            encoding.payload = Operand{PartRole::NonzeroData,
                                       ElementType::Fp16,
                                       {values.size()},
                                       std::as_bytes(std::span(values))};
            compare(encoding, halves(row["dense_f16"]));
        }
    }

    void blockwise()
    {
        const nlohmann::json cases = readJson("blockwise.json");
        QVERIFY(cases.is_array() && !cases.empty());
        for (const auto &row : cases) {
            const auto q = row["q"].get<std::vector<std::int8_t>>();
            const auto scales = halves(row["scale_f16"]);
            Encoding encoding;
            encoding.shape = row["shape"].get<Shape>();
            encoding.payload = Operand{PartRole::Data, ElementType::Int8, encoding.shape,
                                       std::as_bytes(std::span(q))};
            Scaling scaling;
            scaling.kind = Scaling::Kind::Blockwise;
            scaling.scale =
                Operand{PartRole::Scale, ElementType::Fp16, row["scale_shape"].get<Shape>(),
                        std::as_bytes(std::span(scales))};
            encoding.scaling = scaling;
            compare(encoding, halves(row["w_f16"]));
        }
    }

    void affine()
    {
        std::ifstream file(folder() + "affine.csv");
        std::string line;
        std::getline(file, line);
        std::vector<std::uint16_t> scales;
        std::vector<std::uint16_t> expected;
        std::vector<std::int16_t> q; // int8 or uint8
        std::vector<float> zeros;
        while (std::getline(file, line)) {
            std::istringstream fields(line);
            std::string scale;
            std::string code;
            std::string zero;
            std::string value;
            std::getline(fields, scale, ',');
            std::getline(fields, code, ',');
            std::getline(fields, zero, ',');
            std::getline(fields, value, ',');
            scales.push_back(std::uint16_t(std::stoul(scale, nullptr, 16)));
            q.push_back(static_cast<std::int16_t>(std::stoi(code)));
            zeros.push_back(std::stof(zero));
            expected.push_back(std::uint16_t(std::stoul(value, nullptr, 16)));
        }
        QVERIFY(!q.empty());
        // One channel a row of the table.
        const bool isSigned = std::ranges::all_of(q, [](auto code) { return code < 128; });
        std::vector<std::byte> codes;
        for (const std::int16_t code : q)
            codes.push_back(static_cast<std::byte>(code & 0xff));
        Encoding encoding;
        encoding.shape = {q.size()};
        encoding.payload =
            Operand{PartRole::Data, isSigned ? ElementType::Int8 : ElementType::Uint8,
                    encoding.shape, codes};
        Scaling scaling;
        scaling.scale = Operand{PartRole::Scale, ElementType::Fp16, encoding.shape,
                                std::as_bytes(std::span(scales))};
        scaling.offset = Operand{PartRole::ZeroPoint, ElementType::Fp32, encoding.shape,
                                 std::as_bytes(std::span(zeros))};
        encoding.scaling = scaling;
        compare(encoding, expected);
    }
};

KERNSCOPE_TEST(TestEngineVectors, NoApplication)
#include "tst_engine_vectors.moc"
