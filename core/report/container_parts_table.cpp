// SPDX-License-Identifier: GPL-3.0-or-later
// Sections and ports of a hardware container as tables.
#include "core/report/container_table.h"
#include "core/report/joined_columns.h"
#include "core/report/json_table.h"
#include "core/report/json_values.h"
#include "core/report/number_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace kernscope::report {

namespace {

constexpr auto kPartNumber = TextTable::Align::Right;

/// A direction of a port, as its number says it.
Value directionValue(std::uint32_t direction)
{
    if (direction == 1 || direction == 2)
        return Word{direction == 1 ? "input" : "output"};
    return Code{direction};
}

/// What a column says of a segment without sections, and of a section.
template <class OfSegment, class OfSection>
Value ofEither(const ContainerSectionFacts &row, OfSegment segment, OfSection section)
{
    return row.section == nullptr ? Value(segment(*row.segment)) : Value(section(*row.section));
}

std::vector<Column<ContainerSectionFacts>> containerSectionColumns()
{
    using Row = ContainerSectionFacts;
    return {{.key = "segname",
             .title = "segment",
             .explanation = "Segment that the section lies in",
             .value = [](const Row &row) -> Value { return View(row.segment->name); },
             .document = [](const Row &row) { return Json(row.section->segment); }},
            {.key = "sectname",
             .title = "section",
             .explanation = "Name of the section",
             .align = TextTable::Align::Name,
             .value =
                 [](const Row &row) {
                     return row.section != nullptr ? Value(View(row.section->name))
                                                   : Value(Nothing());
                 }},
            {.key = "type",
             .title = "type",
             .explanation = "What the section is for",
             .value =
                 [](const Row &row) {
                     return row.section != nullptr
                                ? Value(View(hwx::sectionTypeName(row.section->type())))
                                : Value(Nothing());
                 }},
            {.key = "addr",
             .title = "address",
             .explanation = "Its first virtual address",
             .align = kPartNumber,
             .value =
                 [](const Row &row) {
                     return ofEither(
                         row, [](const auto &segment) { return Hex{segment.vmAddress}; },
                         [](const auto &section) { return Hex{section.address}; });
                 },
             .document = [](const Row &row) { return Json(hexText(row.section->address)); }}};
}

std::vector<Column<ContainerSectionFacts>> containerSectionPlaces()
{
    using Row = ContainerSectionFacts;
    return {{.key = "size",
             .title = "bytes",
             .explanation = "Bytes of virtual addresses",
             .align = kPartNumber,
             .value =
                 [](const Row &row) {
                     return ofEither(
                         row, [](const auto &segment) { return Count{segment.vmSize}; },
                         [](const auto &section) { return Count{section.size}; });
                 },
             .document = [](const Row &row) { return Json(hexText(row.section->size)); }},
            {.key = "offset",
             .title = "file",
             .explanation = "Where its bytes begin in the file; a window has none",
             .align = kPartNumber,
             .value =
                 [](const Row &row) {
                     return row.section != nullptr && row.section->bytes
                                ? Value(Hex{row.section->bytes->offset.value})
                                : Value(Word{"window"});
                 },
             .document = [](const Row &row) { return Json(hexText(row.section->offset)); }},
            {.key = "nreloc",
             .title = "relocations",
             .explanation = "Relocation records of the section",
             .align = kPartNumber,
             .value =
                 [](const Row &row) {
                     return row.section == nullptr || row.section->relocations.empty()
                                ? Value(Nothing())
                                : Value(Count{row.section->relocations.size()});
                 },
             .document = [](const Row &row) { return Json(row.section->relocationCount); }}};
}

/// What only the JSON document has of a section.
std::vector<Column<ContainerSectionFacts>> containerSectionWords()
{
    using Row = ContainerSectionFacts;
    return {
        {.key = "ordinal",
         .title = "ordinal",
         .explanation = "Number of the section, from 1 over the whole file",
         .shown = kDocument,
         .document = [](const Row &row) { return Json(row.section->ordinal); }},
        {.key = "align_log2",
         .title = "alignment",
         .explanation = "Binary logarithm of its alignment",
         .shown = kDocument,
         .document = [](const Row &row) { return Json(row.section->alignLog2); }},
        {.key = "reloff",
         .title = "relocations at",
         .explanation = "Where its relocation records begin in the file",
         .shown = kDocument,
         .document = [](const Row &row) { return Json(hexText(row.section->relocationOffset)); }},
        {.key = "flags",
         .title = "flags",
         .explanation = "Its flags as stored",
         .shown = kDocument,
         .document = [](const Row &row) { return Json(hexText(row.section->flags)); }},
        {.key = "attributes",
         .title = "attributes",
         .explanation = "Names of the flags above the type",
         .shown = kDocument,
         .document = [](const Row &row) {
             return Json(hwx::sectionAttributeNames(row.section->flags));
         }}};
}

using Port = const hwx::Thread *;

std::vector<Column<Port>> portColumns()
{
    return {{.key = "name",
             .title = "port",
             .explanation = "Name of the port",
             .value = [](const Port &row) -> Value { return View(row->name); }},
            {.key = "direction",
             .title = "direction",
             .explanation = "Whether the program reads or writes it",
             .value = [](const Port &row) { return directionValue(row->direction); }},
            {.key = "dims_n_c_h_w_d",
             .title = "N C H W D",
             .explanation = "Extents of the tensor by axis",
             .value = [](const Port &row) -> Value {
                 return fmt::format("{}", fmt::join(row->dims, " "));
             },
             .document = [](const Port &row) { return Json(row->dims); }},
            {.key = "strides_n_c_h_w_d",
             .title = "strides",
             .explanation = "Bytes from one index to the next, by axis",
             .value = [](const Port &row) -> Value {
                 return fmt::format("{}", fmt::join(row->strides, " "));
             },
             .document = [](const Port &row) { return numbersJson(row->strides); }},
            {.key = "element_type",
             .title = "type",
             .explanation = "Number of the element type",
             .align = kPartNumber,
             .value = [](const Port &row) -> Value { return Code{row->elementType}; }},
            {.key = "byte_size",
             .title = "bytes",
             .explanation = "Bytes of the whole tensor",
             .align = kPartNumber,
             .value = [](const Port &row) -> Value { return Count{row->byteSize}; }}};
}

/// What only the JSON document has of a port.
std::vector<Column<Port>> portWords()
{
    return {{.key = "kind",
             .title = "kind",
             .explanation = "Kind of the port, as stored",
             .shown = kDocument,
             .value = [](const Port &row) -> Value { return Code{row->kind}; }},
            {.key = "procedure",
             .title = "procedure",
             .explanation = "Program that the port belongs to",
             .shown = kDocument,
             .value = [](const Port &row) -> Value { return View(row->procedure); }},
            {.key = "symbol",
             .title = "symbol",
             .explanation = "Its symbol",
             .shown = kDocument,
             .value = [](const Port &row) -> Value { return View(row->symbol); }},
            {.key = "interleave",
             .title = "interleave",
             .explanation = "Channels that lie side by side",
             .shown = kDocument,
             .value = [](const Port &row) -> Value { return Code{row->interleave}; }}};
}

} // namespace

std::vector<ContainerSectionFacts> containerSectionFacts(const hwx::Container &container)
{
    std::vector<ContainerSectionFacts> rows;
    for (const hwx::Segment &segment : container.segments) {
        if (segment.sections.empty())
            rows.push_back({&segment, nullptr});
        for (const hwx::SegmentSection &section : segment.sections)
            rows.push_back({&segment, &section});
    }
    return rows;
}

const TableOf<ContainerSectionFacts> &containerSectionTable()
{
    static const TableOf<ContainerSectionFacts> kTable{
        "container_sections",
        joinedColumns(containerSectionColumns(), containerSectionPlaces(), containerSectionWords()),
        {"ordinal", "sectname", "segname", "addr", "size", "offset", "align_log2", "reloff",
         "nreloc", "flags", "type", "attributes"}};
    return kTable;
}

std::vector<const hwx::Thread *> portFacts(const hwx::Container &container)
{
    std::vector<const hwx::Thread *> rows;
    for (const hwx::Thread &thread : container.threads) {
        if (thread.role == hwx::ThreadRole::Port)
            rows.push_back(&thread);
    }
    return rows;
}

const TableOf<const hwx::Thread *> &portTable()
{
    static const TableOf<Port> kTable{"ports",
                                      joinedColumns(portColumns(), portWords()),
                                      {"kind", "direction", "procedure", "name", "symbol",
                                       "element_type", "dims_n_c_h_w_d", "strides_n_c_h_w_d",
                                       "interleave", "byte_size"}};
    return kTable;
}

} // namespace kernscope::report
