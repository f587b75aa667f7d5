// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/codec/encode/encoder.h"

#include <cstddef>
#include <memory>
#include <span>

/// Private to the codec: codes of an encoded weight that are chosen anew, in any order.
namespace kernscope::codec {

/// Scales, codebooks and masks stay as they are.
class CodeRounder
{
public:
    virtual ~CodeRounder() = default;

    /// The nearest that the elements at `position` and, of vectors, in the rows after it can have;
    /// kept for finish(). `targets` and `results` hold a number for each element of the vector.
    virtual void round(std::size_t position, std::span<const double> targets,
                       std::span<double> results) = 0;
    /// Elements of a vector: rows of axis 0.
    virtual std::size_t vector() const { return 1; }
    /// Stores the codes. Elements that were never asked for have code 0.
    virtual void finish(EncodedWeight &weight) const = 0;
};

/// For a weight of the encoders' forms but dense; null for others. `symmetric`: the code without a
/// counterpart is not used.
std::unique_ptr<CodeRounder> makeRounder(const EncodedWeight &weight, bool symmetric);

} // namespace kernscope::codec
