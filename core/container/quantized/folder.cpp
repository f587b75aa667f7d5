// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/quantized/folder.h"

#include "core/base/error_builder.h"
#include "core/base/json_place.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include <fmt/format.h>

namespace kernscope::quantized {

namespace {

constexpr std::size_t kMostManifestBytes = std::size_t(1) << 20;

/// Members of a description that anyone may have written.
class Members
{
public:
    explicit Members(const Json &json) : m_json(json) {}

    bool has(const char *key) const { return m_json.contains(key); }

    Result<std::uint64_t> number(const char *key) const
    {
        const auto at = m_json.find(key);
        if (at != m_json.end() && at->is_number_unsigned())
            return at->get<std::uint64_t>();
        return tl::unexpected(
            manifestFault(key, "a whole number", at == m_json.end() ? "nothing" : textOf(*at)));
    }
    Result<std::uint64_t> number(const char *key, std::uint64_t fallback) const
    {
        return has(key) ? number(key) : fallback;
    }

    Result<std::string> word(const char *key, std::initializer_list<const char *> words) const
    {
        const auto at = m_json.find(key);
        std::string expected;
        for (const char *word : words) {
            if (at != m_json.end() && at->is_string() && at->get<std::string>() == word)
                return std::string(word);
            expected += (expected.empty() ? "" : ", ") + std::string(word);
        }
        return tl::unexpected(
            manifestFault(key, expected, at == m_json.end() ? "nothing" : textOf(*at)));
    }

    Result<Shape> shape() const
    {
        const auto at = m_json.find("shape");
        Shape shape;
        if (at == m_json.end() || !at->is_array() || at->size() > 64)
            return tl::unexpected(manifestFault("shape", "a list of extents", "something else"));
        for (const Json &extent : *at) {
            if (!extent.is_number_unsigned())
                return tl::unexpected(manifestFault("shape", "whole numbers", textOf(extent)));
            shape.push_back(extent.get<std::uint64_t>());
        }
        return shape;
    }

    std::string text(const char *key) const
    {
        const auto at = m_json.find(key);
        return at != m_json.end() && at->is_string() ? at->get<std::string>() : std::string();
    }

private:
    static std::string textOf(const Json &json)
    {
        return json.dump(-1, ' ', false, Json::error_handler_t::replace);
    }

    const Json &m_json;
};

std::string stemOf(std::string path)
{
    path.erase(0, path.rfind('/') + 1);
    if (path.ends_with(".npy"))
        path.resize(path.size() - 4);
    return path.empty() ? "matrix" : path;
}

Result<void> describeGroups(const Members &members, Description &out)
{
    const auto axis = members.number("axis", 1);
    out.columnsStored = TRY(members.number("columns_stored", out.columns));
    out.rowsStored = TRY(members.number("rows_stored", out.rows));
    if (!axis)
        return tl::unexpected(axis.error());
    if (*axis > 1)
        return tl::unexpected(manifestFault("axis", "0 or 1", fmt::format("{}", *axis)));
    out.axis = static_cast<unsigned>(*axis);
    if (members.has("layout")) {
        out.layout = TRY(members.word("layout", {"nd", "nz"}));
    }
    if (members.has("exponent_layout")) {
        out.exponents = TRY(members.word("exponent_layout", {"nd", "zz", "interleaved"}));
    }
    return {};
}

/// The extents hold together, and no product of theirs is too large.
Result<void> checkExtents(const Description &matrix)
{
    const auto count = checkedMultiply(matrix.rowsStored, matrix.columnsStored);
    const auto bits = count ? checkedMultiply(*count, 64) : std::nullopt;
    if (!bits || *count == 0 || matrix.rows == 0 || matrix.columns == 0 ||
        matrix.columns > matrix.columnsStored || matrix.rows > matrix.rowsStored)
        return tl::unexpected(
            manifestFault("rows", "a matrix with elements",
                          fmt::format("{} of {} x {} of {}", matrix.rows, matrix.rowsStored,
                                      matrix.columns, matrix.columnsStored)));
    const auto elements = elementCount(matrix.shape);
    if (!elements || elements->value != matrix.rows * matrix.columns)
        return tl::unexpected(
            manifestFault("shape", fmt::format("{} x {} elements", matrix.rows, matrix.columns),
                          shapeText(matrix.shape)));
    return {};
}

Result<Bytes> rowMajor(const Description &matrix, const codec::Microscaled &made, Bytes data)
{
    return matrix.layout == "nd" ? Result<Bytes>(std::move(data))
                                 : codec::fromNz(data, made.rows, made.bytesPerRow());
}

Result<Bytes> rowMajorExponents(const Description &matrix, const codec::Microscaled &made,
                                Bytes exponents)
{
    if (matrix.exponents == "zz")
        return codec::fromZz(exponents, made.axis, made.rows, made.columns);
    if (matrix.exponents == "interleaved")
        return codec::fromInterleaved(exponents, made.rows, made.columns);
    return exponents;
}

Result<std::vector<float>> floatsOf(const Folder &folder, std::string_view name)
{
    const Bytes *bytes = folder.file(name);
    const std::uint64_t count = folder.matrix.rows;
    if (bytes == nullptr || bytes->size() / 4 != count || bytes->size() % 4 != 0)
        return tl::unexpected(
            manifestFault(std::string(name), fmt::format("{} numbers of fp32", count),
                          fmt::format("{} bytes", bytes == nullptr ? 0 : bytes->size())));
    std::vector<float> values(count);
    std::memcpy(values.data(), bytes->data(), bytes->size());
    return values;
}

void addRow(Json &manifest, std::string_view role, std::string_view name, std::string_view type,
            const Shape &shape, const Bytes &bytes)
{
    Json row;
    row["role"] = role;
    row["path"] = name;
    row["dtype"] = type;
    row["shape"] = shape;
    row["bytes"] = bytes.size();
    manifest["files"].push_back(std::move(row));
}

Bytes floatBytes(const std::vector<float> &values)
{
    Bytes bytes(4 * values.size());
    if (!values.empty())
        std::memcpy(bytes.data(), values.data(), bytes.size());
    return bytes;
}

} // namespace

Error manifestFault(std::string field, std::string expected, std::string found, std::string message)
{
    return valueError({kManifest}, "quantize.manifest", field, expected, found, message);
}

Error placedIn(std::span<const std::byte> manifest, Error error)
{
    if (error.file == kManifest && !error.offset)
        error.offset = FileOffset(jsonKeyOffset(
            {reinterpret_cast<const char *>(manifest.data()), manifest.size()}, error.field));
    return error;
}

Result<Json> parseManifest(std::span<const std::byte> text)
{
    const std::string_view all(reinterpret_cast<const char *>(text.data()), text.size());
    ErrorBuilder fault("quantize.manifest");
    fault.file(kManifest).message("The folder's description cannot be followed");
    if (text.size() > kMostManifestBytes)
        return fault.at(FileOffset(kMostManifestBytes))
            .expected(fmt::format("{} bytes at most", kMostManifestBytes))
            .found(fmt::format("{} bytes", text.size()))
            .unexpected();
    if (!jsonFits(all))
        return fault.at(FileOffset(0)).expected(kJsonLimits).found("more").unexpected();
    Json json = Json::parse(all, nullptr, false);
    if (json.is_object())
        return json;
    const std::uint64_t at = json.is_discarded() ? jsonFaultOffset(all) : 0;
    return fault.at(FileOffset(at))
        .expected("a JSON object")
        .found(jsonTextAt(all, at))
        .unexpected();
}

Result<Description> describeMatrix(const Json &manifest)
{
    const Members members(manifest);
    auto format = TRY(members.word("format", {"mxfp8", "mxfp4", "mxfp8_e5m2", "int8", "uint8"}));
    const auto rows = members.number("rows");
    const auto columns = members.number("columns");
    if (!rows || !columns)
        return tl::unexpected(rows ? columns.error() : rows.error());
    Description out;
    out.format = std::move(format);
    out.name = stemOf(members.text("input"));
    out.rows = out.rowsStored = *rows;
    out.columns = out.columnsStored = *columns;
    if (out.microscaled()) {
        TRY(describeGroups(members, out));
    }
    out.shape = TRY(members.has("shape") ? members.shape() : Shape{out.rows, out.columns});
    TRY(checkExtents(out));
    return out;
}

const Bytes *Folder::file(std::string_view name) const
{
    const auto at =
        std::ranges::find_if(files, [name](const auto &each) { return each.first == name; });
    return at == files.end() ? nullptr : &at->second;
}

Result<Folder>
readFolder(const std::function<Result<Bytes>(std::string_view name, std::uint64_t most)> &read)
{
    const auto text = TRY(read(kManifest, kMostManifestBytes + 1));
    auto manifest = TRY(parseManifest(std::as_bytes(std::span(text))));
    auto matrix = describeMatrix(manifest);
    if (!matrix)
        return tl::unexpected(placedIn(std::as_bytes(std::span(text)), std::move(matrix.error())));
    Folder folder{std::move(manifest), std::move(*matrix), {}};
    std::vector<std::string_view> names{"data.bin"};
    if (folder.matrix.microscaled())
        names.push_back("exp.bin");
    else
        names.push_back("scale.bin");
    if (folder.matrix.format == "uint8")
        names.push_back("offset.bin");
    for (const std::string_view name : names) {
        // Boxes are filled up in both directions; a scale of fp32 is four bytes.
        constexpr std::uint64_t kFill = 64;
        const auto room =
            checkedMultiply(checkedAdd(folder.matrix.rows, kFill).value_or(UINT64_MAX),
                            checkedAdd(folder.matrix.columns, kFill).value_or(UINT64_MAX));
        auto bytes = TRY(read(
            name,
            checkedMultiply(room.value_or(UINT64_MAX), std::uint64_t{4}).value_or(UINT64_MAX)));
        folder.files.emplace_back(name, std::move(bytes));
    }
    // No more elements than bytes of data can stand for: MXFP4 has two a byte.
    const std::uint64_t elements = folder.matrix.rowsStored * folder.matrix.columnsStored;
    if (elements / 2 > folder.files.front().second.size())
        return tl::unexpected(
            manifestFault("data.bin", fmt::format("{} elements", elements),
                          fmt::format("{} bytes", folder.files.front().second.size())));
    return folder;
}

Result<codec::Microscaled> microscaledOf(const Folder &folder)
{
    const Description &matrix = folder.matrix;
    if (!matrix.microscaled())
        return tl::unexpected(
            manifestFault("format", "mxfp8 or mxfp4: the others have one layout", matrix.format));
    const Bytes *data = folder.file("data.bin"), *exponents = folder.file("exp.bin");
    if (data == nullptr || exponents == nullptr)
        return tl::unexpected(manifestFault("files", "data.bin and exp.bin", "fewer files"));
    codec::Microscaled made;
    made.format = codec::mxFormatOf(matrix.format);
    made.axis = matrix.axis == 0 ? codec::MxAxis::Rows : codec::MxAxis::Columns;
    made.rows = matrix.rowsStored;
    made.columns = matrix.columnsStored;
    made.validColumns = matrix.columns;
    auto inRows = TRY(rowMajor(matrix, made, *data));
    auto scales = TRY(rowMajorExponents(matrix, made, *exponents));
    made.data = std::move(inRows);
    made.exponents = std::move(scales);
    TRY(codec::checkMicroscaled(made));
    return made;
}

Result<codec::Int8Matrix> integersOf(const Folder &folder)
{
    const Description &matrix = folder.matrix;
    const Bytes *data = folder.file("data.bin");
    const std::uint64_t codes = matrix.rows * matrix.columns;
    if (matrix.microscaled() || data == nullptr || data->size() != codes)
        return tl::unexpected(
            manifestFault("data.bin", fmt::format("{} codes", codes),
                          fmt::format("{} bytes", data == nullptr ? 0 : data->size())));
    codec::Int8Matrix made;
    made.mode = matrix.format == "int8" ? codec::Int8Mode::Symmetric : codec::Int8Mode::Asymmetric;
    made.rows = matrix.rows;
    made.columns = matrix.columns;
    const auto all = std::as_bytes(std::span(*data));
    made.codes.assign(all.begin(), all.end());
    const auto scale = TRY(floatsOf(folder, "scale.bin"));
    std::vector<float> offset(matrix.rows, 0.0f);
    if (matrix.format == "uint8") {
        offset = TRY(floatsOf(folder, "offset.bin"));
    }
    for (std::uint64_t r = 0; r < matrix.rows; ++r)
        made.parameters.push_back({scale[r], 0, offset[r]});
    return made;
}

Result<std::vector<double>> valuesOf(const Folder &folder)
{
    if (folder.matrix.microscaled()) {
        const auto matrix = TRY(microscaledOf(folder));
        std::vector<double> values(folder.matrix.rows * folder.matrix.columns);
        codec::dequantizeMicroscaled(matrix, values);
        return values;
    }
    const auto matrix = TRY(integersOf(folder));
    std::vector<double> values(matrix.codes.size());
    codec::dequantizeInt8(matrix, values);
    return values;
}

std::optional<ErrorFigures> recordedFigures(const Json &manifest)
{
    const auto error = manifest.find("error");
    if (error == manifest.end() || !error->is_object())
        return std::nullopt;
    const auto number = [&](const char *key) {
        const auto at = error->find(key);
        return at != error->end() && at->is_number() ? at->get<double>() : std::nan("");
    };
    ErrorFigures figures;
    figures.maxAbs = number("max_abs");
    figures.meanAbs = number("mean_abs");
    figures.rmse = number("rmse");
    figures.relative = number("relative");
    figures.cosine = number("cosine");
    const Members members(*error);
    figures.elements = members.number("elements").value_or(0);
    figures.nonFinite = members.number("non_finite").value_or(0);
    return figures;
}

ErrorFigures figuresOf(const std::vector<double> &found, const std::vector<double> &expected)
{
    ErrorFigures figures;
    double sum = 0;
    double squares = 0;
    double product = 0;
    double foundSquares = 0;
    double expectedSquares = 0;
    for (std::size_t i = 0; i < found.size() && i < expected.size(); ++i) {
        if (!std::isfinite(found[i]) || !std::isfinite(expected[i])) {
            ++figures.nonFinite;
            continue;
        }
        const double error = std::abs(found[i] - expected[i]);
        figures.maxAbs = std::max(figures.maxAbs, error);
        sum += error;
        squares += error * error;
        product += found[i] * expected[i];
        foundSquares += found[i] * found[i];
        expectedSquares += expected[i] * expected[i];
        ++figures.elements;
    }
    if (figures.elements == 0)
        return figures;
    const auto count = static_cast<double>(figures.elements);
    figures.meanAbs = sum / count;
    figures.rmse = std::sqrt(squares / count);
    if (expectedSquares > 0)
        figures.relative = std::sqrt(squares / expectedSquares);
    if (expectedSquares > 0 && foundSquares > 0)
        figures.cosine = product / std::sqrt(expectedSquares) / std::sqrt(foundSquares);
    return figures;
}

Json figuresJson(const ErrorFigures &figures)
{
    Json json;
    json["max_abs"] = figures.maxAbs;
    json["mean_abs"] = figures.meanAbs;
    json["rmse"] = figures.rmse;
    json["relative"] = figures.relative;
    json["cosine"] = figures.cosine;
    json["elements"] = figures.elements;
    json["non_finite"] = figures.nonFinite;
    return json;
}

Result<Bytes> dataInLayout(const codec::Microscaled &matrix, std::string_view layout)
{
    if (layout == "nd")
        return matrix.data;
    return codec::toNz(matrix.data, matrix.rows, matrix.bytesPerRow());
}

Result<Bytes> exponentsInLayout(const codec::Microscaled &matrix, std::string_view layout)
{
    if (layout == "nd")
        return matrix.exponents;
    if (layout == "zz")
        return codec::toZz(matrix.exponents, matrix.axis, matrix.rows, matrix.columns);
    return codec::toInterleaved(matrix.exponents, matrix.rows, matrix.columns);
}

Folder beginFolder(const Origin &origin)
{
    Folder folder;
    Json &manifest = folder.manifest;
    manifest["schema"] = 1;
    manifest["kind"] = "quantized";
    manifest["format"] = origin.format;
    manifest["shape"] = origin.shape;
    manifest["rows"] = origin.rows;
    manifest["columns"] = origin.columns;
    manifest["source"] = origin.source;
    manifest["input"] = origin.input;
    if (!origin.sha256.empty())
        manifest["input_sha256"] = origin.sha256;
    Description &matrix = folder.matrix;
    matrix.format = origin.format;
    matrix.shape = origin.shape;
    matrix.rows = matrix.rowsStored = origin.rows;
    matrix.columns = matrix.columnsStored = origin.columns;
    return folder;
}

Result<void> addMicroscaled(Folder &folder, const codec::Microscaled &matrix,
                            std::string_view algorithm, std::string_view layout,
                            std::string_view exponents)
{
    auto data = TRY(dataInLayout(matrix, layout));
    auto scales = TRY(exponentsInLayout(matrix, exponents));
    Description &described = folder.matrix;
    described.axis = matrix.axis == codec::MxAxis::Columns ? 1 : 0;
    described.layout = layout;
    described.exponents = exponents;
    described.columnsStored = matrix.columns;
    described.rowsStored = matrix.rows;
    Json &manifest = folder.manifest;
    manifest["axis"] = described.axis;
    manifest["algorithm"] = algorithm;
    manifest["layout"] = layout;
    manifest["exponent_layout"] = exponents;
    manifest["columns_stored"] = matrix.columns;
    manifest["rows_stored"] = matrix.rows;
    manifest["files"] = Json::array();
    addRow(manifest, "data", "data.bin", codec::mxElementName(matrix.format),
           {matrix.rows, matrix.columns}, data);
    addRow(manifest, "exponents", "exp.bin", "e8m0",
           {matrix.exponentRows(), matrix.exponentColumns()}, scales);
    folder.files.emplace_back("data.bin", std::move(data));
    folder.files.emplace_back("exp.bin", std::move(scales));
    return {};
}

void addIntegers(Folder &folder, const codec::Int8Matrix &matrix, std::string_view chain,
                 bool perTensor)
{
    const bool offsets = matrix.mode == codec::Int8Mode::Asymmetric;
    Json &manifest = folder.manifest;
    manifest["chain"] = chain;
    manifest["per"] = perTensor ? "tensor" : "row";
    manifest["files"] = Json::array();
    addIntegers(folder, matrix);
    for (const auto &[name, bytes] : folder.files) {
        if (name == "data.bin")
            addRow(manifest, "data", name, offsets ? "uint8" : "int8",
                   {matrix.rows, matrix.columns}, bytes);
        else
            addRow(manifest, name == "scale.bin" ? "scale" : "offset", name, "fp32", {matrix.rows},
                   bytes);
    }
}

void addIntegers(Folder &folder, const codec::Int8Matrix &matrix)
{
    Bytes codes(matrix.codes.size());
    if (!codes.empty())
        std::memcpy(codes.data(), matrix.codes.data(), codes.size());
    std::vector<float> scale, offset;
    for (const codec::Int8Parameters &row : matrix.parameters) {
        scale.push_back(row.scale);
        offset.push_back(row.offset);
    }
    folder.files.emplace_back("data.bin", std::move(codes));
    folder.files.emplace_back("scale.bin", floatBytes(scale));
    if (matrix.mode == codec::Int8Mode::Asymmetric)
        folder.files.emplace_back("offset.bin", floatBytes(offset));
}

Result<Folder> inLayouts(const Folder &folder, const codec::Microscaled &matrix,
                         std::string_view layout, std::string_view exponents)
{
    auto data = TRY(dataInLayout(matrix, layout));
    auto scales = TRY(exponentsInLayout(matrix, exponents));
    Folder made;
    made.matrix = folder.matrix;
    made.matrix.layout = layout;
    made.matrix.exponents = exponents;
    made.manifest = folder.manifest;
    made.manifest["layout"] = layout;
    made.manifest["exponent_layout"] = exponents;
    Json files = Json::array();
    if (const auto before = made.manifest.find("files");
        before != made.manifest.end() && before->is_array()) {
        for (Json row : *before) {
            if (row.is_object())
                row["bytes"] =
                    row.value("path", Json()) == "data.bin" ? data.size() : scales.size();
            files.push_back(std::move(row));
        }
    }
    made.manifest["files"] = std::move(files);
    made.files = {{"data.bin", std::move(data)}, {"exp.bin", std::move(scales)}};
    return made;
}

std::string manifestText(const Json &manifest)
{
    return manifest.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace kernscope::quantized
