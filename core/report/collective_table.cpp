// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/collective_table.h"

#include "core/report/json_table.h"
#include "core/target/hal.h"

namespace kernscope::report {

const TableOf<decision::CollectiveOp> &collectiveOperationTable()
{
    using Row = decision::CollectiveOp;
    static constexpr Column<Row> kColumns[] = {
        {"mnemonic", "operation", "Name of the operation",
         [](const Row &row) { return Value(View(row.mnemonic)); }},
        {kNumber, "unit_type", "unit type", "Number of the unit that the compiler makes of it",
         [](const Row &row) { return known<Code>(row.unitType); }, unknownAs("none")},
        {"role", "role", "What it does", [](const Row &row) { return Value(View(row.role)); }},
        {"source", "source", "Where this is from",
         [](const Row &row) { return Value(View(row.source)); }},
    };
    static const TableOf<Row> kTable{
        "collective operations", kColumns, {"mnemonic", "role", "unit_type", "source"}};
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
    static constexpr Column<Row> kColumns[] = {
        {"offset", "byte", "Offset of the byte in the table of the chip",
         [](const Row &row) { return Value(target::halOffsetText(row.byte->offset)); }},
        {"capability", "capability", "What the byte says of the chip",
         [](const Row &row) { return Value(View(row.byte->capability)); }},
        {"value", "value", "The byte of the chip: 1 where it can",
         [](const Row &row) {
             return known<Code>(row.value ? std::optional<std::uint64_t>(*row.value)
                                          : std::nullopt);
         },
         unknownAs("unknown"),
         jsonOf([](const Row &row) { return row.value ? Json(*row.value) : Json(nullptr); })},
        {"source", "source", "Where the value is from, or, without one, the byte",
         [](const Row &row) { return Value(row.source); }},
    };
    static const TableOf<Row> kTable{"capability bytes", kColumns};
    return kTable;
}

const TableOf<decision::CollectiveGate> &collectiveGateTable()
{
    using Row = decision::CollectiveGate;
    static constexpr Column<Row> kColumns[] = {
        {"name", "gate", "What the layer needs to run",
         [](const Row &row) { return Value(View(row.name)); }},
        {"open", "open", "Whether it lets the layer run",
         [](const Row &row) { return known(row.open); }, unknownAs("unknown")},
        {"found", "found", "What was found there",
         [](const Row &row) { return Value(View(row.found)); }},
        {"source", "source", "Where this is from",
         [](const Row &row) { return Value(View(row.source)); }},
    };
    static const TableOf<Row> kTable{
        "collective gates", kColumns, {"name", "found", "open", "source"}};
    return kTable;
}

const TableOf<decision::CcdmaSetter> &ccdmaSetterTable()
{
    using Row = decision::CcdmaSetter;
    static constexpr Column<Row> kColumns[] = {
        {kNumber, "order", "order", "Place in the sequence, from 1",
         [](const Row &row) -> Value { return Code(row.order); }},
        {"name", "setter", "What is set", [](const Row &row) -> Value { return View(row.name); }},
        {"source", "source", "Where the sequence is documented",
         [](const Row &row) -> Value { return View(row.source); }},
    };
    static const TableOf<Row> kTable{"collective-setters", kColumns};
    return kTable;
}

const TableOf<decision::CollectiveNote> &collectiveNoteTable()
{
    using Row = decision::CollectiveNote;
    static constexpr Column<Row> kColumns[] = {
        {"name", "about", "What the rule is about",
         [](const Row &row) -> Value { return View(row.name); }},
        {"text", "rule or message", "The rule, or what the compiler says",
         [](const Row &row) -> Value { return View(row.text); }},
        {"source", "source", "Where it is documented",
         [](const Row &row) -> Value { return View(row.source); }},
    };
    static const TableOf<Row> kTable{"collective-notes", kColumns};
    return kTable;
}

} // namespace kernscope::report
