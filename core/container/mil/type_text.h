// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/container/mil/program.h"

#include <string>
#include <string_view>

namespace kernscope::mil {

/// `text`, or its beginning and "..." where it is longer than anyone reads.
std::string shortened(std::string_view text);

/// A type as the compact program text writes it: "tensor<fp16, [1, ?]>", "list<string, 2>".
std::string typeText(const ValueType &type);

} // namespace kernscope::mil
