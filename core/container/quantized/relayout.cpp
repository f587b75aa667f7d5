// SPDX-License-Identifier: GPL-3.0-or-later
// The layout of a folder, changed as TMOV changes it. No number is made anew: converted back, the
// bytes are the ones that were read.
#include "core/container/quantized/quantize.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace kernscope::quantized {

namespace {

/// Whether what was read is what its row-major form gives again: boxes are padded with zeros, and
/// anything else there would be lost.
Result<void> givesTheSameBack(const Folder &folder, const codec::Microscaled &matrix)
{
    const auto data = dataInLayout(matrix, folder.matrix.layout);
    const auto exponents = exponentsInLayout(matrix, folder.matrix.exponents);
    if (!data || !exponents)
        return tl::unexpected(data ? exponents.error() : data.error());
    const bool same = *data == *folder.file("data.bin");
    if (same && *exponents == *folder.file("exp.bin"))
        return {};
    return refused("quantize.padding", same ? "exp.bin" : "data.bin",
                   "zeros where boxes are padded", "other bytes",
                   "A change of the layout would lose these bytes");
}

/// The constraints of pto.tquant for the layouts that are asked for.
Result<std::vector<codec::MxConstraint>> constraintsOf(const codec::Microscaled &matrix,
                                                       const RelayoutOptions &options)
{
    codec::MxRequest request;
    request.format = matrix.format;
    request.axis = matrix.axis;
    request.source = codec::MxSource::Fp16; // what it was made from is no matter of a layout
    request.rows = matrix.rows;
    request.columns = matrix.columns;
    request.tiled = true;
    request.nzData = options.layout == "nz";
    request.zzExponents = options.exponents == "zz";
    request.interleaved = options.exponents == "interleaved";
    if (auto fits = codec::requireMicroscaled(request); !fits)
        return tl::unexpected(std::move(fits.error()));
    return codec::checkMicroscaled(request);
}

} // namespace

Result<Relaid> relayoutFolder(const Folder &folder, const RelayoutOptions &asked)
{
    const auto matrix = microscaledOf(folder);
    if (!matrix)
        return tl::unexpected(matrix.error());
    RelayoutOptions options = asked;
    if (options.layout.empty())
        options.layout = folder.matrix.layout;
    if (options.exponents.empty())
        options.exponents = folder.matrix.exponents;
    if (auto same = givesTheSameBack(folder, *matrix); !same)
        return tl::unexpected(std::move(same.error()));
    auto constraints = constraintsOf(*matrix, options);
    if (!constraints)
        return tl::unexpected(std::move(constraints.error()));
    auto made = inLayouts(folder, *matrix, options.layout, options.exponents);
    if (!made)
        return tl::unexpected(std::move(made.error()));
    return Relaid{std::move(*made), std::move(*constraints)};
}

ElementType valuesType(const std::vector<double> &values)
{
    const bool fits = std::all_of(values.begin(), values.end(), [](double value) {
        return !std::isfinite(value) || std::isfinite(static_cast<float>(value));
    });
    return fits ? ElementType::Fp32 : ElementType::Fp64;
}

} // namespace kernscope::quantized
