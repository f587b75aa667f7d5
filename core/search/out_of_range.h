// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/progress.h"
#include "core/bundle/bundle.h"

#include <cstddef>
#include <cstdint>
#include <functional>

namespace kernscope::search {

/// A stored code that names what is not there.
struct StrayCode {
    /// Of a codebook: where the code lies, to whole bytes. Of a code that the program has as a
    /// literal in the file of the program; of one whose place is not known no file.
    std::size_t file = kNoIndex;
    ByteRange bytes;
    std::uint64_t index = 0;   ///< of a codebook: number of the code among the stored ones. Of a
                               ///< mask: the element that it keeps, row-major
    bool ofMask = false;       ///< the element has no stored value
    std::uint64_t code = 0;    ///< entry of the codebook, or number of the stored value, from 0
    std::uint64_t entries = 0; ///< so many there are: code >= entries
};
/// False: no more are wanted.
using TakeStray = std::function<bool(const StrayCode &)>;

/// What scanStrayCodes() goes through: its progress advances by so many at most.
std::uint64_t strayWork(const Weight &weight);

/// Every code of a palette's indices past the last entry of its codebook, and every element that a
/// mask keeps while no value is stored for it, ascending. A weight that decodes has the former
/// never: its codebook has an entry for each code. Of one that does not the operands that are known
/// are read. False where `take` or the progress wanted no more. Errors: the weight's fault, where
/// it may have such codes but not enough is known to tell; hold the bundle's read lock.
Result<bool> scanStrayCodes(const Bundle &bundle, std::size_t weight, const TakeStray &take,
                            Progress *progress);

} // namespace kernscope::search
