// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/codec/decode/decoder.h"

#include <algorithm>

namespace kernscope {

/// Whether every value of a type is one of fp16: decodeHalf then loses nothing.
bool exactInHalf(ElementType type);
/// The same of fp32 and decodeFloat. Unknown types have no values: true.
bool exactInFloat(ElementType type);
/// Integers of 64 bits: fp64 does not have those from 2^53.
bool isWideInteger(ElementType type);

/// The operand of a weight whose elements are stored as they are, one by one, in the decoded type;
/// null for any other.
const codec::Operand *plainOperand(const codec::Decoder &decoder);

/// Decoded elements [first, first + out.size()) at the precision of their type: exact but for
/// integers beyond 2^53.
void decodeDoubles(const codec::Decoder &decoder, std::uint64_t first, std::span<double> out);

/// Calls `each(first, values)` for blocks of decoded values that cover the tensor. False where
/// cancelled. Progress in elements.
template <class Each>
bool decodeDoublesInBlocks(const codec::Decoder &decoder, Progress *progress, const Each &each)
{
    constexpr std::uint64_t kBlock = 16384;
    const std::uint64_t end = decoder.elements().value;
    std::vector<double> block(std::min(kBlock, end));
    for (std::uint64_t at = 0; at < end; at += block.size()) {
        const auto some = std::span(block).first(std::min<std::uint64_t>(block.size(), end - at));
        decodeDoubles(decoder, at, some);
        each(at, std::span<const double>(some));
        if (progress && !progress->advance(some.size()))
            return false;
    }
    return true;
}

/// Elements decoded at a time: 128 KiB of fp16, which stays in the second cache.
inline constexpr std::uint64_t kDecodeBlock = 65536;

/// Calls `each(first, values)` for blocks of canonical fp16 values that cover
/// [begin, end). False where it was asked to stop before the end.
template <class Each>
bool decodeInBlocks(const codec::Decoder &decoder, std::uint64_t begin, std::uint64_t end,
                    Progress *progress, const Each &each)
{
    std::vector<std::uint16_t> block(std::min(kDecodeBlock, end - begin));
    for (std::uint64_t at = begin; at < end; at += block.size()) {
        const auto some = std::span(block).first(std::min<std::uint64_t>(block.size(), end - at));
        decoder.decodeHalf(at, some);
        each(at, std::span<const std::uint16_t>(some));
        if (progress && !progress->advance(some.size()))
            return false;
    }
    return true;
}

/// The error of work that was stopped: "task.cancelled".
Error cancelledError();

} // namespace kernscope
