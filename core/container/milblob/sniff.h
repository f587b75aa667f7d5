// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace kernscope {

/// True where the bytes begin as a weight file (storage version 1 or 2) does. A file that is too
/// short to tell counts as one only by its name.
bool looksLikeBlobFile(std::span<const std::byte> bytes, std::string_view name);

} // namespace kernscope
