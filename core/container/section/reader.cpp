// SPDX-License-Identifier: GPL-3.0-or-later
// Reads the tables of a weight section. Every number of the file is checked before it is used.
#include "core/base/error_builder.h"
#include "core/base/little_endian.h"
#include "core/container/section/layout.h"
#include "core/format/legality.h"
#include "core/numeric/element_type.h"

#include <algorithm>

#include <fmt/format.h>

namespace kernscope::section {

namespace {

constexpr std::uint64_t kReservedAt = 0x48, kReservedBytes = 56;

class Reader
{
public:
    Reader(std::span<const std::byte> bytes, const std::string &file) : m_bytes(bytes), m_file(file)
    {
    }

    Result<WeightSection> read()
    {
        TRY(readHeader());
        for (std::uint32_t i = 0; i < m_units; ++i)
            readUnit(i);
        checkPayloadOverlap();
        groupUnits(m_section, m_file);
        return std::move(m_section);
    }

private:
    std::uint32_t u32(std::uint64_t at) const { return loadLittle<std::uint32_t>(m_bytes, at); }
    std::uint64_t u64(std::uint64_t at) const { return loadLittle<std::uint64_t>(m_bytes, at); }
    bool inFile(std::uint64_t offset, std::uint64_t bytes) const
    {
        return fitsInside({FileOffset(offset), ByteCount(bytes)}, ByteCount(m_bytes.size()));
    }

    Error error(std::string code, std::uint64_t at, std::string field, std::string expected,
                std::string found, std::string message) const
    {
        return valueError({m_file, FileOffset(at)}, code, field, expected, found, message);
    }

    void fault(Unit &unit, Error what)
    {
        m_section.diagnostics.push_back({Severity::Error, what});
        if (!unit.fault)
            unit.fault = std::move(what);
    }

    Result<void> readHeader()
    {
        if (!isSection(m_bytes))
            return tl::unexpected(error("section.magic", 0, "magic", "KSEC", "something else",
                                        "The file is not a weight section"));
        if (m_bytes.size() < kHeaderBytes)
            return tl::unexpected(error("section.header", 0, "header", "64 bytes",
                                        fmt::format("{}", m_bytes.size()),
                                        "The header is cut off"));
        m_section.version = loadLittle<std::uint16_t>(m_bytes, 4);
        m_section.flags = loadLittle<std::uint16_t>(m_bytes, 6);
        if (m_section.version != 1)
            return tl::unexpected(error("section.header", 4, "version", "1",
                                        fmt::format("{}", m_section.version),
                                        "The version of the weight section is not known"));
        m_section.codegen = u32(8);
        m_units = u32(12);
        for (std::uint64_t i = 0; i < 16 && m_bytes[16 + i] != std::byte(0); ++i)
            m_section.target.push_back(static_cast<char>(m_bytes[16 + i]));
        m_section.unitTable = u64(0x20);
        m_section.pool = u64(0x28);
        m_section.poolBytes = u64(0x30);
        m_section.fileBytes = u64(0x38);
        if (m_section.fileBytes != m_bytes.size())
            return tl::unexpected(error("section.header", 0x38, "file size",
                                        fmt::format("{}", m_bytes.size()),
                                        fmt::format("{}", m_section.fileBytes),
                                        "The header names another size of the file"));
        if (m_units == 0 || m_units > kMaxUnits ||
            !inFile(m_section.unitTable, m_units * kUnitBytes) ||
            m_section.unitTable % kAlignment != 0 || m_section.unitTable < kHeaderBytes)
            return tl::unexpected(
                error("section.header", 0x20, "unit table",
                      fmt::format("1 to {} rows within the file, on 64 bytes", kMaxUnits),
                      fmt::format("{} rows at {:#x}", m_units, m_section.unitTable),
                      "The unit table does not fit the file"));
        if (!inFile(m_section.pool, m_section.poolBytes))
            return tl::unexpected(
                error("section.header", 0x28, "string pool", "within the file",
                      fmt::format("{} bytes at {:#x}", m_section.poolBytes, m_section.pool),
                      "The string pool does not fit the file"));
        return {};
    }

    void readUnit(std::uint32_t number)
    {
        const std::uint64_t row = m_section.unitTable + number * kUnitBytes;
        Unit &unit = m_section.units.emplace_back();
        unit.type = u32(row);
        unit.kernelFormat = u32(row + 4);
        unit.payload = u64(row + 8);
        unit.payloadBytes = u64(row + 0x10);
        unit.core = u32(row + 0x18);
        unit.cores = u32(row + 0x1c);
        std::uint64_t at = row + 0x20;
        for (std::uint32_t *extent :
             {&unit.outputs, &unit.inputs, &unit.depth, &unit.height, &unit.width, &unit.groups}) {
            *extent = u32(at);
            at += 4;
        }
        unit.flags = u32(row + 0x38);
        unit.vectorSize = u32(row + 0x3c);
        unit.nameOffset = u32(row + 0x40);
        unit.nameBytes = u32(row + 0x44);
        if (std::uint64_t{unit.nameOffset} + unit.nameBytes > m_section.poolBytes) {
            fault(unit, error("section.unit", row + 0x40, "name", "within the string pool",
                              fmt::format("{} bytes at {}", unit.nameBytes, unit.nameOffset),
                              "The unit's name does not lie in the string pool"));
        } else {
            const auto text = m_bytes.subspan(m_section.pool + unit.nameOffset, unit.nameBytes);
            unit.name.assign(reinterpret_cast<const char *>(text.data()), text.size());
        }
        const auto reserved = m_bytes.subspan(row + kReservedAt, kReservedBytes);
        if (std::ranges::any_of(reserved, [](std::byte b) { return b != std::byte(0); }))
            fault(unit, error("section.reserved", row + kReservedAt, "reserved", "0", "other bytes",
                              "Reserved bytes of the unit are set"));
        readEntries(unit, row);
        if (!unit.fault)
            checkForm(unit, row);
        if (!unit.fault)
            readRecords(unit);
    }

    void readEntries(Unit &unit, std::uint64_t row)
    {
        if (!inFile(unit.payload, unit.payloadBytes) || unit.payload % kAlignment != 0)
            fault(unit, error("section.unit", row + 8, "payload", "within the file, on 64 bytes",
                              fmt::format("{} bytes at {:#x}", unit.payloadBytes, unit.payload),
                              "The unit's payload does not fit the file"));
        std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges;
        for (std::size_t kind = 0; kind < kKinds; ++kind) {
            const std::uint64_t at = row + kEntriesAt + kind * kEntryBytes;
            Entry &entry = unit.entries[kind];
            entry.type = u32(at);
            entry.bitDepth = u32(at + 4);
            entry.count = u32(at + 8);
            entry.paletteFormat = u32(at + 12);
            entry.offset = u64(at + 16);
            entry.bytes = u64(at + 24);
            if (entry.bytes == 0)
                continue;
            if (entry.offset > unit.payloadBytes || entry.bytes > unit.payloadBytes - entry.offset)
                fault(unit, error("section.entry", at + 16,
                                  std::string(format::unitSectionName(static_cast<Kind>(kind))),
                                  fmt::format("within the payload of {} bytes", unit.payloadBytes),
                                  fmt::format("{} bytes at {}", entry.bytes, entry.offset),
                                  "A section leaves its payload"));
            else
                ranges.emplace_back(entry.offset, entry.bytes);
        }
        std::ranges::sort(ranges);
        for (std::size_t i = 1; i < ranges.size(); ++i) {
            if (ranges[i - 1].first + ranges[i - 1].second > ranges[i].first)
                fault(unit, error("section.entry", row + kEntriesAt, "entries",
                                  "sections that do not overlap",
                                  fmt::format("two at payload offset {}", ranges[i].first),
                                  "Sections of the unit overlap"));
        }
    }

    void checkForm(Unit &unit, std::uint64_t row)
    {
        lanes::WeightExtents geometry;
        geometry.outputs = unit.outputs;
        geometry.inputs = unit.inputs;
        geometry.depth = unit.depth;
        geometry.height = unit.height;
        geometry.width = unit.width;
        geometry.groups = unit.groups;
        if (auto steps = lanes::reductionOf(geometry);
            !steps || unit.cores == 0 || unit.core >= unit.cores || unit.cores > kMaxUnits)
            fault(unit,
                  error("section.unit", row + 0x18, "shape", "a core of its cores, extents of 1 on",
                        fmt::format("core {} of {}, [{}, {}, {}, {}, {}]", unit.core, unit.cores,
                                    unit.outputs, unit.inputs, unit.depth, unit.height, unit.width),
                        "The unit's cores or shape make no weight"));
        const format::KernelFormat kernelFormat(unit.kernelFormat);
        if (format::find(kernelFormat) == nullptr)
            fault(unit,
                  error("section.unit", row + 4, "kernel format", "1 to 31",
                        fmt::format("{}", unit.kernelFormat), "The kernel format is not known"));
        const Entry &pal = unit.entry(Kind::Pal);
        const bool palette = format::isPaletteFormat(kernelFormat);
        if (palette && !unit.has(Kind::Pal) && unit.idle())
            return; // nothing to look up
        if (palette != unit.has(Kind::Pal) ||
            (palette && !format::isPaletteFormat(format::KernelFormat(pal.paletteFormat))))
            fault(unit, error("section.palette", row + kEntriesAt + kEntryBytes, "pal",
                              palette ? "a palette of format 7 to 27" : "no palette",
                              fmt::format("{} bytes, format {}", pal.bytes, pal.paletteFormat),
                              "The palette does not fit the kernel format"));
        if (!isPaletteVector(unit.vectorSize) || (!palette && unit.vectorSize != 1))
            fault(unit,
                  error("section.palette", row + 0x3c, "vector size", "1, 2, 4 or 5",
                        fmt::format("{}", unit.vectorSize), "The palette's vectors are illegal"));
        if (!palette || unit.fault)
            return;
        const auto depth = format::bitDepth(format::KernelFormat(pal.paletteFormat));
        const std::uint32_t indices =
            unit.idle() ? pal.bitDepth : unit.entry(Kind::Weights).bitDepth;
        if (!depth || *depth != pal.bitDepth || *depth != indices)
            fault(unit, error("section.palette", row + kEntriesAt + kEntryBytes + 4, "pal",
                              fmt::format("indices of {} bits", depth.value_or(0)),
                              fmt::format("{} bits, {} in the weights", pal.bitDepth, indices),
                              "An index of that width would not fit its codebook"));
        const auto bytes = format::paletteLutBytes(format::KernelFormat(pal.paletteFormat),
                                                   pal.count, unit.vectorSize);
        if (!bytes || bytes->value != pal.bytes || pal.count == 0)
            fault(unit, error("section.palette", row + kEntriesAt + kEntryBytes, "pal",
                              fmt::format("{} codebooks in their bytes", pal.count),
                              fmt::format("{} bytes", pal.bytes),
                              "The codebooks do not have the bytes that their format asks for"));
    }

    void readRecords(Unit &unit)
    {
        const Entry &ocgs = unit.entry(Kind::Ocgs);
        const std::uint64_t at = unit.payload + ocgs.offset;
        if (ocgs.bytes % kRecordBytes != 0 || ocgs.bytes / kRecordBytes != ocgs.count) {
            fault(unit,
                  error("section.record", at, "ocgs",
                        fmt::format("{} records of 56 bytes", ocgs.count),
                        fmt::format("{} bytes", ocgs.bytes), "The group table is of another size"));
            return;
        }
        for (std::uint64_t i = 0; i < ocgs.count; ++i) {
            GroupRecord &record = unit.records.emplace_back();
            for (std::uint64_t word = 0; word < kRecordWords; ++word)
                record.words[word] = u32(at + i * kRecordBytes + 4 * word);
            if (record.words[12] != 0 || record.words[13] != 0)
                fault(unit, error("section.reserved", at + i * kRecordBytes + 48, "record", "0",
                                  "other words", "Reserved words of a record are set"));
        }
        checkRecords(unit);
    }

    void checkRecords(Unit &unit)
    {
        const Entry &weights = unit.entry(Kind::Weights);
        const std::uint64_t at = unit.payload + unit.entry(Kind::Ocgs).offset;
        const std::uint64_t channels = unit.channels();
        const auto refuse = [&](std::string expected, std::string found, std::string message) {
            fault(unit, error("section.record", at, "ocgs", std::move(expected), std::move(found),
                              std::move(message)));
        };
        if (channels > unit.outputs)
            return refuse(fmt::format("at most {} channels", unit.outputs),
                          fmt::format("{}", channels),
                          "The records have more channels than the weight");
        const std::uint64_t elements = channels * unit.steps(); // both checked: below 2^40
        if (static_cast<std::uint32_t>(elements) != weights.count)
            return refuse(fmt::format("{} elements", weights.count), fmt::format("{}", elements),
                          "The records do not sum to the unit's elements");
        if (elements == 0 && unit.idle())
            return; // an absent section has no bit depth that could be wrong
        const unsigned bits = weights.bitDepth;
        if (bits == 0 || bits > 32)
            return refuse("1 to 32 bits an element", fmt::format("{}", bits),
                          "The weights' bit depth is not one");
        const std::uint64_t maskBytes = unit.sparse() ? (elements + 7) / 8 : 0;
        if (maskBytes > weights.bytes || (unit.sparse() && bits != 16))
            return refuse(fmt::format("a mask of {} bytes and fp16 values", maskBytes),
                          fmt::format("{} bytes of {} bits", weights.bytes, bits),
                          "The sparse operand does not fit its section");
        if (!checkRecordRanges(unit))
            return;
        for (const Kind kind : {Kind::Scale, Kind::Bias}) {
            const Entry &entry = unit.entry(kind);
            if (entry.bytes != 0 && (entry.count != channels || entry.bytes != 2 * channels))
                return refuse(fmt::format("{} fp16 numbers", channels),
                              fmt::format("{} in {} bytes", entry.count, entry.bytes),
                              "A vector does not have one number a channel");
        }
    }

    /// Whether every record lies in the weights and none in another; else the fault is noted.
    bool checkRecordRanges(Unit &unit)
    {
        const Entry &weights = unit.entry(Kind::Weights);
        const std::uint64_t at = unit.payload + unit.entry(Kind::Ocgs).offset;
        const auto refuse = [&](std::string expected, std::string found, std::string message) {
            fault(unit, error("section.record", at, "ocgs", std::move(expected), std::move(found),
                              std::move(message)));
            return false;
        };
        std::vector<PlacedRange> ranges;
        for (const GroupRecord &record : unit.records) {
            const std::uint64_t groupBits = record.channels() * unit.steps() * weights.bitDepth;
            const std::uint64_t room =
                record.offset() > weights.bytes ? 0 : weights.bytes - record.offset();
            const bool inside =
                record.offset() <= weights.bytes && (unit.sparse() || (groupBits + 7) / 8 <= room);
            if (!inside)
                return refuse(fmt::format("coefficients within {} bytes", weights.bytes),
                              fmt::format("{} channels at {}", record.channels(), record.offset()),
                              "A record leaves the weights");
            ranges.push_back({record.offset(), (groupBits + 7) / 8, ranges.size()});
        }
        // A sparse operand is one mask and its values: the offsets say nothing there.
        if (const auto shared =
                unit.sparse() ? std::vector<Overlap>() : overlapsOf(std::move(ranges));
            !shared.empty())
            return refuse("records with coefficients of their own",
                          fmt::format("records {} and {} share bytes", shared.front().holder,
                                      shared.front().number),
                          "Records of the unit overlap");
        return true;
    }

    void checkPayloadOverlap()
    {
        constexpr std::uint64_t kTables = std::uint64_t{kMaxUnits} + 1; // number of what is no unit
        std::vector<PlacedRange> ranges{{0, kHeaderBytes, kTables},
                                        {m_section.unitTable, m_units * kUnitBytes, kTables},
                                        {m_section.pool, m_section.poolBytes, kTables}};
        for (std::size_t i = 0; i < m_section.units.size(); ++i) {
            if (const Unit &unit = m_section.units[i]; !unit.fault)
                ranges.push_back({unit.payload, unit.payloadBytes, i});
        }
        for (const Overlap &overlap : overlapsOf(std::move(ranges))) {
            const bool twoTables = overlap.holder == kTables && overlap.number == kTables;
            if (twoTables)
                continue;
            const bool byTable = overlap.holder == kTables || overlap.number == kTables;
            Unit &unit =
                m_section.units[overlap.number == kTables ? overlap.holder : overlap.number];
            fault(
                unit,
                error("section.unit", unit.payload, "payload",
                      byTable ? "a payload beside the tables" : "payloads that do not overlap",
                      byTable
                          ? fmt::format("{} bytes from {:#x}", unit.payloadBytes, unit.payload)
                          : fmt::format("one from {:#x}", m_section.units[overlap.holder].payload),
                      byTable ? "The payload lies over the file's tables"
                              : "Payloads of two units overlap"));
        }
    }

    std::span<const std::byte> m_bytes;
    const std::string &m_file;
    WeightSection m_section;
    std::uint32_t m_units = 0;
};

} // namespace

Result<WeightSection> readSection(std::span<const std::byte> bytes, const std::string &file)
{
    return Reader(bytes, file).read();
}

} // namespace kernscope::section
