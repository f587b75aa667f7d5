// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/container/mlir/module.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

/// Attributes and types as text, as MLIR's own printer writes them. Texts of the file are escaped
/// as there, so that they are printable ASCII. What holds one another may be 2^60 times as long
/// written out as stored: no text grows over `most` bytes, and one that was cut ends in "…".
namespace kernscope::mlir {

inline constexpr std::size_t kMostText = std::size_t{1} << 20;

/// "#aicode.serialization.string<\"main\">"
std::string attributeText(const Module &module, std::uint32_t attribute,
                          std::size_t most = kMostText);
/// "!aicode.tensor_v1<[64, 33] : !aicode.float16_v1>"
std::string typeText(const Module &module, std::uint32_t type, std::size_t most = kMostText);
/// A key or symbol as text: quoted and escaped where it is no identifier.
std::string keywordText(std::string_view text);

} // namespace kernscope::mlir
