// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/image_table.h"

#include "core/report/fact_values.h"
#include "core/report/joined_columns.h"
#include "core/report/json_table.h"
#include "core/report/number_text.h"

#include <fmt/format.h>

namespace kernscope::report {

namespace {

using descriptor::ImageField;
using descriptor::ImageGroup;

/// "0x40"; in JSON the same text, null where it is not known.
Value addressOf(const std::optional<std::uint32_t> &address)
{
    return address ? Value(hexText(*address)) : Value(Unknown());
}

std::vector<Column<ImageGroup>> imageGroupColumns()
{
    using Row = ImageGroup;
    return {{.key = "id",
             .title = "group",
             .explanation = "Number of the register group",
             .value = [](const Row &row) -> Value { return View(row.id); }},
            {.key = "name",
             .title = "name",
             .explanation = "What the group programs",
             .value = [](const Row &row) -> Value { return View(row.name); }},
            {.key = "registers",
             .title = "registers",
             .explanation = "How many registers it has",
             .align = TextTable::Align::Right,
             .value = [](const Row &row) -> Value { return Code{row.registers}; }},
            {.key = "base",
             .title = "base",
             .explanation = "Byte address of its first register",
             .value = [](const Row &row) { return addressOf(row.base); }},
            {.key = "struct_offset",
             .title = "object",
             .explanation = "Offset in the compiler's object",
             .value = [](const Row &row) -> Value { return '+' + hexText(row.structOffset); },
             .document = [](const Row &row) { return Json(hexText(row.structOffset)); }},
            {.key = "image_offset",
             .title = "image",
             .explanation = "Offset in the image that the engine reads",
             .shown = kDocument,
             .value = [](const Row &row) -> Value { return hexText(row.imageOffset); }}};
}

std::vector<Column<ImageGroup>> imageGroupWords()
{
    using Row = ImageGroup;
    return {{.key = "contents",
             .title = "contents",
             .explanation = "What the registers hold",
             .value = [](const Row &row) -> Value { return View(row.contents); }},
            {.key = "reading",
             .title = "reading",
             .explanation = "What the register maps make of it",
             .shown = kDocument,
             .value = [](const Row &row) -> Value { return View(row.reading); }},
            {.key = "confidence",
             .title = "confidence",
             .explanation = "How sure it is",
             .value = [](const Row &row) -> Value {
                 return Word{format::confidenceName(row.confidence)};
             }},
            {.key = "source",
             .title = "source",
             .explanation = "Where it is from",
             .shown = kDocument,
             .value = [](const Row &) -> Value { return View("chapter 20, table 20.7"); }}};
}

std::vector<Column<ImageField>> imageFieldColumns()
{
    using Row = ImageField;
    return {{.key = "record",
             .title = "record",
             .explanation = "Kind of row: a field, a relocation or a stream register",
             .shown = kDocument,
             .value = [](const Row &row) -> Value { return View(row.record); }},
            {.key = "group",
             .title = "group",
             .explanation = "Register group that it is in",
             .value = [](const Row &row) { return orNothing(row.group); }},
            {.key = "name",
             .title = "field",
             .explanation = "Name of the field or register",
             .value = [](const Row &row) -> Value { return View(row.name); }},
            {.key = "struct_offset",
             .title = "object",
             .explanation = "Offset in the compiler's object",
             .value = [](const Row &row) { return addressOf(row.structOffset); }},
            {.key = "register",
             .title = "word",
             .explanation = "Word address of the register",
             .value = [](const Row &row) { return addressOf(row.wordAddress); }},
            {.key = "byte_address",
             .title = "byte address",
             .explanation = "Byte address of the register",
             .shown = kDocument,
             .value = [](const Row &row) { return addressOf(row.byteAddress); }},
            {.key = "bits",
             .title = "bits",
             .explanation = "Bits of the register",
             .value = [](const Row &row) -> Value { return View(row.bits); }},
            {.key = "contents",
             .title = "contents",
             .explanation = "What it holds",
             .value = [](const Row &row) -> Value { return View(row.contents); }},
            {.key = "source",
             .title = "source",
             .explanation = "Where it is from",
             .value = [](const Row &row) -> Value { return View(row.source); }},
            {.key = "confidence",
             .title = "confidence",
             .explanation = "How sure it is",
             .shown = kDocument,
             .value = [](const Row &row) -> Value {
                 return Word{format::confidenceName(row.confidence)};
             }}};
}

} // namespace

const TableOf<ImageGroup> &imageGroupTable()
{
    static const TableOf<ImageGroup> kTable{"register-groups",
                                            joinedColumns(imageGroupColumns(), imageGroupWords())};
    return kTable;
}

const TableOf<ImageField> &imageFieldTable()
{
    static const TableOf<ImageField> kTable{"image-fields", imageFieldColumns()};
    return kTable;
}

std::vector<ImageField> imageFieldsOf(std::string_view record)
{
    std::vector<ImageField> fields;
    for (const ImageField &field : descriptor::imageFields()) {
        if (field.record == record)
            fields.push_back(field);
    }
    return fields;
}

const TableOf<ImageField> &relocationRegisterTable()
{
    using Row = ImageField;
    static const TableOf<Row> kTable{
        "relocation-registers",
        {{.key = "name",
          .title = "relocation",
          .explanation = "Name of the relocation",
          .value = [](const Row &row) -> Value { return View(row.name); }},
         {.key = "register",
          .title = "register",
          .explanation = "Word address of the register that it fills in",
          .value = [](const Row &row) { return addressOf(row.wordAddress); }},
         {.key = "contents",
          .title = "role",
          .explanation = "What the address is of",
          .value = [](const Row &row) -> Value { return View(row.contents); }}}};
    return kTable;
}

std::vector<ImageStreamFacts> imageStreamRows()
{
    std::vector<ImageStreamFacts> rows;
    const auto relocations = imageFieldsOf("reloc");
    for (const descriptor::ImageStream &stream : descriptor::imageStreams()) {
        ImageStreamFacts row{stream, {}};
        for (const ImageField &field : relocations) {
            if (field.wordAddress == stream.relocation)
                row.role = field.contents;
        }
        rows.push_back(std::move(row));
    }
    return rows;
}

const TableOf<ImageStreamFacts> &imageStreamTable()
{
    using Row = ImageStreamFacts;
    static const TableOf<Row> kTable{
        "image-streams",
        {{.key = "name",
          .title = "stream",
          .explanation = "What the stream loads",
          .value = [](const Row &row) -> Value { return View(row.stream.name); }},
         {.key = "enable",
          .title = "enable",
          .explanation = "Byte address of the register that enables it",
          .value = [](const Row &row) -> Value { return hexText(row.stream.enable); }},
         {.key = "base_offset",
          .title = "base offset",
          .explanation = "Byte address of the register of its offset",
          .value = [](const Row &row) -> Value { return hexText(row.stream.baseOffset); }},
         {.key = "relocation",
          .title = "relocation",
          .explanation = "Word address of its relocation register",
          .value = [](const Row &row) -> Value { return hexText(row.stream.relocation); }},
         {.key = "role",
          .title = "role",
          .explanation = "What that relocation is for",
          .shown = kTables,
          .value = [](const Row &row) -> Value { return View(row.role); }},
         {.key = "source",
          .title = "source",
          .explanation = "Where the registers are from",
          .shown = kDocument,
          .value = [](const Row &) -> Value { return View("tables 20.8 and 25.4"); }}}};
    return kTable;
}

const TableOf<LaneCode> &laneCodeTable()
{
    using Row = LaneCode;
    static const TableOf<Row> kTable{
        "format-lanes",
        {{.key = "lane",
          .title = "lane",
          .explanation = "Lane of the format word",
          .shown = kTables,
          .value = [](const Row &row) -> Value {
              return View(descriptor::formatLaneName(row.lane));
          }},
         {.key = "format",
          .title = "format",
          .explanation = "Tensor format",
          .value = [](const Row &row) -> Value { return View(row.name); }},
         {.key = "value",
          .title = "bits",
          .explanation = "Its bits in the format word",
          .unknown = "none",
          .value = [](const Row &row) -> Value {
              return row.bits ? Value(hexText(*row.bits, 3)) : Value(Unknown());
          },
          .document =
              [](const Row &row) { return row.bits ? Json(hexText(*row.bits)) : Json(nullptr); }},
         {.key = "message",
          .title = "why it has none",
          .explanation = "Why the lane has no bits for it; in quotation marks the compiler's words",
          .value = [](const Row &row) -> Value {
              return row.refusal.quoted ? Value('"' + row.refusal.text + '"')
                                        : orNothing(row.refusal.text);
          },
          .document =
              [](const Row &row) { return row.bits ? Json(nullptr) : Json(row.refusal.text); },
          .origin = [](const Row &row) { return row.refusal.source; }},
         {.key = "quoted",
          .title = "quoted",
          .explanation = "Whether that is the compiler's own text, as the source quotes it",
          .shown = kDocument,
          .document = [](const Row &row) { return row.bits ? noKey() : Json(row.refusal.quoted); }},
         {.key = "contested",
          .title = "contested",
          .explanation = "What another source has",
          .value = [](const Row &row) { return orNothing(row.contested); }},
         {.key = "source",
          .title = "source",
          .explanation = "Where the bits or the rule are from",
          .shown = kDocument,
          .value = [](const Row &row) -> Value {
              return row.bits ? View("chapter 36, table 36.3") : View(row.refusal.source);
          }}}};
    return kTable;
}

const TableOf<format::WeightElementRole> &elementRoleTable()
{
    using Row = format::WeightElementRole;
    static const TableOf<Row> kTable{
        "element_roles",
        {{.key = "name",
          .title = "type",
          .explanation = "Element type, as the numberings have it",
          .value = [](const Row &row) -> Value { return View(row.name); }},
         {.key = "width",
          .title = "width",
          .explanation = "Bits of an element",
          .value = [](const Row &row) -> Value { return View(row.width); }},
         {.key = "role",
          .title = "role in a weight",
          .explanation = "What it is for in a weight",
          .value = [](const Row &row) -> Value { return View(row.role); }},
         {.key = "source",
          .title = "source",
          .explanation = "Where it is documented",
          .value = [](const Row &row) -> Value { return View(row.source); }},
         {.key = "confidence",
          .title = "confidence",
          .explanation = "How well it is known",
          .value = [](const Row &row) { return confidenceValue(row.confidence); }}}};
    return kTable;
}

const TableOf<format::Fp8Format> &fp8FormatTable()
{
    using Row = format::Fp8Format;
    static const TableOf<Row> kTable{
        "fp8-formats",
        {{.key = "name",
          .title = "format",
          .explanation = "fp8 format",
          .value = [](const Row &row) -> Value { return View(row.name); }},
         {.key = "sign_bits",
          .title = "sign",
          .explanation = "Bits of the sign",
          .align = TextTable::Align::Right,
          .value = [](const Row &row) -> Value { return Code{row.sign}; }},
         {.key = "exponent_bits",
          .title = "exponent",
          .explanation = "Bits of the exponent",
          .align = TextTable::Align::Right,
          .value = [](const Row &row) -> Value { return Code{row.exponent}; }},
         {.key = "mantissa_bits",
          .title = "mantissa",
          .explanation = "Bits of the mantissa",
          .align = TextTable::Align::Right,
          .value = [](const Row &row) -> Value { return Code{row.mantissa}; }},
         {.key = "bias",
          .title = "bias",
          .explanation = "Bias of the exponent",
          .align = TextTable::Align::Right,
          .value = [](const Row &row) -> Value { return Code{row.bias}; }},
         {.key = "max_finite",
          .title = "largest",
          .explanation = "Largest finite number",
          .align = TextTable::Align::Right,
          .value = [](const Row &row) -> Value { return Code{row.largest}; }},
         {.key = "role",
          .title = "role",
          .explanation = "What the compiler uses it for",
          .value = [](const Row &row) -> Value { return View(row.role); }},
         {.key = "gate",
          .title = "gate",
          .explanation = "What enables it",
          .value = [](const Row &row) -> Value { return View(row.gate); }},
         {.key = "registers",
          .title = "register",
          .explanation = "Its code in the format word",
          .value = [](const Row &row) -> Value { return View(row.registers); }},
         {.key = "on_m5",
          .title = "on the M5",
          .explanation = "State on the M5",
          .value = [](const Row &row) -> Value { return View(row.onM5); }},
         {.key = "source",
          .title = "source",
          .explanation = "Where it is documented",
          .shown = kDocument | kWindow,
          .value = [](const Row &row) -> Value { return View(row.source); }},
         {.key = "confidence",
          .title = "confidence",
          .explanation = "How well it is known",
          .shown = kDocument | kWindow,
          .value = [](const Row &row) { return confidenceValue(row.confidence); }}}};
    return kTable;
}

const TableOf<format::EngineNote> &engineNoteTable()
{
    using Row = format::EngineNote;
    static const TableOf<Row> kTable{
        "engine-notes",
        {{.key = "topic",
          .title = "topic",
          .explanation = "What part of the engine it is about",
          .shown = kDocument | kWindow,
          .value = [](const Row &row) -> Value { return View(row.topic); }},
         {.key = "what",
          .title = "about",
          .explanation = "What it is about",
          .value = [](const Row &row) -> Value { return View(row.what); }},
         {.key = "text",
          .title = "what is known",
          .explanation = "In quotation marks the compiler's own text, as its source has it",
          .value = [](const Row &row) -> Value {
              return row.quoted ? '"' + row.text + '"' : row.text;
          },
          .document = [](const Row &row) { return Json(row.text); }},
         {.key = "quoted",
          .title = "quoted",
          .explanation = "Whether it is the compiler's own text",
          .shown = kDocument,
          .value = [](const Row &row) -> Value { return row.quoted; }},
         {.key = "source",
          .title = "source",
          .explanation = "Where it is documented",
          .value = [](const Row &row) -> Value { return View(row.source); }},
         {.key = "confidence",
          .title = "confidence",
          .explanation = "How well it is known",
          .shown = kDocument | kWindow,
          .value = [](const Row &row) { return confidenceValue(row.confidence); }}}};
    return kTable;
}

const TableOf<DoubleMacPair> &doubleMacTable()
{
    using Row = DoubleMacPair;
    static const TableOf<Row> kTable{
        "double-multiply",
        {{.key = "activation",
          .title = "activation",
          .explanation = "Type of the activations",
          .value = [](const Row &row) -> Value { return View(row.activation); }},
         {.key = "kernel",
          .title = "kernel",
          .explanation = "Type of the weights",
          .value = [](const Row &row) -> Value { return View(row.kernel); }},
         {.key = "eligible",
          .title = "double multiply",
          .explanation = "Whether the array multiplies two pairs at a time",
          .value = [](const Row &row) -> Value { return Word{row.eligible ? "eligible" : "no"}; },
          .document = [](const Row &row) { return Json(row.eligible); }},
         {.key = "source",
          .title = "source",
          .explanation = "Where the rule is from",
          .shown = kDocument,
          .value = [](const Row &) -> Value { return View("chapter 36, fp8 datapath"); }}}};
    return kTable;
}

} // namespace kernscope::report
