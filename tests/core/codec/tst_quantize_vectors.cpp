// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codec/microscaled/microscaled.h"
#include "core/numeric/half.h"
#include "tests/data/data_folder.h"

#include <nlohmann/json.hpp>

using namespace kernscope::codec;

namespace {

using Bytes = std::vector<std::uint8_t>;

std::string folder(const char *name)
{
    return dataPathBytes("vectors/") + name + "/";
}

Bytes readBytes(const std::string &path)
{
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

/// Rows of a CSV file, a map from column to text each.
std::vector<std::map<std::string, std::string>> readRows(const std::string &path)
{
    std::ifstream file(path);
    std::vector<std::map<std::string, std::string>> rows;
    std::vector<std::string> names;
    for (std::string line; std::getline(file, line);) {
        std::istringstream cells(line);
        std::vector<std::string> row;
        for (std::string cell; std::getline(cells, cell, ',');)
            row.push_back(cell);
        if (names.empty()) {
            names = row;
            continue;
        }
        auto &added = rows.emplace_back();
        for (std::size_t i = 0; i < names.size() && i < row.size(); ++i)
            added[names[i]] = row[i];
    }
    return rows;
}

float bitsOf(const std::string &hex)
{
    return std::bit_cast<float>(std::uint32_t(std::stoul(hex, nullptr, 16)));
}

std::vector<float> sourceOf(const Bytes &bytes, MxSource type)
{
    const std::size_t width = type == MxSource::Fp32 ? 4 : 2;
    std::vector<float> values(bytes.size() / width);
    for (std::size_t i = 0; i < values.size(); ++i) {
        std::uint32_t bits = 0;
        std::memcpy(&bits, bytes.data() + i * width, width);
        const auto narrow = std::uint16_t(bits);
        values[i] = type == MxSource::Fp32   ? std::bit_cast<float>(bits)
                    : type == MxSource::Bf16 ? bfloat16ToFloat(narrow)
                                             : halfToFloat(narrow);
    }
    return values;
}

/// NaN bytes of E4M3 are equal whatever their sign.
bool sameData(const Bytes &found, const Bytes &expected, MxFormat format)
{
    if (found.size() != expected.size())
        return false;
    for (std::size_t i = 0; i < found.size(); ++i) {
        const bool bothNan =
            format == MxFormat::Mxfp8 && (found[i] & 0x7f) == 0x7f && (expected[i] & 0x7f) == 0x7f;
        if (found[i] != expected[i] && !bothNan)
            return false;
    }
    return true;
}

MxRequest requestOf(const nlohmann::json &row)
{
    MxRequest request;
    const std::string source = row["src_type"];
    request.source = source == "fp32"   ? MxSource::Fp32
                     : source == "bf16" ? MxSource::Bf16
                                        : MxSource::Fp16;
    request.format = row["format"] == "e4m3" ? MxFormat::Mxfp8 : MxFormat::Mxfp4;
    request.axis = row["grouping"] == "nd" ? MxAxis::Columns : MxAxis::Rows;
    request.algorithm = row["algorithm"] == "ocp" ? MxAlgorithm::Ocp : MxAlgorithm::Nv;
    request.rows = row["rows"];
    request.columns = row["cols"];
    request.tiled = request.rows * request.columns > kMxTileElements;
    return request;
}

} // namespace

/// The golden vectors of microscaled and INT8 quantisation (resources/formats/numbers.md).
class TestQuantizeVectors : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase()
    {
        if (!std::ifstream(folder("mx") + "manifest.json"))
            QSKIP("No golden vectors: set KERNSCOPE_DATA to the folder that holds vectors/");
    }

    void microscaled()
    {
        std::ifstream file(folder("mx") + "manifest.json");
        const auto cases = nlohmann::json::parse(file, nullptr, false);
        QVERIFY(cases.is_array() && !cases.empty());
        for (const auto &row : cases) {
            MxRequest request = requestOf(row);
            const std::string name = row["data"];
            const auto read = [&](const char *key) {
                return readBytes(folder("mx") + row[key].get<std::string>());
            };
            const auto values = sourceOf(read("src"), request.source);
            QCOMPARE(quantizeMicroscaled(values, request).has_value(),
                     row["source_legal_in_pto"].get<bool>());
            request.simulator = true;
            const auto matrix = quantizeMicroscaled(values, request);
            QVERIFY2(matrix, name.c_str());
            QVERIFY2(matrix->exponents == read("exp"), name.c_str());
            QVERIFY2(sameData(matrix->data, read("data"), request.format), name.c_str());
            QCOMPARE(matrix->bytesPerRow(), row["data_bytes_per_row"].get<std::uint64_t>());
            QCOMPARE(matrix->exponentRows(), row["exp_shape"][0].get<std::uint64_t>());
            QCOMPARE(matrix->exponentColumns(), row["exp_shape"][1].get<std::uint64_t>());
            layouts(row, *matrix);
        }
    }

    void int8_data()
    {
        const auto row = addColumns<QString>();
        row("symmetric", "sym.csv");
        row("asymmetric", "asym.csv");
    }

    void int8()
    {
        const auto [file] = fetched<QString>();
        const bool asymmetric = file.startsWith(u"asym"_s);
        const auto mode = asymmetric ? Int8Mode::Asymmetric : Int8Mode::Symmetric;
        const auto rows = readRows(folder("int8") + file.toStdString());
        QVERIFY(!rows.empty());
        for (const auto &row : rows) {
            const float value = bitsOf(row.at("x_bits"));
            const Int8Parameters parameters{bitsOf(row.at("scale_bits")),
                                            bitsOf(row.at("inv_scale_bits")),
                                            bitsOf(row.at("offset_bits"))};
            const auto expected = std::stoi(row.at("q"));
            for (const auto chain :
                 {Int8Chain::FiveStage, Int8Chain::FourStage, Int8Chain::Direct}) {
                const auto matrix =
                    VERIFIED(quantizeInt8({&value, 1}, 1, 1, mode, chain, {&parameters, 1}));
                QCOMPARE(matrix->code(0), expected);
            }
            const auto twice =
                quantizeInt8({&value, 1}, 1, 1, mode, Int8Chain::TwoCasts, {&parameters, 1});
            QCOMPARE(twice->code(0), std::stoi(row.at("q_two_casts")));
        }
        // The parameters of whole rows are those of the table.
        std::map<std::string, std::pair<std::vector<float>, Int8Parameters>> matrix;
        for (const auto &row : rows) {
            auto &line = matrix[row.at("row")];
            line.first.push_back(bitsOf(row.at("x_bits")));
            line.second = {bitsOf(row.at("scale_bits")), bitsOf(row.at("inv_scale_bits")),
                           bitsOf(row.at("offset_bits"))};
        }
        std::size_t own = 0;
        for (const auto &[number, line] : matrix) {
            const Int8Parameters found = int8Parameters(line.first, mode);
            if (found.scale != line.second.scale)
                continue; // a row made for its ties, its scale not of its own
            QVERIFY2(found == line.second, number.c_str());
            ++own;
        }
        QVERIFY(2 * own >= matrix.size());
    }

    void chain()
    {
        const auto rows = readRows(folder("int8") + "chain.csv");
        QVERIFY(!rows.empty());
        for (const auto &row : rows) {
            const float value = bitsOf(row.at("f32_bits"));
            const auto number = [&](const char *name) { return std::stoi(row.at(name)); };
            const auto s8 = int8Stages(value, Int8Mode::Symmetric);
            const auto u8 = int8Stages(value, Int8Mode::Asymmetric);
            QCOMPARE(s8.integer, number("s32"));
            QCOMPARE(s8.back, bitsOf(row.at("f32_back_bits")));
            QCOMPARE(s8.half, std::stoul(row.at("f16_bits"), nullptr, 16));
            QCOMPARE(s8.code, number("s8"));
            QCOMPARE(s8.direct, number("s8_direct"));
            QCOMPARE(s8.twoCasts, number("s8_two_casts"));
            QCOMPARE(u8.code, number("u8"));
            QCOMPARE(u8.twoCasts, number("u8_two_casts"));
            QCOMPARE(int8Code(value, Int8Mode::Symmetric, Int8Chain::FourStage), s8.code);
        }
    }

private:
    void layouts(const nlohmann::json &row, const Microscaled &matrix)
    {
        const auto read = [&](const char *key) {
            return readBytes(folder("mx") + row[key].get<std::string>());
        };
        const auto nz = read("data_nz");
        const auto plain = fromNz(nz, matrix.rows, matrix.bytesPerRow());
        QVERIFY(plain && sameData(*plain, matrix.data, matrix.format));
        QCOMPARE(toNz(*plain, matrix.rows, matrix.bytesPerRow()).value(), nz);
        if (row.contains("exp_zz")) {
            const auto zz = toZz(matrix.exponents, matrix.axis, matrix.rows, matrix.columns);
            QVERIFY(zz && *zz == read("exp_zz"));
            QCOMPARE(fromZz(*zz, matrix.axis, matrix.rows, matrix.columns).value(),
                     matrix.exponents);
        }
        if (row.contains("exp_interleaved")) {
            const auto mixed = toInterleaved(matrix.exponents, matrix.rows, matrix.columns);
            QVERIFY(mixed && *mixed == read("exp_interleaved"));
            QCOMPARE(fromInterleaved(*mixed, matrix.rows, matrix.columns).value(),
                     matrix.exponents);
        }
    }
};

KERNSCOPE_TEST(TestQuantizeVectors, NoApplication)
#include "tst_quantize_vectors.moc"
