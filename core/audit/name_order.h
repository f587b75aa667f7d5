// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

/// Private to the audit: the order in which a program reads the tensors of a checkpoint.
namespace kernscope::audit {

/// Ranks of dotted names in the order in which a program is expected to read them: numbers count
/// upwards, other siblings as they mostly stand in the program. `positions` of the names, as far as
/// they are known.
std::vector<std::size_t> expectedOrder(std::span<const std::string> names,
                                       std::span<const std::optional<double>> positions);

} // namespace kernscope::audit
