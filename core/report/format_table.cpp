// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/format_table.h"

#include "core/report/fact_values.h"
#include "core/report/joined_columns.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace kernscope::report {

namespace {

using format::CatalogueRow;
using format::KernelFormatRow;
constexpr auto kFormatNumber = TextTable::Align::Right;

const char *ruleStateName(format::RuleState state)
{
    switch (state) {
    case format::RuleState::Passes: return "passes";
    case format::RuleState::Refuses: return "refuses";
    case format::RuleState::Unknown: break;
    }
    return "unknown";
}

Value legalValue(const KernelFormatFacts &facts)
{
    if (const format::LegalityRule *refusal = facts.legality.refusal())
        return Word{"refused", Mark::Bad, refusal->name};
    return facts.legality.verdict() ? Word{"legal", Mark::Good} : Word{"unknown", Mark::Open};
}

Value refusedBy(const KernelFormatFacts &facts)
{
    const format::LegalityRule *refusal = facts.legality.refusal();
    return refusal != nullptr ? Value(refusal->name) : Value(Nothing());
}

Json rulesJson(const KernelFormatFacts &facts)
{
    Json rules = Json::array();
    for (const format::LegalityRule &rule : facts.legality.rules)
        rules.push_back({{"name", rule.name},
                         {"state", ruleStateName(rule.state)},
                         {"required", rule.required},
                         {"found", rule.found},
                         {"source", rule.source},
                         {"confidence", format::confidenceName(rule.confidence)}});
    return rules;
}

std::string sourceAndNote(const std::string &source, const std::string &note)
{
    return note.empty() ? source : source + "\n" + note;
}

std::string formatOrigin(const KernelFormatFacts &facts)
{
    return sourceAndNote(facts.row->source, facts.row->note);
}

template <class T>
Value codeOf(const Result<T> &number)
{
    return number ? Value(Code{number->value}) : Value(Unknown());
}

std::vector<Column<KernelFormatFacts>> kernelFormatIdentityColumns()
{
    using Row = KernelFormatFacts;
    return {
        {.key = "code",
         .title = "code",
         .explanation = "Kernel format: the compiler's number for a weight's storage",
         .align = kFormatNumber,
         .value = [](const Row &row) -> Value { return Code{row.row->format.value}; },
         .origin = formatOrigin},
        {.key = "name",
         .title = "name",
         .explanation = "Name in public work on the compilers",
         .value = [](const Row &row) -> Value { return View(row.row->name); },
         .origin = formatOrigin},
        {.key = "kind",
         .title = "kind",
         .explanation = "Scalar, palette (7 to 27), unity (28 to 30) or microscaled",
         .value = [](const Row &row) -> Value {
             return Word{format::kernelFormatKindName(row.row->kind)};
         }},
        {.key = "bit_depth",
         .title = "bits",
         .explanation = "Bits of an element, or of a palette's index",
         .align = kFormatNumber,
         .value = [](const Row &row) { return known<Code>(row.row->bits); }},
    };
}

std::vector<Column<KernelFormatFacts>> kernelFormatPaletteColumns()
{
    using Row = KernelFormatFacts;
    return {
        {.key = "palette_format",
         .title = "entries",
         .explanation = "Kernel format of a palette's entries",
         .align = kFormatNumber,
         .shown = kDocument,
         .value =
             [](const Row &row) { return codeOf(format::paletteEntryFormat(row.row->format)); }},
        {.key = "underlying_type",
         .title = "type",
         .explanation = "Underlying type of an element, or of a palette's entries",
         .value = [](const Row &row) -> Value {
             return row.row->underlying.empty() ? Value(Unknown()) : Value(row.row->underlying);
         }},
        {.key = "palette_lut_bytes",
         .title = "codebook",
         .unit = "B",
         .explanation = "Bytes of one codebook",
         .align = kFormatNumber,
         .shown = kDocument,
         .value =
             [](const Row &row) { return codeOf(format::paletteLutBytes(row.row->format, 1)); }},
    };
}

std::vector<Column<KernelFormatFacts>> kernelFormatEncodingColumns()
{
    using Row = KernelFormatFacts;
    return {
        {.key = "type_number",
         .title = "number",
         .explanation = "Element type number in descriptors and symbol catalogues",
         .align = kFormatNumber,
         .value = [](const Row &row) { return codeOf(format::typeNumber(row.row->format)); }},
        {.key = "register_value",
         .title = "register",
         .explanation = "Value of the kernel-configuration register",
         .align = kFormatNumber,
         .shown = kDocument | kWindow,
         .value = [](const Row &row) { return known<Code>(row.row->registerValue); }},
        {.key = "since_version",
         .title = "since",
         .explanation = "First descriptor version that has it, where known",
         .align = kFormatNumber,
         .shown = kWindow,
         .value = [](const Row &row) { return known<Code>(row.row->sinceVersion); }},
        {.key = "legal",
         .title = "on this chip",
         .explanation = "Whether the chosen chip's descriptor can encode it, or the rule that "
                        "refuses",
         .value = legalValue,
         .document =
             [](const Row &row) {
                 const auto verdict = row.legality.verdict(); // null: a rule cannot be answered
                 return verdict ? Json(*verdict) : Json(nullptr);
             },
         .origin = formatOrigin},
        {.key = "refused_by",
         .title = "refused by",
         .explanation = "The rule that refuses",
         .shown = kDocument,
         .value = refusedBy},
        {.key = "rules",
         .title = "rules",
         .explanation = "Every rule that was consulted",
         .shown = kDocument,
         .document = rulesJson},
    };
}

std::vector<Column<KernelFormatFacts>> kernelFormatSourceColumns()
{
    using Row = KernelFormatFacts;
    return {
        {.key = "confidence",
         .title = "confidence",
         .explanation = "How well the row is known; the tooltip names the source",
         .value = [](const Row &row) { return confidenceValue(row.row->confidence); },
         .origin = formatOrigin},
        {.key = "source",
         .title = "source",
         .explanation = "Where the row comes from",
         .shown = kDocument | kWindow,
         .value = [](const Row &row) -> Value { return View(row.row->source); }},
        {.key = "note",
         .title = "note",
         .explanation = "What is to be known of it",
         .shown = kDocument | kWindow,
         .value = [](const Row &row) -> Value { return View(row.row->note); }},
    };
}

std::vector<Column<KernelFormatFacts>> kernelFormatColumns()
{
    return joinedColumns(kernelFormatIdentityColumns(), kernelFormatPaletteColumns(),
                         kernelFormatEncodingColumns(), kernelFormatSourceColumns());
}

std::vector<Column<ElementTypeFacts>> elementTypeIdentityColumns()
{
    using Row = ElementTypeFacts;
    return {
        {.key = "numbering",
         .title = "numbering",
         .explanation = "Which list the code belongs to; codes of different lists are never the "
                        "same thing",
         .shown = kWindow,
         .value = [](const Row &row) -> Value { return Word{row.numbering}; }},
        {.key = "code",
         .title = "code",
         .explanation = "The compiler's or the file's number",
         .align = kFormatNumber,
         .value = [](const Row &row) -> Value { return Code{row.row->code}; }},
        {.key = "name",
         .title = "name",
         .explanation = "Name of the type",
         .value = [](const Row &row) -> Value { return View(row.row->name); }},
        {.key = "bits",
         .title = "bits",
         .explanation = "Bits of one element",
         .align = kFormatNumber,
         .value = [](const Row &row) { return known<Code>(row.row->bits); }},
    };
}

std::vector<Column<ElementTypeFacts>> elementTypeSupportColumns()
{
    using Row = ElementTypeFacts;
    return {
        {.key = "dma_to_fp16",
         .title = "DMA to fp16",
         .explanation = "Whether the DMA engine converts it to fp16 (the fold predicate)",
         .value = [](const Row &row) -> Value {
             return row.dmaToFp16 ? Value(*row.dmaToFp16) : Value(Absent());
         },
         .origin = [](const Row &row) { return row.row->note; }},
        {.key = "dma_valid",
         .title = "DMA valid",
         .explanation = "Tensor formats: what CheckValidDMAFormat says on the chosen chip",
         .unknown = "unknown",
         .value = [](const Row &row) -> Value {
             return row.dma ? known(row.dma->valid) : Value(Absent());
         }},
        {.key = "capability_byte",
         .title = "byte",
         .explanation =
             "Tensor formats: the byte of the chip's table that CheckValidDMAFormat asks",
         .value = [](const Row &row) -> Value {
             if (!row.dma)
                 return Absent();
             return row.dma->byte ? Value(target::halOffsetText(*row.dma->byte)) : Nothing();
         }},
        {.key = "in_kernel_unit",
         .title = "weight sections",
         .explanation = "The catalogue: whether a weight section's descriptor is written with it",
         .shown = kWindow,
         .value = [](const Row &row) -> Value {
             return row.row->inKernelUnit ? Value(true) : Value(Absent());
         }},
        {.key = "since_compiler",
         .title = "since compiler",
         .explanation = "The catalogue: version of the first compiler whose files list it",
         .shown = kDocument | kWindow,
         .value = [](const Row &row) -> Value {
             return row.row->sinceCompiler.empty() ? Value(Absent())
                                                   : Value(row.row->sinceCompiler);
         }},
        {.key = "confidence",
         .title = "confidence",
         .explanation = "How well the row is known",
         .shown = kDocument | kWindow,
         .value = [](const Row &row) { return confidenceValue(row.row->confidence); }},
        {.key = "source",
         .title = "source",
         .explanation = "Where the row comes from",
         .shown = kDocument | kWindow,
         .value = [](const Row &row) -> Value { return View(row.row->source); },
         .origin = [](const Row &row) { return row.row->note; }},
    };
}

std::vector<Column<ElementTypeFacts>> elementTypeColumns()
{
    return joinedColumns(elementTypeIdentityColumns(), elementTypeSupportColumns());
}

} // namespace

std::vector<KernelFormatFacts> kernelFormatRows(const format::FormatUse &use)
{
    std::vector<KernelFormatFacts> rows;
    for (const KernelFormatRow &row : format::kernelFormats())
        rows.push_back({&row, format::checkKernelFormat(row, use)});
    return rows;
}

const TableOf<KernelFormatFacts> &kernelFormatTable()
{
    static const TableOf<KernelFormatFacts> kTable{"kernel-formats", kernelFormatColumns()};
    return kTable;
}

std::vector<ElementTypeFacts> elementTypeRows(std::string_view numbering,
                                              std::span<const CatalogueRow> rows)
{
    std::vector<ElementTypeFacts> list;
    for (const CatalogueRow &row : rows)
        list.push_back({numbering, &row, {}, {}});
    return list;
}

std::vector<ElementTypeFacts> tensorFormatRows(const target::Target &target)
{
    std::vector<ElementTypeFacts> list = elementTypeRows("tensor format", format::tensorFormats());
    for (ElementTypeFacts &facts : list) {
        const format::TensorFormat code(facts.row->code);
        facts.dmaToFp16 = format::isDmaConvertibleToFp16(code);
        facts.dma = target::checkDmaFormat(target, code);
    }
    return list;
}

std::vector<ElementTypeFacts> allElementTypeRows(const target::Target &target)
{
    std::vector<ElementTypeFacts> list = tensorFormatRows(target);
    const auto add = [&list](std::string_view numbering, std::span<const CatalogueRow> rows) {
        for (const ElementTypeFacts &facts : elementTypeRows(numbering, rows))
            list.push_back(facts);
    };
    add("symbol catalogue", format::elementCatalogue());
    add("serialization type", format::serializationTypes());
    add("weight.bin type", format::blobTypes());
    return list;
}

const TableOf<ElementTypeFacts> &elementTypeTable()
{
    static const TableOf<ElementTypeFacts> kTable{
        "element-types", elementTypeColumns(), {"code", "name", "bits", "confidence", "source"}};
    return kTable;
}

} // namespace kernscope::report
