// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/odix/field_at.h"

#include "core/base/find.h"
#include "core/container/odix/dbginfo.h"
#include "core/container/odix/odix.h"
#include "core/format/table_rows.h"

#include <algorithm>

#include <fmt/format.h>

namespace kernscope::odix {

namespace {

constexpr std::string_view kUnion = "union", kTable = "table", kText = "string";

/// "uint32" of "[uint32]"; the type itself where it is no vector.
std::string_view elementOf(std::string_view type)
{
    return type.starts_with('[') ? type.substr(1, type.size() - 2) : type;
}

} // namespace

const std::vector<FieldMap::Row> &FieldMap::rows()
{
    static const auto all =
        tables::loadRows<Row>("flatbuffer_fields", {{"table", &Row::table},
                                                    {"slot", &Row::slot},
                                                    {"name", &Row::name},
                                                    {"type", &Row::type},
                                                    {"of", &Row::of},
                                                    {"source", &Row::source},
                                                    {"confidence", &Row::confidence}});
    return all;
}

/// Of an element; offsets for texts and tables.
unsigned FieldMap::bytesOf(const Row &row)
{
    const auto type = anyElementTypeFromName(elementOf(row.type));
    return type == ElementType::Unknown ? 4 : bitWidth(type) / 8;
}

std::shared_ptr<const FieldMap> FieldMap::make(std::span<const std::byte> file)
{
    const bool program = isOdix(file);
    if (file.size() < kHeaderBytes || (!program && !isDebugInfo(file)))
        return nullptr;
    const auto begin = loadLittle<std::uint64_t>(file, 8),
               end = loadLittle<std::uint64_t>(file, 16);
    const auto map = std::make_shared<FieldMap>();
    if (begin > end || end > file.size())
        return map;
    FlatBuffer flat(file, begin, end, {});
    map->walk(flat, begin, program ? "program" : "debug information");
    return map;
}

void FieldMap::walk(FlatBuffer &flat, std::uint64_t begin, std::string_view root)
{
    push(flat.root(), 0, kAlone, root, {});
    if (!m_nodes.empty())
        m_runs.push_back({begin, 4, 0, nullptr, What::Root});
    for (std::size_t next = 0; next < m_open.size(); ++next) {
        const auto [table, node] = m_open[next];
        addTable(flat, table, node);
    }
    m_open = {};
    m_seen = {};
    std::ranges::sort(m_runs, [](const Run &a, const Run &b) { return a.at < b.at; });
}

void FieldMap::push(const FlatBuffer::Table &table, std::uint32_t parent, std::uint32_t index,
                    std::string_view rows, std::string_view name)
{
    if (!table || !m_seen.insert(table.at).second)
        return;
    m_nodes.push_back({parent, index, rows, name});
    m_open.emplace_back(table, static_cast<std::uint32_t>(m_nodes.size() - 1));
}

void FieldMap::addTable(FlatBuffer &flat, const FlatBuffer::Table &table, std::uint32_t node)
{
    m_runs.push_back({table.at, 4, node, nullptr, What::Own});
    if (m_seen.insert(table.vtable).second)
        m_runs.push_back({table.vtable, table.vtableBytes, node, nullptr, What::Vtable});
    const std::string_view name = m_nodes[node].table;
    for (const Row &row : rows()) {
        if (row.table == name)
            addField(flat, table, node, row);
        flat.takeFault(); // said when the program was read
    }
}

void FieldMap::addField(FlatBuffer &flat, const FlatBuffer::Table &table, std::uint32_t node,
                        const Row &row)
{
    const unsigned bytes = bytesOf(row);
    const std::string_view element = elementOf(row.type);
    const bool vector = element.size() < row.type.size() || element == kText;
    const bool offset = vector || element == kTable || element == kUnion;
    const std::uint64_t place = flat.place(table, row.slot, offset ? 4 : bytes, row.name);
    if (place == 0)
        return;
    m_runs.push_back({place, offset ? 4U : bytes, node, &row, offset ? What::Offset : What::Value});
    // The kinds of a union stand in the slot before.
    const auto rowsOf = [&](std::uint8_t kind) -> std::string_view {
        const std::string wanted = fmt::format("{} {}", row.of, kind);
        const auto *found = findBy(rows(), &Row::table, wanted);
        return !found ? std::string_view() : std::string_view(found->table);
    };
    if (!vector) {
        const std::string_view of =
            element == kUnion ? rowsOf(flat.number<std::uint8_t>(table, row.slot - 1, row.name))
                              : std::string_view(row.of);
        if (offset)
            push(flat.table(table, row.slot, row.name), node, kAlone, of, row.name);
        return;
    }
    const auto elements = flat.vector(table, row.slot, element == kText ? 1 : bytes, row.name);
    if (elements.at == 0)
        return;
    m_runs.push_back({elements.at - 4, 4, node, &row, What::Count});
    if (elements.count == 0) // another part begins there
        return;
    m_runs.push_back({elements.at, std::uint64_t(elements.count) * (element == kText ? 1 : bytes),
                      node, &row, element == kText ? What::Text : What::Elements});
    if (element != kTable && element != kUnion)
        return;
    const auto kinds =
        element == kUnion ? flat.vector(table, row.slot - 1, 1, row.name) : FlatBuffer::Vector();
    for (std::uint32_t i = 0; i < elements.count; ++i) {
        const std::string_view of = element == kTable ? std::string_view(row.of)
                                    : i < kinds.count ? rowsOf(flat.byte(kinds, i))
                                                      : std::string_view();
        push(flat.tableIn(elements, i, row.name), node, i, of, row.of);
        flat.takeFault();
    }
}

std::string FieldMap::nameOf(const Run &run, std::uint64_t into) const
{
    std::string place;
    for (std::uint32_t node = run.node; node != 0; node = m_nodes[node].parent) {
        const Node &each = m_nodes[node];
        const std::string number = each.index == kAlone ? "" : fmt::format(" {}", each.index);
        place = fmt::format("{}{}{}{}", each.name, number, place.empty() ? "" : ", ", place);
    }
    if (place.empty())
        place = m_nodes.front().table;
    if (run.what == What::Vtable) { // one serves all tables of a kind
        const Node &node = m_nodes[run.node];
        const std::uint64_t word = into / 2;
        const auto row = std::find_if(rows().begin(), rows().end(), [&](const Row &each) {
            return each.table == node.table && each.slot + 2 == word;
        });
        return fmt::format("vtable of {}: {}", node.name.empty() ? node.table : node.name,
                           word == 0   ? "its bytes"
                           : word == 1 ? "bytes of the table"
                           : row == rows().end()
                               ? fmt::format("slot {}", word - 2)
                               : fmt::format("slot {}, {}", row->slot, row->name));
    }
    switch (run.what) {
    case What::Root: return place + ": offset of its table";
    case What::Own: return place + ": offset of its vtable";
    case What::Offset: return fmt::format("{}: {}, its offset", place, run.row->name);
    case What::Count: return fmt::format("{}: {}, their number", place, run.row->name);
    case What::Text:
    case What::Value: return fmt::format("{}: {}", place, run.row->name);
    default:
        return fmt::format("{}: {}, element {}", place, run.row->name, into / bytesOf(*run.row));
    }
}

std::optional<format::PlacedField> FieldMap::at(FileOffset offset) const
{
    auto run = std::upper_bound(m_runs.begin(), m_runs.end(), offset.value,
                                [](std::uint64_t at, const Run &each) { return at < each.at; });
    if (run == m_runs.begin() || offset.value - (--run)->at >= run->bytes)
        return std::nullopt;
    const std::uint64_t into = offset.value - run->at;
    format::PlacedField field;
    field.name = nameOf(*run, into);
    const std::uint64_t width = run->what == What::Vtable     ? 2
                                : run->what == What::Elements ? bytesOf(*run->row)
                                                              : run->bytes;
    field.bytes = {FileOffset(run->at + into / width * width), ByteCount(width)};
    field.type = run->what == What::Text     ? ElementType::Unknown
                 : run->what == What::Vtable ? ElementType::Uint16
                 : run->what == What::Own    ? ElementType::Int32
                                             : ElementType::Uint32;
    if (run->what == What::Value || run->what == What::Elements) {
        const auto stored = anyElementTypeFromName(elementOf(run->row->type));
        field.type = stored == ElementType::Unknown ? ElementType::Uint32 : stored;
    }
    field.confidence = run->row ? run->row->confidence : format::Confidence::Verified;
    field.source = run->row ? run->row->source : "formats/odix.md";
    return field;
}

} // namespace kernscope::odix
