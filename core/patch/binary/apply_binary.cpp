// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/patch/binary/apply_binary.h"

#include "core/base/little_endian.h"

#include <algorithm>

#include <fmt/format.h>
#include <zlib.h>

namespace kernscope::patch {

namespace {

using ByteView = std::span<const std::byte>;

Error tooLarge(const PatchCursor &patch, std::string_view what, std::uint64_t bytes,
               std::uint64_t most)
{
    return patch.error("binary_patch.limit", 0)
        .field(std::string(what))
        .expected(fmt::format("at most {} bytes", most))
        .found(fmt::format("{}", bytes))
        .message(fmt::format("{} is too large to be checked", what));
}

Error stopped()
{
    return cancelledError("The patch was not applied: cancelled");
}

Result<BinaryPatchHead> readHead(ByteView patch, PatchCursor &cursor, const Progress *progress)
{
    if (patch.size() > kMostPatch)
        return tl::unexpected(tooLarge(cursor, "The patch", patch.size(), kMostPatch));
    if (cursor.magic(ips::kMagic))
        return BinaryPatchHead();
    if (cursor.magic(bps::kMagic))
        return readBpsHead(patch, cursor, progress);
    return cursor.error("binary_patch.magic", 0)
        .expected("PATCH (IPS) or BPS1 (BPS)")
        .message("Neither an IPS nor a BPS patch")
        .unexpected();
}

/// Records of IPS, one after the other: read once for the length that they make and for faults,
/// then again over a copy of the file.
class IpsApplier
{
public:
    IpsApplier(std::span<const std::byte> file, PatchCursor &patch, Progress *progress)
        : m_file(file), m_patch(patch), m_progress(progress)
    {
    }

    Result<PatchedFile> run(const PatchRoom &room)
    {
        const PatchCursor start = m_patch;
        TRY(records());
        m_to = TRY(room(m_most));
        for (std::size_t at = 0; at < m_file.size(); at += kBetweenLooks) {
            const auto some = m_file.subspan(at, std::min(kBetweenLooks, m_file.size() - at));
            if (m_progress != nullptr && m_progress->cancelled())
                break; // records() says so
            std::copy(some.begin(), some.end(), m_to.begin() + static_cast<std::ptrdiff_t>(at));
        }
        m_patch = start;
        return records();
    }

private:
    static constexpr std::size_t kBetweenLooks = std::size_t(16) << 20;

    Result<PatchedFile> records()
    {
        m_result = PatchedFile();
        m_result.bytes = m_most = m_file.size();
        while (true) {
            if (m_progress != nullptr && m_progress->cancelled())
                return tl::unexpected(stopped());
            const std::uint64_t at = m_patch.at();
            const auto offset = TRY(m_patch.big(3, "offset of a record, or the end"));
            if (offset == ips::kEndOffset)
                return finish(at);
            TRY(record(at, offset));
            ++m_result.steps;
        }
    }

    Result<void> record(std::uint64_t at, std::uint64_t offset)
    {
        auto length = m_patch.big(2, "length of a record");
        if (!length)
            return tl::unexpected(std::move(length.error()));
        const bool run = *length == 0;
        if (run)
            length = m_patch.big(2, "length of a run");
        if (!length)
            return tl::unexpected(std::move(length.error()));
        if (*length == 0)
            return m_patch.error("binary_patch.record", at)
                .field("length of a run")
                .expected("1 and more")
                .found("0")
                .message("A run of no bytes")
                .unexpected();
        if (offset > m_result.bytes)
            return m_patch.error("binary_patch.source", at)
                .field("offset of a record")
                .expected(fmt::format("at most {:#x}, where the file ends", m_result.bytes))
                .found(fmt::format("{:#x}", offset))
                .message(
                    "The patch changes bytes behind the end of the file: it is for another one")
                .unexpected();
        const auto data = TRY(m_patch.take(run ? 1 : *length, "bytes of a record"));
        m_result.bytes = m_most = std::max(m_result.bytes, offset + *length);
        if (m_to.empty())
            return {};
        const auto to = m_to.begin() + static_cast<std::ptrdiff_t>(offset);
        if (run)
            std::fill_n(to, *length, data.front());
        else
            std::copy(data.begin(), data.end(), to);
        return {};
    }

    /// Behind the end there is nothing, or the length of a file that gets shorter.
    Result<PatchedFile> finish(std::uint64_t at)
    {
        if (m_patch.left() == 3) {
            const std::uint64_t place = m_patch.at();
            const auto length = m_patch.big(3, "new length");
            if (!length)
                return tl::unexpected(length.error());
            if (*length > m_result.bytes)
                return m_patch.error("binary_patch.range", place)
                    .field("new length")
                    .expected(fmt::format("at most {}, the length so far", m_result.bytes))
                    .found(fmt::format("{}", *length))
                    .message("The patch cuts the file behind its end")
                    .unexpected();
            m_result.bytes = *length;
        }
        if (m_patch.left() > 0)
            return m_patch.error("binary_patch.record", at)
                .field("end of the patch")
                .expected("nothing behind it, or a new length of 3 bytes")
                .found(fmt::format("{} bytes", m_patch.left()))
                .message(fmt::format("\"EOF\" is not the end: a record at offset {:#x} cannot be "
                                     "told from it",
                                     ips::kEndOffset))
                .unexpected();
        return m_result;
    }

    std::span<const std::byte> m_file;
    PatchCursor &m_patch;
    Progress *m_progress;
    std::span<std::byte> m_to; ///< empty: nothing is written yet
    std::uint64_t m_most = 0;  ///< length before the end cuts it
    PatchedFile m_result;
};

/// Steps of BPS. The head and the patch's own checksum have been read.
class BpsApplier
{
public:
    BpsApplier(std::span<const std::byte> file, const BinaryPatchHead &head, PatchCursor &patch,
               Progress *progress)
        : m_file(file), m_head(head), m_patch(patch), m_progress(progress)
    {
        m_result.format = BinaryFormat::Bps;
    }

    Result<PatchedFile> run(const PatchRoom &room)
    {
        TRY(checkFile());
        const std::uint64_t wanted = *m_head.targetBytes;
        m_to = TRY(room(wanted));
        while (m_patch.left() > bps::kChecksums) {
            TRY(step());
            ++m_result.steps;
        }
        if (m_result.bytes != wanted)
            return m_patch.error("binary_patch.cut", m_patch.at())
                .field("steps")
                .expected(fmt::format("{} bytes of the new file", wanted))
                .found(fmt::format("{}", m_result.bytes))
                .message("The steps of the patch do not make the whole file")
                .unexpected();
        const std::uint32_t found = checksumOf(m_to.first(wanted), m_progress);
        if (m_progress != nullptr && m_progress->cancelled())
            return tl::unexpected(stopped());
        if (found != *m_head.targetChecksum)
            return m_patch.error("binary_patch.target", m_patch.at() + 4)
                .field("CRC-32 of the new file")
                .expected(fmt::format("{:08x}", *m_head.targetChecksum))
                .found(fmt::format("{:08x}", found))
                .message("What the patch makes is not what it says")
                .unexpected();
        m_result.sourceChecked = m_result.targetChecked = true;
        return m_result;
    }

private:
    Result<void> checkFile() const
    {
        // A file of another length is not read.
        const bool sized =
            m_file.size() == m_head.sourceBytes || m_file.size() == m_head.targetBytes;
        const std::uint32_t found = sized ? checksumOf(m_file, m_progress) : 0;
        if (m_progress != nullptr && m_progress->cancelled())
            return tl::unexpected(stopped());
        if (m_file.size() != m_head.sourceBytes || found != *m_head.sourceChecksum) {
            const bool done =
                m_file.size() == m_head.targetBytes && found == *m_head.targetChecksum;
            return m_patch.error("binary_patch.source", bps::kMagic.size())
                .field("the file")
                .expected(fmt::format("{} bytes, CRC-32 {:08x}", *m_head.sourceBytes,
                                      *m_head.sourceChecksum))
                .found(fmt::format("{} bytes{}", m_file.size(),
                                   sized ? fmt::format(", CRC-32 {:08x}", found) : ""))
                .message(done ? "The file is what the patch makes already"
                              : "The patch is for another file")
                .unexpected();
        }
        const std::uint64_t most =
            std::max(kLeastLimit, (m_file.size() + m_patch.left()) * kMostGrowth);
        if (*m_head.targetBytes > most)
            return m_patch.error("binary_patch.limit", bps::kMagic.size())
                .field("length of the new file")
                .expected(fmt::format("at most {} bytes", most))
                .found(fmt::format("{}", *m_head.targetBytes))
                .message("The patch makes too large a file of this one")
                .unexpected();
        return {};
    }

    Result<void> step()
    {
        const std::uint64_t at = m_patch.at();
        const auto number = TRY(m_patch.number("step"));
        const std::uint64_t length = (number >> bps::kStepBits) + 1;
        const std::uint64_t done = m_result.bytes;
        if (length > *m_head.targetBytes - done)
            return outside(at, "length of a step", *m_head.targetBytes - done, length);
        if (m_progress != nullptr && !m_progress->advance(length))
            return tl::unexpected(stopped());
        switch (number & ((1u << bps::kStepBits) - 1)) {
        case bps::SourceRead: return copyFromFile(at, done, length);
        case bps::TargetRead: return copyFromPatch(length);
        case bps::SourceCopy: return copyFromElsewhere(at, length);
        default: return repeat(at, length);
        }
    }

    tl::unexpected<Error> outside(std::uint64_t at, const char *what, std::uint64_t most,
                                  std::uint64_t found) const
    {
        return m_patch.error("binary_patch.range", at)
            .field(what)
            .expected(fmt::format("at most {}", most))
            .found(fmt::format("{}", found))
            .message("A step of the patch reaches too far")
            .unexpected();
    }

    Result<void> copyFromFile(std::uint64_t at, std::uint64_t from, std::uint64_t length)
    {
        if (from > m_file.size() || length > m_file.size() - from)
            return outside(at, "end of the bytes of the file", m_file.size(), from + length);
        append(m_file.subspan(from, length));
        return {};
    }

    Result<void> copyFromPatch(std::uint64_t length)
    {
        const std::uint64_t at = m_patch.at();
        if (length > m_patch.left() - std::min<std::uint64_t>(m_patch.left(), bps::kChecksums))
            return outside(at, "bytes of the patch",
                           m_patch.left() - std::min<std::uint64_t>(m_patch.left(), 12), length);
        const auto data = TRY(m_patch.take(length, "bytes of a step"));
        append(data);
        return {};
    }

    /// Moves a place by a distance whose lowest bit is its sign.
    Result<std::uint64_t> moved(std::uint64_t place, std::uint64_t most)
    {
        const std::uint64_t at = m_patch.at();
        const auto distance = TRY(m_patch.number("distance"));
        const std::uint64_t way = distance >> 1;
        const bool back = (distance & 1) != 0;
        if (back ? way > place : way > most - std::min(place, most))
            return m_patch.error("binary_patch.range", at)
                .field("distance")
                .expected(fmt::format("from {} to a place from 0 to {}", place, most))
                .found(fmt::format("{}{}", back ? "-" : "+", way))
                .message("A step of the patch begins outside of what it reads")
                .unexpected();
        return back ? place - way : place + way;
    }

    Result<void> copyFromElsewhere(std::uint64_t at, std::uint64_t length)
    {
        const auto from = TRY(moved(m_source, m_file.size()));
        m_source = from + length;
        return copyFromFile(at, from, length);
    }

    /// Bytes of the new file; what the step itself has written may follow.
    Result<void> repeat(std::uint64_t at, std::uint64_t length)
    {
        const std::uint64_t done = m_result.bytes;
        const auto from = TRY(moved(m_target, done));
        if (from >= done)
            return outside(at, "first byte of the new file that is repeated",
                           done == 0 ? 0 : done - 1, from);
        for (std::uint64_t i = 0; i < length; ++i)
            m_to[done + i] = m_to[from + i];
        m_result.bytes += length;
        m_target = from + length;
        return {};
    }

    /// There is room: no step makes more than is left of the new file.
    void append(std::span<const std::byte> bytes)
    {
        std::ranges::copy(bytes, m_to.begin() + static_cast<std::ptrdiff_t>(m_result.bytes));
        m_result.bytes += bytes.size();
    }

    std::span<std::byte> m_to;
    std::span<const std::byte> m_file;
    const BinaryPatchHead &m_head;
    PatchCursor &m_patch;
    Progress *m_progress;
    PatchedFile m_result;
    std::uint64_t m_source = 0, m_target = 0; ///< behind the last copy from either
};

} // namespace

std::string_view binaryFormatName(BinaryFormat format)
{
    return format == BinaryFormat::Ips ? "ips" : "bps";
}

std::uint32_t checksumOf(ByteView bytes, const Progress *progress)
{
    constexpr std::size_t kBetweenLooks = std::size_t(16) << 20;
    uLong sum = crc32(0, nullptr, 0);
    for (std::size_t at = 0;
         at < bytes.size() && (progress == nullptr || !progress->cancelled());) {
        const std::size_t some = std::min(bytes.size() - at, kBetweenLooks);
        sum =
            crc32(sum, reinterpret_cast<const Bytef *>(bytes.data() + at), static_cast<uInt>(some));
        at += some;
    }
    return static_cast<std::uint32_t>(sum);
}

bool BinaryPatchHead::isFor(ByteView file) const
{
    return sourceBytes == file.size() && file.size() <= kMostPatched &&
           sourceChecksum == checksumOf(file);
}

Result<BinaryPatchHead> readBinaryPatch(ByteView patch, std::string_view name,
                                        const Progress *progress)
{
    PatchCursor cursor(patch, name);
    return readHead(patch, cursor, progress);
}

Result<PatchedFile> applyBinaryPatch(ByteView file, ByteView patch, std::string_view name,
                                     const PatchRoom &room, Progress *progress)
{
    PatchCursor cursor(patch, name);
    if (file.size() > kMostPatched)
        return tl::unexpected(
            tooLarge(cursor, "The file that the patch is for", file.size(), kMostPatched));
    const auto head = TRY(readHead(patch, cursor, progress));
    return head.format == BinaryFormat::Ips ? applyIps(file, cursor, room, progress)
                                            : applyBps(file, head, cursor, room, progress);
}

ErrorBuilder PatchCursor::error(std::string_view code, std::uint64_t at) const
{
    ErrorBuilder builder(code);
    builder.file(m_name).at(FileOffset(at));
    return builder;
}

Result<std::span<const std::byte>> PatchCursor::take(std::uint64_t count, std::string_view what)
{
    if (count > left())
        return error("binary_patch.cut", m_at)
            .field(std::string(what))
            .expected(fmt::format("{} bytes", count))
            .found(fmt::format("{} bytes", left()))
            .message("The patch ends too early")
            .unexpected();
    const auto taken = m_bytes.subspan(m_at, count);
    m_at += count;
    return taken;
}

Result<std::uint64_t> PatchCursor::big(std::uint64_t bytes, std::string_view what)
{
    const auto taken = TRY(take(bytes, what));
    std::uint64_t value = 0;
    for (const std::byte byte : taken)
        value = value << 8 | std::to_integer<std::uint64_t>(byte);
    return value;
}

Result<std::uint64_t> PatchCursor::number(std::string_view what)
{
    const std::uint64_t first = m_at;
    std::uint64_t value = 0, unit = 1;
    const auto tooLarge = [&] {
        return error("binary_patch.number", first)
            .field(std::string(what))
            .expected("a number of 64 bits")
            .message("A number of the patch is too large")
            .unexpected();
    };
    while (true) {
        const auto taken = TRY(take(1, what));
        const auto byte = std::to_integer<std::uint64_t>(taken.front());
        std::uint64_t digit = 0;
        if (__builtin_mul_overflow(byte & 0x7F, unit, &digit) ||
            __builtin_add_overflow(value, digit, &value))
            return tooLarge();
        if ((byte & 0x80) != 0)
            return value;
        if (unit >> (64 - 7) != 0 || __builtin_add_overflow(value, unit << 7, &value))
            return tooLarge();
        unit <<= 7;
    }
}

bool PatchCursor::magic(std::string_view text)
{
    if (left() < text.size())
        return false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (m_bytes[m_at + i] != static_cast<std::byte>(text[i]))
            return false;
    }
    m_at += text.size();
    return true;
}

Result<PatchedFile> applyIps(std::span<const std::byte> file, PatchCursor &patch,
                             const PatchRoom &room, Progress *progress)
{
    return IpsApplier(file, patch, progress).run(room);
}

Result<PatchedFile> applyBps(std::span<const std::byte> file, const BinaryPatchHead &head,
                             PatchCursor &patch, const PatchRoom &room, Progress *progress)
{
    return BpsApplier(file, head, patch, progress).run(room);
}

Result<BinaryPatchHead> readBpsHead(std::span<const std::byte> patch, PatchCursor &cursor,
                                    const Progress *progress)
{
    BinaryPatchHead head;
    head.format = BinaryFormat::Bps;
    if (patch.size() < bps::kMagic.size() + 3 + bps::kChecksums)
        return cursor.error("binary_patch.cut", patch.size())
            .expected(fmt::format("{} bytes and more", bps::kMagic.size() + 3 + bps::kChecksums))
            .found(fmt::format("{}", patch.size()))
            .message("The patch ends too early")
            .unexpected();
    const std::size_t checksums = patch.size() - bps::kChecksums;
    const auto stored = loadLittle<std::uint32_t>(patch, checksums + 8);
    const std::uint32_t found = checksumOf(patch.first(checksums + 8), progress);
    if (progress != nullptr && progress->cancelled())
        return tl::unexpected(stopped());
    if (stored != found)
        return cursor.error("binary_patch.checksum", checksums + 8)
            .field("CRC-32 of the patch")
            .expected(fmt::format("{:08x}", stored))
            .found(fmt::format("{:08x}", found))
            .message("The patch is damaged")
            .unexpected();
    head.sourceChecksum = loadLittle<std::uint32_t>(patch, checksums);
    head.targetChecksum = loadLittle<std::uint32_t>(patch, checksums + 4);
    const auto source = TRY(cursor.number("length of the file"));
    const auto target = TRY(cursor.number("length of the new file"));
    const auto metadata = cursor.number("length of the metadata");
    if (!metadata)
        return tl::unexpected(metadata.error());
    TRY(cursor.take(*metadata, "metadata"));
    if (cursor.left() < bps::kChecksums)
        return cursor.error("binary_patch.cut", cursor.at())
            .message("The metadata of the patch leave no room for its checksums")
            .unexpected();
    head.sourceBytes = source;
    head.targetBytes = target;
    return head;
}

} // namespace kernscope::patch
