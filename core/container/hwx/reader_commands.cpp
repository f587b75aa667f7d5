// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/hwx/reader.h"

#include <algorithm>

#include <fmt/format.h>

namespace kernscope::hwx {

namespace {

constexpr std::uint64_t kNameBytes = 16;
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
