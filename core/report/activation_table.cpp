// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/activation_table.h"

#include "core/numeric/half.h"
#include "core/report/fact_values.h"
#include "core/report/json_table.h"

#include <string>
#include <utility>

#include <fmt/format.h>

namespace kernscope::report {

namespace {

using format::ActivationField;
using format::ActivationTable;

constexpr int kActivationDigits = 6;

Json halfJson(float value)
{
    return json(Real{static_cast<double>(value)});
}

Value entryPlace(const ActivationEntry &row)
{
    return Written{static_cast<double>(row.entry),
                   row.count == 1 ? std::to_string(row.entry)
                                  : fmt::format("{} to {}", row.entry, row.entry + row.count - 1)};
}

/// Of one of several entries that are a field, its number among them.
Value entryName(const ActivationEntry &row)
{
    if (row.field == nullptr)
        return Nothing();
    return row.field->count == row.count
               ? Value(View(row.field->name))
               : Value(Word{"knot", Mark::None, std::to_string(row.entry - row.field->index)});
}

std::string entryOrigin(const ActivationEntry &row)
{
    if (row.field == nullptr)
        return {};
    return row.field->note.empty() ? row.field->source : row.field->source + "\n" + row.field->note;
}

Json activationValuesJson(const ActivationEntry &row)
{
    Json values = Json::array();
    for (std::size_t i = 0; i < row.count; ++i)
        values.push_back(halfJson(row.table->value(row.entry + i)));
    return values;
}

} // namespace

std::vector<ActivationEntry> activationFieldRows(const ActivationTable &table)
{
    const auto shared = std::make_shared<const ActivationTable>(table);
    std::vector<ActivationEntry> rows;
    for (const ActivationField &field : format::activationFields()) {
        if (field.layout == table.layout())
            rows.push_back({shared, &field, field.index, field.count});
    }
    return rows;
}

std::vector<ActivationEntry> activationEntries(const ActivationTable &table)
{
    const std::vector<ActivationEntry> fields = activationFieldRows(table);
    const auto shared = std::make_shared<const ActivationTable>(table);
    std::vector<ActivationEntry> rows;
    for (std::size_t entry = 0; entry < ActivationTable::kEntries; ++entry) {
        rows.push_back({shared, nullptr, entry, 1});
        for (const ActivationEntry &each : fields) {
            if (entry >= each.entry && entry < each.entry + each.count)
                rows.back().field = each.field;
        }
    }
    return rows;
}

const TableOf<ActivationEntry> &activationTable()
{
    using Row = ActivationEntry;
    static constexpr Column<Row> kColumns[] = {
        {kNumber, "entry", "Halfword of the record, 0 to 42", entryPlace,
         jsonOf([](const Row &row) { return Json(row.entry); }), originOf(entryOrigin)},
        {"name", "field", "What the entry is, in the chosen reading of the record", entryName,
         originOf(entryOrigin)},
        {kNumber | kDocument, "count", "entries", "How many entries the field has",
         member<&Row::count, Count>},
        {kNumber | kTables, "bits", "The stored fp16 bits",
         [](const Row &row) -> Value {
             return row.count == 1 ? Value(Hex(row.table->entries()[row.entry], 4))
                                   : Value(Nothing());
         },
         originOf(entryOrigin)},
        {kNumber | kTables, "value", "The same bits as an fp16 number",
         [](const Row &row) -> Value {
             return row.count == 1 ? Value(Real(static_cast<double>(row.table->value(row.entry)),
                                                kActivationDigits, true))
                                   : Value(Nothing());
         },
         originOf(entryOrigin)},
        {kDocument, "values", "The numbers of all entries of the field", nullptr,
         jsonOf(activationValuesJson)},
        {kDocument, "source", "Where the field is described",
         [](const Row &row) -> Value {
             return row.field != nullptr ? Value(View(row.field->source)) : Value(Nothing());
         }},
        {"confidence", "How well the field's place and meaning are known",
         [](const Row &row) -> Value {
             return row.field != nullptr ? confidenceValue(row.field->confidence)
                                         : Value(Nothing());
         },
         originOf(entryOrigin)},
        {kName | kDocument | kTerminal, "note", "What else is known of the field",
         [](const Row &row) -> Value {
             return row.field != nullptr ? Value(View(row.field->note)) : Value(Nothing());
         }},
    };
    static const TableOf<Row> kTable{
        "activation",
        kColumns,
        {"name", "entry", "count", "values", "source", "confidence", "note"}};
    return kTable;
}

std::vector<KnotFacts> knotFacts(const ActivationTable &table)
{
    std::vector<KnotFacts> rows;
    for (std::size_t i = 0; i < ActivationTable::kKnots; ++i)
        rows.push_back({i, table.knotInput(i), table.knot(i)});
    return rows;
}

const TableOf<KnotFacts> &knotTable()
{
    using Row = KnotFacts;
    static constexpr Column<Row> kColumns[] = {
        {kNumber | kTerminal, "knot", "Number of the knot, from 0", member<&KnotFacts::knot, Code>},
        {kNumber, "input", "Where the knot lies",
         [](const KnotFacts &row) -> Value { return Real(row.input, kActivationDigits, true); }},
        {kNumber, "output", "Value of the function there",
         [](const KnotFacts &row) -> Value {
             return Real(static_cast<double>(row.output), kActivationDigits, true);
         }},
    };
    static const TableOf<Row> kTable{"knots", kColumns};
    return kTable;
}

Json activationJson(std::string_view name, const ActivationTable &table,
                    std::span<const EvaluatedInput> evaluated)
{
    Json json;
    json["name"] = name;
    json["layout"] = format::activationLayoutName(table.layout());
    const ActivationTable::Domain domain = table.domain();
    json["domain"] = {{"low", report::json(Real{domain.low})},
                      {"high", report::json(Real{domain.high})},
                      {"assumed", domain.assumed}};
    json["entries"] = table.entries();
    json["fields"] = jsonArray(activationTable(), activationFieldRows(table));
    json["knots"] = jsonArray(knotTable(), knotFacts(table));
    json["evaluated"] = Json::array();
    for (const EvaluatedInput &each : evaluated)
        json["evaluated"].push_back({{"input", each.input},
                                     {"output", halfJson(halfToFloat(each.bits))},
                                     {"bits", each.bits}});
    return json;
}

} // namespace kernscope::report
