// SPDX-License-Identifier: GPL-3.0-or-later
// Sections and ports of a hardware container as tables.
#include "core/report/container_table.h"
#include "core/report/json_table.h"
#include "core/report/json_values.h"
#include "core/report/number_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace kernscope::report {

namespace {

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

using Port = const hwx::Thread *;

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
    using Row = ContainerSectionFacts;
    static constexpr Column<Row> kColumns[] = {
        {"segname", "segment", "Segment that the section lies in",
         [](const Row &row) -> Value { return View(row.segment->name); },
         jsonOf([](const Row &row) { return Json(row.section->segment); })},
        {kName, "sectname", "section", "Name of the section",
         [](const Row &row) {
             return row.section != nullptr ? Value(View(row.section->name)) : Value(Nothing());
         }},
        {"type", "type", "What the section is for",
         [](const Row &row) {
             return row.section != nullptr ? Value(View(hwx::sectionTypeName(row.section->type())))
                                           : Value(Nothing());
         }},
        {kNumber, "addr", "address", "Its first virtual address",
         [](const Row &row) {
             return ofEither(
                 row, [](const auto &segment) { return Hex(segment.vmAddress); },
                 [](const auto &section) { return Hex(section.address); });
         },
         jsonOf([](const Row &row) { return Json(hexText(row.section->address)); })},
        {kNumber, "size", "bytes", "Bytes of virtual addresses",
         [](const Row &row) {
             return ofEither(
                 row, [](const auto &segment) { return Count(segment.vmSize); },
                 [](const auto &section) { return Count(section.size); });
         },
         jsonOf([](const Row &row) { return Json(hexText(row.section->size)); })},
        {kNumber, "offset", "file", "Where its bytes begin in the file; a window has none",
         [](const Row &row) {
             return row.section != nullptr && row.section->bytes
                        ? Value(Hex(row.section->bytes->offset.value))
                        : Value(Word("window"));
         },
         jsonOf([](const Row &row) { return Json(hexText(row.section->offset)); })},
        {kNumber, "nreloc", "relocations", "Relocation records of the section",
         [](const Row &row) {
             return row.section == nullptr || row.section->relocations.empty()
                        ? Value(Nothing())
                        : Value(Count(row.section->relocations.size()));
         },
         jsonOf([](const Row &row) { return Json(row.section->relocationCount); })},
        {kDocument, "ordinal", "ordinal", "Number of the section, from 1 over the whole file",
         nullptr, jsonOf([](const Row &row) { return Json(row.section->ordinal); })},
        {kDocument, "align_log2", "alignment", "Binary logarithm of its alignment", nullptr,
         jsonOf([](const Row &row) { return Json(row.section->alignLog2); })},
        {kDocument, "reloff", "relocations at", "Where its relocation records begin in the file",
         nullptr,
         jsonOf([](const Row &row) { return Json(hexText(row.section->relocationOffset)); })},
        {kDocument, "flags", "flags", "Its flags as stored", nullptr,
         jsonOf([](const Row &row) { return Json(hexText(row.section->flags)); })},
        {kDocument, "attributes", "attributes", "Names of the flags above the type", nullptr,
         jsonOf(
             [](const Row &row) { return Json(hwx::sectionAttributeNames(row.section->flags)); })},
    };
    static const TableOf<Row> kTable{"container_sections",
                                     kColumns,
                                     {"ordinal", "sectname", "segname", "addr", "size", "offset",
                                      "align_log2", "reloff", "nreloc", "flags", "type",
                                      "attributes"}};
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
    using Row = const hwx::Thread *;
    static constexpr Column<Row> kColumns[] = {
        {"name", "port", "Name of the port",
         [](const Port &row) -> Value { return View(row->name); }},
        {"direction", "direction", "Whether the program reads or writes it",
         [](const Port &row) { return directionValue(row->direction); }},
        {"dims_n_c_h_w_d", "N C H W D", "Extents of the tensor by axis",
         [](const Port &row) -> Value { return fmt::format("{}", fmt::join(row->dims, " ")); },
         jsonOf([](const Port &row) { return Json(row->dims); })},
        {"strides_n_c_h_w_d", "strides", "Bytes from one index to the next, by axis",
         [](const Port &row) -> Value { return fmt::format("{}", fmt::join(row->strides, " ")); },
         jsonOf([](const Port &row) { return numbersJson(row->strides); })},
        {kNumber, "element_type", "type", "Number of the element type",
         [](const Port &row) -> Value { return Code(row->elementType); }},
        {kNumber, "byte_size", "bytes", "Bytes of the whole tensor",
         [](const Port &row) -> Value { return Count(row->byteSize); }},
        {kDocument, "kind", "kind", "Kind of the port, as stored",
         [](const Port &row) -> Value { return Code(row->kind); }},
        {kDocument, "procedure", "procedure", "Program that the port belongs to",
         [](const Port &row) -> Value { return View(row->procedure); }},
        {kDocument, "symbol", "symbol", "Its symbol",
         [](const Port &row) -> Value { return View(row->symbol); }},
        {kDocument, "interleave", "interleave", "Channels that lie side by side",
         [](const Port &row) -> Value { return Code(row->interleave); }},
    };
    static const TableOf<Row> kTable{"ports",
                                     kColumns,
                                     {"kind", "direction", "procedure", "name", "symbol",
                                      "element_type", "dims_n_c_h_w_d", "strides_n_c_h_w_d",
                                      "interleave", "byte_size"}};
    return kTable;
}

} // namespace kernscope::report
