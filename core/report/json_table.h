// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/container/mil/program.h"
#include "core/report/json.h"

#include <nlohmann/json.hpp>

/// Rows of a declared table as JSON.
namespace kernscope::report {

/// What Column::document returns where a row has no such key.
inline Json noKey()
{
    return Json(Json::value_t::discarded);
}
/// The JSON of a cell; of Absent null.
Json json(const Value &value);
/// Sets the keys of a row; `order` is that of columnOrder().
template <class Row>
void addCells(Json &object, const TableOf<Row> &table, const std::vector<std::size_t> &order,
              const Row &row)
{
    for (const std::size_t at : order) {
        const Column<Row> &column = table.columns[at];
        const std::string key(column.key);
        if (column.document != nullptr) {
            Json more = column.document(row);
            if (!more.is_discarded())
                object[key] = std::move(more);
        } else if (const Value value = column.value(row); !std::holds_alternative<Absent>(value)) {
            object[key] = json(value);
        }
    }
}

/// One row as an object.
template <class Row>
Json jsonObject(const TableOf<Row> &table, const Row &row)
{
    Json object = Json::object();
    addCells(object, table, columnOrder(table.facts(), table.documentOrder, kDocument), row);
    return object;
}

/// An array with an object a row.
template <class Row, class Rows>
Json jsonArray(const TableOf<Row> &table, const Rows &rows)
{
    const std::vector<std::size_t> order =
        columnOrder(table.facts(), table.documentOrder, kDocument);
    Json array = Json::array();
    for (const Row &row : rows) {
        array.push_back(Json::object());
        addCells(array.back(), table, order, row);
    }
    return array;
}

/// An array of what `json(item)` gives for each item.
template <class Items, class Function>
Json listJson(const Items &items, Function json)
{
    Json list = Json::array();
    for (const auto &item : items)
        list.push_back(json(item));
    return list;
}

// How the documents write numbers and shapes.

/// Null for what is no finite number.
Json finiteJson(double number);
/// An integer, or a string where a double cannot hold it exactly.
Json numberJson(std::uint64_t number);
/// The same; what is not known: null.
Json numberJson(const std::optional<std::uint64_t> &number);
Json numberJson(const std::optional<ByteCount> &bytes);
Json numbersJson(std::span<const std::uint64_t> numbers);
/// Six decimals, as the contract's ratios have. Not finite: null.
Json ratioJson(double ratio);
/// selected_backend, backend_support, estimated_runtime_ms and validation_message of an op.
void addBackends(Json &json, const mil::BackendNotes &notes);
/// What is not known: null.
template <class T>
Json optionalJson(const std::optional<T> &value)
{
    return value ? Json(*value) : Json(nullptr);
}

} // namespace kernscope::report
