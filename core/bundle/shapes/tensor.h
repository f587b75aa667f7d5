// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/container/mil/program.h"

#include <limits>

/// What is known of the values of a program while their shapes are inferred.
namespace kernscope::shapes {

using Dims = std::vector<std::int64_t>;

inline constexpr std::int64_t kUnknown = mil::kUnknownExtent;
/// An element whose value is not known, of a tensor of integers.
inline constexpr std::int64_t kUnknownNumber = std::numeric_limits<std::int64_t>::min();
/// Tensors with more elements than this are never shapes, axes or their like.
inline constexpr std::size_t kMaxNumbers = 1024;

/// Extents, kUnknown where one is not known; empty: a scalar.
bool allKnown(const Dims &dims);
/// Sum, product and quotient rounded down of extents: kUnknown where one is, or where the result
/// does not fit.
std::int64_t plus(std::int64_t a, std::int64_t b);
std::int64_t times(std::int64_t a, std::int64_t b);
std::int64_t over(std::int64_t a, std::int64_t b);
std::int64_t productOf(const Dims &dims, std::size_t first, std::size_t last);
/// "[1, ?, 640]"; of a scalar "[]".
std::string dimsText(const Dims &dims);

/// A tensor, or of a list one element of it.
struct Tensor {
    std::optional<Dims> dims;    ///< nothing: not even the number of axes is known
    std::optional<Dims> numbers; ///< its integers, row by row; kUnknownNumber where one is not

    bool complete() const { return dims && allKnown(*dims); }
};

/// What a rule finds: the outputs in order, or why it cannot.
struct RuleResult {
    std::vector<Tensor> outputs;
    std::string unknown; ///< what was missing; empty: nothing
    /// The operands do not fit each other.
    std::string operand, expected, found;

    bool conflict() const { return !expected.empty(); }
};

/// `unknown`: why an extent of it is not known.
RuleResult made(Dims dims, std::string unknown = {});
RuleResult unknown(std::string reason);
RuleResult conflict(std::string operand, std::string expected, std::string found);

/// NumPy's broadcasting; nothing where the extents do not fit.
std::optional<Dims> broadcast(const Dims &a, const Dims &b);
/// `axis` counted from the front, 0 to rank - 1; nothing where there is no such axis.
std::optional<std::size_t> axisOf(std::int64_t axis, std::size_t rank);

} // namespace kernscope::shapes
