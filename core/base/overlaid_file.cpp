// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/overlaid_file.h"

#include "core/base/block_store.h"
#include "core/base/error_builder.h"

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
    return ErrorBuilder(code)
        .file(file)
        .found(std::generic_category().message(number))
        .message(what);
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
        return ErrorBuilder("io.open")
            .file(name)
            .expected("a regular file")
            .found(std::string(fileKindText(status.st_mode)))
            .message("Only regular files can be mapped")
            .unexpected();
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

Result<std::shared_ptr<OverlaidFile>> OverlaidFile::withoutPath(int descriptor, std::size_t bytes,
                                                                std::string name)
{
    std::shared_ptr<OverlaidFile> result(new OverlaidFile);
    result->m_name = std::move(name);
    if (bytes == 0)
        return result;
    if (const int fault = result->m_mapping.map(descriptor, bytes); fault != 0)
        return tl::unexpected(
            systemError("io.map", result->m_name, "The file cannot be mapped", fault));
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
    return ErrorBuilder("patch.range")
        .file(m_name)
        .at(range.offset)
        .length(range.bytes)
        .expected(fmt::format("inside a file of {} bytes", size().value))
        .found(fmt::format("{} bytes at offset {}", range.bytes.value, range.offset.value))
        .message("The change would leave the file")
        .unexpected();
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
    if (auto inside = checkInside(range); !inside)
        return inside;
    if (content.empty())
        return {};
    if (auto writable = makeWritable(range); !writable)
        return writable;
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
        auto opened = open(m_path, m_name);
        if (!opened)
            return opened;
        copy = std::move(*opened);
        if (copy->m_stamp != m_stamp) {
            return ErrorBuilder("patch.stale")
                .file(m_name)
                .message("The file on disk is not the one that was opened; open it again")
                .unexpected();
        }
        for (const ByteRange &range : m_restored) {
            std::vector<std::byte> content(range.bytes.value);
            readDisk(range.offset, content);
            if (auto laid = copy->restoreUnder(range.offset, content); !laid)
                return tl::unexpected(std::move(laid.error()));
        }
    }
    if (auto laid = copy->layChangesOf(*this); !laid)
        return tl::unexpected(std::move(laid.error()));
    return copy;
}

Result<void> OverlaidFile::layChangesOf(const OverlaidFile &other)
{
    for (const ByteRange &run : other.changedBlocks()) {
        if (auto writable = makeWritable(run); !writable)
            return writable;
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
    return ErrorBuilder(systemError("io.map", m_name, "No memory for the change", fault))
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

} // namespace kernscope
