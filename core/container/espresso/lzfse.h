// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/error.h"

#include <cstddef>
#include <span>
#include <string>

namespace kernscope::espresso {

/// Whether a text is stored as newer systems do: in chunks that are compressed (LZFSE).
bool isCompressed(std::span<const std::byte> bytes);

/// The text of a compressed net or shape: "pbze", the size of a chunk, then each chunk with its two
/// sizes (big-endian, 8 bytes). Layout of chunks and blocks: resources/formats/espresso.md. At most
/// 64 MiB. Error "espresso.compressed" with the place of the chunk or block that is not sound.
Result<std::string> unpacked(std::span<const std::byte> bytes, const std::string &file);

} // namespace kernscope::espresso
