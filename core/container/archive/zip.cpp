// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/archive/zip.h"

#include "core/base/byte_text.h"
#include "core/base/error_builder.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>
#include <zlib.h>

namespace kernscope::archive {

namespace {

constexpr std::uint32_t kLocal = 0x04034b50, kEntry = 0x02014b50, kEnd = 0x06054b50,
                        kEnd64 = 0x06064b50, kLocator64 = 0x07064b50, kDescriptor = 0x08074b50;
constexpr std::size_t kEndBytes = 22, kEntryBytes = 46, kLocalBytes = 30, kLocatorBytes = 20,
                      kEnd64Bytes = 56;
constexpr std::size_t kChunk = std::size_t(1) << 30; ///< what zlib is given at once, in bytes
constexpr unsigned kExtra64 = 1; ///< tag of the numbers that 32 bits do not hold

/// CRC-32 of the bytes after those whose checksum is `before`.
std::uint32_t crcOf(std::span<const std::byte> bytes, std::uint32_t before = 0)
{
    uLong crc = before;
    for (std::size_t at = 0; at < bytes.size();) {
        const std::size_t some = std::min(bytes.size() - at, kChunk);
        crc =
            crc32(crc, reinterpret_cast<const Bytef *>(bytes.data() + at), static_cast<uInt>(some));
        at += some;
    }
    return static_cast<std::uint32_t>(crc);
}

using Bytes = std::span<const std::byte>;

constexpr std::size_t kMaxMembers = 1'000'000;

std::uint64_t number(Bytes bytes, std::uint64_t at, unsigned length)
{
    std::uint64_t value = 0;
    for (unsigned i = length; i-- > 0;)
        value = value << 8 | std::to_integer<std::uint64_t>(bytes[at + i]);
    return value;
}

bool fits(Bytes bytes, std::uint64_t at, std::uint64_t length)
{
    return at <= bytes.size() && length <= bytes.size() - at;
}

tl::unexpected<Error> fault(std::string_view code, std::string_view file, std::uint64_t offset,
                            std::string expected, std::string found, std::string_view message)
{
    return refused({file, FileOffset(offset)}, code, {}, expected, found, message);
}

struct Directory {
    std::uint64_t offset = 0, bytes = 0, members = 0;
};

std::optional<std::uint64_t> findEnd(Bytes archive)
{
    constexpr std::size_t kMaxComment = 65535;
    if (archive.size() < kEndBytes)
        return std::nullopt;
    const std::size_t last = archive.size() - kEndBytes;
    const std::size_t first = last > kMaxComment ? last - kMaxComment : 0;
    for (std::size_t at = last + 1; at-- > first;) {
        if (number(archive, at, 4) == kEnd && number(archive, at + 20, 2) <= last - at)
            return at;
    }
    return std::nullopt;
}

Result<Directory> findDirectory(Bytes archive, std::string_view file)
{
    const auto end = findEnd(archive);
    if (!end)
        return fault("zip.directory", file, archive.size(), "a central directory", "none",
                     "The archive has no directory; it may be cut");
    Directory directory{number(archive, *end + 16, 4), number(archive, *end + 12, 4),
                        number(archive, *end + 10, 2)};
    // Zip64: the locator stands right before the end record.
    if (*end >= kLocatorBytes && number(archive, *end - kLocatorBytes, 4) == kLocator64) {
        const std::uint64_t at = number(archive, *end - kLocatorBytes + 8, 8);
        if (fits(archive, at, kEnd64Bytes) && number(archive, at, 4) == kEnd64)
            directory = {number(archive, at + 48, 8), number(archive, at + 40, 8),
                         number(archive, at + 32, 8)};
    }
    if (!fits(archive, directory.offset, directory.bytes))
        return fault("zip.directory", file, *end, "a directory inside the file",
                     fmt::format("{} bytes at {}", directory.bytes, directory.offset),
                     "The archive's directory lies outside of the file");
    return directory;
}

/// Sizes and offset of more than 32 bits stand in an extra field of the entry.
void readZip64(Bytes extra, ZipMember &member)
{
    constexpr std::uint64_t kTag = 1, kAll = 0xFFFFFFFF;
    for (std::uint64_t at = 0; fits(extra, at, 4);) {
        const std::uint64_t tag = number(extra, at, 2), length = number(extra, at + 2, 2);
        at += 4;
        if (!fits(extra, at, length))
            return;
        if (tag == kTag) {
            std::uint64_t next = at;
            for (std::uint64_t *value :
                 {&member.bytes, &member.storedBytes, &member.headerOffset}) {
                if (*value == kAll && next + 8 <= at + length) {
                    *value = number(extra, next, 8);
                    next += 8;
                }
            }
        }
        at += length;
    }
}

/// Behind the local header, whose name and extra field may differ in length from the entry's.
bool findData(Bytes archive, ZipMember &member)
{
    const std::uint64_t at = member.headerOffset;
    if (!fits(archive, at, kLocalBytes) || number(archive, at, 4) != kLocal)
        return false;
    member.dataOffset =
        at + kLocalBytes + number(archive, at + 26, 2) + number(archive, at + 28, 2);
    return fits(archive, member.dataOffset, member.storedBytes);
}

/// A member that begins before the one in front of it has ended; null where there is none.
const ZipMember *overlapping(const std::vector<ZipMember> &members)
{
    std::vector<const ZipMember *> order;
    for (const ZipMember &member : members)
        order.push_back(&member);
    std::ranges::sort(order, {}, &ZipMember::headerOffset);
    for (std::size_t i = 1; i < order.size(); ++i) {
        if (order[i]->headerOffset < order[i - 1]->dataOffset + order[i - 1]->storedBytes)
            return order[i];
    }
    return nullptr;
}

constexpr std::uint64_t kWide = 0xffffffff; ///< from here on a number of 32 bits is in Zip64
constexpr unsigned kPlainVersion = 20, kVersion64 = 45;
constexpr unsigned kFlags = 0x0808;       // the checksum follows the data; names are UTF-8
constexpr unsigned kUnixVersion = 0x032d; // made on Unix, by version 4.5 of the specification
constexpr unsigned kFirstDay = 0x21;      // 1980-01-01: the same bytes whenever it is written
constexpr std::uint64_t kPlainFile = std::uint64_t{0100644} << 16;

/// Little-endian numbers, one after another.
class Fields
{
public:
    Fields &add(std::uint64_t value, unsigned bytes)
    {
        for (unsigned i = 0; i < bytes; ++i)
            m_bytes.push_back(static_cast<std::byte>(value >> (8 * i) & 0xff));
        return *this;
    }
    Fields &add(std::string_view text)
    {
        const auto bytes = std::as_bytes(std::span(text));
        m_bytes.insert(m_bytes.end(), bytes.begin(), bytes.end());
        return *this;
    }
    std::size_t size() const { return m_bytes.size(); }
    std::span<const std::byte> bytes() const { return m_bytes; }
    Fields &add(const Fields &other)
    {
        m_bytes.insert(m_bytes.end(), other.m_bytes.begin(), other.m_bytes.end());
        return *this;
    }

private:
    std::vector<std::byte> m_bytes;
};

std::uint64_t narrow(std::uint64_t value)
{
    return std::min(value, kWide);
}

tl::unexpected<Error> tooLarge(std::string expected, std::string found)
{
    return refused("zip.limit", {}, expected, found, "This does not fit in a zip archive");
}

/// How an inflation ended, and the bytes that it made.
struct Inflated {
    int state = Z_OK;
    std::size_t made = 0;
};

Inflated inflateInto(Bytes stored, std::span<std::byte> out)
{
    z_stream stream{};
    if (inflateInit2(&stream, -MAX_WBITS) != Z_OK)
        return {Z_MEM_ERROR, 0};
    Inflated done;
    std::size_t in = 0;
    while (done.state == Z_OK && (in < stored.size() || done.made < out.size())) {
        const std::size_t give = std::min(kChunk, stored.size() - in);
        const std::size_t room = std::min(kChunk, out.size() - done.made);
        stream.next_in = reinterpret_cast<Bytef *>(const_cast<std::byte *>(stored.data() + in));
        stream.avail_in = static_cast<uInt>(give);
        stream.next_out = reinterpret_cast<Bytef *>(out.data() + done.made);
        stream.avail_out = static_cast<uInt>(room);
        done.state = inflate(&stream, Z_NO_FLUSH);
        in += give - stream.avail_in;
        done.made += room - stream.avail_out;
        if (give == stream.avail_in && room == stream.avail_out)
            break; // no progress: the stream is cut or longer than it says
    }
    inflateEnd(&stream);
    return done;
}

} // namespace

bool isZip(Bytes bytes)
{
    return bytes.size() >= 4 && (number(bytes, 0, 4) == kLocal || number(bytes, 0, 4) == kEnd);
}

bool isSafePath(std::string_view path)
{
    if (path.empty() || path.front() == '/' || path.find('\\') != path.npos ||
        path.find('\0') != path.npos)
        return false;
    for (std::size_t at = 0; at <= path.size();) {
        const std::size_t end = std::min(path.find('/', at), path.size());
        const std::string_view step = path.substr(at, end - at);
        if (step == ".." || step == "." || (step.empty() && end != path.size()))
            return false;
        at = end + 1;
    }
    return true;
}

Result<std::vector<ZipMember>> readZip(Bytes archive, std::string_view fileName)
{
    const auto directory = TRY(findDirectory(archive, fileName));
    if (directory.members > kMaxMembers)
        return fault("zip.limit", fileName, directory.offset,
                     fmt::format("at most {} members", kMaxMembers),
                     fmt::format("{}", directory.members), "The archive has too many members");
    std::vector<ZipMember> members;
    const std::uint64_t end = directory.offset + directory.bytes;
    for (std::uint64_t at = directory.offset;
         members.size() < kMaxMembers && at + kEntryBytes <= end;) {
        if (number(archive, at, 4) != kEntry)
            break;
        const std::uint64_t name = number(archive, at + 28, 2), extra = number(archive, at + 30, 2),
                            comment = number(archive, at + 32, 2);
        const std::uint64_t next = at + kEntryBytes + name + extra + comment;
        if (next > end)
            return fault("zip.entry", fileName, at, "an entry inside the directory", "",
                         "An entry of the archive's directory is cut");
        ZipMember member;
        member.encrypted = (number(archive, at + 8, 2) & 1) != 0;
        member.method = static_cast<unsigned>(number(archive, at + 10, 2));
        member.crc = static_cast<std::uint32_t>(number(archive, at + 16, 4));
        member.storedBytes = number(archive, at + 20, 4);
        member.bytes = number(archive, at + 24, 4);
        member.headerOffset = number(archive, at + 42, 4);
        member.path = textInBytes(archive.subspan(at + kEntryBytes, name));
        readZip64(archive.subspan(at + kEntryBytes + name, extra), member);
        if (!findData(archive, member))
            return fault("zip.entry", fileName, at, "a member inside the file", member.path,
                         "A member of the archive lies outside of the file");
        members.push_back(std::move(member));
        at = next;
    }
    if (const ZipMember *second = overlapping(members))
        return fault("zip.overlap", fileName, second->headerOffset, "bytes of its own",
                     second->path, "Two members of the archive have bytes in common");
    return members;
}

static constexpr unsigned kStored = 0, kDeflated = 8;

static Result<void> checkMethod(const ZipMember &member, std::string_view fileName)
{
    if (!member.encrypted && (member.method == kStored || member.method == kDeflated))
        return {};
    return fault("zip.method", fileName, member.headerOffset, "stored or deflated",
                 member.encrypted ? "encrypted" : fmt::format("method {}", member.method),
                 "A member of the archive cannot be unpacked");
}

Result<std::vector<std::byte>> unpackHead(Bytes archive, const ZipMember &member, std::size_t most,
                                          std::string_view fileName)
{
    TRY(checkMethod(member, fileName));
    const Bytes stored = archive.subspan(member.dataOffset, member.storedBytes);
    const std::size_t room = std::min<std::uint64_t>(most, member.bytes);
    if (member.method == kStored)
        return std::vector<std::byte>(
            stored.begin(),
            stored.begin() + static_cast<std::ptrdiff_t>(std::min(room, stored.size())));
    std::vector<std::byte> out(room);
    out.resize(inflateInto(stored, out).made);
    return out;
}

tl::unexpected<Error> damagedMember(const ZipMember &member, std::string_view fileName,
                                    std::string found)
{
    return fault("zip.data", fileName, member.dataOffset,
                 fmt::format("{} bytes of {}", member.bytes, member.path), std::move(found),
                 "A member of the archive is damaged");
}

Result<void> checkSize(const ZipMember &member, std::uint64_t limit, std::string_view fileName)
{
    TRY(checkMethod(member, fileName));
    if (member.bytes > limit || member.bytes > std::numeric_limits<std::size_t>::max() / 2)
        return fault("zip.limit", fileName, member.headerOffset, fmt::format("{} bytes", limit),
                     fmt::format("{} bytes", member.bytes),
                     "A member of the archive is too large to be unpacked into memory");
    // deflate makes no more than about a thousand bytes of one: a size beyond is a lie.
    constexpr std::uint64_t kMostRatio = 1040;
    if (member.method == kStored ? member.storedBytes != member.bytes
                                 : member.bytes / kMostRatio > member.storedBytes)
        return damagedMember(member, fileName, fmt::format("{} bytes stored", member.storedBytes));
    return {};
}

Result<std::vector<std::byte>> unpack(Bytes archive, const ZipMember &member, std::uint64_t limit,
                                      std::string_view fileName)
{
    TRY(checkSize(member, limit, fileName));
    const Bytes stored = archive.subspan(member.dataOffset, member.storedBytes);
    std::vector<std::byte> out(member.bytes);
    if (member.method == kStored) {
        std::ranges::copy(stored, out.begin());
    } else {
        const Inflated inflated = inflateInto(stored, out);
        if (inflated.state != Z_STREAM_END || inflated.made != out.size())
            return damagedMember(member, fileName,
                                 inflated.state == Z_MEM_ERROR
                                     ? std::string("no memory")
                                     : fmt::format("{} bytes unpacked", inflated.made));
    }
    if (crcOf(out) != member.crc)
        return damagedMember(member, fileName, "another checksum");
    return out;
}

Result<void> ZipWriter::put(std::span<const std::byte> bytes)
{
    TRY(count(bytes.size()));
    return m_sink(bytes);
}

Result<void> ZipWriter::count(std::uint64_t bytes)
{
    const auto at = checkedAdd(m_at, bytes);
    if (!at)
        return tooLarge("an archive of at most 2^64 bytes", "more");
    m_at = *at;
    return {};
}

Result<void> ZipWriter::begin(std::string_view path, std::uint64_t bytes)
{
    TRY(endMember());
    constexpr std::size_t kLongest = 65535;
    if (path.size() > kLongest)
        return tooLarge(fmt::format("a path of at most {} bytes", kLongest),
                        fmt::format("{} bytes", path.size()));
    const bool wide = bytes >= kWide;
    Fields extra;
    if (wide)
        extra.add(kExtra64, 2).add(16, 2).add(0, 8).add(0, 8); // the sizes follow the data
    const std::uint64_t size = wide ? kWide : 0;
    Fields header;
    header.add(kLocal, 4).add(wide ? kVersion64 : kPlainVersion, 2).add(kFlags, 2).add(0, 2);
    header.add(0, 2).add(kFirstDay, 2).add(0, 4).add(size, 4).add(size, 4);
    header.add(path.size(), 2).add(extra.size(), 2).add(path).add(extra);
    m_members.push_back({std::string(path), m_at, bytes, 0});
    m_open = true;
    return put(header.bytes());
}

Result<void> ZipWriter::write(std::span<const std::byte> bytes)
{
    m_members.back().crc = crcOf(bytes, m_members.back().crc);
    return put(bytes);
}

Result<void> ZipWriter::endMember()
{
    if (!std::exchange(m_open, false))
        return {};
    const Member &member = m_members.back();
    const unsigned width = member.bytes >= kWide ? 8 : 4;
    Fields after;
    after.add(kDescriptor, 4).add(member.crc, 4).add(member.bytes, width).add(member.bytes, width);
    return put(after.bytes());
}

Result<void> ZipWriter::finish()
{
    TRY(endMember());
    const std::uint64_t directory = m_at;
    for (const Member &member : m_members) {
        Fields wide;
        if (member.bytes >= kWide)
            wide.add(member.bytes, 8).add(member.bytes, 8);
        if (member.headerAt >= kWide)
            wide.add(member.headerAt, 8);
        Fields extra;
        if (wide.size() > 0)
            extra.add(kExtra64, 2).add(wide.size(), 2).add(wide);
        Fields entry;
        entry.add(kEntry, 4).add(kUnixVersion, 2);
        entry.add(extra.size() > 0 ? kVersion64 : kPlainVersion, 2).add(kFlags, 2).add(0, 2);
        entry.add(0, 2).add(kFirstDay, 2).add(member.crc, 4);
        entry.add(narrow(member.bytes), 4).add(narrow(member.bytes), 4);
        entry.add(member.path.size(), 2).add(extra.size(), 2).add(0, 2).add(0, 2).add(0, 2);
        entry.add(kPlainFile, 4).add(narrow(member.headerAt), 4).add(member.path).add(extra);
        TRY(put(entry.bytes()));
    }
    constexpr std::uint64_t kMany = 0xffff; ///< members; from here on they are in Zip64
    const std::uint64_t end = m_at, bytes = end - directory, members = m_members.size();
    Fields last;
    if (directory >= kWide || bytes >= kWide || members >= kMany) {
        last.add(kEnd64, 4).add(kEnd64Bytes - 12, 8).add(kUnixVersion, 2).add(kVersion64, 2);
        last.add(0, 4).add(0, 4).add(members, 8).add(members, 8).add(bytes, 8).add(directory, 8);
        last.add(kLocator64, 4).add(0, 4).add(end, 8).add(1, 4);
    }
    const std::uint64_t few = std::min(members, kMany);
    last.add(kEnd, 4).add(0, 2).add(0, 2).add(few, 2).add(few, 2).add(narrow(bytes), 4);
    last.add(narrow(directory), 4).add(0, 2);
    return put(last.bytes());
}

} // namespace kernscope::archive
