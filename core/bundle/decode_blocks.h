// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/progress.h"
#include "core/codec/decode/decoder.h"

#include <algorithm>

namespace kernscope {

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
