// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/codec/microscaled/microscaled.h"
#include "core/container/quantized/folder.h"
#include "core/container/quantized/quantize.h"
#include "core/report/column.h"
#include "core/report/json.h"

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

/// What `quantize` writes, and the tiles of the instruction that would make it.
namespace kernscope::report {

/// Rows of `files` of the folder's description.
const TableOf<Json> &quantizedFileTable();
const TableOf<codec::TquantTile> &quantizeTileTable();

// What `quantize` and `relayout` say of a folder.

/// `[{"name","holds","padded","required","found","source"}]`
Json constraintsJson(const std::vector<codec::MxConstraint> &constraints);

/// Everything of `quantize`: what the folder's own description says, sizes, constraints, the
/// instruction with its tiles and devices, and what sources disagree on.
Json quantizeJson(const quantized::Quantized &made, std::string_view input,
                  std::string_view output);
/// Everything of `relayout`: layouts before and after, files and constraints.
Json relayoutJson(const quantized::Folder &before, const quantized::Relaid &after,
                  std::string_view input, std::string_view output);

/// The values of a folder that `dequantize` wrote.
struct DequantizedFile {
    std::string_view folder, output;
    ElementType type = ElementType::Unknown;
    std::size_t elements = 0;
    std::string_view figuresFrom; ///< "reference" or "recorded"
};
/// Everything of `dequantize`.
Json dequantizeJson(const quantized::Folder &folder, const DequantizedFile &written,
                    const std::optional<quantized::ErrorFigures> &figures);

} // namespace kernscope::report
