// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/collective_table.h"

#include "core/report/json_table.h"
#include "core/target/hal.h"

namespace kernscope::report {

const TableOf<decision::CollectiveOp> &collectiveOperationTable()
{
    using Row = decision::CollectiveOp;
    static const TableOf<Row> kTable{
        "collective operations",
        {{.key = "mnemonic",
          .title = "operation",
          .explanation = "Name of the operation",
          .value = [](const Row &row) { return Value(View(row.mnemonic)); }},
         {.key = "unit_type",
          .title = "unit type",
          .explanation = "Number of the unit that the compiler makes of it",
          .align = TextTable::Align::Right,
          .unknown = "none",
          .value = [](const Row &row) { return known<Code>(row.unitType); }},
         {.key = "role",
          .title = "role",
          .explanation = "What it does",
          .value = [](const Row &row) { return Value(View(row.role)); }},
         {.key = "source",
          .title = "source",
          .explanation = "Where this is from",
          .value = [](const Row &row) { return Value(View(row.source)); }}},
        {"mnemonic", "role", "unit_type", "source"}};
    return kTable;
}

std::vector<CollectiveByteFacts> collectiveByteRows(const target::Target &target)
{
    std::vector<CollectiveByteFacts> rows;
    for (const decision::CollectiveByte &byte : decision::collectiveBytes()) {
        const auto *value = target::halValue(target, target::HalLayout::Chapters, byte.offset);
        rows.push_back({&byte, target::halBit(target, byte.offset),
                        value != nullptr ? View(value->source) : View(byte.source)});
    }
    return rows;
}

const TableOf<CollectiveByteFacts> &collectiveByteTable()
{
    using Row = CollectiveByteFacts;
    static const TableOf<Row> kTable{
        "capability bytes",
        {{.key = "offset",
          .title = "byte",
          .explanation = "Offset of the byte in the table of the chip",
          .value = [](const Row &row) { return Value(target::halOffsetText(row.byte->offset)); }},
         {.key = "capability",
          .title = "capability",
          .explanation = "What the byte says of the chip",
          .value = [](const Row &row) { return Value(View(row.byte->capability)); }},
         {.key = "value",
          .title = "value",
          .explanation = "The byte of the chip: 1 where it can",
          .unknown = "unknown",
          .value =
              [](const Row &row) {
                  return known<Code>(row.value ? std::optional<std::uint64_t>(*row.value)
                                               : std::nullopt);
              },
          .document = [](const Row &row) { return row.value ? Json(*row.value) : Json(nullptr); }},
         {.key = "source",
          .title = "source",
          .explanation = "Where the value is from, or, without one, the byte",
          .value = [](const Row &row) { return Value(row.source); }}}};
    return kTable;
}

const TableOf<decision::CollectiveGate> &collectiveGateTable()
{
    using Row = decision::CollectiveGate;
    static const TableOf<Row> kTable{
        "collective gates",
        {{.key = "name",
          .title = "gate",
          .explanation = "What the layer needs to run",
          .value = [](const Row &row) { return Value(View(row.name)); }},
         {.key = "open",
          .title = "open",
          .explanation = "Whether it lets the layer run",
          .unknown = "unknown",
          .value = [](const Row &row) { return known(row.open); }},
         {.key = "found",
          .title = "found",
          .explanation = "What was found there",
          .value = [](const Row &row) { return Value(View(row.found)); }},
         {.key = "source",
          .title = "source",
          .explanation = "Where this is from",
          .value = [](const Row &row) { return Value(View(row.source)); }}},
        {"name", "found", "open", "source"}};
    return kTable;
}

const TableOf<decision::CcdmaSetter> &ccdmaSetterTable()
{
    using Row = decision::CcdmaSetter;
    static const TableOf<Row> kTable{
        "collective-setters",
        {{.key = "order",
          .title = "order",
          .explanation = "Place in the sequence, from 1",
          .align = TextTable::Align::Right,
          .value = [](const Row &row) -> Value { return Code{row.order}; }},
         {.key = "name",
          .title = "setter",
          .explanation = "What is set",
          .value = [](const Row &row) -> Value { return View(row.name); }},
         {.key = "source",
          .title = "source",
          .explanation = "Where the sequence is documented",
          .value = [](const Row &row) -> Value { return View(row.source); }}}};
    return kTable;
}

const TableOf<decision::CollectiveNote> &collectiveNoteTable()
{
    using Row = decision::CollectiveNote;
    static const TableOf<Row> kTable{
        "collective-notes",
        {{.key = "name",
          .title = "about",
          .explanation = "What the rule is about",
          .value = [](const Row &row) -> Value { return View(row.name); }},
         {.key = "text",
          .title = "rule or message",
          .explanation = "The rule, or what the compiler says",
          .value = [](const Row &row) -> Value { return View(row.text); }},
         {.key = "source",
          .title = "source",
          .explanation = "Where it is documented",
          .value = [](const Row &row) -> Value { return View(row.source); }}}};
    return kTable;
}

} // namespace kernscope::report
