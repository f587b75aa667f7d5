// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/quantize.h"

#include "core/base/quantity.h"
#include "core/base/sha256.h"
#include "core/codec/microscaled/microscaled_layout.h"
#include "core/numeric/npy.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace kernscope::cli {

namespace {

using codec::Microscaled;
using report::Json;
using Bytes = std::vector<std::uint8_t>;

constexpr const char *kManifest = "quantize.json";

tl::unexpected<Error> manifestFault(std::string field, std::string expected, std::string found)
{
    Error error;
    error.code = "quantize.manifest";
    error.file = kManifest;
    error.field = std::move(field);
    error.expected = std::move(expected);
    error.found = std::move(found);
    error.message = "The folder's description cannot be followed";
    return tl::unexpected(std::move(error));
}

/// Members of a manifest that anyone may have written.
class Reader
{
public:
    explicit Reader(const Json &json) : m_json(json) {}

    Result<std::uint64_t> number(const char *key) const
    {
        const auto at = m_json.find(key);
        if (at != m_json.end() && at->is_number_unsigned())
            return at->get<std::uint64_t>();
        return manifestFault(key, "a whole number", at == m_json.end() ? "nothing" : at->dump());
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
        return manifestFault(key, expected, at == m_json.end() ? "nothing" : at->dump());
    }

    Result<Shape> shape() const
    {
        const auto at = m_json.find("shape");
        Shape shape;
        if (at == m_json.end() || !at->is_array() || at->size() > 64)
            return manifestFault("shape", "a list of extents", "something else");
        for (const Json &extent : *at) {
            if (!extent.is_number_unsigned())
                return manifestFault("shape", "whole numbers", extent.dump());
            shape.push_back(extent.get<std::uint64_t>());
        }
        return shape;
    }

private:
    const Json &m_json;
};

Result<Bytes> readPart(const std::string &folder, const char *name)
{
    const auto file = readFile((std::filesystem::path(folder) / name).string());
    if (!file)
        return tl::unexpected(file.error());
    Bytes bytes(file->size());
    if (!bytes.empty())
        std::memcpy(bytes.data(), file->data(), bytes.size());
    return bytes;
}

Result<Bytes> rowMajorData(const Microscaled &matrix, const std::string &layout, Bytes data)
{
    if (layout == "nd")
        return data;
    return codec::fromNz(data, matrix.rows, matrix.bytesPerRow());
}

Result<Bytes> rowMajorExponents(const Microscaled &matrix, const std::string &layout,
                                Bytes exponents)
{
    if (layout == "zz")
        return codec::fromZz(exponents, matrix.axis, matrix.rows, matrix.columns);
    if (layout == "interleaved")
        return codec::fromInterleaved(exponents, matrix.rows, matrix.columns);
    return exponents;
}

/// Layouts and bytes of a matrix of that format and size.
Result<void> readMatrix(const std::string &folder, const Reader &manifest,
                        const std::string &format, std::uint64_t rows, std::uint64_t columns,
                        StoredMicroscaled &out)
{
    const auto axis = manifest.number("axis");
    const auto stored = manifest.number("columns_stored");
    const auto layout = manifest.word("layout", {"nd", "nz"});
    const auto exponentLayout = manifest.word("exponent_layout", {"nd", "zz", "interleaved"});
    for (const Error *error :
         {axis ? nullptr : &axis.error(), stored ? nullptr : &stored.error(),
          layout ? nullptr : &layout.error(), exponentLayout ? nullptr : &exponentLayout.error()}) {
        if (error != nullptr)
            return tl::unexpected(*error);
    }
    Microscaled &matrix = out.matrix;
    matrix.format = format == "mxfp8" ? codec::MxFormat::Mxfp8 : codec::MxFormat::Mxfp4;
    matrix.axis = *axis == 0 ? codec::MxAxis::Rows : codec::MxAxis::Columns;
    matrix.rows = rows;
    matrix.columns = *stored;
    matrix.validColumns = columns;
    out.layout = *layout;
    out.exponentLayout = *exponentLayout;
    auto data = readPart(folder, "data.bin");
    if (!data)
        return tl::unexpected(data.error());
    out.data = *data;
    data = rowMajorData(matrix, *layout, std::move(*data));
    if (!data)
        return tl::unexpected(data.error());
    auto exponents = readPart(folder, "exp.bin");
    if (!exponents)
        return tl::unexpected(exponents.error());
    out.exponents = *exponents;
    exponents = rowMajorExponents(matrix, *exponentLayout, std::move(*exponents));
    if (!exponents)
        return tl::unexpected(exponents.error());
    matrix.data = std::move(*data);
    matrix.exponents = std::move(*exponents);
    return codec::checkMicroscaled(matrix);
}

Result<std::vector<double>> microscaledValues(const std::string &folder, const Reader &manifest,
                                              const std::string &format, std::uint64_t rows,
                                              std::uint64_t columns)
{
    StoredMicroscaled stored;
    if (auto read = readMatrix(folder, manifest, format, rows, columns, stored); !read)
        return tl::unexpected(std::move(read.error()));
    std::vector<double> values(rows * columns);
    codec::dequantizeMicroscaled(stored.matrix, values);
    return values;
}

Result<std::vector<float>> floatsOf(const std::string &folder, const char *name,
                                    std::uint64_t count)
{
    const auto bytes = readPart(folder, name);
    if (!bytes)
        return tl::unexpected(bytes.error());
    if (bytes->size() / 4 != count || bytes->size() % 4 != 0)
        return manifestFault(name, fmt::format("{} numbers of fp32", count),
                             fmt::format("{} bytes", bytes->size()));
    std::vector<float> values(count);
    std::memcpy(values.data(), bytes->data(), bytes->size());
    return values;
}

Result<std::vector<double>> integerValues(const std::string &folder, const std::string &format,
                                          std::uint64_t rows, std::uint64_t columns)
{
    codec::Int8Matrix matrix;
    matrix.mode = format == "int8" ? codec::Int8Mode::Symmetric : codec::Int8Mode::Asymmetric;
    matrix.rows = rows;
    matrix.columns = columns;
    const auto data = readPart(folder, "data.bin");
    if (!data)
        return tl::unexpected(data.error());
    if (data->size() != rows * columns)
        return manifestFault("data.bin", fmt::format("{} codes", rows * columns),
                             fmt::format("{} bytes", data->size()));
    matrix.codes.resize(data->size());
    std::memcpy(matrix.codes.data(), data->data(), data->size());
    const auto scale = floatsOf(folder, "scale.bin", rows);
    if (!scale)
        return tl::unexpected(scale.error());
    std::vector<float> offset(rows, 0.0f);
    if (format == "uint8") {
        auto stored = floatsOf(folder, "offset.bin", rows);
        if (!stored)
            return tl::unexpected(stored.error());
        offset = std::move(*stored);
    }
    for (std::uint64_t r = 0; r < rows; ++r)
        matrix.parameters.push_back({(*scale)[r], 0, offset[r]});
    std::vector<double> values(data->size());
    codec::dequantizeInt8(matrix, values);
    return values;
}

Result<ErrorFigures> compareWith(const std::string &path, const std::vector<double> &values)
{
    const auto file = readFile(path);
    if (!file)
        return tl::unexpected(file.error());
    const auto array = readNpy(*file, path);
    if (!array)
        return tl::unexpected(array.error());
    if (array->values.size() != values.size())
        return manifestFault("reference", fmt::format("{} elements", values.size()),
                             fmt::format("{}", array->values.size()));
    return figuresOf(values, array->values);
}

/// The recorded path of what was quantised, where that file is still the same.
std::string sameInput(const Json &manifest)
{
    const auto path = manifest.find("input");
    const auto hash = manifest.find("input_sha256");
    if (path == manifest.end() || !path->is_string() || hash == manifest.end() ||
        !hash->is_string())
        return {};
    const auto file = readFile(path->get<std::string>());
    if (!file)
        return {};
    const auto found = Sha256::hexOf(*file);
    return found && *found == hash->get<std::string>() ? path->get<std::string>() : std::string();
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
    const Reader reader(*error);
    figures.elements = reader.number("elements").value_or(0);
    figures.nonFinite = reader.number("non_finite").value_or(0);
    return figures;
}

Result<void> addFigures(Dequantized &result, const std::string &reference)
{
    const std::string path = reference.empty() ? sameInput(result.manifest) : reference;
    if (!path.empty()) {
        const auto figures = compareWith(path, result.values);
        if (!figures)
            return tl::unexpected(figures.error());
        result.figures = *figures;
        result.figuresFrom = "reference";
        return {};
    }
    result.figures = recordedFigures(result.manifest);
    result.figuresFrom = "recorded";
    Error error;
    error.code = "quantize.reference";
    error.message = "The array that was quantised is not at hand: the figures are those that "
                    "quantize recorded (--reference names another one)";
    result.diagnostics.push_back({Severity::Note, std::move(error)});
    return {};
}

/// What the description says of every format, held against the bytes of the data.
struct Described {
    Json manifest;
    std::string format;
    std::uint64_t rows = 0, columns = 0;
    Shape shape;
};

Result<Described> described(const std::string &folder)
{
    const auto text = readFile((std::filesystem::path(folder) / kManifest).string());
    if (!text)
        return tl::unexpected(text.error());
    Described read;
    const auto *first = reinterpret_cast<const char *>(text->data());
    read.manifest = Json::parse(first, first + text->size(), nullptr, false);
    if (!read.manifest.is_object())
        return manifestFault("", "a JSON object", "something else");
    const Reader manifest(read.manifest);
    const auto format = manifest.word("format", {"mxfp8", "mxfp4", "int8", "uint8"});
    const auto rows = manifest.number("rows");
    const auto columns = manifest.number("columns");
    const auto shape = manifest.shape();
    if (!format)
        return tl::unexpected(format.error());
    if (!rows || !columns)
        return tl::unexpected(rows ? columns.error() : rows.error());
    if (!shape)
        return tl::unexpected(shape.error());
    const auto count = elementCount(*shape);
    const auto product = checkedMultiply(*rows, *columns);
    // No more elements than bytes of data can stand for (MXFP4 has two a byte).
    const auto data = readPart(folder, "data.bin");
    if (!data)
        return tl::unexpected(data.error());
    if (!count || !product || *product != count->value || *product / 2 > data->size())
        return manifestFault("shape", fmt::format("{} x {} elements", *rows, *columns),
                             shapeText(*shape));
    read.format = *format;
    read.rows = *rows;
    read.columns = *columns;
    read.shape = *shape;
    return read;
}

} // namespace

ElementType valuesType(const std::vector<double> &values)
{
    const bool fits = std::all_of(values.begin(), values.end(), [](double value) {
        return !std::isfinite(value) || std::isfinite(static_cast<float>(value));
    });
    return fits ? ElementType::Fp32 : ElementType::Fp64;
}

Result<StoredMicroscaled> readMicroscaled(const std::string &folder)
{
    auto read = described(folder);
    if (!read)
        return tl::unexpected(std::move(read.error()));
    if (!read->format.starts_with("mx"))
        return manifestFault("format", "mxfp8 or mxfp4: the others have one layout", read->format);
    StoredMicroscaled stored;
    const Reader manifest(read->manifest);
    if (auto done = readMatrix(folder, manifest, read->format, read->rows, read->columns, stored);
        !done)
        return tl::unexpected(std::move(done.error()));
    stored.manifest = std::move(read->manifest);
    return stored;
}

Result<Dequantized> dequantizeFolder(const std::string &folder, const std::string &reference)
{
    auto read = described(folder);
    if (!read)
        return tl::unexpected(std::move(read.error()));
    Dequantized result;
    result.manifest = std::move(read->manifest);
    result.shape = std::move(read->shape);
    const Reader manifest(result.manifest);
    auto values = read->format.starts_with("mx")
                      ? microscaledValues(folder, manifest, read->format, read->rows, read->columns)
                      : integerValues(folder, read->format, read->rows, read->columns);
    if (!values)
        return tl::unexpected(values.error());
    result.values = std::move(*values);
    if (auto added = addFigures(result, reference); !added)
        return tl::unexpected(added.error());
    return result;
}

} // namespace kernscope::cli
