// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/hwx/reader.h"

#include <algorithm>

#include <fmt/format.h>

namespace kernscope::hwx {

namespace {

constexpr std::uint64_t kSegmentHead = 72;
constexpr std::uint64_t kSectionRecord = 80;
constexpr std::uint64_t kRelocationRecord = 8;
constexpr std::uint64_t kNameBytes = 16;
constexpr std::uint64_t kMaxRelocations = 1U << 20;
constexpr std::uint64_t kMaxTags = 256;
constexpr std::uint64_t kMaxText = 4096;

} // namespace

void TableReader::readSegment(const LoadCommand &command)
{
    const Fields fields(m_bytes, command.offset.value, command.size);
    Segment segment;
    segment.name = fields.text(8, kNameBytes);
    segment.vmAddress = fields.u64(24);
    segment.vmSize = fields.u64(32);
    segment.fileOffset = fields.u64(40);
    segment.fileSize = fields.u64(48);
    segment.maxProtection = fields.u32(56);
    segment.initProtection = fields.u32(60);
    segment.sectionCount = fields.u32(64);
    segment.flags = fields.u32(68);
    if (!fields.complete())
        report(Severity::Error, "hwx.segment", command.offset.value, "72 bytes",
               fmt::format("{}", command.size), "the segment command is cut short");
    if (!fitsInside({FileOffset(segment.fileOffset), ByteCount(segment.fileSize)},
                    ByteCount(m_bytes.size())))
        report(Severity::Error, "hwx.segment", command.offset.value,
               fmt::format("bytes within {:#x}", m_bytes.size()),
               fmt::format("{:#x} at {:#x}", segment.fileSize, segment.fileOffset),
               fmt::format("segment {} runs past the file", segment.name));
    readSections(fields, command, segment);
    m_result.segments.push_back(std::move(segment));
}

void TableReader::readSections(const Fields &fields, const LoadCommand &command, Segment &segment)
{
    std::uint64_t count = segment.sectionCount;
    const std::uint64_t room =
        command.size < kSegmentHead ? 0 : (command.size - kSegmentHead) / kSectionRecord;
    if (count > room) {
        report(Severity::Error, "hwx.section", command.offset.value,
               fmt::format("{} sections", room), fmt::format("{}", count),
               "the segment names more sections than its command holds");
        count = room;
    }
    for (std::uint64_t i = 0; i < count; ++i) {
        const std::uint64_t at = kSegmentHead + i * kSectionRecord;
        Section section;
        section.ordinal = ++m_ordinal;
        section.name = fields.text(at, kNameBytes);
        section.segment = fields.text(at + 16, kNameBytes);
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
        placeSection(section, segment);
        readRelocations(section);
        segment.sections.push_back(std::move(section));
    }
}

/// A section has bytes where its segment has, and its offset lies within the segment's bytes.
void TableReader::placeSection(Section &section, const Segment &segment)
{
    if (!segment.hasBytes() || section.size == 0 || section.offset == 0)
        return;
    const ByteRange range{FileOffset(section.offset), ByteCount(section.size)};
    const bool inside = section.offset >= segment.fileOffset &&
                        fitsInside({FileOffset(section.offset - segment.fileOffset), range.bytes},
                                   ByteCount(segment.fileSize));
    if (!inside || !fitsInside(range, ByteCount(m_bytes.size()))) {
        report(Severity::Error, "hwx.section", section.place.value,
               fmt::format("bytes within segment {}", segment.name),
               fmt::format("{:#x} at {:#x}", section.size, section.offset),
               fmt::format("section {} leaves its segment or the file", section.name));
        if (section.offset >= m_bytes.size())
            return;
    }
    const std::uint64_t room = m_bytes.size() - section.offset;
    section.bytes = ByteRange{range.offset, ByteCount(std::min(section.size, room))};
}

void TableReader::readRelocations(Section &section)
{
    std::uint64_t count = section.relocationCount;
    if (count == 0)
        return;
    const std::uint64_t room =
        section.relocationOffset > m_bytes.size()
            ? 0
            : (m_bytes.size() - section.relocationOffset) / kRelocationRecord;
    if (count > std::min(room, kMaxRelocations)) {
        report(Severity::Error, "hwx.relocation", section.place.value,
               fmt::format("{} records", std::min(room, kMaxRelocations)), fmt::format("{}", count),
               "the section names more relocations than the file holds");
        count = std::min(room, kMaxRelocations);
    }
    section.relocations.reserve(static_cast<std::size_t>(count));
    for (std::uint64_t i = 0; i < count; ++i) {
        const std::uint64_t at = section.relocationOffset + i * kRelocationRecord;
        section.relocations.push_back({loadLittle<std::uint32_t>(m_bytes, at),
                                       loadLittle<std::uint32_t>(m_bytes, at + 4), FileOffset(at)});
    }
}

void TableReader::readBinding(const LoadCommand &command)
{
    const Fields fields(m_bytes, command.offset.value, command.size);
    Binding binding;
    binding.nameOffset = fields.u32(8);
    binding.minorVersion = fields.u32(12);
    binding.addressBits = command.kind == CommandKind::Binding64 ? 64 : 32;
    binding.address = binding.addressBits == 64 ? fields.u64(16) : fields.u32(16);
    binding.name = fields.text(binding.nameOffset, kMaxText);
    if (!fields.complete())
        report(Severity::Error, "hwx.binding", command.offset.value, "a name within the command",
               fmt::format("offset {:#x}", binding.nameOffset), "the port binding is cut short");
    m_result.bindings.push_back(std::move(binding));
}

void TableReader::readNote(const LoadCommand &command)
{
    const Fields fields(m_bytes, command.offset.value, command.size);
    Note note;
    if (command.kind == CommandKind::Note) {
        note.owner = fields.text(8, kNameBytes);
        note.offset = fields.u64(24);
        note.size = fields.u64(32);
    } else {
        note.owner = "signature";
        note.offset = fields.u32(8);
        note.size = fields.u32(12);
    }
    if (!fields.complete())
        report(Severity::Error, "hwx.note", command.offset.value, {}, {}, "the note is cut short");
    m_result.notes.push_back(std::move(note));
}

void TableReader::readIdent(const LoadCommand &command)
{
    const Fields fields(m_bytes, command.offset.value, command.size);
    const std::string all = fields.text(8, command.size);
    Ident ident;
    std::string_view rest = all;
    constexpr std::string_view kCompiler = "zin_ane_compiler v";
    for (bool first = true; !rest.empty(); first = false) {
        const auto end = std::min(rest.find('\n'), rest.size());
        const std::string_view line = rest.substr(0, end);
        rest.remove_prefix(std::min(end + 1, rest.size()));
        if (first)
            ident.firstLine = line;
        else if (line.starts_with(kCompiler))
            ident.compilerVersion = line.substr(kCompiler.size());
        else if (line.starts_with("\t-"))
            ident.flags.emplace_back(line.substr(1));
        else if (const auto text = line.substr(line.starts_with('\t') ? 1 : 0); !text.empty())
            ident.modules.emplace_back(text);
        if (line.starts_with("\t-t "))
            ident.target = line.substr(4);
    }
    m_result.ident = std::move(ident);
}

void TableReader::readThread(const LoadCommand &command)
{
    const Fields fields(m_bytes, command.offset.value, command.size);
    Thread thread;
    thread.flavor = fields.u32(8);
    thread.count = fields.u32(12);
    thread.stateEnd = 16 + 4ULL * thread.count;
    if (thread.stateEnd > command.size)
        report(Severity::Error, "hwx.thread", command.offset.value,
               fmt::format("a state within {:#x} bytes", command.size),
               fmt::format("{:#x}", thread.stateEnd), "the thread's state runs past its command");
    if (thread.flavor == 1 || thread.flavor == 4) {
        thread.role = ThreadRole::Program;
        readProgram(fields, thread);
    } else if (thread.flavor == 3) {
        thread.role = ThreadRole::Port;
        readPort(fields, thread);
    } else {
        report(Severity::Note, "hwx.thread", command.offset.value, "flavor 1, 3 or 4",
               fmt::format("{}", thread.flavor), "a thread of an unknown flavor, shown raw");
    }
    if (thread.role != ThreadRole::Unknown && !fields.complete())
        report(Severity::Error, "hwx.thread", command.offset.value, {},
               fmt::format("{:#x} bytes", command.size), "the thread's command is cut short");
    m_result.threads.push_back(std::move(thread));
}

void TableReader::readProgram(const Fields &fields, Thread &thread)
{
    constexpr std::uint64_t kApertures = 0x10, kBase = 0x810;
    const std::uint64_t step = thread.flavor == 1 ? 8 : 16;
    for (std::uint64_t at = kApertures; at < kBase && at + 8 <= fields.size(); at += step) {
        if (const std::uint64_t address = fields.u64(at))
            thread.apertures[static_cast<std::uint32_t>((at - kApertures) / step)] = address;
    }
    thread.tdBase = fields.u64(kBase);
    if (thread.flavor == 1) {
        thread.firstTaskWords = fields.u32(0x818);
        if (*thread.firstTaskWords < UINT32_MAX)
            ++*thread.firstTaskWords;
        thread.taskCount = fields.u32(0x81c);
        thread.procedure = fields.text(fields.u32(0x83c), kMaxText);
        thread.word850 = fields.u32(0x850);
        thread.word858 = fields.u32(0x858);
        readTags(fields, 0x860, thread);
    } else {
        thread.textWords = fields.u32(0x824);
        thread.procedure = fields.text(fields.u32(0x848), kMaxText);
        readTags(fields, 0x870, thread);
    }
}

/// A count and {tag, size, value}, where the state is long enough to have them.
void TableReader::readTags(const Fields &fields, std::uint64_t at, Thread &thread)
{
    const std::uint64_t end = std::min(thread.stateEnd, fields.size());
    if (at + 8 > end)
        return;
    const std::uint64_t count = std::min(fields.u64(at), kMaxTags);
    at += 8;
    for (std::uint64_t i = 0; i < count && at + 8 <= end; ++i) {
        ProgramTag tag;
        tag.tag = fields.u32(at);
        tag.bytes = fields.u32(at + 4);
        at += 8;
        if (tag.bytes > end - at)
            return;
        tag.value = tag.bytes >= 8 ? fields.u64(at) : tag.bytes >= 4 ? fields.u32(at) : 0;
        constexpr std::uint32_t kMaxRaw = 4096;
        for (std::uint32_t byte = 0; byte < std::min(tag.bytes, kMaxRaw); ++byte)
            tag.raw.push_back(static_cast<std::byte>(fields.u8(at + byte)));
        at += tag.bytes;
        thread.tags.push_back(std::move(tag));
    }
}

void TableReader::readPort(const Fields &fields, Thread &thread)
{
    thread.kind = fields.u32(0x10);
    thread.direction = fields.u32(0x14);
    thread.procedure = fields.text(fields.u32(0x18), kMaxText);
    thread.name = fields.text(fields.u32(0x20), kMaxText);
    thread.elementType = fields.u32(0x24);
    for (std::size_t i = 0; i < thread.dims.size(); ++i)
        thread.dims[i] = fields.u32(0x28 + 4 * i);
    for (std::size_t i = 0; i < thread.strides.size(); ++i)
        thread.strides[i] = fields.u64(0x50 + 8 * i);
    thread.interleave = fields.u32(0x78);
    thread.symbol = fields.text(fields.u32(0x7c), kMaxText);
    thread.byteSize = fields.u64(0x80);
}

} // namespace kernscope::hwx
