// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/patch/plan/scratch_payload.h"

#include "core/base/large_pages.h"
#include "core/patch/plan/changed_runs.h"
#include "core/patch/plan/pending.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <variant>

#include <sys/mman.h>

namespace kernscope::patch {

namespace {

/// What is kept or left away as one: a page.
constexpr std::uint64_t kScratchBlock = 4096;
/// Payloads from so many bytes on get large pages while nearly all of them changes.
constexpr std::uint64_t kLargeFrom = kLargePageBytes / 2;
/// Shorter runs are copied: a view would keep the memory of both rooms.
constexpr std::uint64_t kViewFrom = 65536;

std::uint64_t blockDown(std::uint64_t at)
{
    return at / kScratchBlock * kScratchBlock;
}

} // namespace

/// Address space that begins at a large page; memory comes when it is written.
ScratchPayload::Room ScratchPayload::reserve(std::size_t bytes)
{
    const std::size_t whole =
        (bytes + kLargePageBytes - 1) / kLargePageBytes * kLargePageBytes + kLargePageBytes;
    if (whole < bytes)
        return nullptr;
    void *const got = ::mmap(nullptr, whole, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (got == MAP_FAILED)
        return nullptr;
    const std::shared_ptr<std::byte> all(static_cast<std::byte *>(got),
                                         [whole](std::byte *room) { ::munmap(room, whole); });
    const auto address = reinterpret_cast<std::uintptr_t>(got);
    const std::uintptr_t head = (kLargePageBytes - address % kLargePageBytes) % kLargePageBytes;
    return {all, all.get() + head};
}

std::optional<ScratchPayload> ScratchPayload::make(const WeightPlanner &planner,
                                                   std::uint64_t elements)
{
    const codec::Decoder &decoder = planner.decoder();
    const auto *payload = std::get_if<codec::Operand>(&decoder.encoding().payload);
    const OperandPlace *const place = planner.plainPayload();
    // A mask that keeps more than is stored leaves its editor without bytes.
    if (payload == nullptr || place == nullptr || payload->bytes.empty() ||
        payload->bytes.size() > place->bytes.value ||
        decoder.rank(decoder.elements().value) > decoder.payloadElements().value)
        return std::nullopt;
    ScratchPayload scratch;
    scratch.m_file = place->file;
    scratch.m_at = place->dataOffset;
    scratch.m_now = payload->bytes;
    const double share =
        static_cast<double>(elements) / static_cast<double>(decoder.elements().value);
    scratch.m_dense =
        share >= 1 ? kLargePageBytes
                   : static_cast<std::uint64_t>(share * static_cast<double>(scratch.m_now.size()));
    scratch.m_before = reserve(scratch.m_now.size());
    scratch.m_after = reserve(scratch.m_now.size());
    if (!scratch.m_before || !scratch.m_after)
        return std::nullopt;
    codec::Encoding encoding = decoder.encoding();
    std::get<codec::Operand>(encoding.payload).bytes = scratch.bytes();
    auto made = codec::Decoder::make(std::move(encoding));
    if (!made)
        return std::nullopt;
    scratch.m_decoder = std::move(*made);
    return scratch;
}

/// Large pages for what comes, where nearly all of the last one has changed.
void ScratchPayload::askRoom(std::uint64_t start, std::uint64_t end)
{
    for (; m_asked < end; m_asked += kLargePageBytes) {
        if (m_asked + kLargePageBytes <= start)
            continue; // nothing lies there
        if (m_now.size() >= kLargeFrom && m_dense >= kLargePageBytes / 4 * 3) {
            ::madvise(m_before.get() + m_asked, kLargePageBytes, MADV_HUGEPAGE);
            ::madvise(m_after.get() + m_asked, kLargePageBytes, MADV_HUGEPAGE);
        }
        m_dense = 0;
    }
}

void ScratchPayload::write(std::uint64_t offset, std::span<const std::byte> bytes,
                           std::uint64_t firstBit)
{
    if (bytes.empty())
        return;
    const std::uint64_t block = blockDown(offset), end = offset + bytes.size();
    keepUpTo(std::min(block, m_filled));
    askRoom(offset, end);
    std::byte *const after = m_after.get();
    if (block >= m_filled) { // what is before the run in its block
        std::memcpy(after + block, m_now.data() + block, offset - block);
        m_kept = block;
    }
    const std::uint64_t shared = std::min(std::max(m_written, offset), end) - offset;
    keepBits(offset, bytes.first(shared), firstBit);
    std::memcpy(after + offset + shared, bytes.data() + shared, bytes.size() - shared);
    m_written = end;
    const std::uint64_t filled =
        std::min<std::uint64_t>(blockDown(end + kScratchBlock - 1), m_now.size());
    if (filled > m_filled) {
        const std::uint64_t from = std::max(end, m_filled);
        std::memcpy(after + from, m_now.data() + from, filled - from);
        m_filled = filled;
    }
}

/// Bytes that the run before has written too: of codes that are no whole bytes.
void ScratchPayload::keepBits(std::uint64_t offset, std::span<const std::byte> bytes,
                              std::uint64_t firstBit)
{
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        const std::uint64_t at = 8 * (offset + i);
        const std::uint64_t kept = firstBit > at ? std::min<std::uint64_t>(firstBit - at, 8) : 0;
        const auto mask = static_cast<std::byte>((1U << kept) - 1U);
        std::byte &own = m_after.get()[offset + i];
        own = (own & mask) | (bytes[i] & ~mask);
    }
}

/// Blocks up to `end` are as they will be: those that changed are kept, the others are given back.
void ScratchPayload::keepUpTo(std::uint64_t end)
{
    const auto isSame = [this, end](std::uint64_t start) {
        return std::memcmp(m_now.data() + start, m_after.get() + start,
                           std::min(kScratchBlock, end - start)) == 0;
    };
    while (m_kept < end) {
        const std::uint64_t start = m_kept;
        const bool same = isSame(start);
        do
            m_kept += kScratchBlock;
        while (m_kept < end && isSame(m_kept) == same);
        m_kept = std::min(m_kept, end);
        if (same) {
            ::madvise(m_after.get() + start, m_kept - start, MADV_DONTNEED);
            continue;
        }
        std::memcpy(m_before.get() + start, m_now.data() + start, m_kept - start);
        m_dense += m_kept - start;
        noteRuns(start, m_kept);
    }
}

/// Runs as Recorder finds them, whatever the pieces in which they come.
void ScratchPayload::noteRuns(std::uint64_t start, std::uint64_t end)
{
    const std::span<const std::byte> before(m_before.get() + start, end - start);
    const std::span<const std::byte> after(m_after.get() + start, end - start);
    const auto join = [start](std::vector<Run> &runs, std::size_t from, std::size_t to,
                              std::uint64_t gap) {
        if (!runs.empty() && start + from - runs.back().to < gap)
            runs.back().to = start + to;
        else
            runs.push_back({start + from, start + to});
    };
    if (m_exact.size() <= kMostExactRuns)
        forEachExactChange(before, after, [&](std::size_t from, std::size_t to) {
            join(m_exact, from, to, 1);
            return m_exact.size() <= kMostExactRuns;
        });
    forEachMergedChange(before, after, kMergeGaps.front(), [&](std::size_t from, std::size_t to) {
        join(m_merged, from, to, kMergeGaps.front());
    });
}

/// Copies of those that are no views, one after the other.
SharedBytes ScratchPayload::shortRuns(const Room &room, std::span<const Run> runs)
{
    std::size_t count = 0;
    for (const Run &run : runs)
        count += run.to - run.from < kViewFrom ? run.to - run.from : 0;
    if (count == 0)
        return {};
    return SharedBytes::filled(count, [&](std::span<std::byte> out) {
        std::size_t at = 0;
        for (const Run &run : runs) {
            if (run.to - run.from >= kViewFrom)
                continue;
            std::memcpy(out.data() + at, room.get() + run.from, run.to - run.from);
            at += run.to - run.from;
        }
    });
}

std::vector<FileEdit> ScratchPayload::take()
{
    keepUpTo(m_filled);
    const std::vector<Run> &runs = m_exact.size() <= kMostExactRuns ? m_exact : m_merged;
    const SharedBytes before = shortRuns(m_before, runs), after = shortRuns(m_after, runs);
    std::vector<FileEdit> edits;
    edits.reserve(runs.size());
    std::size_t copied = 0;
    for (const Run &run : runs) {
        const std::size_t size = run.to - run.from;
        const FileOffset at(m_at.value + run.from);
        if (size >= kViewFrom) {
            edits.push_back({m_file, at, SharedBytes(m_before, {m_before.get() + run.from, size}),
                             SharedBytes(m_after, {m_after.get() + run.from, size})});
            continue;
        }
        edits.push_back({m_file, at, before.part(copied, size), after.part(copied, size)});
        copied += size;
    }
    return edits;
}

} // namespace kernscope::patch
