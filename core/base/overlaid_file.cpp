// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/overlaid_file.h"

#include "core/base/error_builder.h"
#include "core/base/file_descriptor.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <iterator>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

namespace kernscope {

namespace {

/// Descriptors that are kept open at most, of the thousand or so that a process may have.
constexpr int kMostDescriptors = 256;
std::atomic<int> g_descriptors{0};

} // namespace

Result<std::shared_ptr<OverlaidFile>> OverlaidFile::open(const std::filesystem::path &path,
                                                         std::string name)
{
    // O_NONBLOCK: opening a pipe without a writer must not wait.
    Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (file.get() < 0)
        return tl::unexpected(ioError("io.open", name, "The file cannot be opened", errno));
    struct stat status = {};
    if (::fstat(file.get(), &status) != 0)
        return tl::unexpected(ioError("io.open", name, "The file cannot be examined", errno));
    if (!S_ISREG(status.st_mode)) {
        return refused({name}, "io.open", {}, "a regular file",
                       std::string(fileKindText(status.st_mode)),
                       "Only regular files can be mapped");
    }
    std::shared_ptr<OverlaidFile> result(new OverlaidFile);
    result->m_name = std::move(name);
    result->m_path = path;
    result->m_stamp = FileStamp::from(status);
    result->m_mark = FileStatusMark::from(status);
    const auto size = static_cast<std::size_t>(status.st_size);
    if (size == 0)
        return result; // an empty mapping is not allowed, and not needed
    if (const int fault = result->m_mapping.map(file.get(), size); fault != 0)
        return tl::unexpected(
            ioError("io.map", result->m_name, "The file cannot be mapped", fault));
    result->m_bytes = result->m_mapping.bytes();
    if (g_descriptors.fetch_add(1) < kMostDescriptors)
        result->m_descriptor = file.release();
    else
        g_descriptors.fetch_sub(1);
    return result;
}

std::shared_ptr<OverlaidFile> OverlaidFile::fromMemory(std::vector<std::byte> content,
                                                       std::string name)
{
    std::shared_ptr<OverlaidFile> result(new OverlaidFile);
    result->m_name = std::move(name);
    result->m_memory = std::move(content);
    result->m_bytes = result->m_memory;
    return result;
}

Result<std::shared_ptr<OverlaidFile>> OverlaidFile::withoutPath(int descriptor, std::size_t bytes,
                                                                std::string name)
{
    std::shared_ptr<OverlaidFile> result(new OverlaidFile);
    result->m_name = std::move(name);
    if (bytes == 0)
        return result;
    if (const int fault = result->m_mapping.map(descriptor, bytes); fault != 0)
        return tl::unexpected(
            ioError("io.map", result->m_name, "The file cannot be mapped", fault));
    result->m_bytes = result->m_mapping.bytes();
    return result;
}

OverlaidFile::~OverlaidFile()
{
    if (m_descriptor < 0)
        return;
    ::close(m_descriptor);
    g_descriptors.fetch_sub(1);
}

Result<void> OverlaidFile::checkInside(ByteRange range) const
{
    if (fitsInside(range, size()))
        return {};
    return refused({m_name, range.offset, range.bytes}, "patch.range", {},
                   fmt::format("inside a file of {} bytes", size().value),
                   fmt::format("{} bytes at offset {}", range.bytes.value, range.offset.value),
                   "The change would leave the file");
}

Result<void> OverlaidFile::write(FileOffset offset, std::span<const std::byte> content)
{
    return writeOver(offset, content, nullptr);
}

Result<void> OverlaidFile::write(FileOffset offset, std::span<const std::byte> content,
                                 const SharedBytes &before)
{
    return writeOver(offset, content, &before);
}

Result<void> OverlaidFile::writeOver(FileOffset offset, std::span<const std::byte> content,
                                     const SharedBytes *before)
{
    const std::unique_lock lock(m_mutex);
    TRY(checkInside({offset, ByteCount(content.size())}));
    // Bytes at either end that stay as they are must not make pages private.
    const auto current = m_bytes.subspan(offset.value, content.size());
    const auto same = std::mismatch(content.begin(), content.end(), current.begin()).first;
    const auto head = static_cast<std::size_t>(same - content.begin());
    if (head == content.size())
        return {};
    std::size_t end = content.size();
    while (content[end - 1] == current[end - 1])
        --end;
    const FileOffset start(offset.value + head);
    const ByteCount count(end - head);
    TRY(makeWritable({start, count}));
    SharedBytes earlier;
    if (before != nullptr && before->size() == content.size())
        earlier = before->part(head, count.value);
    keepOriginals({start, count}, earlier.empty() ? nullptr : &earlier);
    auto *target = const_cast<std::byte *>(m_bytes.data()) + start.value;
    std::memmove(target, content.data() + head, count.value);
    dropUnchanged({start, count});
    return {};
}

Result<void> OverlaidFile::restoreUnder(FileOffset offset, std::span<const std::byte> content)
{
    const std::unique_lock lock(m_mutex);
    const ByteRange range{offset, ByteCount(content.size())};
    TRY(checkInside(range));
    if (content.empty())
        return {};
    TRY(makeWritable(range));
    std::memmove(const_cast<std::byte *>(m_bytes.data()) + offset.value, content.data(),
                 content.size());
    m_restored.push_back(range);
    m_store = nullptr; // what it holds of the range is no longer what counts
    return {};
}

Result<std::shared_ptr<OverlaidFile>> OverlaidFile::fork() const
{
    std::shared_ptr<OverlaidFile> copy;
    if (m_path.empty()) {
        std::vector<std::byte> content(m_bytes.size());
        readDisk(FileOffset(0), content);
        copy = fromMemory(std::move(content), m_name);
    } else {
        auto opened = TRY(open(m_path, m_name));
        copy = std::move(opened);
        if (copy->m_stamp != m_stamp) {
            return ErrorBuilder("patch.stale")
                .file(m_name)
                .message("The file on disk is not the one that was opened; open it again")
                .unexpected();
        }
        for (const ByteRange &range : m_restored) {
            std::vector<std::byte> content(range.bytes.value);
            readDisk(range.offset, content);
            TRY(copy->restoreUnder(range.offset, content));
        }
    }
    TRY(copy->layChangesOf(*this));
    return copy;
}

Result<void> OverlaidFile::layChangesOf(const OverlaidFile &other)
{
    for (const ByteRange &run : other.changedBlocks()) {
        TRY(makeWritable(run));
        std::memcpy(const_cast<std::byte *>(m_bytes.data()) + run.offset.value,
                    other.m_bytes.data() + run.offset.value, run.bytes.value);
    }
    m_originals = other.m_originals;
    return {};
}

Result<void> OverlaidFile::makeWritable(ByteRange range)
{
    if (!m_mapping.mapped())
        return {};
    const int fault = m_mapping.makeWritable(range.offset.value, range.bytes.value);
    if (fault == 0)
        return {};
    return ErrorBuilder(ioError("io.map", m_name, "No memory for the change", fault))
        .at(range.offset)
        .length(range.bytes)
        .unexpected();
}

std::span<const std::byte> OverlaidFile::block(std::uint64_t start) const
{
    return m_bytes.subspan(start, std::min<std::size_t>(kOriginalBlock, m_bytes.size() - start));
}

void OverlaidFile::keepOriginals(ByteRange range, const SharedBytes *before)
{
    if (!m_store)
        m_store = BlockStore::make(m_bytes.size());
    const std::uint64_t first = range.offset.value / kOriginalBlock * kOriginalBlock;
    const auto isKept = [this](auto at, std::uint64_t start) {
        return at != m_originals.end() && at->first == start;
    };
    /// What is there now is the disk's: of blocks that are inside of `before`, and of the others.
    const auto isShared = [&](std::uint64_t start) {
        return before != nullptr && start >= range.offset.value &&
               start + block(start).size() <= range.end();
    };
    auto next = m_originals.lower_bound(first);
    for (std::uint64_t start = first; start < range.end();) {
        if (isKept(next, start)) {
            ++next;
            start += kOriginalBlock;
            continue;
        }
        Original original;
        std::uint64_t end = start + kOriginalBlock;
        if (isShared(start)) {
            original = {before->owner(), before->data() + (start - range.offset.value)};
        } else {
            while (end < range.end() && !isShared(end) &&
                   !(next != m_originals.end() && next->first == end))
                end += kOriginalBlock;
            end = std::min<std::uint64_t>(end, m_bytes.size());
            original = keptRun(start, end);
        }
        for (; start < end; start += kOriginalBlock, original.data += kOriginalBlock)
            next = std::next(m_originals.emplace_hint(next, start, original));
    }
}

/// A copy of the current bytes of some blocks.
OverlaidFile::Original OverlaidFile::keptRun(std::uint64_t start, std::uint64_t end)
{
    const auto now = m_bytes.subspan(start, end - start);
    if (m_store)
        return {m_store, m_store->keep(start, now)};
    const auto copy = std::make_shared<const std::vector<std::byte>>(now.begin(), now.end());
    return {copy, copy->data()};
}

void OverlaidFile::dropUnchanged(ByteRange range)
{
    const std::uint64_t start = range.offset.value / kOriginalBlock * kOriginalBlock;
    for (auto at = m_originals.lower_bound(start);
         at != m_originals.end() && at->first < range.end();) {
        const auto now = block(at->first);
        at = std::memcmp(now.data(), at->second.data, now.size()) == 0 ? m_originals.erase(at)
                                                                       : std::next(at);
    }
}

// What of a file differs from the disk.

std::vector<ByteRange> OverlaidFile::changedRanges(std::uint64_t gap, std::size_t most) const
{
    std::vector<ByteRange> ranges;
    for (const auto &[start, originals] : m_originals) {
        const auto now = block(start);
        for (std::size_t i = 0; i < now.size(); ++i) {
            if (now[i] == originals.data[i])
                continue;
            const std::uint64_t at = start + i;
            if (!ranges.empty() && at - ranges.back().end() < gap)
                ranges.back().bytes = ByteCount(at + 1 - ranges.back().offset.value);
            else if (ranges.size() < most)
                ranges.push_back({FileOffset(at), ByteCount(1)});
            else
                return ranges;
        }
    }
    return ranges;
}

std::vector<ByteRange> OverlaidFile::changedBlocks() const
{
    std::vector<ByteRange> runs;
    for (const auto &[start, originals] : m_originals) {
        if (!runs.empty() && runs.back().end() == start)
            runs.back().bytes = ByteCount(runs.back().bytes.value + block(start).size());
        else
            runs.push_back({FileOffset(start), ByteCount(block(start).size())});
    }
    return runs;
}

bool OverlaidFile::changed(ByteRange range) const
{
    const std::uint64_t end =
        checkedAdd(range.offset.value, range.bytes.value).value_or(UINT64_MAX);
    const std::uint64_t first = range.offset.value / kOriginalBlock * kOriginalBlock;
    for (auto at = m_originals.lower_bound(first); at != m_originals.end() && at->first < end;
         ++at) {
        const auto now = block(at->first);
        const auto from =
            std::max(range.offset.value, at->first) - at->first; // both within the block
        const auto until = std::min<std::uint64_t>(end - at->first, now.size());
        if (from < until &&
            std::memcmp(now.data() + from, at->second.data + from, until - from) != 0)
            return true;
    }
    return false;
}

std::byte OverlaidFile::diskByte(FileOffset offset) const
{
    const auto at = m_originals.find(offset.value / kOriginalBlock * kOriginalBlock);
    return at == m_originals.end() ? m_bytes[offset.value]
                                   : at->second.data[offset.value - at->first];
}

void OverlaidFile::readDisk(FileOffset offset, std::span<std::byte> out) const
{
    const auto now = m_bytes.subspan(offset.value, out.size());
    std::copy(now.begin(), now.end(), out.begin());
    const std::uint64_t end = offset.value + out.size();
    const std::uint64_t first = offset.value / kOriginalBlock * kOriginalBlock;
    for (auto at = m_originals.lower_bound(first); at != m_originals.end() && at->first < end;
         ++at) {
        const std::uint64_t from = std::max(offset.value, at->first);
        const std::uint64_t until = std::min(end, at->first + block(at->first).size());
        std::copy(at->second.data + (from - at->first), at->second.data + (until - at->first),
                  out.begin() + static_cast<std::ptrdiff_t>(from - offset.value));
    }
}

std::optional<SharedBytes> OverlaidFile::sharedDisk(ByteRange range) const
{
    if (range.bytes.value == 0 || !fitsInside(range, size()))
        return std::nullopt;
    const std::uint64_t first = range.offset.value / kOriginalBlock * kOriginalBlock;
    const auto found = m_originals.find(first);
    if (found == m_originals.end())
        return std::nullopt;
    const Original &original = found->second;
    auto at = found;
    for (std::uint64_t start = first; start < range.end(); start += kOriginalBlock, ++at) {
        if (at == m_originals.end() || at->first != start || at->second.owner != original.owner ||
            at->second.data != original.data + (start - first))
            return std::nullopt;
    }
    return SharedBytes(original.owner, {original.data + (range.offset.value - first),
                                        static_cast<std::size_t>(range.bytes.value)});
}

void OverlaidFile::giveUp(ByteRange range)
{
    const std::unique_lock lock(m_mutex);
    const std::uint64_t first =
        (range.offset.value + kOriginalBlock - 1) / kOriginalBlock * kOriginalBlock;
    const std::uint64_t end = range.end() / kOriginalBlock * kOriginalBlock;
    if (first >= end || !m_mapping.mapped())
        return;
    m_originals.erase(m_originals.lower_bound(first), m_originals.lower_bound(end));
    m_mapping.giveUp(first, end - first);
}

// How the file on disk stands against what was mapped of it.

void OverlaidFile::takeStamp()
{
    if (m_path.empty())
        return;
    struct stat status = {};
    const bool found = ::stat(m_path.c_str(), &status) == 0;
    const std::lock_guard lock(m_stampMutex);
    m_stamp = found ? std::optional(FileStamp::from(status)) : std::nullopt;
    m_mark = FileStatusMark::from(status);
}

void OverlaidFile::markSaved()
{
    const std::unique_lock lock(m_mutex);
    m_originals.clear();
    m_store = nullptr; // forks that share it keep the earlier bytes
    takeStamp();
}

void OverlaidFile::restamp()
{
    const std::unique_lock lock(m_mutex);
    takeStamp();
}

FileState OverlaidFile::state() const
{
    FileState state;
    if (m_path.empty())
        return state;
    state.found = FileStamp::of(m_path);
    const std::lock_guard lock(m_stampMutex);
    const auto place = [&](const std::optional<FileStamp> &other) {
        return other && m_stamp && other->device == m_stamp->device &&
               other->inode == m_stamp->inode;
    };
    std::optional<FileStamp> mapped = place(state.found) ? state.found : std::nullopt;
    bool rewritten = false; // written, with its old time set again
    if (struct stat status = {}; m_descriptor >= 0 && ::fstat(m_descriptor, &status) == 0) {
        mapped = FileStamp::from(status);
        // A file that was moved away has a later mark as well.
        rewritten = place(state.found) && FileStatusMark::from(status).unexplained(m_mark);
    }
    const auto lost = m_mapping.lost();
    if (!lost && !rewritten && mapped == m_stamp) {
        state.kind = state.found == m_stamp ? FileState::Kind::Same : FileState::Kind::Replaced;
        return state;
    }
    if (m_bytes.empty() && m_descriptor < 0) { // nothing was mapped: only the path can tell
        state.kind = place(state.found) ? FileState::Kind::Changed : FileState::Kind::Replaced;
        return state;
    }
    state.kind = FileState::Kind::Changed;
    state.found = mapped;
    std::uint64_t from = 0;
    if (mapped && mapped->bytes < m_bytes.size())
        from = mapped->bytes;
    else if (lost)
        from = lost->offset.value;
    state.range = {FileOffset(from), ByteCount(m_bytes.size() - from)};
    return state;
}

Error OverlaidFile::changedError(const FileState &state) const
{
    ErrorBuilder error("io.changed");
    error.file(m_name)
        .found(state.found ? state.found->text() : "no file")
        .message("Another program changed the file while it was read; open it again");
    if (state.kind == FileState::Kind::Changed)
        error.at(state.range.offset).length(state.range.bytes);
    if (const std::lock_guard lock(m_stampMutex); m_stamp)
        error.expected(m_stamp->text());
    return error;
}

Result<void> OverlaidFile::checkSame() const
{
    const FileState now = state();
    if (now.kind != FileState::Kind::Changed)
        return {};
    return tl::unexpected(changedError(now));
}

Result<void> OverlaidFile::checkInPlace() const
{
    const FileState now = state();
    if (now.kind == FileState::Kind::Same)
        return {};
    return tl::unexpected(changedError(now));
}

} // namespace kernscope
