// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/error.h"
#include "core/codec/encode/input_lines.h"
#include "core/codec/encode/input_statistics.h"

#include <cstddef>
#include <memory>
#include <span>

/// Private to the codec: what the weights still to be chosen should be, so that they make up for
/// the errors of those before them.
namespace kernscope::codec {

/// Works on several lines (InputLines) at once, one element of each after the other.
class Compensation
{
public:
    virtual ~Compensation() = default;

    /// Begins with the lines of these numbers.
    virtual void begin(std::span<const std::size_t> lines) = 0;
    /// What is to be added to element `k` of the lane, given the errors so far.
    virtual double shift(std::size_t lane, std::size_t k) const = 0;
    /// The errors (stored less original) that element `k` of each lane was left with.
    virtual void add(std::size_t k, std::span<const double> errors) = 0;
};

/// By the second moments, or by mean squares and means. One hundredth of the mean of the squares is
/// added to each, so that inputs that are never there do not divide by nothing. Errors:
/// "codec.argument" in "inputs" where there is neither, or the moments are those of no data.
Result<std::unique_ptr<Compensation>> makeCompensation(const InputStatistics &inputs,
                                                       const InputLines &lines);

} // namespace kernscope::codec
