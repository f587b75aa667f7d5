// SPDX-License-Identifier: GPL-3.0-or-later
#include "synthetic.h"

#include "core/base/little_endian.h"

#include <algorithm>

namespace kernscope::test {

namespace {

constexpr std::uint64_t kPage = 0x4000;

template <class T>
void put(Bytes &out, T value)
{
    out.resize(out.size() + sizeof(T));
    storeLittle<T>(out, out.size() - sizeof(T), value);
}

void putText(Bytes &out, const std::string &text, std::size_t bytes)
{
    for (std::size_t i = 0; i < bytes; ++i)
        out.push_back(i < text.size() ? static_cast<std::byte>(text[i]) : std::byte(0));
}

template <class T>
void store(Bytes &out, std::size_t at, T value)
{
    storeLittle<T>(out, at, value);
}

std::uint64_t roundUp(std::uint64_t value, std::uint64_t step)
{
    return (value + step - 1) / step * step;
}

std::size_t paddedName(const std::string &name)
{
    return std::size_t(roundUp(name.size() + 1, 8));
}

} // namespace

Bytes bytesOfWords(const Words &words)
{
    Bytes out;
    for (const std::uint32_t word : words)
        put(out, word);
    return out;
}

void putDense(Words &stream, std::uint32_t address, const Words &values)
{
    stream.push_back(std::uint32_t(values.size() - 1) << 15 | address);
    stream.insert(stream.end(), values.begin(), values.end());
}

void putMasked(Words &stream, std::uint32_t address, std::uint32_t mask, const Words &values)
{
    stream.push_back(1U << 31 | mask << 15 | address);
    stream.insert(stream.end(), values.begin(), values.end());
}

void putAddress(Words &stream, std::uint32_t bar, std::uint32_t address, const Words &values)
{
    stream.push_back(1U << 29 | bar << 21 | std::uint32_t(values.size() - 1) << 15 | address);
    stream.insert(stream.end(), values.begin(), values.end());
}

void putFull(Words &stream, std::uint32_t address, const Words &values)
{
    stream.push_back(std::uint32_t(values.size() - 1) << 26 | address);
    stream.insert(stream.end(), values.begin(), values.end());
}

void putTask(Words &text, std::uint32_t tid, std::uint32_t headerWords, std::uint32_t flags,
             const Words &stream)
{
    const std::size_t begin = text.size();
    text.resize(begin + headerWords);
    text[begin] = std::uint32_t(headerWords + stream.size()) << 16 | tid;
    text[begin + headerWords - 1] = flags;
    text.insert(text.end(), stream.begin(), stream.end());
    text.resize(roundUp(text.size(), 4));
}

std::vector<std::uint64_t> ContainerMaker::segment(const std::string &name, std::uint32_t flags,
                                                   std::vector<MadeSection> sections)
{
    MadeSegment made{name, flags, std::move(sections), m_nextAddress, 0, 0, {}};
    std::uint64_t at = 0;
    for (const MadeSection &section : made.sections) {
        at = roundUp(at, 1ULL << section.alignLog2);
        made.addresses.push_back(made.address + at);
        at += section.content.empty() ? section.size : section.content.size();
        if (!section.content.empty())
            made.bytes = at;
    }
    made.size = at;
    m_nextAddress += std::max(roundUp(at, kPage), kPage);
    m_segments.push_back(made);
    return made.addresses;
}

void ContainerMaker::command(std::uint32_t cmd, Bytes body)
{
    Bytes whole;
    put<std::uint32_t>(whole, cmd);
    put<std::uint32_t>(whole, std::uint32_t(body.size() + 8));
    whole.insert(whole.end(), body.begin(), body.end());
    m_commands.push_back(std::move(whole));
}

void ContainerMaker::binding(const std::string &name, std::uint64_t address, bool wide)
{
    Bytes body;
    put<std::uint32_t>(body, wide ? 0x18 : 0x14);
    put<std::uint32_t>(body, 0);
    if (wide)
        put<std::uint64_t>(body, address);
    else
        put<std::uint32_t>(body, std::uint32_t(address));
    putText(body, name, paddedName(name));
    command(wide ? 0x40 : 0x06, std::move(body));
}

void ContainerMaker::program7(const std::vector<std::uint64_t> &apertures, std::uint64_t tdBase,
                              std::uint32_t firstWords, std::uint32_t count, bool tags)
{
    const std::uint32_t words = tags ? 0x21a : 0x214;
    Bytes body(8 + 4 * words);
    store<std::uint32_t>(body, 0, 1);
    store<std::uint32_t>(body, 4, words);
    for (std::size_t i = 0; i < apertures.size(); ++i)
        store(body, 8 + 8 * i, apertures[i]);
    store(body, 0x808, tdBase);
    store(body, 0x810, firstWords - 1);
    store(body, 0x814, count);
    store<std::uint64_t>(body, 0x818, 0xffff00000000);
    store<std::uint32_t>(body, 0x834, std::uint32_t(body.size() + 8));
    store<std::uint32_t>(body, 0x850, count + (tags ? 3 : 2));
    if (tags) {
        store<std::uint64_t>(body, 0x858, 1);
        store<std::uint32_t>(body, 0x860, 9);
        store<std::uint32_t>(body, 0x864, 8);
        store<std::uint64_t>(body, 0x868, 0x1eb);
    }
    putText(body, "net", 8);
    command(0x04, std::move(body));
}

void ContainerMaker::program11(const std::vector<std::uint64_t> &apertures, std::uint64_t tdBase,
                               std::uint32_t textWords)
{
    Bytes body(8 + 4 * 0x222);
    store<std::uint32_t>(body, 0, 4);
    store<std::uint32_t>(body, 4, 0x222);
    for (std::size_t i = 0; i < apertures.size(); ++i)
        store(body, 8 + 16 * i, apertures[i]);
    store(body, 0x808, tdBase);
    store(body, 0x81c, textWords);
    store<std::uint32_t>(body, 0x840, std::uint32_t(body.size() + 8));
    putText(body, "net", 8);
    command(0x04, std::move(body));
}

void ContainerMaker::port(const std::string &name, bool output, std::uint32_t channels)
{
    Bytes body(8 + 4 * 0x34a);
    const auto state = std::uint32_t(body.size() + 8);
    store<std::uint32_t>(body, 0, 3);
    store<std::uint32_t>(body, 4, 0x34a);
    store<std::uint32_t>(body, 8, 3);
    store<std::uint32_t>(body, 12, output ? 2 : 1);
    store(body, 0x10, state);
    store(body, 0x18, state + 4);
    store<std::uint32_t>(body, 0x1c, 5);
    for (std::size_t i = 0; i < 5; ++i)
        store<std::uint32_t>(body, 0x20 + 4 * i, i == 1 ? channels : 1);
    for (std::size_t i = 0; i < 5; ++i)
        store<std::uint64_t>(body, 0x48 + 8 * i, i == 0 || i == 4 ? 64ULL * channels : 64);
    store<std::uint32_t>(body, 0x70, 1);
    store(body, 0x74, state + 4);
    store<std::uint64_t>(body, 0x78, 64ULL * channels);
    putText(body, "net", 4);
    putText(body, name, paddedName(name));
    command(0x04, std::move(body));
}

void ContainerMaker::banner(const std::string &compiler, const std::string &target)
{
    const std::string text = "ANEC v1\nzin_ane_compiler v" + compiler +
                             "\nSYNTHETIC, made by the tests of kernscope\n"
                             "\tmodule of a newer compiler, version 1.2\n\t-t " +
                             target + "\n\t--synthetic=yes\n";
    Bytes body;
    putText(body, text, paddedName(text));
    command(0x08, std::move(body));
}

void ContainerMaker::symbol(const std::string &name, std::uint8_t type, std::uint8_t section,
                            std::uint16_t desc, std::uint64_t value)
{
    m_symbols.push_back({std::uint32_t(m_strings.size()), type, section, desc, value});
    m_strings += name + '\0';
}

void ContainerMaker::putSegment(Bytes &out, const MadeSegment &segment, std::uint64_t fileOffset,
                                std::uint64_t &relocations) const
{
    put<std::uint32_t>(out, 0x19);
    put<std::uint32_t>(out, std::uint32_t(72 + 80 * segment.sections.size()));
    putText(out, segment.name, 16);
    put(out, segment.address);
    put<std::uint64_t>(out, roundUp(std::max<std::uint64_t>(segment.size, 1), kPage));
    put<std::uint64_t>(out, segment.bytes == 0 ? 0 : fileOffset);
    put<std::uint64_t>(out, roundUp(segment.bytes, kPage));
    put<std::uint32_t>(out, 5);
    put<std::uint32_t>(out, 5);
    put(out, std::uint32_t(segment.sections.size()));
    put(out, segment.flags);
    for (std::size_t i = 0; i < segment.sections.size(); ++i) {
        const MadeSection &section = segment.sections[i];
        putText(out, section.name, 16);
        putText(out, segment.name, 16);
        put(out, segment.addresses[i]);
        put<std::uint64_t>(out, section.content.empty() ? section.size : section.content.size());
        put(out, section.content.empty()
                     ? 0U
                     : std::uint32_t(fileOffset + segment.addresses[i] - segment.address));
        put(out, section.alignLog2);
        const auto count = std::uint32_t(section.relocations.size());
        put(out, count == 0 ? 0U : std::uint32_t(relocations));
        put(out, count);
        relocations += 8ULL * count;
        put(out, section.flags);
        out.resize(out.size() + 12);
    }
}

/// Commands other than segments, the symbol table's command, symbols and strings.
void ContainerMaker::putTables(Bytes &out, std::uint64_t symbols, std::uint64_t strings) const
{
    for (const Bytes &made : m_commands)
        out.insert(out.end(), made.begin(), made.end());
    for (const std::uint64_t word :
         {std::uint64_t(2), std::uint64_t(24), symbols, std::uint64_t(m_symbols.size()), strings,
          std::uint64_t(m_strings.size())})
        put(out, std::uint32_t(word));
    for (const MadeSymbol &symbol : m_symbols) {
        put(out, symbol.name);
        put(out, symbol.type);
        put(out, symbol.section);
        put(out, symbol.desc);
        put(out, symbol.value);
    }
    putText(out, m_strings, m_strings.size());
}

Bytes ContainerMaker::finish()
{
    std::uint64_t commandBytes = 24, relocationCount = 0;
    for (const MadeSegment &segment : m_segments) {
        commandBytes += 72 + 80 * segment.sections.size();
        for (const MadeSection &section : segment.sections)
            relocationCount += section.relocations.size();
    }
    for (const Bytes &made : m_commands)
        commandBytes += made.size();
    const std::uint64_t symbols = 32 + commandBytes;
    const std::uint64_t strings = symbols + 16 * m_symbols.size();
    std::uint64_t relocations = roundUp(strings + m_strings.size(), 8);
    std::uint64_t content = roundUp(relocations + 8 * relocationCount, kPage);
    Bytes out;
    for (const std::uint32_t word : {0xbeeffaceU, 0x80U, m_subtype, 2U,
                                     std::uint32_t(m_segments.size() + m_commands.size() + 1),
                                     std::uint32_t(commandBytes), 0x200000U, 0U})
        put(out, word);
    Bytes records, payload;
    for (const MadeSegment &segment : m_segments) {
        putSegment(out, segment, content + payload.size(), relocations);
        const std::size_t begin = payload.size();
        for (std::size_t i = 0; i < segment.sections.size(); ++i) {
            const MadeSection &section = segment.sections[i];
            for (const auto &[address, info] : section.relocations) {
                put(records, address);
                put(records, info);
            }
            if (section.content.empty())
                continue;
            payload.resize(begin + segment.addresses[i] - segment.address);
            payload.insert(payload.end(), section.content.begin(), section.content.end());
        }
        if (segment.bytes != 0)
            payload.resize(begin + roundUp(segment.bytes, kPage));
    }
    putTables(out, symbols, strings);
    out.resize(roundUp(out.size(), 8));
    out.insert(out.end(), records.begin(), records.end());
    out.resize(content);
    out.insert(out.end(), payload.begin(), payload.end());
    return out;
}

} // namespace kernscope::test
