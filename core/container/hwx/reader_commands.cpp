// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/hwx/reader.h"

#include <algorithm>

#include <fmt/format.h>

namespace kernscope::hwx {

namespace {

constexpr std::uint64_t kNameBytes = 16;
constexpr std::uint64_t kMaxTags = 256;
constexpr std::uint64_t kMaxText = 4096;

constexpr std::uint64_t kWord = 4;
constexpr std::uint64_t kLongest = std::uint64_t{64} << 20;

/// A multiple of four that the kind of the command can have.
bool fitsKind(std::span<const std::byte> bytes, std::uint64_t at, CommandKind kind,
              std::uint32_t size)
{
    const auto word = [&](std::uint64_t into) {
        return loadLittle<std::uint32_t>(bytes, at + into);
    };
    if (size < kCommandHead || size % kWord != 0)
        return false;
    switch (kind) {
    case CommandKind::Segment:
        return size >= 72 && std::uint64_t{size} == 72 + 80 * std::uint64_t{word(64)};
    case CommandKind::SymbolTable: return size == 24;
    case CommandKind::Thread: return size >= 16 && size >= 16 + 4 * std::uint64_t{word(12)};
    case CommandKind::Binding32: return size > 20 && word(8) >= 20 && word(8) < size;
    case CommandKind::Binding64: return size > 24 && word(8) >= 24 && word(8) < size;
    case CommandKind::Signature: return size == 16;
    case CommandKind::Note: return size >= 40;
    case CommandKind::Ident: return true;
    case CommandKind::Unknown: break;
    }
    return false;
}

/// Size of a command that is whole and fits its kind; 0 where there is none at `at`.
std::uint32_t soundSize(std::span<const std::byte> bytes, std::uint64_t at, std::uint64_t end)
{
    if (at > end || end - at < kCommandHead)
        return 0;
    const auto size = loadLittle<std::uint32_t>(bytes, at + kWord);
    const CommandKind kind = commandKindOf(loadLittle<std::uint32_t>(bytes, at));
    return size <= end - at && fitsKind(bytes.first(end), at, kind, size) ? size : 0;
}

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

CommandKind commandKindOf(std::uint32_t cmd)
{
    const std::string_view name = codeName("command", cmd);
    if (name.empty())
        return CommandKind::Unknown;
    for (CommandKind kind = CommandKind::Segment; kind != CommandKind::Unknown;
         kind = static_cast<CommandKind>(static_cast<int>(kind) + 1)) {
        if (commandKindName(kind) == name)
            return kind;
    }
    return CommandKind::Unknown;
}

CommandChain::CommandChain(std::span<const std::byte> bytes, std::uint64_t end)
    : m_bytes(bytes), m_end(end)
{
    if (end < kHeaderBytes || (end - kHeaderBytes) % kWord != 0 || end - kHeaderBytes > kLongest)
        return;
    const std::uint64_t words = (end - kHeaderBytes) / kWord;
    m_sound.resize(words + 1);
    m_sound[words] = true;
    for (std::uint64_t i = words; i-- > 0;) {
        const std::uint32_t size = soundSize(bytes, kHeaderBytes + kWord * i, end);
        m_sound[i] = size != 0 && m_sound[i + size / kWord];
    }
}

bool CommandChain::soundFrom(std::uint64_t at) const
{
    const std::uint64_t word = (at - kHeaderBytes) / kWord;
    return at >= kHeaderBytes && at % kWord == 0 && word < m_sound.size() && m_sound[word];
}

std::optional<std::uint32_t> CommandChain::sizeAt(std::uint64_t at) const
{
    const auto stated = loadLittle<std::uint32_t>(m_bytes, at + kWord);
    const bool inside = stated >= kCommandHead && stated <= m_end - at;
    if (inside && soundFrom(at + stated))
        return stated;
    // The fault is in a later command where this one leads to another.
    if (inside && m_end - at - stated >= kCommandHead) {
        const bool known =
            commandKindOf(loadLittle<std::uint32_t>(m_bytes, at + stated)) != CommandKind::Unknown;
        if (soundSize(m_bytes, at + stated, m_end) != 0 ||
            (known && soundSize(m_bytes, at, m_end) != 0))
            return stated;
    }
    for (std::uint64_t next = at + kCommandHead; next <= m_end; next += kWord) {
        if (soundFrom(next))
            return static_cast<std::uint32_t>(next - at);
    }
    return inside ? std::optional(stated) : std::nullopt;
}

bool statedSizesHold(std::span<const std::byte> bytes, std::uint32_t count, std::uint64_t end)
{
    std::uint64_t at = kHeaderBytes;
    for (std::uint32_t i = 0; i < count; ++i) {
        if (at > end || end - at < kCommandHead)
            return false;
        const auto size = loadLittle<std::uint32_t>(bytes, at + kWord);
        if (size < kCommandHead || size > end - at)
            return false;
        at += size;
    }
    return at == end;
}

std::optional<std::uint64_t> endOfCommands(std::span<const std::byte> bytes, std::uint32_t count)
{
    std::uint64_t at = kHeaderBytes;
    for (std::uint32_t i = 0; i < count; ++i) {
        const std::uint32_t size = soundSize(bytes, at, bytes.size());
        if (size == 0)
            return std::nullopt;
        at += size;
    }
    return at;
}

} // namespace kernscope::hwx
