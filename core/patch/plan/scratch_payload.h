// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/error.h"
#include "core/base/quantity.h"
#include "core/codec/edit/editor.h"
#include "core/patch/patch.h"
#include "core/patch/plan/weight_planner.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace kernscope::patch {

/// The payload of a weight as an edit of many of its elements makes it, beside the file: what was
/// there and what is to be there lie in memory of their own, which then is the plan. Takes twice
/// the bytes of the blocks that change. Nothing is written over the file.
class ScratchPayload
{
public:
    /// Nothing where the weight's payload is not one run of bytes of a file, in the order of its
    /// elements, or where the system refuses the room. The file of the planner must outlive it.
    /// `elements`: how many may change, at most.
    static std::optional<ScratchPayload> make(const WeightPlanner &planner, std::uint64_t elements);

    /// Bits of the payload from `firstBit` on become those of `bytes`, which are to lie at `offset`
    /// and may begin with others. From call to call bits ascend and do not overlap.
    void write(std::uint64_t offset, std::span<const std::byte> bytes, std::uint64_t firstBit);
    /// Over the payload as it is to be: right for elements of the run that was written last.
    const codec::Decoder &decoder() const { return *m_decoder; }
    std::span<const std::byte> bytes() const { return {m_after.get(), m_now.size()}; }

    /// What changed, as Recorder::take() has it. Once, at the end.
    std::vector<FileEdit> take();

private:
    using Room = std::shared_ptr<std::byte>;
    struct Run {
        std::uint64_t from = 0, to = 0; ///< bytes of the payload that differ, or lie between such
    };

    ScratchPayload() = default;
    static Room reserve(std::size_t bytes);
    static SharedBytes shortRuns(const Room &room, std::span<const Run> runs);
    void keepUpTo(std::uint64_t end);
    void askRoom(std::uint64_t start, std::uint64_t end);
    void keepBits(std::uint64_t offset, std::span<const std::byte> bytes, std::uint64_t firstBit);
    void noteRuns(std::uint64_t start, std::uint64_t end);

    std::size_t m_file = 0;
    FileOffset m_at;                  ///< of the payload in it
    std::span<const std::byte> m_now; ///< the payload as it is
    Room m_before, m_after;           ///< of blocks that change; the others are not there
    std::optional<codec::Decoder> m_decoder;

    std::uint64_t m_written = 0; ///< end of the last run
    std::uint64_t m_filled = 0;  ///< up to there the last block is filled
    std::uint64_t m_kept = 0;    ///< up to there blocks are compared
    std::uint64_t m_dense = 0;   ///< bytes that changed of the last large page that was written
    std::uint64_t m_asked = 0;   ///< up to there large pages were asked for, or not
    std::vector<Run> m_exact;    ///< at most kMostExactRuns + 1
    std::vector<Run> m_merged;
};

} // namespace kernscope::patch
