// SPDX-License-Identifier: GPL-3.0-or-later
// `relayout`: the layout of a folder that quantize wrote, changed as TMOV changes it. No number is
// made anew: converted back, the bytes are the ones that were read.
#include "app/cli/quantize.h"

#include "core/codec/microscaled/microscaled_layout.h"

#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace kernscope::cli {

namespace {

using codec::Microscaled;
using report::Json;
using LaidOut = std::vector<std::uint8_t>;

Result<LaidOut> dataAs(const Microscaled &matrix, const std::string &layout)
{
    if (layout == "nd")
        return matrix.data;
    return codec::toNz(matrix.data, matrix.rows, matrix.bytesPerRow());
}

Result<LaidOut> exponentsAs(const Microscaled &matrix, const std::string &layout)
{
    if (layout == "nd")
        return matrix.exponents;
    if (layout == "zz")
        return codec::toZz(matrix.exponents, matrix.axis, matrix.rows, matrix.columns);
    return codec::toInterleaved(matrix.exponents, matrix.rows, matrix.columns);
}

/// Whether what was read is what its row-major form gives again: boxes are padded with zeros, and
/// anything else there would be lost.
Result<void> givesTheSameBack(const StoredMicroscaled &stored)
{
    const auto data = dataAs(stored.matrix, stored.layout);
    const auto exponents = exponentsAs(stored.matrix, stored.exponentLayout);
    if (!data || !exponents)
        return tl::unexpected(data ? exponents.error() : data.error());
    if (*data == stored.data && *exponents == stored.exponents)
        return {};
    return refused("quantize.padding", *data == stored.data ? "exp.bin" : "data.bin",
                   "zeros where boxes are padded", "other bytes",
                   "A change of the layout would lose these bytes");
}

/// The constraints of pto.tquant for the layouts that are asked for.
Result<std::vector<codec::MxConstraint>> constraintsOf(const StoredMicroscaled &stored,
                                                       const RelayoutOptions &options)
{
    codec::MxRequest request;
    request.format = stored.matrix.format;
    request.axis = stored.matrix.axis;
    request.source = codec::MxSource::Fp16; // what it was made from is no matter of a layout
    request.rows = stored.matrix.rows;
    request.columns = stored.matrix.columns;
    request.tiled = true;
    request.nzData = options.layout == "nz";
    request.zzExponents = options.exponents == "zz";
    request.interleaved = options.exponents == "interleaved";
    if (auto fits = codec::requireMicroscaled(request); !fits)
        return tl::unexpected(std::move(fits.error()));
    return codec::checkMicroscaled(request);
}

Json fileJson(const Json &before, std::size_t bytes)
{
    Json file = before;
    file["bytes"] = bytes;
    return file;
}

} // namespace

Result<Relaid> relayoutFolder(const RelayoutOptions &asked)
{
    auto stored = readMicroscaled(asked.folder);
    if (!stored)
        return tl::unexpected(std::move(stored.error()));
    RelayoutOptions options = asked;
    if (options.layout.empty())
        options.layout = stored->layout;
    if (options.exponents.empty())
        options.exponents = stored->exponentLayout;
    if (auto same = givesTheSameBack(*stored); !same)
        return tl::unexpected(std::move(same.error()));
    auto constraints = constraintsOf(*stored, options);
    if (!constraints)
        return tl::unexpected(std::move(constraints.error()));
    auto data = dataAs(stored->matrix, options.layout);
    if (!data)
        return tl::unexpected(std::move(data.error()));
    auto exponents = exponentsAs(stored->matrix, options.exponents);
    if (!exponents)
        return tl::unexpected(std::move(exponents.error()));
    Relaid made;
    made.layoutBefore = stored->layout;
    made.exponentsBefore = stored->exponentLayout;
    made.constraints = std::move(*constraints);
    made.manifest = std::move(stored->manifest);
    made.manifest["layout"] = options.layout;
    made.manifest["exponent_layout"] = options.exponents;
    Json files = Json::array();
    if (const auto before = made.manifest.find("files");
        before != made.manifest.end() && before->is_array()) {
        for (const Json &file : *before) {
            const bool isData = file.is_object() && file.value("path", Json()) == "data.bin";
            files.push_back(file.is_object()
                                ? fileJson(file, isData ? data->size() : exponents->size())
                                : file);
        }
    }
    made.manifest["files"] = std::move(files);
    made.files = {{"data.bin", std::move(*data)}, {"exp.bin", std::move(*exponents)}};
    return made;
}

} // namespace kernscope::cli
