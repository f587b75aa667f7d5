// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/aligned_section_table.h"

#include "core/report/joined_columns.h"

namespace kernscope::report {

namespace {

using AlignedColumns = std::vector<Column<AlignedSectionFacts>>;

constexpr auto kAlignedNumber = TextTable::Align::Right;

/// Where the section begins on a side, and how long it is there; unknown where the side has none.
Value alignedOffset(std::size_t own, const ByteRange &range)
{
    return own == kNoIndex ? Value(Unknown()) : Value(Hex{range.offset.value, 8});
}

Value alignedBytes(std::size_t own, const ByteRange &range)
{
    return own == kNoIndex ? Value(Unknown()) : Value(Count{range.bytes.value});
}

template <std::uint64_t ByteTally::*Member>
Value alignedTally(const AlignedSectionFacts &row)
{
    return row.tally == nullptr ? Value(Unknown()) : Value(Count{row.tally->*Member});
}

Value alignedStateValue(const AlignedSectionFacts &row)
{
    if (row.section->b == kNoIndex)
        return Word{"\u25C0 only in A"};
    if (row.section->a == kNoIndex)
        return Word{"\u25B6 only in B"};
    if (row.tally == nullptr)
        return Word{"\u2026"};
    return row.tally->any() ? Word{"\u2260 differs"} : Word{"= equal"};
}

AlignedColumns alignedPlaceColumns()
{
    return {
        {.key = "section",
         .title = "section",
         .explanation = "What the bytes are, as A calls it",
         .align = TextTable::Align::Name,
         .value = [](const AlignedSectionFacts &row) -> Value { return View(row.section->name); }},
        {.key = "kind",
         .title = "kind",
         .explanation = "What the bytes are for",
         .value = [](const AlignedSectionFacts &row) -> Value {
             return Word{sectionKindName(row.section->kind)};
         }},
        {.key = "offset_a",
         .title = "A offset",
         .explanation = "Where the section begins in the file of A",
         .align = kAlignedNumber,
         .value =
             [](const AlignedSectionFacts &row) {
                 return alignedOffset(row.section->a, row.section->rangeA);
             }},
        {.key = "bytes_a",
         .title = "A bytes",
         .explanation = "How long it is in A",
         .align = kAlignedNumber,
         .value =
             [](const AlignedSectionFacts &row) {
                 return alignedBytes(row.section->a, row.section->rangeA);
             }},
        {.key = "offset_b",
         .title = "B offset",
         .explanation = "Where the section begins in the file of B",
         .align = kAlignedNumber,
         .value =
             [](const AlignedSectionFacts &row) {
                 return alignedOffset(row.section->b, row.section->rangeB);
             }},
        {.key = "bytes_b",
         .title = "B bytes",
         .explanation = "How long it is in B",
         .align = kAlignedNumber,
         .value = [](const AlignedSectionFacts &row) {
             return alignedBytes(row.section->b, row.section->rangeB);
         }}};
}

AlignedColumns alignedTallyColumns()
{
    return {{.key = "changed",
             .title = "changed",
             .explanation = "Bytes that both sides have, with other values",
             .align = kAlignedNumber,
             .value = alignedTally<&ByteTally::changed>},
            {.key = "only_a",
             .title = "only A",
             .explanation = "Bytes of A that stand against nothing in B",
             .align = kAlignedNumber,
             .value = alignedTally<&ByteTally::onlyA>},
            {.key = "only_b",
             .title = "only B",
             .explanation = "Bytes of B that stand against nothing in A",
             .align = kAlignedNumber,
             .value = alignedTally<&ByteTally::onlyB>},
            {.key = "state",
             .title = "state",
             .explanation = "Equal, different, or on one side only",
             .value = alignedStateValue}};
}

} // namespace

const TableOf<AlignedSectionFacts> &alignedSectionTable()
{
    static const TableOf<AlignedSectionFacts> kTable{
        "aligned-sections", joinedColumns(alignedPlaceColumns(), alignedTallyColumns())};
    return kTable;
}

} // namespace kernscope::report
