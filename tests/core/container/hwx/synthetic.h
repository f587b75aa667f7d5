// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

/// SYNTHETIC hardware containers for tests: written by this project, by what is published of each
/// generation (resources/formats/kernel-bytes.md), never by a compiler. Every one says so in its
/// banner. What is not published (the coefficients' order from version 17 on) is assumed.
namespace kernscope::test {

using Bytes = std::vector<std::byte>;
using Words = std::vector<std::uint32_t>;

Bytes bytesOfWords(const Words &words);

/// Records of a packed stream (version 8 and later). `address` is a word address.
void putDense(Words &stream, std::uint32_t address, const Words &values);
void putMasked(Words &stream, std::uint32_t address, std::uint32_t mask, const Words &values);
void putAddress(Words &stream, std::uint32_t bar, std::uint32_t address, const Words &values);
/// A record of a full stream (versions 5 to 7). `address` is a byte address.
void putFull(Words &stream, std::uint32_t address, const Words &values);
/// Appends a sized task (header of `headerWords`, then the stream), aligned to 16 bytes.
void putTask(Words &text, std::uint32_t tid, std::uint32_t headerWords, std::uint32_t flags,
             const Words &stream);

struct MadeSection {
    std::string name;
    std::uint32_t flags = 0;
    Bytes content;          ///< empty with a size: no bytes in the file
    std::uint64_t size = 0; ///< used where content is empty
    std::uint32_t alignLog2 = 6;
    /// Address in the section, second word of the record.
    std::vector<std::pair<std::uint32_t, std::uint32_t>> relocations;
};

/// Lays out a container: header, commands, relocations, symbols, strings, then segment bytes.
class ContainerMaker
{
public:
    explicit ContainerMaker(std::uint32_t subtype) : m_subtype(subtype) {}

    /// Returns the virtual address of each section.
    std::vector<std::uint64_t> segment(const std::string &name, std::uint32_t flags,
                                       std::vector<MadeSection> sections);
    void command(std::uint32_t cmd, Bytes body); ///< body: what follows cmd and size
    void binding(const std::string &name, std::uint64_t address, bool wide);
    void program7(const std::vector<std::uint64_t> &apertures, std::uint64_t tdBase,
                  std::uint32_t firstWords, std::uint32_t count, bool tags);
    void program11(const std::vector<std::uint64_t> &apertures, std::uint64_t tdBase,
                   std::uint32_t textWords);
    void port(const std::string &name, bool output, std::uint32_t channels);
    void banner(const std::string &compiler, const std::string &target);
    void symbol(const std::string &name, std::uint8_t type, std::uint8_t section,
                std::uint16_t desc, std::uint64_t value);

    Bytes finish();

private:
    struct MadeSegment {
        std::string name;
        std::uint32_t flags;
        std::vector<MadeSection> sections;
        std::uint64_t address, bytes = 0, size = 0; ///< bytes: of those in the file
        std::vector<std::uint64_t> addresses;
    };
    struct MadeSymbol {
        std::uint32_t name;
        std::uint8_t type, section;
        std::uint16_t desc;
        std::uint64_t value;
    };
    void putSegment(Bytes &out, const MadeSegment &segment, std::uint64_t fileOffset,
                    std::uint64_t &relocations) const;

    void putTables(Bytes &out, std::uint64_t symbols, std::uint64_t strings) const;

    std::uint32_t m_subtype;
    std::uint64_t m_nextAddress = 0x30000000;
    std::vector<MadeSegment> m_segments;
    std::vector<Bytes> m_commands;
    std::vector<MadeSymbol> m_symbols;
    std::string m_strings = std::string(1, '\0');
};

/// A hash for kernel names that no compiler made.
std::string syntheticHash();

/// Version 7, as compiler 9.509.0 lays it out: ports before the text, 64-bit bindings, an
/// intermediate buffer, a debug segment, a task without coefficients (0x1f8 bytes) among `tasks`.
Bytes syntheticH13(std::size_t tasks = 8);
/// Version 11: old register bases, header of eight words, a second task that carries state.
Bytes syntheticH14();
/// Version 17: masked records.
Bytes syntheticH16();
/// Version 20: kernel base in BAR 28.
Bytes syntheticH18();
/// Version 24: extended form, three streams, two engines, an 8-byte relocation. With
/// `ownSlices` each stream loads slices of its own, all with the same bytes.
Bytes syntheticH18g(bool ownSlices = false);
/// Any other subtype: one task of ten words by the form of `headerWords`, where that is not 0.
Bytes syntheticOf(std::uint32_t subtype, std::uint32_t headerWords);

} // namespace kernscope::test
