// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/hwx/reader.h"

#include <algorithm>

#include <fmt/format.h>

namespace kernscope::hwx {

namespace {

constexpr std::uint64_t kSymbolRecord = 16;
/// A real file has some hundreds; a hostile one may not fill memory.
constexpr std::uint64_t kMaxSymbols = 1U << 20;

} // namespace

void TableReader::readSymbolTable(const LoadCommand &command)
{
    const Fields fields(m_bytes, command.offset.value, command.size);
    SymbolTable table{fields.u32(8), fields.u32(12), fields.u32(16), fields.u32(20)};
    if (!fields.complete())
        report(Severity::Error, "hwx.symbols", command.offset.value, "24 bytes",
               fmt::format("{}", command.size), "the symbol table command is cut short");
    if (m_result.symbolTable)
        report(Severity::Error, "hwx.symbols", command.offset.value, "one symbol table", "two",
               "a second symbol table is not read");
    else
        m_result.symbolTable = table;
}

/// Symbols and strings lie behind the commands, and not over one another.
void TableReader::checkTables(const SymbolTable &table)
{
    const std::uint64_t symbolBytes = kSymbolRecord * std::uint64_t{table.symbols};
    const auto before = [&](std::uint64_t offset, std::uint64_t bytes, const char *what) {
        if (bytes != 0 && offset < m_commandsEnd)
            report(Severity::Error, "hwx.symbols", offset,
                   fmt::format("an offset from {:#x} on", m_commandsEnd),
                   fmt::format("{:#x}", offset),
                   fmt::format("the {} lie in the header and the commands", what));
    };
    before(table.symbolOffset, symbolBytes, "symbols");
    before(table.stringOffset, table.stringBytes, "strings");
    const std::uint64_t symbolEnd = table.symbolOffset + symbolBytes;
    const std::uint64_t stringEnd = std::uint64_t{table.stringOffset} + table.stringBytes;
    if (symbolBytes != 0 && table.stringBytes != 0 && table.symbolOffset < stringEnd &&
        table.stringOffset < symbolEnd)
        report(Severity::Error, "hwx.symbols", table.symbolOffset,
               "symbols and strings in places of their own",
               fmt::format("symbols up to {:#x}, strings from {:#x} to {:#x}", symbolEnd,
                           table.stringOffset, stringEnd),
               "symbols and strings share bytes");
    if (table.symbols == 0 && table.stringBytes > 1)
        report(Severity::Warning, "hwx.symbols", table.symbolOffset, "symbols for the strings",
               fmt::format("no symbols, {} bytes of strings", table.stringBytes),
               "no symbol uses the strings of the symbol table");
}

void TableReader::readSymbols()
{
    if (!m_result.symbolTable)
        return;
    const SymbolTable &table = *m_result.symbolTable;
    const ByteRange strings{FileOffset(table.stringOffset), ByteCount(table.stringBytes)};
    if (!fitsInside(strings, ByteCount(m_bytes.size())))
        report(Severity::Error, "hwx.strings", table.stringOffset, "strings within the file",
               fmt::format("{:#x} bytes", table.stringBytes),
               "the string table runs past the file");
    checkTables(table);
    const std::uint64_t room = table.symbolOffset > m_bytes.size()
                                   ? 0
                                   : (m_bytes.size() - table.symbolOffset) / kSymbolRecord;
    std::uint64_t count = table.symbols;
    if (count > std::min(room, kMaxSymbols)) {
        report(Severity::Error, "hwx.symbols", table.symbolOffset,
               fmt::format("up to {} symbols", std::min(room, kMaxSymbols)),
               fmt::format("{}", count), "the file does not hold that many symbols");
        count = std::min(room, kMaxSymbols);
    }
    const Fields names(m_bytes, table.stringOffset, table.stringBytes);
    m_result.symbols.reserve(static_cast<std::size_t>(count));
    std::uint64_t nameBytes = 0; // names may share bytes: their sum is bounded, too
    for (std::uint64_t i = 0; i < count; ++i) {
        const std::uint64_t at = table.symbolOffset + i * kSymbolRecord;
        Symbol symbol;
        symbol.nameOffset = loadLittle<std::uint32_t>(m_bytes, at);
        symbol.type = loadLittle<std::uint8_t>(m_bytes, at + 4);
        symbol.section = loadLittle<std::uint8_t>(m_bytes, at + 5);
        symbol.desc = loadLittle<std::uint16_t>(m_bytes, at + 6);
        symbol.value = loadLittle<std::uint64_t>(m_bytes, at + 8);
        if (symbol.nameOffset >= names.size() && symbol.nameOffset != 0)
            report(Severity::Error, "hwx.strings", at, "a name within the string table",
                   fmt::format("{:#x}", symbol.nameOffset), "a symbol's name is out of bounds");
        constexpr std::uint64_t kMaxName = 4096, kMaxNameBytes = 64U << 20;
        if (nameBytes < kMaxNameBytes)
            symbol.name = names.text(symbol.nameOffset, kMaxName);
        nameBytes += symbol.name.size();
        if (!symbol.name.empty() && symbol.nameOffset + symbol.name.size() >= names.size())
            report(Severity::Error, "hwx.strings", at, "a name that ends in the string table",
                   fmt::format("{:#x} and no end", symbol.nameOffset),
                   "a symbol's name is cut at the end of the strings");
        m_result.symbols.push_back(std::move(symbol));
    }
}

void TableReader::readFrames()
{
    for (std::size_t i = 0; i < m_result.symbols.size(); ++i) {
        const Symbol &symbol = m_result.symbols[i];
        if (symbol.type != 0x80 && symbol.type != 0x20)
            continue;
        TensorFrame frame;
        TypeEntry entry;
        if (readTensorFrame(symbol.name, frame)) {
            frame.scope = symbol.type;
            frame.value = symbol.value;
            frame.symbol = i;
            m_result.tensors.push_back(std::move(frame));
        } else if (symbol.type == 0x80 && readTypeEntry(symbol.name, entry)) {
            entry.symbol = i;
            m_result.types.push_back(std::move(entry));
        }
    }
}

} // namespace kernscope::hwx
