// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/odix/dbginfo.h"

#include "core/base/byte_text.h"
#include "core/base/error_builder.h"
#include "core/container/odix/flat_buffer.h"

#include <fmt/format.h>

namespace kernscope::odix {

namespace {

constexpr std::uint64_t kDebugHeaderBytes = 64;
constexpr unsigned kMaxDepth = 48; ///< of metadata

class DebugReader
{
public:
    DebugReader(std::span<const std::byte> bytes, const std::string &file, DebugInfo &info)
        : m_flat(bytes, info.begin, info.end, file), m_info(info)
    {
    }

    Result<void> read()
    {
        const auto root = m_flat.root();
        m_info.format = m_flat.text(m_flat.table(root, 0, "format"), 0, "format");
        if (auto fault = m_flat.takeFault())
            return tl::unexpected(std::move(*fault));
        const auto files = m_flat.vector(root, 2, 4, "files");
        for (std::uint32_t i = 0; i < files.count && !m_flat.failed(); ++i) {
            const auto each = m_flat.tableIn(files, i, "file");
            const std::string name = m_flat.text(each, 0, "file");
            const std::string folder = m_flat.text(each, 1, "file");
            m_info.files.push_back(folder.empty() ? name : folder + "/" + name);
        }
        const auto units = m_flat.vector(root, 3, 4, "compile units");
        if (units.count > 0)
            m_info.producer = m_flat.text(m_flat.tableIn(units, 0, "compile unit"), 2, "producer");
        m_flat.moveFault(m_info.diagnostics);
        const auto locations = m_flat.vector(root, 5, 4, "locations");
        m_flat.moveFault(m_info.diagnostics);
        for (std::uint32_t i = 0; i < locations.count; ++i)
            readLocation(m_flat.tableIn(locations, i, "location"), i);
        const auto map = m_flat.vector(root, 1, 4, "operations");
        for (std::uint32_t i = 0; i < map.count; ++i) {
            const auto each = m_flat.tableIn(map, i, "operation");
            const auto operation = m_flat.number<std::uint32_t>(each, 0, "operation");
            const auto location = m_flat.number<std::uint32_t>(each, 1, "operation");
            m_flat.check(location, m_info.locations.size(), each.at,
                         fmt::format("operation {}", operation), "location", " locations",
                         "An operation has a location that is none.");
            if (!m_flat.failed())
                m_info.operations.emplace(operation, location);
            m_flat.moveFault(m_info.diagnostics);
        }
        m_flat.moveFault(m_info.diagnostics);
        return {};
    }

private:
    MetaValue value(std::uint8_t kind, const FlatBuffer::Table &table, unsigned depth)
    {
        enum : std::uint8_t { kInteger = 1, kString, kUnit, kDictionary, kArray };
        MetaValue made;
        const std::string_view field = "metadata";
        if (depth > kMaxDepth) {
            m_flat.fail(table.at, field, fmt::format("values nested {} deep at most", kMaxDepth),
                        "more", "Metadata are nested too deep.");
            return made;
        }
        if (kind == kInteger) {
            made.number = m_flat.number<std::uint64_t>(table, 0, field);
        } else if (kind == kString) {
            made.text = m_flat.text(table, 0, field);
        } else if (kind == kDictionary || kind == kArray) {
            const bool named = kind == kDictionary;
            const auto parts = m_flat.vector(table, 0, 4, field);
            for (std::uint32_t i = 0; i < parts.count && !m_flat.failed(); ++i) {
                const auto part = m_flat.tableIn(parts, i, field);
                const unsigned slot = named ? 1 : 0;
                made.parts.push_back(value(m_flat.number<std::uint8_t>(part, slot, field),
                                           m_flat.table(part, slot + 1, field), depth + 1));
                if (named)
                    made.parts.back().name = m_flat.text(part, 0, field);
            }
        }
        return made;
    }

    void readLocation(const FlatBuffer::Table &table, std::uint32_t number)
    {
        const std::string field = fmt::format("location {}", number);
        DebugLocation location;
        location.line = m_flat.number<std::uint32_t>(table, 0, field);
        location.column = m_flat.number<std::uint32_t>(table, 1, field);
        location.file = m_flat.number<std::uint32_t>(table, 9, field);
        const auto metadata = m_flat.vector(table, 8, 4, field);
        for (std::uint32_t i = 0; i < metadata.count; ++i) {
            if (const auto each = m_flat.tableIn(metadata, i, field))
                location.entries.push_back(entry(each));
        }
        m_info.locations.push_back(std::move(location));
        m_flat.moveFault(m_info.diagnostics);
    }

    /// Entries are shared between locations: each is read once.
    std::uint32_t entry(const FlatBuffer::Table &table)
    {
        const auto next = static_cast<std::uint32_t>(m_info.entries.size());
        const auto [place, isNew] = m_entries.try_emplace(table.at, next);
        if (isNew) {
            const std::string name = m_flat.text(table, 0, "metadata");
            m_info.entries.push_back(
                debugEntry(name, value(m_flat.number<std::uint8_t>(table, 1, "metadata"),
                                       m_flat.table(table, 2, "metadata"), 0)));
        }
        return place->second;
    }

    FlatBuffer m_flat;
    DebugInfo &m_info;
    std::unordered_map<std::uint64_t, std::uint32_t> m_entries; ///< by their place
};

} // namespace

const DebugLocation *DebugInfo::of(std::uint32_t opId) const
{
    const auto found = operations.find(opId);
    return found == operations.end() ? nullptr : &locations[found->second];
}

std::vector<std::uint32_t> DebugInfo::sourceOps(std::uint32_t opId) const
{
    std::vector<std::uint32_t> all;
    if (const DebugLocation *location = of(opId)) {
        for (const std::uint32_t entry : location->entries)
            all.insert(all.end(), entries[entry].sourceOps.begin(), entries[entry].sourceOps.end());
    }
    return all;
}

template <class Part>
Part DebugInfo::first(std::uint32_t opId, Part DebugEntry::*part) const
{
    const DebugLocation *location = of(opId);
    for (std::size_t i = 0; location != nullptr && i < location->entries.size(); ++i) {
        if (const Part &own = entries[location->entries[i]].*part; !own.empty())
            return own;
    }
    return {};
}

std::vector<std::string> DebugInfo::callStack(std::uint32_t opId) const
{
    return first(opId, &DebugEntry::callStack);
}

std::string DebugInfo::name(std::uint32_t opId) const
{
    return first(opId, &DebugEntry::name);
}

std::string DebugInfo::scope(std::uint32_t opId) const
{
    std::vector<std::string> parts = callStack(opId);
    if (std::string node = first(opId, &DebugEntry::node); !node.empty())
        parts.insert(parts.begin(), std::move(node));
    return scopeOf(parts);
}

std::string DebugInfo::position(std::uint32_t opId) const
{
    const DebugLocation *location = of(opId);
    if (location == nullptr || location->line == 0 || location->file >= files.size())
        return {};
    return fmt::format("{}:{}:{}", files[location->file], location->line, location->column);
}

bool isDebugInfo(std::span<const std::byte> bytes)
{
    return textInBytes(bytes).starts_with("dbgi");
}

Result<DebugInfo> readDebugInfo(std::span<const std::byte> bytes, const std::string &file)
{
    DebugInfo info;
    const bool whole = isDebugInfo(bytes) && bytes.size() >= kDebugHeaderBytes;
    if (whole) {
        info.begin = loadLittle<std::uint64_t>(bytes, 8);
        info.end = loadLittle<std::uint64_t>(bytes, 16);
    }
    const bool beginFits = info.begin >= kDebugHeaderBytes && info.begin <= bytes.size();
    const bool endFits = info.end >= info.begin && info.end <= bytes.size();
    if (!whole || !beginFits || !endFits)
        return refused({file, FileOffset(!whole      ? 0
                                         : beginFits ? 16
                                                     : 8)},
                       "odix.header", "header", "dbgi and a FlatBuffer inside the file",
                       whole
                           ? fmt::format("[{}, {}) of {} bytes", info.begin, info.end, bytes.size())
                           : fmt::format("{} bytes", bytes.size()),
                       "The header is not that of debug information.");
    TRY(DebugReader(bytes, file, info).read());
    return info;
}

} // namespace kernscope::odix
