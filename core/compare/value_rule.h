// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/bundle_fwd.h"
#include "core/compare/value_difference.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kernscope {

/// What makes of A all but little of B, where the two have little in common: the mistakes that
/// people look for.
struct ValueRule {
    enum class Kind : std::uint8_t {
        Scaled,     ///< every value by one factor
        Rows,       ///< by one factor an output channel (axis 0)
        Lines,      ///< by one factor an index of all axes but the last
        Columns,    ///< by one factor an input channel (axis 1)
        Blocks,     ///< by one factor a block of neighbours along the last axis
        Transposed, ///< the axes in another order
    };
    Kind kind = Kind::Scaled;
    /// One side holds codes (integers, or floating point of 8 bits and fewer) that lack the scales,
    /// or zero points, that the values of the other have.
    bool codes = false;
    double least = 1, most = 1; ///< factors
    std::uint64_t block = 0;    ///< elements of a block
    double left = 0;            ///< relative RMSE that remains, of those elements that were read
};
/// "scaled", "rows_scaled", …, "transposed".
std::string_view ruleName(ValueRule::Kind kind);
/// "scaled by 2", "rows scaled by 1.3 to 7.9, close", "codes without their scales: blocks of 32
/// scaled by 64 to 4,096", "transposed".
std::string ruleText(const ValueRule &rule);

namespace diff {

/// Of two weights of one shape that were compared; nothing where they are close, or where nothing
/// explains the difference. Reads at most 2^22 elements of either, spread over them, in one pass,
/// unless one line along the last axis is longer. Hold the files for reading.
std::optional<ValueRule> findRule(const Bundle &a, std::size_t weightA, const Bundle &b,
                                  std::size_t weightB, const ValueDifference &values);
/// Of two weights whose axes may stand in another order, by at most 4,096 samples. Hold the files
/// for reading.
std::optional<ValueRule> findTransposed(const Bundle &a, std::size_t weightA, const Bundle &b,
                                        std::size_t weightB);

} // namespace diff

} // namespace kernscope
