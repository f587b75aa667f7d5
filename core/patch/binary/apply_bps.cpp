// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/little_endian.h"
#include "core/patch/binary/appliers.h"

#include <algorithm>

#include <fmt/format.h>

namespace kernscope::patch {

namespace {

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
        if (auto sound = checkFile(); !sound)
            return tl::unexpected(std::move(sound.error()));
        const std::uint64_t wanted = *m_head.targetBytes;
        const auto place = room(wanted);
        if (!place)
            return tl::unexpected(place.error());
        m_to = *place;
        while (m_patch.left() > bps::kChecksums) {
            if (auto done = step(); !done)
                return tl::unexpected(std::move(done.error()));
            ++m_result.steps;
        }
        if (m_result.bytes != wanted)
            return m_patch.error("binary_patch.cut", m_patch.at())
                .field("steps")
                .expected(fmt::format("{} bytes of the new file", wanted))
                .found(fmt::format("{}", m_result.bytes))
                .message("The steps of the patch do not make the whole file")
                .unexpected();
        if (const std::uint32_t found = checksumOf(m_to.first(wanted));
            found != *m_head.targetChecksum)
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
        if (!m_head.isFor(m_file)) {
            const bool done =
                m_file.size() == m_head.targetBytes && checksumOf(m_file) == *m_head.targetChecksum;
            return m_patch.error("binary_patch.source", bps::kMagic.size())
                .field("the file")
                .expected(fmt::format("{} bytes, CRC-32 {:08x}", *m_head.sourceBytes,
                                      *m_head.sourceChecksum))
                .found(fmt::format("{} bytes, CRC-32 {:08x}", m_file.size(), checksumOf(m_file)))
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
        const auto number = m_patch.number("step");
        if (!number)
            return tl::unexpected(number.error());
        const std::uint64_t length = (*number >> bps::kStepBits) + 1;
        const std::uint64_t done = m_result.bytes;
        if (length > *m_head.targetBytes - done)
            return outside(at, "length of a step", *m_head.targetBytes - done, length);
        if (m_progress != nullptr && !m_progress->advance(length))
            return tl::unexpected(cancelledError("The patch was not applied: cancelled"));
        switch (*number & ((1u << bps::kStepBits) - 1)) {
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
        const auto data = m_patch.take(length, "bytes of a step");
        if (!data)
            return tl::unexpected(data.error());
        append(*data);
        return {};
    }

    /// Moves a place by a distance whose lowest bit is its sign.
    Result<std::uint64_t> moved(std::uint64_t place, std::uint64_t most)
    {
        const std::uint64_t at = m_patch.at();
        const auto distance = m_patch.number("distance");
        if (!distance)
            return tl::unexpected(distance.error());
        const std::uint64_t way = *distance >> 1;
        const bool back = (*distance & 1) != 0;
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
        const auto from = moved(m_source, m_file.size());
        if (!from)
            return tl::unexpected(from.error());
        m_source = *from + length;
        return copyFromFile(at, *from, length);
    }

    /// Bytes of the new file; what the step itself has written may follow.
    Result<void> repeat(std::uint64_t at, std::uint64_t length)
    {
        const std::uint64_t done = m_result.bytes;
        const auto from = moved(m_target, done);
        if (!from)
            return tl::unexpected(from.error());
        if (*from >= done)
            return outside(at, "first byte of the new file that is repeated",
                           done == 0 ? 0 : done - 1, *from);
        for (std::uint64_t i = 0; i < length; ++i)
            m_to[done + i] = m_to[*from + i];
        m_result.bytes += length;
        m_target = *from + length;
        return {};
    }

    /// There is room: no step makes more than is left of the new file.
    void append(std::span<const std::byte> bytes)
    {
        std::copy(bytes.begin(), bytes.end(),
                  m_to.begin() + static_cast<std::ptrdiff_t>(m_result.bytes));
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

Result<PatchedFile> applyBps(std::span<const std::byte> file, const BinaryPatchHead &head,
                             PatchCursor &patch, const PatchRoom &room, Progress *progress)
{
    return BpsApplier(file, head, patch, progress).run(room);
}

Result<BinaryPatchHead> readBpsHead(std::span<const std::byte> patch, PatchCursor &cursor)
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
    const std::uint32_t found = checksumOf(patch.first(checksums + 8));
    if (stored != found)
        return cursor.error("binary_patch.checksum", checksums + 8)
            .field("CRC-32 of the patch")
            .expected(fmt::format("{:08x}", stored))
            .found(fmt::format("{:08x}", found))
            .message("The patch is damaged")
            .unexpected();
    head.sourceChecksum = loadLittle<std::uint32_t>(patch, checksums);
    head.targetChecksum = loadLittle<std::uint32_t>(patch, checksums + 4);
    const auto source = cursor.number("length of the file");
    if (!source)
        return tl::unexpected(source.error());
    const auto target = cursor.number("length of the new file");
    if (!target)
        return tl::unexpected(target.error());
    const auto metadata = cursor.number("length of the metadata");
    if (!metadata)
        return tl::unexpected(metadata.error());
    if (const auto skipped = cursor.take(*metadata, "metadata"); !skipped)
        return tl::unexpected(skipped.error());
    if (cursor.left() < bps::kChecksums)
        return cursor.error("binary_patch.cut", cursor.at())
            .message("The metadata of the patch leave no room for its checksums")
            .unexpected();
    head.sourceBytes = *source;
    head.targetBytes = *target;
    return head;
}

} // namespace kernscope::patch
