// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/archive/zip_writer.h"

#include "core/base/error_builder.h"
#include "core/base/quantity.h"
#include "core/container/archive/zip_layout.h"

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>

namespace kernscope::archive {

namespace {

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
    return ErrorBuilder("zip.limit")
        .expected(std::move(expected))
        .found(std::move(found))
        .message("This does not fit in a zip archive")
        .unexpected();
}

} // namespace

Result<void> ZipWriter::put(std::span<const std::byte> bytes)
{
    if (auto counted = count(bytes.size()); !counted)
        return counted;
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
    if (auto ended = endMember(); !ended)
        return ended;
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
    if (auto ended = endMember(); !ended)
        return ended;
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
        if (auto written = put(entry.bytes()); !written)
            return written;
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
