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
    constexpr auto kNumber = TextTable::Align::Right;
    static const TableOf<Row> kTable{
        "unit-sections",
        {{.key = "section",
          .title = "section",
          .explanation = "Which of the six sections of a kernel unit",
          .value = [](const Row &row) -> Value { return format::unitSectionName(row.section); }},
         {.key = "element_type",
          .title = "element type",
          .explanation = "Number and name in the catalogue of element types",
          .value = typeValue},
         {.key = "bits",
          .title = "bits",
          .explanation = "Bits of one element",
          .align = kNumber,
          .value = [](const Row &row) -> Value {
              const bool known = row.content && row.content->bitDepth != 0;
              return known ? Value(Count{row.content->bitDepth}) : Value(Nothing());
          }},
         {.key = "count",
          .title = "count",
          .explanation = "Codebooks, records, channels or elements",
          .align = kNumber,
          .value = amountValue<&format::UnitSection::count>},
         {.key = "bytes",
          .title = "bytes",
          .explanation = "Length of the section",
          .align = kNumber,
          .value = amountValue<&format::UnitSection::bytes>},
         {.key = "rests_on",
          .title = "rests on",
          .explanation = "What the row is concluded from where the file does not store it",
          .value = [](const Row &row) { return orNothing(row.note); }}}};
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
