// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/target/target.h"

#include <cstdint>
#include <optional>
#include <string>

namespace kernscope::decision {

/// The largest operand that stays on chip. A knee that was measured
/// (resources/tables/roofline.csv, working_set_bytes) goes before the compiler's constant (HAL
/// +0x1b8, or +0x1d8 of compiler 10.26.6).
struct WorkingSetCap {
    std::optional<std::uint64_t> bytes; ///< empty: not known
    std::string source;
    std::string disagreement; ///< a sentence where both are known and differ
};
WorkingSetCap workingSetCap(const target::Target &target);

/// Whether an operand of `weight` bytes as it crosses to the engine, `dense` as fp16, and the
/// others stay on chip. Which of the two counts for a weight that is stored smaller is not
/// published: where the two give different answers, the result is not known. Empty operands are not
/// known.
std::optional<bool> staysOnChip(const std::optional<std::uint64_t> &cap,
                                const std::optional<std::uint64_t> &weight, std::uint64_t dense,
                                const std::optional<std::uint64_t> &input,
                                const std::optional<std::uint64_t> &output);

} // namespace kernscope::decision
