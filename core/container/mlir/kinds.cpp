// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/mlir/kinds.h"

#include "core/base/find.h"
#include "core/format/table_rows.h"

#include <algorithm>
#include <map>

namespace kernscope::mlir {

namespace {

/// Calls `take` with each word between blanks.
template <class Take>
void eachWord(std::string_view text, Take take)
{
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find(' ', at), text.size());
        if (end > at)
            take(text.substr(at, end - at));
        at = end + 1;
    }
}

void takeFields(KindRow &row, std::string_view cell)
{
    eachWord(cell, [&row](std::string_view word) {
        const std::size_t colon = word.find(':');
        if (colon != std::string_view::npos && colon + 1 < word.size())
            row.fields.push_back(
                {word[colon + 1], word.ends_with('*'), std::string(word.substr(0, colon))});
    });
}

void takeProperties(PropertyRow &row, std::string_view cell)
{
    eachWord(cell, [&row](std::string_view word) {
        const bool optional = word.ends_with('?');
        row.properties.push_back({std::string(word.substr(0, word.size() - optional)), optional});
    });
}

using RowsByCode =
    std::map<std::pair<std::string_view, bool>, std::vector<const KindRow *>, std::less<>>;

const RowsByCode &rowsOfDialects()
{
    static const RowsByCode all = [] {
        RowsByCode byCode;
        for (const KindRow &row : kindRows()) {
            auto &rows = byCode[{row.dialect, row.type}];
            if (row.code >= rows.size())
                rows.resize(static_cast<std::size_t>(row.code) + 1);
            rows[static_cast<std::size_t>(row.code)] = &row;
        }
        return byCode;
    }();
    return all;
}

} // namespace

std::span<const KindRow> kindRows()
{
    static const auto rows = tables::loadRows<KindRow>(
        "mlir_kinds",
        {{"dialect", &KindRow::dialect},
         {"kind", [](KindRow &row, std::string_view cell) { row.type = cell == "type"; }},
         {"code", &KindRow::code},
         {"name", &KindRow::name},
         {"fields", takeFields},
         {"print", &KindRow::print},
         {"element", &KindRow::element},
         {"bits", &KindRow::bits}});
    return rows;
}

const std::vector<const KindRow *> *rowsByCode(std::string_view dialect, bool types)
{
    const auto at = rowsOfDialects().find(std::pair(dialect, types));
    return at == rowsOfDialects().end() ? nullptr : &at->second;
}

const KindRow *kindNamed(std::string_view name, bool type)
{
    const auto rows = kindRows();
    const auto at = std::ranges::find_if(rows, [&](const KindRow &row) {
        return row.type == type && row.name == name && row.dialect == "aicode";
    });
    return at == rows.end() ? nullptr : &*at;
}

std::span<const PropertyRow> propertyRows()
{
    static const auto rows =
        tables::loadRows<PropertyRow>("mlir_properties", {{"operation", &PropertyRow::operation},
                                                          {"properties", takeProperties}});
    return rows;
}

const PropertyRow *propertyRow(std::string_view operation)
{
    const auto find = [](std::string_view name) -> const PropertyRow * {
        const auto rows = propertyRows();
        return findBy(rows, &PropertyRow::operation, name);
    };
    if (const PropertyRow *row = find(operation))
        return row;
    const std::size_t version = operation.rfind("_v");
    return version == std::string_view::npos ? nullptr : find(operation.substr(0, version));
}

} // namespace kernscope::mlir
