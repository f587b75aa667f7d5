// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/bundle_fwd.h"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

/// Private to the audit: the names of a checkpoint's tensors, and the order in which a program
/// reads them.
namespace kernscope::audit {

/// A dotted name as converters write it.
std::string programName(std::string_view name);
/// Without what converters append.
std::string plainName(std::string name);
/// "weight" of "weight_7"; empty where there is no number.
std::string withoutNumber(const std::string &name);

/// Ranks of dotted names in the order in which a program is expected to read them: numbers count
/// upwards unless most places are the other way round, other siblings as they mostly stand in the
/// program. `positions` of the names, as far as they are known; not negative.
std::vector<std::size_t> expectedOrder(std::span<const std::string> names,
                                       std::span<const std::optional<double>> positions);

/// Where each weight is first read by the program, through what only moves its elements; empty
/// where it is not.
std::vector<std::optional<double>> positionsOf(const BundlePtr &package);

} // namespace kernscope::audit
