// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

/// Looking codes up in one codebook. Codebooks of fp16 may lie at any address.
namespace kernscope::codec {

/// out[i] = the entry that code first + i of a packed stream names; `table` holds 2^width halves.
/// `streamed`: stored past the caches where streamsPacked() allows it; flushStream() is the
/// caller's.
void lookupPacked(std::span<const std::byte> stream, unsigned width, std::uint64_t first,
                  std::span<const std::byte> table, bool streamed, std::span<std::uint16_t> out);

/// Whether the lines of `out` begin where groups of eight codes, and so whole bytes, do.
bool streamsPacked(unsigned width, std::uint64_t first, std::span<const std::uint16_t> out);

/// The same for codes already unpacked, one a byte, each below 2^width.
void lookupCodes(std::span<const std::uint8_t> codes, unsigned width,
                 std::span<const std::byte> table, std::span<std::uint16_t> out);

/// Entries of `vector` halves each, one after the other: `table` holds 2^width of them, `lanes` the
/// first halves of all, then the second ones and so on, and `out` codes.size() of them.
/// `streamed`: past the caches, for vectors of two or four from the start of a line on;
/// flushStream() is the caller's.
void lookupVectors(std::span<const std::uint8_t> codes, unsigned width,
                   std::span<const std::byte> lanes, std::span<const std::uint16_t> table,
                   std::size_t vector, bool streamed, std::span<std::uint16_t> out);

/// The same for fp32 entries.
void lookupFloats(std::span<const std::uint8_t> codes, std::span<const float> table,
                  std::span<float> out);

} // namespace kernscope::codec
