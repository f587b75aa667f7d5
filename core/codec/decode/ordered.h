// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/codec/edit/element_candidates.h"
#include "core/form/encoding.h"

/// Private to the codec: elements of operands that have an order of their own.
namespace kernscope::codec {

/// Bit position of one element; nothing where it is not stored.
std::optional<std::uint64_t> positionIn(const Operand &operand, unsigned width,
                                        std::uint64_t index);
/// Code of one element, `width` bits each; 0 where it is not stored.
std::int64_t codeIn(const Operand &operand, unsigned width, ElementType type, std::uint64_t index);
/// Every change that an element's new code asks for: its own place and its copies.
std::vector<ByteChange> changesOf(const Operand &operand, unsigned width, std::uint64_t index,
                                  std::int64_t code);
/// `width` bits (at most 8) from a bit position on; `highestFirst` as ElementOrder has it.
unsigned bitsAt(std::span<const std::byte> bytes, std::uint64_t position, unsigned width,
                bool highestFirst = false);

} // namespace kernscope::codec
