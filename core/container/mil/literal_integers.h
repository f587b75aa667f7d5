// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/container/mil/program.h"

#include <cstdint>
#include <vector>

namespace kernscope {

/// Integers, booleans and unsigned integers of a literal, one a element; empty for other types.
std::vector<std::int64_t> literalIntegers(const mil::Literal &literal);

} // namespace kernscope
