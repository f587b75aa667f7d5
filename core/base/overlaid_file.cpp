// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/overlaid_file.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <mutex>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

namespace kernscope {

namespace {

/// Closes a file descriptor at the end of its scope.
class Descriptor
{
public:
    explicit Descriptor(int descriptor) : m_descriptor(descriptor) {}
    ~Descriptor()
    {
        if (m_descriptor >= 0)
            ::close(m_descriptor);
    }
    Descriptor(const Descriptor &) = delete;
    Descriptor &operator=(const Descriptor &) = delete;
    int get() const { return m_descriptor; }
    int release() { return std::exchange(m_descriptor, -1); }

private:
    int m_descriptor;
};

Error systemError(std::string code, const std::string &file, std::string_view what, int number)
{
    Error error;
    error.code = std::move(code);
    error.file = file;
    error.found = std::generic_category().message(number);
    error.message = std::string(what);
    return error;
}

std::string_view kindName(mode_t mode)
{
    if (S_ISDIR(mode))
        return "a folder";
    if (S_ISCHR(mode) || S_ISBLK(mode))
        return "a device";
    if (S_ISFIFO(mode))
        return "a pipe";
    if (S_ISSOCK(mode))
        return "a socket";
    return "something else";
}

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
        return tl::unexpected(systemError("io.open", name, "The file cannot be opened", errno));
    struct stat status = {};
    if (::fstat(file.get(), &status) != 0)
        return tl::unexpected(systemError("io.open", name, "The file cannot be examined", errno));
    if (!S_ISREG(status.st_mode)) {
        Error error;
        error.code = "io.open";
        error.file = name;
        error.expected = "a regular file";
        error.found = std::string(kindName(status.st_mode));
        error.message = "Only regular files can be mapped";
        return tl::unexpected(std::move(error));
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
            systemError("io.map", result->m_name, "The file cannot be mapped", fault));
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

OverlaidFile::~OverlaidFile()
{
    if (m_descriptor < 0)
        return;
    ::close(m_descriptor);
    g_descriptors.fetch_sub(1);
}

Result<void> OverlaidFile::write(FileOffset offset, std::span<const std::byte> content)
{
    const std::unique_lock lock(m_mutex);
    if (!fitsInside({offset, ByteCount(content.size())}, size())) {
        Error error;
        error.code = "patch.range";
        error.file = m_name;
        error.offset = offset;
        error.length = ByteCount(content.size());
        error.expected = fmt::format("inside a file of {} bytes", size().value);
        error.found = fmt::format("{} bytes at offset {}", content.size(), offset.value);
        error.message = "The change would leave the file";
        return tl::unexpected(std::move(error));
    }
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
    if (auto writable = makeWritable(start, count); !writable)
        return writable;
    keepOriginals(start, count);
    auto *target = const_cast<std::byte *>(m_bytes.data()) + start.value;
    std::memmove(target, content.data() + head, count.value);
    dropUnchanged(start, count);
    return {};
}

Result<void> OverlaidFile::makeWritable(FileOffset offset, ByteCount bytes)
{
    if (!m_mapping.mapped())
        return {};
    const int fault = m_mapping.makeWritable(offset.value, bytes.value);
    if (fault == 0)
        return {};
    Error error = systemError("io.map", m_name, "No memory for the change", fault);
    error.offset = offset;
    error.length = bytes;
    return tl::unexpected(std::move(error));
}

void OverlaidFile::keepOriginals(FileOffset offset, ByteCount bytes)
{
    const std::uint64_t end = offset.value + bytes.value;
    // The run that takes in [offset, end): the one that touches its start, or a new one there.
    auto run = m_originals.upper_bound(offset.value);
    const bool joinsBefore = run != m_originals.begin() &&
                             std::prev(run)->first + std::prev(run)->second.size() >= offset.value;
    run = joinsBefore ? std::prev(run)
                      : m_originals.emplace_hint(run, offset.value, std::vector<std::byte>());
    const std::uint64_t start = run->first;
    std::vector<std::byte> &originals = run->second;
    const auto appendFromFile = [&](std::uint64_t until) {
        const auto fresh =
            m_bytes.subspan(start + originals.size(), until - (start + originals.size()));
        originals.insert(originals.end(), fresh.begin(), fresh.end());
    };
    // Later runs that touch it are taken in, with the untouched bytes between.
    auto next = std::next(run);
    while (next != m_originals.end() && next->first <= end) {
        appendFromFile(next->first);
        originals.insert(originals.end(), next->second.begin(), next->second.end());
        next = m_originals.erase(next);
    }
    if (start + originals.size() < end)
        appendFromFile(end);
}

void OverlaidFile::dropUnchanged(FileOffset offset, ByteCount bytes)
{
    // keepOriginals made one run that covers the whole place; outside of the place that run holds
    // changed bytes only. From the back, so that each split moves what lies behind it just once.
    const auto run = std::prev(m_originals.upper_bound(offset.value));
    const std::uint64_t start = run->first;
    std::vector<std::byte> &originals = run->second;
    const auto same = [&](std::uint64_t at) { return m_bytes[at] == originals[at - start]; };
    auto behind = std::next(run);
    for (std::uint64_t at = offset.value + bytes.value; at > offset.value;) {
        if (!same(at - 1)) {
            --at;
            continue;
        }
        const std::uint64_t sameEnd = at;
        while (at > offset.value && same(at - 1))
            --at;
        const auto tail = originals.begin() + static_cast<std::ptrdiff_t>(sameEnd - start);
        if (tail != originals.end()) {
            behind = m_originals.emplace_hint(behind, sameEnd,
                                              std::vector<std::byte>(tail, originals.end()));
        }
        originals.resize(at - start);
    }
    if (originals.empty())
        m_originals.erase(run);
}

std::vector<ByteRange> OverlaidFile::changedRanges() const
{
    std::vector<ByteRange> ranges;
    ranges.reserve(m_originals.size());
    for (const auto &[start, originals] : m_originals)
        ranges.push_back({FileOffset(start), ByteCount(originals.size())});
    return ranges;
}

bool OverlaidFile::changed(ByteRange range) const
{
    const auto next = m_originals.lower_bound(range.offset.value);
    if (next != m_originals.end() && range.bytes.value > 0 &&
        next->first - range.offset.value < range.bytes.value)
        return true;
    if (next == m_originals.begin() || range.bytes.value == 0)
        return false;
    const auto before = std::prev(next);
    return before->first + before->second.size() > range.offset.value;
}

std::byte OverlaidFile::diskByte(FileOffset offset) const
{
    const auto next = m_originals.upper_bound(offset.value);
    if (next != m_originals.begin()) {
        const auto run = std::prev(next);
        const std::uint64_t distance = offset.value - run->first;
        if (distance < run->second.size())
            return run->second[distance];
    }
    return m_bytes[offset.value];
}

std::span<const std::byte> OverlaidFile::diskBytes(ByteRange changedRange) const
{
    const auto run = m_originals.find(changedRange.offset.value);
    if (run == m_originals.end() || run->second.size() != changedRange.bytes.value)
        return {};
    return run->second;
}

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
    Error error;
    error.code = "io.changed";
    error.file = m_name;
    if (state.kind == FileState::Kind::Changed) {
        error.offset = state.range.offset;
        error.length = state.range.bytes;
    }
    if (const std::lock_guard lock(m_stampMutex); m_stamp)
        error.expected = m_stamp->text();
    error.found = state.found ? state.found->text() : "no file";
    error.message = "Another program changed the file while it was read; open it again";
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
