// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/aligned_section_table.h"

namespace kernscope::report {

namespace {

using AlignedColumns = std::vector<Column<AlignedSectionFacts>>;

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

} // namespace

const TableOf<AlignedSectionFacts> &alignedSectionTable()
{
    using Row = AlignedSectionFacts;
    static constexpr Column<Row> kColumns[] = {
        {kName, "section", "What the bytes are, as A calls it",
         [](const AlignedSectionFacts &row) -> Value { return View(row.section->name); }},
        {"kind", "What the bytes are for",
         [](const AlignedSectionFacts &row) -> Value {
             return Word(sectionKindName(row.section->kind));
         }},
        {kNumber, "offset_a", "A offset", "Where the section begins in the file of A",
         [](const AlignedSectionFacts &row) {
             return alignedOffset(row.section->a, row.section->rangeA);
         }},
        {kNumber, "bytes_a", "A bytes", "How long it is in A",
         [](const AlignedSectionFacts &row) {
             return alignedBytes(row.section->a, row.section->rangeA);
         }},
        {kNumber, "offset_b", "B offset", "Where the section begins in the file of B",
         [](const AlignedSectionFacts &row) {
             return alignedOffset(row.section->b, row.section->rangeB);
         }},
        {kNumber, "bytes_b", "B bytes", "How long it is in B",
         [](const AlignedSectionFacts &row) {
             return alignedBytes(row.section->b, row.section->rangeB);
         }},
        {kNumber, "changed", "Bytes that both sides have, with other values",
         alignedTally<&ByteTally::changed>},
        {kNumber, "only_a", "only A", "Bytes of A that stand against nothing in B",
         alignedTally<&ByteTally::onlyA>},
        {kNumber, "only_b", "only B", "Bytes of B that stand against nothing in A",
         alignedTally<&ByteTally::onlyB>},
        {"state", "Equal, different, or on one side only", alignedStateValue},
    };
    static const TableOf<Row> kTable{"aligned-sections", kColumns};
    return kTable;
}

} // namespace kernscope::report
