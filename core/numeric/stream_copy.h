// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <span>

namespace kernscope {

/// Copies past the caches (non-temporal stores where the processor has them): memory that is
/// written whole is not read first, which is a third of the traffic of a copy. `to` holds as many
/// bytes as `from`; they do not overlap.
void streamCopy(std::span<const std::byte> from, std::byte *to);

/// From so many bytes on a result outgrows the caches that it would stay in.
inline constexpr std::size_t kStreamedBytes = std::size_t{8} << 20;

} // namespace kernscope
