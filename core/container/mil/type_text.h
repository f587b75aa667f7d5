// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/container/mil/program.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace kernscope::mil {

/// `text`, or its beginning and "..." where it is longer than anyone reads.
std::string shortened(std::string_view text);

/// A type as the compact program text writes it: "tensor<fp16, [1, ?]>", "list<string, 2>".
std::string typeText(const ValueType &type);

/// By the numbers of protobuf programs (resources/tables/program_types.csv), which are not those of
/// weight files: Unknown, or 0, where there is none.
ElementType programType(std::uint64_t code);
std::uint64_t programTypeCode(ElementType type);

} // namespace kernscope::mil
