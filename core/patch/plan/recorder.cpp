// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/patch/plan/recorder.h"

#include "core/base/error_builder.h"
#include "core/patch/plan/pending.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

namespace kernscope::patch {

namespace {

constexpr std::size_t kLongRun = 65536; ///< bytes

std::uint64_t wordAt(std::span<const std::byte> bytes, std::size_t at)
{
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, sizeof word);
    return word;
}

/// The first place from `at` on where the two differ, or their end; eight bytes at a time.
std::size_t nextDifference(std::span<const std::byte> a, std::span<const std::byte> b,
                           std::size_t at)
{
    while (at + sizeof(std::uint64_t) <= a.size() && wordAt(a, at) == wordAt(b, at))
        at += sizeof(std::uint64_t);
    while (at < a.size() && a[at] == b[at])
        ++at;
    return at;
}

/// The first place from `at` on where the two are equal, or their end.
std::size_t nextEqual(std::span<const std::byte> a, std::span<const std::byte> b, std::size_t at)
{
    constexpr std::uint64_t kOnes = 0x0101010101010101u, kHighs = 0x8080808080808080u;
    while (at + sizeof(std::uint64_t) <= a.size()) {
        const std::uint64_t differs = wordAt(a, at) ^ wordAt(b, at);
        if (((differs - kOnes) & ~differs & kHighs) != 0)
            break; // one of the eight is equal
        at += sizeof(std::uint64_t);
    }
    while (at < a.size() && a[at] != b[at])
        ++at;
    return at;
}

/// Calls `found(from, to)` for each run where the two differ, runs closer than `gap` as one, until
/// it gives false.
template <class Found>
void forEachChange(std::span<const std::byte> before, std::span<const std::byte> now,
                   std::size_t gap, const Found &found)
{
    std::size_t from = nextDifference(before, now, 0);
    while (from < before.size()) {
        std::size_t to = nextEqual(before, now, from), next = nextDifference(before, now, to);
        while (next < before.size() && next - to < gap) {
            to = nextEqual(before, now, next);
            next = nextDifference(before, now, to);
        }
        if (!found(from, to))
            return;
        from = next;
    }
}

} // namespace

Recorder::Recorder(const Bundle &bundle)
{
    for (const BundleFile &file : bundle.files())
        m_files.push_back(file.file);
}

Result<void> Recorder::write(std::size_t file, FileOffset offset, std::span<const std::byte> bytes)
{
    OverlaidFile &target = *m_files[file];
    const auto current = target.bytes();
    if (bytes.empty() || !fitsInside({offset, ByteCount(bytes.size())}, target.size()))
        return target.write(offset, bytes); // gives the error
    Runs &runs = m_before[file];
    const std::uint64_t end = offset.value + bytes.size();
    auto run = runs.upper_bound(offset.value);
    const bool joins = run != runs.begin() &&
                       std::prev(run)->first + std::prev(run)->second.size() >= offset.value;
    run = joins ? std::prev(run) : runs.emplace_hint(run, offset.value, std::vector<std::byte>());
    std::vector<std::byte> &earlier = run->second;
    const auto append = [&](std::uint64_t until) {
        const std::uint64_t from = run->first + earlier.size();
        if (from < until) {
            const auto fresh = current.subspan(from, until - from);
            // What is not written yet costs nothing: a long run grows without being moved often.
            if (earlier.size() >= kLongRun && earlier.capacity() < until - run->first)
                earlier.reserve(static_cast<std::size_t>(
                    std::min(4 * (until - run->first), current.size() - run->first)));
            earlier.insert(earlier.end(), fresh.begin(), fresh.end());
        }
    };
    for (auto next = std::next(run); next != runs.end() && next->first <= end;) {
        append(next->first);
        earlier.insert(earlier.end(), next->second.begin(), next->second.end());
        next = runs.erase(next);
    }
    append(end);
    return target.write(offset, bytes);
}

bool Recorder::isScattered() const
{
    std::size_t count = 0;
    for (const auto &[file, runs] : m_before) {
        for (const auto &[start, before] : runs) {
            const auto now = m_files[file]->bytes().subspan(start, before.size());
            forEachChange(before, now, 1,
                          [&count](std::size_t, std::size_t) { return ++count <= kMostExactRuns; });
            if (count > kMostExactRuns)
                return true;
        }
    }
    return false;
}

std::vector<FileEdit> Recorder::take()
{
    const std::size_t gap = isScattered() ? kMergeGaps.front() : 1;
    std::vector<FileEdit> edits;
    for (auto &[file, runs] : m_before) {
        const auto all = m_files[file]->bytes();
        for (auto &[start, before] : runs) {
            const auto now = all.subspan(start, before.size());
            forEachChange(
                before, now, gap,
                [&, &old = before, at = start, index = file](std::size_t from, std::size_t to) {
                    const auto piece = [&](const auto &bytes) {
                        return std::vector<std::byte>(
                            bytes.begin() + static_cast<std::ptrdiff_t>(from),
                            bytes.begin() + static_cast<std::ptrdiff_t>(to));
                    };
                    auto earlier = to - from == old.size() ? std::move(old) : piece(old);
                    edits.push_back({index, FileOffset(at + from), std::move(earlier), piece(now)});
                    return true;
                });
        }
    }
    m_before.clear();
    return edits;
}

Result<void> writeEdits(const Bundle &bundle, std::span<const FileEdit> edits, bool forward)
{
    for (const FileEdit &edit : edits) {
        const auto &expected = forward ? edit.before : edit.after;
        const bool known = edit.file < bundle.files().size();
        const auto *file = known ? bundle.files()[edit.file].file.get() : nullptr;
        const ByteRange range{edit.offset, ByteCount(expected.size())};
        const bool holds =
            known && edit.before.size() == edit.after.size() && fitsInside(range, file->size()) &&
            std::equal(expected.begin(), expected.end(),
                       file->bytes().begin() + static_cast<std::ptrdiff_t>(edit.offset.value));
        if (!holds) {
            return ErrorBuilder("patch.conflict")
                .file(known ? bundle.files()[edit.file].path : std::string())
                .at(edit.offset)
                .length(range.bytes)
                .message("The bytes are not those that this edit was planned on")
                .unexpected();
        }
    }
    const auto write = [&](const FileEdit &edit, bool after) {
        return bundle.files()[edit.file].file->write(edit.offset, after ? edit.after : edit.before);
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
