// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/format_table.h"

#include "core/format/table_rows.h"
#include "core/numeric/half.h"
#include "core/report/engine_json.h"
#include "core/report/fact_values.h"
#include "core/report/json_table.h"

namespace kernscope::report {

namespace {

using format::CatalogueRow;
using format::KernelFormatRow;

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

Json rulesJson(const KernelFormatFacts &facts)
{
    return listJson(facts.legality.rules, [&](const auto &rule) -> Json {
        return {
            {"name", rule.name},         {"state", ruleStateName(rule.state)},
            {"required", rule.required}, {"found", rule.found},
            {"source", rule.source},     {"confidence", format::confidenceName(rule.confidence)}};
    });
}

std::string formatOrigin(const KernelFormatFacts &facts)
{
    const std::string &source = facts.row->source, &note = facts.row->note;
    return note.empty() ? source : source + "\n" + note;
}

template <class T>
Value codeOf(const Result<T> &number)
{
    return number ? Value(Code{number->value}) : Value(Unknown());
}

std::vector<ElementTypeFacts> elementTypeRows(std::string_view numbering,
                                              std::span<const CatalogueRow> rows)
{
    std::vector<ElementTypeFacts> list;
    for (const CatalogueRow &row : rows)
        list.push_back({numbering, &row, {}, {}});
    return list;
}

Json typesJson(std::span<const format::CatalogueRow> rows)
{
    return jsonArray(elementTypeTable, elementTypeRows({}, rows));
}

void addRows(std::string_view name, std::vector<EmbeddedFact> &rows)
{
    const auto csv = tables::load(name);
    for (std::size_t row = 0; csv && row < csv->rows(); ++row) {
        EmbeddedFact fact;
        fact.table = name;
        for (std::size_t i = 0; i < csv->columns().size(); ++i) {
            const std::string &column = csv->columns()[i];
            const std::string_view cell = csv->cell(row, i);
            if (column == "confidence")
                fact.confidence = cell;
            else if (column == "source")
                fact.source = cell;
            else if (column == "note")
                fact.note = cell;
            else if (!cell.empty())
                fact.cells.append(fact.cells.empty() ? "" : "; ").append(column + "=").append(cell);
        }
        rows.push_back(std::move(fact));
    }
}

using format::ActivationField;
using format::ActivationTable;

constexpr int kActivationDigits = 6;

/// Of one of several entries that are a field, its number among them.
Value entryName(const ActivationEntry &row)
{
    if (row.field == nullptr)
        return Nothing();
    return row.field->count == row.count
               ? Value(View(row.field->name))
               : Value(Word{"knot", Mark::None, std::to_string(row.entry - row.field->index)});
}

std::string entryOrigin(const ActivationEntry &row)
{
    if (row.field == nullptr)
        return {};
    return row.field->note.empty() ? row.field->source : row.field->source + "\n" + row.field->note;
}

Json activationValuesJson(const ActivationEntry &row)
{
    Json values = Json::array();
    for (std::size_t i = 0; i < row.count; ++i)
        values.push_back(finiteJson(row.table->value(row.entry + i)));
    return values;
}

} // namespace

std::vector<KernelFormatFacts> kernelFormatRows(const format::FormatUse &use)
{
    std::vector<KernelFormatFacts> rows;
    for (const KernelFormatRow &row : format::kernelFormats())
        rows.push_back({&row, format::checkKernelFormat(row, use)});
    return rows;
}

const TableOf<KernelFormatFacts> kernelFormatTable(
    "kernel-formats",
    {{kNumber, "code", "Kernel format: the compiler's number for a weight's storage",
      CELL(Code(row.row->format.value)), originOf(formatOrigin)},
     {"name", "Name in public work on the compilers", CELL(View(row.row->name)),
      originOf(formatOrigin)},
     {"kind", "Scalar, palette (7 to 27), unity (28 to 30) or microscaled",
      CELL(Word(format::kernelFormatKindName(row.row->kind)))},
     {kNumber, "bit_depth", "bits", "Bits of an element, or of a palette's index",
      CELL(known<Code>(row.row->bits))},
     {kNumber | kDocument, "palette_format", "Kernel format of a palette's entries",
      CELL(codeOf(format::paletteEntryFormat(row.row->format)))},
     {"underlying_type", "type", "Underlying type of an element, or of a palette's entries",
      CELL(row.row->underlying.empty() ? Value(Unknown()) : Value(row.row->underlying))},
     {kNumber | kDocument, "palette_lut_bytes", "Bytes of one codebook",
      CELL(codeOf(format::paletteLutBytes(row.row->format, 1))), withUnit("B")},
     {kNumber, "type_number", "number", "Element type number in descriptors and symbol catalogues",
      CELL(codeOf(format::typeNumber(row.row->format)))},
     {kNumber | kDocument | kWindow, "register_value", "register",
      "Value of the kernel-configuration register", CELL(known<Code>(row.row->registerValue))},
     {kNumber | kWindow, "since_version", "since",
      "First descriptor version that has it, where known",
      CELL(known<Code>(row.row->sinceVersion))},
     {"legal", "on this chip",
      "Whether the chosen chip's descriptor can encode it, or the rule that refuses", legalValue,
      jsonOf([](auto &row) {
          const auto verdict = row.legality.verdict(); // null: a rule cannot be answered
          return verdict ? Json(*verdict) : Json(nullptr);
      }),
      originOf(formatOrigin)},
     {kDocument, "refused_by", "The rule that refuses",
      CELL(ofAny(row.legality.refusal(), &format::LegalityRule::name))},
     {kDocument, "rules", "Every rule that was consulted", rulesJson},
     {"confidence", "How well the row is known; the tooltip names the source",
      CELL(confidenceValue(row.row->confidence)), originOf(formatOrigin)},
     {kDocument | kWindow, "source", "Where the row comes from", CELL(View(row.row->source))},
     {kDocument | kWindow, "note", "Note on the row", CELL(View(row.row->note))}});

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

const TableOf<ElementTypeFacts> elementTypeTable(
    "element-types",
    {{kWindow, "numbering",
      "Which list the code belongs to; codes of different lists are never the same thing",
      CELL(Word(row.numbering))},
     {kNumber, "code", "The compiler's or the file's number", CELL(Code(row.row->code))},
     {"name", "Name of the type", CELL(View(row.row->name))},
     {kNumber, "bits", "Bits of one element", CELL(known<Code>(row.row->bits))},
     {"dma_to_fp16", "DMA to fp16",
      "Whether the DMA engine converts it to fp16 (the fold predicate)",
      CELL(row.dmaToFp16 ? Value(*row.dmaToFp16) : Value(Absent())), originOf(CELL(row.row->note))},
     {"dma_valid", "DMA valid", "Tensor formats: what CheckValidDMAFormat says on the chosen chip",
      CELL(row.dma ? known(row.dma->valid) : Value(Absent())), unknownAs("unknown")},
     {"capability_byte", "byte",
      "Tensor formats: the byte of the chip's table that CheckValidDMAFormat asks",
      [](auto &row) -> Value {
          if (!row.dma)
              return Absent();
          return row.dma->byte ? Value(target::halOffsetText(*row.dma->byte)) : Nothing();
      }},
     {kWindow, "in_kernel_unit", "weight sections",
      "The catalogue: whether a weight section's descriptor is written with it",
      CELL(row.row->inKernelUnit ? Value(true) : Value(Absent()))},
     {kDocument | kWindow, "since_compiler", "since compiler",
      "The catalogue: version of the first compiler whose files list it",
      CELL(orAbsent(row.row->sinceCompiler))},
     {kDocument | kWindow, "confidence", "How well the row is known",
      CELL(confidenceValue(row.row->confidence))},
     {kDocument | kWindow, "source", "Where the row comes from", CELL(View(row.row->source)),
      originOf(CELL(row.row->note))}},
    {"code", "name", "bits", "confidence", "source"});

std::vector<CodegenFacts> codegenRows(unsigned version)
{
    std::vector<CodegenFacts> rows;
    for (const format::CodegenRule &rule : format::codegenRules())
        rows.push_back({&rule, version >= rule.sinceVersion});
    return rows;
}

const TableOf<CodegenFacts> codegenTable(
    "encoder",
    {{"capability", "What an encoder writes", CELL(View(row.rule->capability))},
     {kNumber, "since_version", "since", "First descriptor version whose encoder writes it",
      CELL(Code(row.rule->sinceVersion))},
     {"implemented", "here", "Whether the chosen descriptor version has it",
      CELL(row.implemented ? Word("implemented", Mark::Good) : Word("no encoder", Mark::Bad)),
      jsonOf(CELL(Json(row.implemented)))},
     {"offset", "In the descriptor, where one is published",
      [](auto &row) -> Value {
          if (!row.rule->offset)
              return Nothing();
          return fmt::format("{:#05x}", *row.rule->offset);
      }},
     {"source", "Where the rule comes from", CELL(View(row.rule->source)),
      originOf(CELL(row.rule->note))},
     {kDocument | kWindow, "confidence", "How well the rule is known",
      CELL(confidenceValue(row.rule->confidence))},
     {kDocument, "note", "Note on the row", CELL(View(row.rule->note))}});

Json formatsJson(const target::Target &target, const format::FormatUse &use)
{
    const std::uint32_t version = use.descriptorVersion;
    Json json = document("formats");
    json["target"] = target.name;
    json["descriptor_version"] = version;
    json["kernel_formats"] = jsonArray(kernelFormatTable, kernelFormatRows(use));
    json["tensor_formats"] = jsonArray(elementTypeTable, tensorFormatRows(target));
    json["codegen"] = jsonArray(codegenTable, codegenRows(version));
    json["element_roles"] = jsonArray(elementRoleTable, format::weightElementRoles());
    json["fold_predicate"] = foldPredicateJson();
    json["double_mac"] = jsonArray(doubleMacTable, doubleMacPairs());
    json["format_word"] = version == 0 ? Json(nullptr) : formatWordJson(version);
    json["fp8_formats"] = jsonArray(fp8FormatTable, format::fp8Formats());
    json["notes"] = jsonArray(engineNoteTable, format::engineNotes());
    json["contested"] = readingsJson(format::readingsAbout("engine"));
    json["element_catalogue"] = typesJson(format::elementCatalogue());
    json["serialization_types"] = typesJson(format::serializationTypes());
    json["blob_types"] = typesJson(format::blobTypes());
    return json;
}

std::vector<EmbeddedFact> embeddedFactRows(std::string_view table)
{
    std::vector<EmbeddedFact> rows;
    for (const std::string_view name : tables::names()) {
        if (table.empty() || table == name)
            addRows(name, rows);
    }
    return rows;
}

const TableOf<EmbeddedFact> embeddedFactTable(
    "facts", {{"table", "Table of facts that the program reads", member<&EmbeddedFact::table>},
              {"fact", "Cells of the row, by column", member<&EmbeddedFact::cells>},
              {"confidence", "How well the row is known, in the words of its table",
               CELL(orNothing(row.confidence))},
              {"source", "Where the row comes from", CELL(orNothing(row.source))},
              {"note", "Note on the row", CELL(orNothing(row.note))}});

Json embeddedFactsJson(std::string_view table)
{
    Json json = document("formats");
    json["facts"] = jsonArray(embeddedFactTable, embeddedFactRows(table));
    return json;
}

std::vector<ActivationEntry> activationFieldRows(const ActivationTable &table)
{
    const auto shared = std::make_shared<const ActivationTable>(table);
    std::vector<ActivationEntry> rows;
    for (const ActivationField &field : format::activationFields()) {
        if (field.layout == table.layout())
            rows.push_back({shared, &field, field.index, field.count});
    }
    return rows;
}

std::vector<ActivationEntry> activationEntries(const ActivationTable &table)
{
    const std::vector<ActivationEntry> fields = activationFieldRows(table);
    const auto shared = std::make_shared<const ActivationTable>(table);
    std::vector<ActivationEntry> rows;
    for (std::size_t entry = 0; entry < ActivationTable::kEntries; ++entry) {
        rows.push_back({shared, nullptr, entry, 1});
        for (const ActivationEntry &each : fields) {
            if (entry >= each.entry && entry < each.entry + each.count)
                rows.back().field = each.field;
        }
    }
    return rows;
}

const TableOf<ActivationEntry> activationTable(
    "activation",
    {{kNumber, "entry", "Halfword of the record, 0 to 42",
      CELL(Written(static_cast<double>(row.entry),
                   row.count == 1 ? std::to_string(row.entry)
                                  : fmt::format("{} to {}", row.entry, row.entry + row.count - 1))),
      jsonOf(CELL(Json(row.entry))), originOf(entryOrigin)},
     {"name", "field", "What the entry is, in the chosen reading of the record", entryName,
      originOf(entryOrigin)},
     {kNumber | kDocument, "count", "How many entries the field has",
      member<&ActivationEntry::count, Count>},
     {kNumber | kTables, "bits", "The stored fp16 bits",
      CELL(row.count == 1 ? Value(Hex(row.table->entries()[row.entry], 4)) : Value(Nothing())),
      originOf(entryOrigin)},
     {kNumber | kTables, "value", "The same bits as an fp16 number",
      CELL(row.count == 1 ? Value(Real(static_cast<double>(row.table->value(row.entry)),
                                       kActivationDigits, true))
                          : Value(Nothing())),
      originOf(entryOrigin)},
     {kDocument, "values", "The numbers of all entries of the field", activationValuesJson},
     {kDocument, "source", "Where the field is described",
      CELL(row.field != nullptr ? Value(View(row.field->source)) : Value(Nothing()))},
     {"confidence", "How well the field's place and meaning are known",
      CELL(row.field != nullptr ? confidenceValue(row.field->confidence) : Value(Nothing())),
      originOf(entryOrigin)},
     {kName | kDocument | kTerminal, "note", "What else is known of the field",
      CELL(row.field != nullptr ? Value(View(row.field->note)) : Value(Nothing()))}},
    {"name", "entry", "count", "values", "source", "confidence", "note"});

std::vector<KnotFacts> knotFacts(const ActivationTable &table)
{
    std::vector<KnotFacts> rows;
    for (std::size_t i = 0; i < ActivationTable::kKnots; ++i)
        rows.push_back({i, table.knotInput(i), table.knot(i)});
    return rows;
}

const TableOf<KnotFacts> knotTable(
    "knots",
    {{kNumber | kTerminal, "knot", "Number of the knot, from 0", member<&KnotFacts::knot, Code>},
     {kNumber, "input", "Where the knot lies", CELL(Real(row.input, kActivationDigits, true))},
     {kNumber, "output", "Value of the function there",
      CELL(Real(static_cast<double>(row.output), kActivationDigits, true))}});

Json activationJson(std::string_view name, const ActivationTable &table,
                    std::span<const EvaluatedInput> evaluated)
{
    Json json{{"name", name}, {"layout", format::activationLayoutName(table.layout())}};
    const ActivationTable::Domain domain = table.domain();
    json["domain"] = {{"low", report::json(Real{domain.low})},
                      {"high", report::json(Real{domain.high})},
                      {"assumed", domain.assumed}};
    json["entries"] = table.entries();
    json["fields"] = jsonArray(activationTable, activationFieldRows(table));
    json["knots"] = jsonArray(knotTable, knotFacts(table));
    json["evaluated"] = listJson(evaluated, [&](const auto &each) -> Json {
        return {{"input", each.input},
                {"output", finiteJson(halfToFloat(each.bits))},
                {"bits", each.bits}};
    });
    return json;
}

Json activationTablesJson(std::vector<Json> tables, std::string_view arithmetic,
                          std::string_view tail)
{
    Json json = document("activation");
    json["tables"] = std::move(tables);
    json["arithmetic"] = arithmetic;
    json["tail"] = tail;
    json["contested"] = readingsJson(format::readingsOf("activation_segments"));
    return json;
}

} // namespace kernscope::report
