// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codec/microscaled/microscaled_layout.h"
#include "core/container/quantized/folder.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace kernscope::quantized {

namespace {

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
    matrix.rows = origin.rows;
    matrix.columns = matrix.columnsStored = origin.columns;
    return folder;
}

Result<void> addMicroscaled(Folder &folder, const codec::Microscaled &matrix,
                            std::string_view algorithm, std::string_view layout,
                            std::string_view exponents)
{
    auto data = dataInLayout(matrix, layout);
    if (!data)
        return tl::unexpected(std::move(data.error()));
    auto scales = exponentsInLayout(matrix, exponents);
    if (!scales)
        return tl::unexpected(std::move(scales.error()));
    Description &described = folder.matrix;
    described.axis = matrix.axis == codec::MxAxis::Columns ? 1 : 0;
    described.layout = layout;
    described.exponents = exponents;
    described.columnsStored = matrix.columns;
    Json &manifest = folder.manifest;
    manifest["axis"] = described.axis;
    manifest["algorithm"] = algorithm;
    manifest["layout"] = layout;
    manifest["exponent_layout"] = exponents;
    manifest["columns_stored"] = matrix.columns;
    manifest["files"] = Json::array();
    addRow(manifest, "data", "data.bin",
           matrix.format == codec::MxFormat::Mxfp8 ? "e4m3fn" : "e2m1",
           {matrix.rows, matrix.columns}, *data);
    addRow(manifest, "exponents", "exp.bin", "e8m0",
           {matrix.exponentRows(), matrix.exponentColumns()}, *scales);
    folder.files.emplace_back("data.bin", std::move(*data));
    folder.files.emplace_back("exp.bin", std::move(*scales));
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
    auto data = dataInLayout(matrix, layout);
    if (!data)
        return tl::unexpected(std::move(data.error()));
    auto scales = exponentsInLayout(matrix, exponents);
    if (!scales)
        return tl::unexpected(std::move(scales.error()));
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
                    row.value("path", Json()) == "data.bin" ? data->size() : scales->size();
            files.push_back(std::move(row));
        }
    }
    made.manifest["files"] = std::move(files);
    made.files = {{"data.bin", std::move(*data)}, {"exp.bin", std::move(*scales)}};
    return made;
}

std::string manifestText(const Json &manifest)
{
    return manifest.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace kernscope::quantized
