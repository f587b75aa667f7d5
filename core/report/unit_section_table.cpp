// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/unit_section_table.h"

#include "core/report/number_text.h"

#include <fmt/format.h>

namespace kernscope::report {

namespace {

Value typeValue(const UnitSectionFacts &row)
{
    if (!row.content)
        return Word{"absent"};
    const format::CatalogueRow *type = format::find(row.content->type);
    return type == nullptr ? Value(Unknown()) : Value(fmt::format("{} {}", type->code, type->name));
}

template <std::uint64_t format::UnitSection::*Member>
Value amountValue(const UnitSectionFacts &row)
{
    return row.content ? Value(Count{(*row.content).*Member}) : Value(Nothing());
}

} // namespace

std::vector<UnitSectionFacts> unitSections(const hwx::TaskUnit &unit)
{
    std::vector<UnitSectionFacts> rows;
    for (std::size_t i = 0; i < format::KernelUnit::kSections; ++i) {
        UnitSectionFacts &row = rows.emplace_back();
        row.section = static_cast<format::KernelUnit::SectionId>(i);
        row.content = unit.unit.sections[i];
        for (const auto &[section, note] : unit.notes) {
            if (section == row.section)
                row.note = note;
        }
    }
    return rows;
}

const TableOf<UnitSectionFacts> &unitSectionTable()
{
    using Row = UnitSectionFacts;
    static constexpr Column<Row> kColumns[] = {
        {"section", "section", "Which of the six sections of a kernel unit",
         [](const Row &row) -> Value { return format::unitSectionName(row.section); }},
        {"element_type", "element type", "Number and name in the catalogue of element types",
         typeValue},
        {kNumber, "bits", "bits", "Bits of one element",
         [](const Row &row) -> Value {
             const bool known = row.content && row.content->bitDepth != 0;
             return known ? Value(Count(row.content->bitDepth)) : Value(Nothing());
         }},
        {kNumber, "count", "count", "Codebooks, records, channels or elements",
         amountValue<&format::UnitSection::count>},
        {kNumber, "bytes", "bytes", "Length of the section",
         amountValue<&format::UnitSection::bytes>},
        {"rests_on", "rests on", "What the row is concluded from where the file does not store it",
         [](const Row &row) { return orNothing(row.note); }},
    };
    static const TableOf<Row> kTable{"unit-sections", kColumns};
    return kTable;
}

std::string tableBudgetText(std::uint64_t palette, std::uint64_t activation)
{
    return palette + activation == 0
               ? std::string()
               : fmt::format("palette {} and activation table {}: {} of the on-chip memory that "
                             "both share; its size on a chip is not published, so whether they "
                             "fit is open",
                             bytesText(palette), bytesText(activation),
                             bytesText(palette + activation));
}

} // namespace kernscope::report
