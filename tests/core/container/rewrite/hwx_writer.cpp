// SPDX-License-Identifier: GPL-3.0-or-later
#include "rewrite.h"

#include "core/base/little_endian.h"
#include "core/container/hwx/container.h"

#include <algorithm>

namespace kernscope::hwx {

namespace {

/// Lays a model's fields over the bytes of a file.
class ContainerWriter
{
public:
    ContainerWriter(const Container &container, std::span<const std::byte> source)
        : m_container(container), m_out(source.begin(), source.end())
    {
    }

    Result<std::vector<std::byte>> write()
    {
        putHeader();
        for (const LoadCommand &command : m_container.commands)
            putCommand(command);
        if (!m_fits) {
            return refused("hwx.write", {}, {}, {},
                           "a field of the container lies outside its file");
        }
        return std::move(m_out);
    }

private:
    template <class T>
    void put(std::uint64_t at, T value)
    {
        if (at > m_out.size() || m_out.size() - at < sizeof(T))
            m_fits = false;
        else
            storeLittle<T>(m_out, at, value);
    }
    /// The text, and NUL up to `bytes` where it ends before; what follows its NUL is kept.
    void putText(std::uint64_t at, const std::string &text, std::uint64_t bytes)
    {
        for (std::uint64_t i = 0; i < std::min<std::uint64_t>(text.size(), bytes); ++i)
            put<std::uint8_t>(at + i, std::uint8_t(text[std::size_t(i)]));
        if (text.size() < bytes)
            put<std::uint8_t>(at + text.size(), 0);
    }

    void putHeader()
    {
        const Header &h = m_container.header;
        const std::array<std::uint32_t, 8> words{h.magic, h.cputype,    h.cpusubtype, h.filetype,
                                                 h.ncmds, h.sizeofcmds, h.flags,      h.reserved};
        for (std::size_t i = 0; i < words.size(); ++i)
            put(4 * i, words[i]);
    }

    void putSegment(std::uint64_t at, const Segment &segment)
    {
        putText(at + 8, segment.name, 16);
        put(at + 24, segment.vmAddress);
        put(at + 32, segment.vmSize);
        put(at + 40, segment.fileOffset);
        put(at + 48, segment.fileSize);
        put(at + 56, segment.maxProtection);
        put(at + 60, segment.initProtection);
        put(at + 64, segment.sectionCount);
        put(at + 68, segment.flags);
        for (const SegmentSection &section : segment.sections)
            putSection(section);
    }

    void putSection(const SegmentSection &section)
    {
        const std::uint64_t at = section.place.value;
        putText(at, section.name, 16);
        putText(at + 16, section.segment, 16);
        put(at + 32, section.address);
        put(at + 40, section.size);
        const std::array<std::uint32_t, 8> words{
            section.offset, section.alignLog2,   section.relocationOffset, section.relocationCount,
            section.flags,  section.reserved[0], section.reserved[1],      section.reserved[2]};
        for (std::size_t i = 0; i < words.size(); ++i)
            put(at + 48 + 4 * i, words[i]);
        for (const Relocation &relocation : section.relocations) {
            put(relocation.place.value, relocation.address);
            put(relocation.place.value + 4, relocation.info);
        }
    }

    void putThread(std::uint64_t at, const Thread &thread)
    {
        put(at + 8, thread.flavor);
        put(at + 12, thread.count);
        if (thread.role == ThreadRole::Port)
            return putPort(at, thread);
        if (thread.role != ThreadRole::Program)
            return;
        const std::uint64_t step = thread.flavor == 1 ? 8 : 16;
        for (const auto &[index, address] : thread.apertures)
            put(at + 0x10 + index * step, address);
        put(at + 0x810, thread.tdBase);
        if (thread.firstTaskWords && *thread.firstTaskWords > 0)
            put(at + 0x818, *thread.firstTaskWords - 1);
        if (thread.taskCount) {
            put(at + 0x81c, *thread.taskCount);
            put(at + 0x850, thread.word850);
            put(at + 0x858, thread.word858);
        }
        if (thread.textWords)
            put(at + 0x824, *thread.textWords);
        std::uint64_t tagAt = at + (thread.flavor == 1 ? 0x868 : 0x878);
        for (const ProgramTag &tag : thread.tags) {
            put(tagAt, tag.tag);
            put(tagAt + 4, tag.bytes);
            if (tag.bytes >= 8)
                put(tagAt + 8, tag.value);
            else if (tag.bytes >= 4)
                put(tagAt + 8, std::uint32_t(tag.value));
            tagAt += 8 + std::uint64_t(tag.bytes);
        }
    }

    void putPort(std::uint64_t at, const Thread &thread)
    {
        put(at + 0x10, thread.kind);
        put(at + 0x14, thread.direction);
        put(at + 0x24, thread.elementType);
        for (std::size_t i = 0; i < thread.dims.size(); ++i)
            put(at + 0x28 + 4 * i, thread.dims[i]);
        for (std::size_t i = 0; i < thread.strides.size(); ++i)
            put(at + 0x50 + 8 * i, thread.strides[i]);
        put(at + 0x78, thread.interleave);
        put(at + 0x80, thread.byteSize);
    }

    void putBinding(std::uint64_t at, const Binding &binding)
    {
        put(at + 8, binding.nameOffset);
        put(at + 12, binding.minorVersion);
        if (binding.addressBits == 64)
            put(at + 16, binding.address);
        else
            put(at + 16, std::uint32_t(binding.address));
        putText(at + binding.nameOffset, binding.name, binding.name.size() + 1);
    }

    void putNote(const LoadCommand &command, const Note &note)
    {
        const std::uint64_t at = command.offset.value;
        if (command.kind == CommandKind::Note) {
            putText(at + 8, note.owner, 16);
            put(at + 24, note.offset);
            put(at + 32, note.size);
        } else {
            put(at + 8, std::uint32_t(note.offset));
            put(at + 12, std::uint32_t(note.size));
        }
    }

    void putSymbols(std::uint64_t at, const SymbolTable &table)
    {
        put(at + 8, table.symbolOffset);
        put(at + 12, table.symbols);
        put(at + 16, table.stringOffset);
        put(at + 20, table.stringBytes);
        std::uint64_t place = table.symbolOffset;
        for (const Symbol &symbol : m_container.symbols) {
            put(place, symbol.nameOffset);
            put(place + 4, symbol.type);
            put(place + 5, symbol.section);
            put(place + 6, symbol.desc);
            put(place + 8, symbol.value);
            place += 16;
        }
    }

    void putCommand(const LoadCommand &command)
    {
        const std::uint64_t at = command.offset.value;
        put(at, command.cmd);
        put(at + 4, command.stated);
        switch (command.kind) {
        case CommandKind::Segment: return putSegment(at, m_container.segments[command.item]);
        case CommandKind::Thread: return putThread(at, m_container.threads[command.item]);
        case CommandKind::Binding32:
        case CommandKind::Binding64: return putBinding(at, m_container.bindings[command.item]);
        case CommandKind::Note:
        case CommandKind::Signature: return putNote(command, m_container.notes[command.item]);
        case CommandKind::SymbolTable:
            if (m_container.symbolTable)
                putSymbols(at, *m_container.symbolTable);
            return;
        case CommandKind::Ident: // a text, kept as it is
        case CommandKind::Unknown: return;
        }
    }

    const Container &m_container;
    std::vector<std::byte> m_out;
    bool m_fits = true;
};

} // namespace

Result<std::vector<std::byte>> writeContainer(const Container &container,
                                              std::span<const std::byte> source)
{
    return ContainerWriter(container, source).write();
}

} // namespace kernscope::hwx
