// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace kernscope {

/// True where a file is the text of a program, by its first word or its name.
bool looksLikeProgramText(std::span<const std::byte> bytes, std::string_view name);
/// True where a program is a serialised Model rather than text.
bool isModelProtobuf(std::span<const std::byte> bytes, std::string_view name);

} // namespace kernscope
