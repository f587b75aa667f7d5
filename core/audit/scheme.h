// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/bundle_fwd.h"

#include <cstdint>
#include <optional>
#include <string>

/// Private to the audit: how a package means its weights to be compressed.
namespace kernscope::audit {

struct Scheme {
    std::string text;            ///< as the package says it, one line; empty: derived
    bool compresses = false;     ///< anything at all
    std::uint64_t threshold = 0; ///< weights of fewer elements stay dense
    std::uint64_t block = 0;     ///< elements a block along the input axis; 0: no blocks
    std::uint64_t group = 0;     ///< output rows a table; 0: one for all
    std::uint64_t pattern = 0;   ///< m of n:m along the input axis; 0: none
};

/// What the metadata of the package says under "compression"; else what its weights are.
Scheme schemeOf(const Bundle &package);

/// Why a dense weight should be compressed; nothing where it may be dense: too small, not divisible
/// as the scheme wants it, or no weight like it is compressed.
std::optional<std::string> leftDense(const Bundle &package, std::size_t weight,
                                     const Scheme &scheme);

} // namespace kernscope::audit
