// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/overlaid_file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <mutex>
#include <system_error>

#include <fcntl.h>
#include <sys/mman.h>
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

FileStamp stampFrom(const struct stat &status)
{
    FileStamp stamp;
    stamp.device = static_cast<std::uint64_t>(status.st_dev);
    stamp.inode = static_cast<std::uint64_t>(status.st_ino);
    stamp.bytes = static_cast<std::uint64_t>(status.st_size);
    stamp.modifiedSeconds = status.st_mtim.tv_sec;
    stamp.modifiedNanoseconds = status.st_mtim.tv_nsec;
    return stamp;
}

} // namespace

Result<std::shared_ptr<OverlaidFile>> OverlaidFile::open(const std::filesystem::path &path,
                                                         std::string name)
{
    // O_NONBLOCK: opening a pipe without a writer must not wait.
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
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
    result->m_stamp = stampFrom(status);
    const auto size = static_cast<std::size_t>(status.st_size);
    if (size == 0)
        return result; // an empty mapping is not allowed, and not needed
    void *mapping = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.get(), 0);
    if (mapping == MAP_FAILED)
        return tl::unexpected(
            systemError("io.map", result->m_name, "The file cannot be mapped", errno));
    result->m_mapping = mapping;
    result->m_bytes = {static_cast<const std::byte *>(mapping), size};
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
    if (m_mapping != nullptr)
        ::munmap(m_mapping, m_bytes.size());
}

Result<void> OverlaidFile::checkInside(ByteRange range) const
{
    if (fitsInside(range, size()))
        return {};
    Error error;
    error.code = "patch.range";
    error.file = m_name;
    error.offset = range.offset;
    error.length = range.bytes;
    error.expected = fmt::format("inside a file of {} bytes", size().value);
    error.found = fmt::format("{} bytes at offset {}", range.bytes.value, range.offset.value);
    error.message = "The change would leave the file";
    return tl::unexpected(std::move(error));
}

Result<void> OverlaidFile::write(FileOffset offset, std::span<const std::byte> content)
{
    const std::unique_lock lock(m_mutex);
    if (auto inside = checkInside({offset, ByteCount(content.size())}); !inside)
        return inside;
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
    if (auto writable = makeWritable({start, count}); !writable)
        return writable;
    keepOriginals({start, count});
    auto *target = const_cast<std::byte *>(m_bytes.data()) + start.value;
    std::memmove(target, content.data() + head, count.value);
    dropUnchanged({start, count});
    return {};
}

Result<void> OverlaidFile::restoreUnder(FileOffset offset, std::span<const std::byte> content)
{
    const std::unique_lock lock(m_mutex);
    const ByteRange range{offset, ByteCount(content.size())};
    if (auto inside = checkInside(range); !inside)
        return inside;
    if (content.empty())
        return {};
    if (auto writable = makeWritable(range); !writable)
        return writable;
    std::memmove(const_cast<std::byte *>(m_bytes.data()) + offset.value, content.data(),
                 content.size());
    m_restored.push_back(range);
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
        auto opened = open(m_path, m_name);
        if (!opened)
            return opened;
        copy = std::move(*opened);
        if (copy->m_stamp != m_stamp) {
            Error error;
            error.code = "patch.stale";
            error.file = m_name;
            error.message = "The file on disk is not the one that was opened; open it again";
            return tl::unexpected(std::move(error));
        }
        for (const ByteRange &range : m_restored) {
            std::vector<std::byte> content(range.bytes.value);
            readDisk(range.offset, content);
            if (auto laid = copy->restoreUnder(range.offset, content); !laid)
                return tl::unexpected(std::move(laid.error()));
        }
    }
    for (const auto &[start, originals] : m_originals) {
        if (auto written = copy->write(FileOffset(start), block(start)); !written)
            return tl::unexpected(std::move(written.error()));
    }
    return copy;
}

Result<void> OverlaidFile::makeWritable(ByteRange range)
{
    if (m_mapping == nullptr)
        return {};
    // In large pieces and each once: many small changes would cost a call each. Pages stay shared
    // with the file until they are written.
    constexpr std::uint64_t kPiece = std::uint64_t{1} << 20;
    constexpr int kAccess = PROT_READ | PROT_WRITE;
    m_writable.resize(static_cast<std::size_t>((m_bytes.size() + kPiece - 1) / kPiece));
    const std::uint64_t last = (range.end() - 1) / kPiece;
    for (std::uint64_t piece = range.offset.value / kPiece; piece <= last; ++piece) {
        if (m_writable[piece])
            continue;
        auto *at = static_cast<std::byte *>(m_mapping) + piece * kPiece;
        const std::uint64_t length = std::min(kPiece, m_bytes.size() - piece * kPiece);
        if (::mprotect(at, length, kAccess) == 0) {
            m_writable[piece] = true;
            continue;
        }
        // Each piece apart from the others splits the mapping, and the system limits the splits
        // (some 65,000): making all of it writable takes one mapping again.
        if (errno == ENOMEM && ::mprotect(m_mapping, m_bytes.size(), kAccess) == 0) {
            m_writable.assign(m_writable.size(), true);
            return {};
        }
        Error error = systemError("io.map", m_name, "No memory for the change", errno);
        error.offset = range.offset;
        error.length = range.bytes;
        return tl::unexpected(std::move(error));
    }
    return {};
}

std::span<const std::byte> OverlaidFile::block(std::uint64_t start) const
{
    return m_bytes.subspan(start, std::min<std::size_t>(kOriginalBlock, m_bytes.size() - start));
}

void OverlaidFile::keepOriginals(ByteRange range)
{
    std::uint64_t start = range.offset.value / kOriginalBlock * kOriginalBlock;
    auto next = m_originals.lower_bound(start);
    for (; start < range.end(); start += kOriginalBlock) {
        if (next == m_originals.end() || next->first != start) {
            const auto now = block(start);
            next = m_originals.emplace_hint(next, start,
                                            std::vector<std::byte>(now.begin(), now.end()));
        }
        ++next;
    }
}

void OverlaidFile::dropUnchanged(ByteRange range)
{
    const std::uint64_t start = range.offset.value / kOriginalBlock * kOriginalBlock;
    for (auto at = m_originals.lower_bound(start);
         at != m_originals.end() && at->first < range.end();) {
        const auto now = block(at->first);
        at = std::equal(now.begin(), now.end(), at->second.begin()) ? m_originals.erase(at)
                                                                    : std::next(at);
    }
}

std::vector<ByteRange> OverlaidFile::changedRanges(std::uint64_t gap, std::size_t most) const
{
    std::vector<ByteRange> ranges;
    for (const auto &[start, originals] : m_originals) {
        const auto now = block(start);
        for (std::size_t i = 0; i < now.size(); ++i) {
            if (now[i] == originals[i])
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
        if (from < until && !std::equal(now.begin() + static_cast<std::ptrdiff_t>(from),
                                        now.begin() + static_cast<std::ptrdiff_t>(until),
                                        at->second.begin() + static_cast<std::ptrdiff_t>(from)))
            return true;
    }
    return false;
}

std::byte OverlaidFile::diskByte(FileOffset offset) const
{
    const auto at = m_originals.find(offset.value / kOriginalBlock * kOriginalBlock);
    return at == m_originals.end() ? m_bytes[offset.value] : at->second[offset.value - at->first];
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
        const std::uint64_t until = std::min(end, at->first + at->second.size());
        std::copy(at->second.begin() + static_cast<std::ptrdiff_t>(from - at->first),
                  at->second.begin() + static_cast<std::ptrdiff_t>(until - at->first),
                  out.begin() + static_cast<std::ptrdiff_t>(from - offset.value));
    }
}

void OverlaidFile::markSaved()
{
    const std::unique_lock lock(m_mutex);
    m_originals.clear();
    if (!m_path.empty())
        m_stamp = stampOf(m_path);
}

void OverlaidFile::restamp()
{
    const std::unique_lock lock(m_mutex);
    if (!m_path.empty())
        m_stamp = stampOf(m_path);
}

std::optional<FileStamp> OverlaidFile::stampOf(const std::filesystem::path &path)
{
    struct stat status = {};
    if (::stat(path.c_str(), &status) != 0)
        return std::nullopt;
    return stampFrom(status);
}

} // namespace kernscope
