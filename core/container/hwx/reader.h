// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/little_endian.h"
#include "core/container/hwx/container.h"

#include <optional>
#include <span>
#include <string>

/// Inside of the container's reader; see container.h for its use.
namespace kernscope::hwx {

inline constexpr std::uint64_t kCommandHead = 8; ///< cmd and size of a load command

/// Numbers and names of a run of bytes; what lies outside reads as zero and is remembered.
class Fields
{
public:
    Fields(std::span<const std::byte> file, std::uint64_t begin, std::uint64_t bytes);

    std::uint32_t u32(std::uint64_t at) const { return number<std::uint32_t>(at); }
    std::uint64_t u64(std::uint64_t at) const { return number<std::uint64_t>(at); }
    std::uint16_t u16(std::uint64_t at) const { return number<std::uint16_t>(at); }
    std::uint8_t u8(std::uint64_t at) const { return number<std::uint8_t>(at); }
    /// Up to `limit` bytes, ended by the first NUL or the end of the run.
    std::string text(std::uint64_t at, std::uint64_t limit) const;
    std::uint64_t size() const { return m_bytes.size(); }
    bool complete() const { return m_complete; } ///< nothing was read outside so far

private:
    template <class T>
    T number(std::uint64_t at) const
    {
        if (at > m_bytes.size() || m_bytes.size() - at < sizeof(T)) {
            m_complete = false;
            return 0;
        }
        return loadLittle<T>(m_bytes, at);
    }

    std::span<const std::byte> m_bytes;
    mutable bool m_complete = true;
};

/// A symbol's name as a type of the catalogue or as a stride frame; false where it is neither.
bool readTypeEntry(std::string_view name, TypeEntry &entry);
bool readTensorFrame(std::string_view name, TensorFrame &frame);

class CommandChain;

class TableReader
{
public:
    TableReader(std::span<const std::byte> bytes, const std::string &file)
        : m_bytes(bytes), m_file(file)
    {
    }

    Result<Container> read();

private:
    void report(Severity severity, std::string code, std::uint64_t at, std::string expected,
                std::string found, std::string message);

    void readCommands();
    std::uint64_t endOfTable();
    std::optional<LoadCommand> commandAt(std::uint64_t at, std::uint64_t end, std::uint32_t index,
                                         const std::optional<CommandChain> &chain);
    void readCommand(LoadCommand &command);
    void readSegment(const LoadCommand &command);
    void readSections(const Fields &fields, const LoadCommand &command, Segment &segment);
    void checkAddress(const SegmentSection &section, const Segment &segment);
    void placeSection(SegmentSection &section, const Segment &segment);
    void readRelocations(SegmentSection &section);
    void readThread(const LoadCommand &command);
    void readProgram(const Fields &fields, Thread &thread);
    void readTags(const Fields &fields, std::uint64_t at, Thread &thread);
    void readPort(const Fields &fields, Thread &thread);
    void readBinding(const LoadCommand &command);
    void readIdent(const LoadCommand &command);
    void readNote(const LoadCommand &command);
    void readSymbolTable(const LoadCommand &command);
    void checkTables(const SymbolTable &table);
    void readSymbols();
    void readFrames();
    void checkOverlaps();
    void checkRelocations();
    void walkTexts();
    descriptor::WalkHints hintsOf(const SegmentSection &section) const;

    std::span<const std::byte> m_bytes;
    const std::string &m_file;
    Container m_result;
    std::uint32_t m_ordinal = 0;
    std::uint64_t m_commandsEnd = 0; ///< within the file
};

} // namespace kernscope::hwx
