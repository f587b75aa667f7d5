// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/target/hal.h"

#include <optional>

namespace kernscope::target {

/// What CheckValidDMAFormat says of a tensor format on a target (chapter 36).
struct DmaFormat {
    std::optional<HalOffset> byte; ///< the capability byte that it asks; empty: none
    std::optional<bool> valid;     ///< empty: the byte, or the rule for the code, is not known
};

/// Codes below 0xb are always valid; fp32 asks the byte 0x52c, E4M3 0x52d, E5M2 0x52e and the
/// two-byte live format 0x685. Of other codes the chapter says nothing.
DmaFormat checkDmaFormat(const Target &target, format::TensorFormat tensorFormat);

} // namespace kernscope::target
