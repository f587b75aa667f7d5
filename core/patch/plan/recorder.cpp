// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/patch/plan/recorder.h"

#include "core/base/error_builder.h"
#include "core/bundle/bundle.h"
#include "core/patch/save/backup.h"

#include <iterator>

namespace kernscope::patch {

namespace {

/// Shorter runs are copied: a view would keep the memory of whole blocks.
constexpr std::size_t kLongRun = 65536; ///< bytes
/// Bytes that are copied before the memory of their source is given back.
constexpr std::size_t kStep = std::size_t{1} << 20;

} // namespace

Recorder::Recorder(const Bundle &bundle)
{
    for (const BundleFile &file : bundle.files())
        m_files.push_back(file.file);
}

/// Of the parts of `range` that this edit has not written yet.
void Recorder::keepEarlier(Written &written, const OverlaidFile &file, ByteRange range) const
{
    auto run = written.runs.upper_bound(range.offset.value);
    if (run != written.runs.begin())
        --run;
    for (std::uint64_t at = range.offset.value; at < range.end();) {
        while (run != written.runs.end() && run->second <= at)
            ++run;
        if (run != written.runs.end() && run->first <= at) {
            at = run->second;
            continue;
        }
        const std::uint64_t end =
            run == written.runs.end() ? range.end() : std::min(run->first, range.end());
        const ByteRange fresh{FileOffset(at), ByteCount(end - at)};
        // What is the disk's is found there later: the overlay keeps it.
        if (file.changed(fresh)) {
            const auto now = file.bytes().subspan(at, end - at);
            written.earlier[at].assign(now.begin(), now.end());
        }
        at = end;
    }
}

Result<void> Recorder::write(std::size_t file, FileOffset offset, std::span<const std::byte> bytes)
{
    OverlaidFile &target = *m_files[file];
    const ByteRange range{offset, ByteCount(bytes.size())};
    if (bytes.empty() || !fitsInside(range, target.size()))
        return target.write(offset, bytes); // gives the error
    Written &written = m_written[file];
    keepEarlier(written, target, range);
    // With the runs that it overlaps or touches it becomes one.
    std::uint64_t start = offset.value, end = range.end();
    auto run = written.runs.upper_bound(start);
    if (run != written.runs.begin() && std::prev(run)->second >= start)
        --run;
    while (run != written.runs.end() && run->first <= end) {
        start = std::min(start, run->first);
        end = std::max(end, run->second);
        run = written.runs.erase(run);
    }
    written.runs.emplace_hint(run, start, end);
    return target.write(offset, bytes);
}

/// What was there before this edit.
SharedBytes Recorder::before(std::size_t file, ByteRange range) const
{
    const auto &earlier = m_written.at(file).earlier;
    auto piece = earlier.upper_bound(range.offset.value);
    if (piece != earlier.begin() &&
        std::prev(piece)->first + std::prev(piece)->second.size() > range.offset.value)
        --piece;
    const bool isDisk = piece == earlier.end() || piece->first >= range.end();
    if (isDisk) {
        if (auto shared = m_files[file]->sharedDisk(range))
            return *shared;
    }
    std::vector<std::byte> bytes(range.bytes.value);
    m_files[file]->readDisk(range.offset, bytes);
    for (; piece != earlier.end() && piece->first < range.end(); ++piece) {
        const std::uint64_t from = std::max(piece->first, range.offset.value);
        const std::uint64_t until = std::min(piece->first + piece->second.size(), range.end());
        std::memcpy(bytes.data() + (from - range.offset.value),
                    piece->second.data() + (from - piece->first), until - from);
    }
    return bytes;
}

template <class Found>
void Recorder::forEachPart(const Found &found) const
{
    for (const auto &[file, written] : m_written) {
        const auto all = m_files[file]->bytes();
        const auto give = [&, index = file](std::uint64_t start, std::uint64_t end) {
            const SharedBytes old = before(index, {FileOffset(start), ByteCount(end - start)});
            return found(index, start, old, all.subspan(start, end - start));
        };
        if (!written.earlier.empty()) {
            for (const auto &[start, end] : written.runs) {
                if (!give(start, end))
                    return;
            }
            continue;
        }
        // All of it was the disk's before: only blocks that are not now have changed.
        const std::vector<ByteRange> blocks = m_files[file]->changedBlocks();
        auto block = blocks.begin();
        for (const auto &[start, end] : written.runs) {
            while (block != blocks.end() && block->end() <= start)
                ++block;
            for (auto some = block; some != blocks.end() && some->offset.value < end; ++some) {
                if (!give(std::max(start, some->offset.value), std::min(end, some->end())))
                    return;
            }
        }
    }
}

bool Recorder::isScattered() const
{
    std::size_t count = 0;
    forEachPart([&count](std::size_t, std::uint64_t, const SharedBytes &old,
                         std::span<const std::byte> now) {
        forEachExactChange({old.data(), old.size()}, now, [&count](std::size_t, std::size_t) {
            return ++count <= kMostExactRuns;
        });
        return count <= kMostExactRuns;
    });
    return count > kMostExactRuns;
}

std::vector<FileEdit> Recorder::take(bool last)
{
    const bool merged = isScattered();
    std::vector<FileEdit> edits;
    const auto add = [&](std::size_t file, FileOffset offset, SharedBytes earlier,
                         std::span<const std::byte> now) {
        if (now.size() < kLongRun)
            earlier = std::vector<std::byte>(earlier.begin(), earlier.end());
        const auto fill = [&](std::span<std::byte> out) {
            for (std::size_t at = 0; at < out.size(); at += kStep) {
                const std::size_t count = std::min(kStep, out.size() - at);
                std::memcpy(out.data() + at, now.data() + at, count);
                if (last)
                    m_files[file]->giveUp({FileOffset(offset.value + at), ByteCount(count)});
            }
        };
        edits.push_back({file, offset, std::move(earlier), SharedBytes::filled(now.size(), fill)});
    };
    forEachPart([&](std::size_t file, std::uint64_t start, const SharedBytes &old,
                    std::span<const std::byte> now) {
        const auto found = [&](std::size_t from, std::size_t to) {
            add(file, FileOffset(start + from), old.part(from, to - from),
                now.subspan(from, to - from));
            return true;
        };
        const std::span<const std::byte> before(old.data(), old.size());
        if (merged)
            forEachMergedChange(before, now, kMergeGaps.front(), found);
        else
            forEachExactChange(before, now, found);
        return true;
    });
    m_written.clear();
    return edits;
}

Result<void> writeEdits(const Bundle &bundle, std::span<const FileEdit> edits, bool forward)
{
    for (const FileEdit &edit : edits) {
        const auto &expected = forward ? edit.before : edit.after;
        const bool known = edit.file < bundle.files().size();
        const auto *file = known ? bundle.files()[edit.file].file.get() : nullptr;
        const ByteRange range{edit.offset, ByteCount(expected.size())};
        const bool holds = known && edit.before.size() == edit.after.size() &&
                           fitsInside(range, file->size()) &&
                           (expected.empty() ||
                            std::memcmp(expected.data(), file->bytes().data() + edit.offset.value,
                                        expected.size()) == 0);
        if (!holds) {
            return refused(
                {known ? bundle.files()[edit.file].path : std::string(), edit.offset, range.bytes},
                "patch.conflict", {}, {}, {},
                "The bytes are not those that this edit was planned on");
        }
    }
    const auto write = [&](const FileEdit &edit, bool after) {
        const SharedBytes &now = after ? edit.before : edit.after;
        const SharedBytes &next = after ? edit.after : edit.before;
        return bundle.files()[edit.file].file->write(edit.offset, {next.data(), next.size()}, now);
    };
    for (std::size_t i = 0; i < edits.size(); ++i) {
        if (auto written = write(edits[i], forward); !written) {
            // What was written is taken back; those pages are private already, so this holds.
            while (i-- > 0)
                (void)write(edits[i], !forward);
            return written;
        }
    }
    return {};
}

} // namespace kernscope::patch

namespace kernscope {

namespace patch {

void mergeRuns(std::vector<ByteRange> &runs, std::uint64_t gap)
{
    if (runs.empty())
        return;
    std::size_t last = 0;
    for (std::size_t i = 1; i < runs.size(); ++i) {
        if (runs[i].offset.value - runs[last].end() < gap)
            runs[last].bytes = ByteCount(runs[i].end() - runs[last].offset.value);
        else
            runs[++last] = runs[i];
    }
    runs.resize(last + 1);
    runs.shrink_to_fit();
}

std::vector<ByteRange> rangesToWrite(const OverlaidFile &file)
{
    auto exact = file.changedRanges(1, kMostExactRuns + 1);
    if (exact.size() <= kMostExactRuns)
        return exact;
    std::vector<ByteRange> runs = file.changedRanges(kMergeGaps.front());
    for (const std::uint64_t gap : kMergeGaps) {
        if (gap != kMergeGaps.front())
            mergeRuns(runs, gap);
        if (runs.size() <= kMostExactRuns)
            break;
    }
    return runs;
}

} // namespace patch

std::vector<WrittenRange> pendingRanges(const Bundle &bundle)
{
    std::vector<WrittenRange> ranges;
    const auto follower = patch::followingFile(bundle);
    for (std::size_t i = 0; i < bundle.files().size(); ++i) {
        const BundleFile &file = bundle.files()[i];
        if (follower == i) {
            ranges.push_back({file.path, {FileOffset(0), file.file->size()}});
            continue;
        }
        for (const ByteRange &range : patch::rangesToWrite(*file.file))
            ranges.push_back({file.path, range});
    }
    return ranges;
}

} // namespace kernscope
