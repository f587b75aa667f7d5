// SPDX-License-Identifier: GPL-3.0-or-later
// Sections of a segment: where their bytes and their relocation records lie.
#include "core/container/hwx/reader.h"

#include <algorithm>

#include <fmt/format.h>

namespace kernscope::hwx {

namespace {

constexpr std::uint64_t kSegmentHead = 72;
constexpr std::uint64_t kSectionRecord = 80;
constexpr std::uint64_t kRelocationRecord = 8;
constexpr std::uint64_t kSectionNameBytes = 16;
constexpr std::uint64_t kMaxRelocations = 1U << 20;

/// A type whose sections always have bytes in the file.
bool wantsBytes(const SegmentSection &section)
{
    const SectionType type = section.type();
    return type == SectionType::Kernel || type == SectionType::Text || type == SectionType::Debug;
}

std::string bytesAt(std::uint64_t bytes, std::uint64_t at)
{
    return fmt::format("{:#x} at {:#x}", bytes, at);
}

} // namespace

void TableReader::readSections(const Fields &fields, const LoadCommand &command, Segment &segment)
{
    std::uint64_t count = segment.sectionCount;
    const std::uint64_t room =
        command.size < kSegmentHead ? 0 : (command.size - kSegmentHead) / kSectionRecord;
    if (count != room) {
        report(Severity::Error, "hwx.section", command.offset.value,
               fmt::format("{} sections", room), fmt::format("{}", count),
               count > room ? "the segment names more sections than its command holds"
                            : "the segment names fewer sections than its command holds");
        count = room;
    }
    for (std::uint64_t i = 0; i < count; ++i) {
        const std::uint64_t at = kSegmentHead + i * kSectionRecord;
        SegmentSection section;
        section.ordinal = ++m_ordinal;
        section.name = fields.text(at, kSectionNameBytes);
        section.segment = fields.text(at + 16, kSectionNameBytes);
        section.address = fields.u64(at + 32);
        section.size = fields.u64(at + 40);
        section.offset = fields.u32(at + 48);
        section.alignLog2 = fields.u32(at + 52);
        section.relocationOffset = fields.u32(at + 56);
        section.relocationCount = fields.u32(at + 60);
        section.flags = fields.u32(at + 64);
        for (std::uint64_t r = 0; r < 3; ++r)
            section.reserved[static_cast<std::size_t>(r)] = fields.u32(at + 68 + 4 * r);
        section.place = FileOffset(command.offset.value + at);
        checkAddress(section, segment);
        placeSection(section, segment);
        readRelocations(section);
        segment.sections.push_back(std::move(section));
    }
}

/// A section lies in its segment's addresses, and as far from their start as its bytes lie from the
/// start of the segment's bytes.
void TableReader::checkAddress(const SegmentSection &section, const Segment &segment)
{
    if (!section.within(segment)) {
        report(Severity::Error, "hwx.section", section.place.value + 32,
               fmt::format("addresses within {}", bytesAt(segment.vmSize, segment.vmAddress)),
               bytesAt(section.size, section.address),
               fmt::format("section {} leaves the addresses of its segment {}", section.name,
                           segment.name));
        return;
    }
    if (!segment.hasBytes() || section.size == 0 || (section.offset == 0 && !wantsBytes(section)))
        return;
    const auto offset =
        checkedAdd(segment.fileOffset, section.address - segment.vmAddress).value_or(UINT64_MAX);
    if (section.offset != offset)
        report(Severity::Error, "hwx.section", section.place.value + 48,
               fmt::format("offset {:#x}, by its address", offset),
               fmt::format("{:#x}", section.offset),
               fmt::format("offset and address of section {} name different places in segment {}",
                           section.name, segment.name));
}

/// A section has bytes where its segment has, and its offset lies within the segment's bytes.
void TableReader::placeSection(SegmentSection &section, const Segment &segment)
{
    if (section.size == 0 || section.offset == 0 || (!segment.hasBytes() && !wantsBytes(section)))
        return;
    const ByteRange range{FileOffset(section.offset), ByteCount(section.size)};
    const bool inside = section.offset >= segment.fileOffset &&
                        fitsInside({FileOffset(section.offset - segment.fileOffset), range.bytes},
                                   ByteCount(segment.fileSize));
    if (!inside || !fitsInside(range, ByteCount(m_bytes.size()))) {
        report(Severity::Error, "hwx.section", section.place.value,
               fmt::format("bytes within segment {}: {}", segment.name,
                           bytesAt(segment.fileSize, segment.fileOffset)),
               bytesAt(section.size, section.offset),
               fmt::format("section {} leaves its segment or the file", section.name));
        if (section.offset >= m_bytes.size())
            return;
    }
    const std::uint64_t room = m_bytes.size() - section.offset;
    section.bytes = ByteRange{range.offset, ByteCount(std::min(section.size, room))};
}

/// Records lie behind the header and the commands. Where the number cannot be right, they are read
/// as far as they name places of the section.
void TableReader::readRelocations(SegmentSection &section)
{
    std::uint64_t count = section.relocationCount;
    if (count == 0)
        return;
    const std::uint64_t begin = section.relocationOffset;
    const bool placed = begin >= m_commandsEnd && begin <= m_bytes.size();
    const std::uint64_t room =
        placed ? std::min((m_bytes.size() - begin) / kRelocationRecord, kMaxRelocations) : 0;
    const bool fits = count <= room;
    if (!fits) {
        report(
            Severity::Error, "hwx.relocation", section.place.value + (placed ? 60 : 56),
            placed ? fmt::format("up to {} records", room)
                   : std::string("records behind the commands"),
            placed ? fmt::format("{}", count) : fmt::format("offset {:#x}", begin),
            fmt::format("section {} names relocations that the file does not hold", section.name));
        count = room;
    }
    if (fits)
        section.relocations.reserve(static_cast<std::size_t>(count));
    for (std::uint64_t i = 0; i < count; ++i) {
        const std::uint64_t at = begin + i * kRelocationRecord;
        const Relocation relocation{loadLittle<std::uint32_t>(m_bytes, at),
                                    loadLittle<std::uint32_t>(m_bytes, at + 4), FileOffset(at)};
        const bool plausible = relocation.address < section.size && relocation.symbolNumber() != 0;
        if (!fits && !plausible)
            return;
        section.relocations.push_back(relocation);
    }
}

} // namespace kernscope::hwx
