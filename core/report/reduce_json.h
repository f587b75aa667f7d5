// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/codec/analysis/reduction.h"
#include "core/report/column.h"
#include "core/report/json.h"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

/// Numbers through the engine's reduction, as `reduce` answers.
namespace kernscope::report {

/// The port's number as an 8-bit float, in one mode of overflow.
struct NarrowedPort {
    std::string_view mode; ///< "nan", "saturate"
    std::uint8_t code = 0;
    float value = 0;
};
/// `type`: "e4m3", "e5m2"; empty: nothing. `overflow`: one mode only; empty: both.
std::vector<NarrowedPort> narrowedPort(const codec::ReductionTrace &made, std::string_view type,
                                       std::string_view overflow);

/// A tile of four values, by its number.
struct TileFacts {
    std::size_t number = 0;
    codec::ReductionTrace::Tile tile;
};
std::vector<TileFacts> tileRows(const codec::ReductionTrace &made);
const TableOf<TileFacts> &tileTable();

/// Everything of `reduce`. `values`: how many numbers there were; `type`: of `narrowed`.
Json reduceJson(const codec::ReductionTrace &made, std::size_t values, std::string_view type,
                const std::vector<NarrowedPort> &narrowed);

} // namespace kernscope::report
