// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/bundle_fwd.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace kernscope::diff {

/// Elements of a weight that its content is recognised by; of a larger one, runs spread over it.
inline constexpr std::uint64_t kKeyElements = 65536;

enum class KeyPrecision : std::uint8_t {
    Stored, ///< the values as they are
    Half,   ///< rounded to fp16
};

/// Digest of at most kKeyElements decoded elements, with the number of all: the same for the same
/// values, whatever the sign of a zero and the payload of a NaN. Empty where the weight cannot be
/// decoded, or where rounding makes zero or infinity out of a value, which tells nothing apart any
/// more. Hold the files for reading.
std::string contentKey(const Bundle &bundle, std::size_t weight, KeyPrecision precision);

} // namespace kernscope::diff
