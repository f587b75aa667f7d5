// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bundle/bundle.h"
#include "core/report/chip_json.h"
#include "core/report/decision_table.h"
#include "core/report/fact_values.h"
#include "core/report/json_table.h"
#include "core/report/json_values.h"
#include "core/report/reason_table.h"

#include <iterator>
#include <string>
#include <unordered_map>
#include <vector>

#include <fmt/format.h>

namespace kernscope::report {

namespace {

using decision::Verdict;

std::string dumped(const Json &json)
{
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Value passesValue(const decision::Reason &reason)
{
    if (!reason.passes)
        return Word{"open", Mark::Open};
    return *reason.passes ? Word{"passes", Mark::Passes} : Word{"fails", Mark::Bad};
}

std::string noteOf(const decision::Reason &reason)
{
    return reason.note;
}

Json totalsJson(const TargetTotals &totals)
{
    Json json;
    json["target"] = totals.target->name;
    const auto moved = totals.allMoved();
    json["bytes_moved"] = moved ? numberJson(*moved) : Json(nullptr);
    json["bytes_moved_known"] = numberJson(totals.bytesMoved);
    json["bytes_moved_open"] = totals.movedOpen;
    json["weights_elsewhere"] = totals.elsewhere;
    json["stored_bytes"] = numberJson(totals.storedBytes);
    json["dense_fp16_bytes"] = numberJson(totals.denseBytes);
    json["streams"] = totals.streams;
    json["folds"] = totals.folds;
    json["dense"] = totals.dense;
    json["rejected"] = totals.rejected;
    json["unknown"] = totals.unknown;
    return json;
}

/// Columns that follow each other in the document and depend on the same.
struct ColumnBlock {
    DecisionScope scope = DecisionScope::Both;
    std::vector<std::size_t> columns;
};

std::vector<ColumnBlock> columnBlocks()
{
    const TableOf<DecisionFacts> &table = decisionTable();
    std::vector<ColumnBlock> blocks;
    for (const std::size_t at : columnOrder(table.facts(), table.documentOrder, kDocument)) {
        const DecisionScope scope = decisionScope(table.columns[at].key);
        if (blocks.empty() || blocks.back().scope != scope)
            blocks.push_back({scope, {}});
        blocks.back().columns.push_back(at);
    }
    return blocks;
}

/// As dump() writes it, with what is short written in less time: there may be a million rows.
void addDumped(std::string &text, const Json &json)
{
    if (json.is_null())
        text += "null";
    else if (json.is_number_unsigned())
        text += fmt::format_int(json.get<std::uint64_t>()).c_str();
    else if (json.is_boolean())
        text += json.get<bool>() ? "true" : "false";
    else if (json.is_object() && !json.empty()) {
        char between = '{';
        for (const auto &[key, value] : json.items()) { // keys are ours: nothing to escape
            text += between;
            text.append(1, '"').append(key).append("\":");
            addDumped(text, value);
            between = ',';
        }
        text += '}';
    } else {
        text += dumped(json);
    }
}

/// `"target":"M1","outcome":"streams"`; empty where the row has none of the keys.
std::string keysOf(const ColumnBlock &block, const DecisionFacts &facts)
{
    std::string text;
    for (const std::size_t at : block.columns) {
        const Column<DecisionFacts> &column = decisionTable().columns[at];
        const Json cell =
            column.document != nullptr ? column.document(facts) : json(column.value(facts));
        if (cell.is_discarded())
            continue;
        text.append(text.empty() ? "\"" : ",\"").append(column.key).append("\":");
        addDumped(text, cell);
    }
    return text;
}

/// Writes the rows of the declared table; what weights and verdicts repeat is made once.
class DecisionWriter
{
public:
    DecisionWriter(const Bundle &bundle, const DecisionTable &table,
                   const std::function<void(std::string_view)> &write)
        : m_bundle(bundle), m_table(table), m_write(write), m_blocks(columnBlocks())
    {
        m_facts.whole = table.rows() * table.columns() <= kInlineDecisions;
    }

    void decisions();
    Json verdicts() const
    {
        Json list = Json::array();
        for (const Verdict *verdict : m_order)
            list.push_back(verdictJson(*verdict));
        return list;
    }

private:
    using Texts = std::vector<std::string>; ///< by block
    Texts textsOf(DecisionScope scope) const;
    const Texts &textsOfVerdict();
    void one(const Texts &ofWeight);

    const Bundle &m_bundle;
    const DecisionTable &m_table;
    const std::function<void(std::string_view)> &m_write;
    std::vector<ColumnBlock> m_blocks;
    DecisionFacts m_facts;
    std::string m_buffer;
    std::unordered_map<const Verdict *, Texts> m_ofVerdicts;
    std::vector<const Verdict *> m_order;
};

DecisionWriter::Texts DecisionWriter::textsOf(DecisionScope scope) const
{
    Texts texts;
    for (const ColumnBlock &block : m_blocks)
        texts.push_back(block.scope == scope ? keysOf(block, m_facts) : std::string());
    return texts;
}

const DecisionWriter::Texts &DecisionWriter::textsOfVerdict()
{
    const auto [at, isNew] = m_ofVerdicts.try_emplace(&m_facts.verdict());
    if (isNew) {
        m_facts.verdictIndex = m_order.size();
        m_order.push_back(at->first);
        at->second = textsOf(DecisionScope::Verdict);
    }
    return at->second;
}

void DecisionWriter::one(const Texts &ofWeight)
{
    const Texts &ofVerdict = textsOfVerdict();
    const Texts ofBoth = textsOf(DecisionScope::Both);
    char between = '{';
    for (std::size_t i = 0; i < m_blocks.size(); ++i) {
        for (const Texts *texts : {&ofWeight, &ofVerdict, &ofBoth}) {
            if ((*texts)[i].empty())
                continue;
            m_buffer += between;
            m_buffer += (*texts)[i];
            between = ',';
        }
    }
    m_buffer += '}';
}

void DecisionWriter::decisions()
{
    constexpr std::size_t kFlush = 1 << 20;
    m_buffer.reserve(kFlush + (1 << 16));
    for (std::size_t row = 0; row < m_table.rows(); ++row) {
        m_facts.weight = &m_bundle.weights()[row];
        const Texts ofWeight = textsOf(DecisionScope::Weight);
        for (std::size_t column = 0; column < m_table.columns(); ++column) {
            m_buffer += row == 0 && column == 0 ? "\n" : ",\n";
            m_facts.assessed = m_table.assessment(row, column);
            one(ofWeight);
        }
        if (m_buffer.size() >= kFlush) {
            m_write(m_buffer);
            m_buffer.clear();
        }
    }
    m_write(m_buffer);
    m_buffer.clear();
}

} // namespace

const TableOf<decision::Reason> &reasonTable()
{
    using Row = decision::Reason;
    static constexpr Column<Row> kColumns[] = {
        {"passes", "state", "Whether the condition holds on this chip", passesValue,
         jsonOf([](const Row &row) { return optionalJson(row.passes); })},
        {"gate", "condition", "What the compiler consults",
         [](const Row &row) -> Value { return row.gate; }, originOf(noteOf)},
        {"offset", "offset", "Place in the hardware-abstraction table of compiler 9.509",
         [](const Row &row) -> Value {
             return row.offset ? Value(target::halOffsetText(*row.offset)) : Value(Nothing());
         }},
        {kDocument, "value", "value", "Value of the byte", nullptr,
         jsonOf([](const Row &row) { return optionalJson(row.value); })},
        {"found", "found", "The byte or fact that was found; unknown is not 0",
         [](const Row &row) -> Value { return row.found; }, originOf(noteOf)},
        {"required", "needed", "What it would have to be",
         [](const Row &row) -> Value { return row.required; }},
        {"source", "source", "Where the value is documented",
         [](const Row &row) -> Value { return row.source; }},
        {"confidence", "confidence", "How well it is known",
         [](const Row &row) { return confidenceValue(row.confidence); }},
        {kDocument, "note", "note", "What is to be known of the condition",
         [](const Row &row) -> Value {
             return row.note.empty() ? Value(Absent()) : Value(row.note);
         }},
    };
    static const TableOf<Row> kTable{
        "reasons",
        kColumns,
        {"gate", "offset", "value", "passes", "source", "confidence", "found", "required"}};
    return kTable;
}

Json verdictJson(const Verdict &verdict)
{
    Json json;
    json["form"] = verdict.key;
    json["target"] = verdict.target->name;
    json["outcome"] = decision::outcomeName(verdict.outcome);
    json["basis"] = verdict.basis;
    json["refused_by"] = verdict.refusedBy.empty() ? Json(nullptr) : Json(verdict.refusedBy);
    json["note"] = verdict.note;
    json["confidence"] = format::confidenceName(verdict.confidence);
    json["reasons"] = jsonArray(reasonTable(), verdict.reasons);
    json["disagreements"] = verdict.disagreements;
    json["nearest_change"] = verdict.nearestChange;
    return json;
}

Json memoryJson(const decision::KernelMemory &memory)
{
    Json json;
    json["offset"] = target::halOffsetText(memory.offset);
    json["bytes"] = numberJson(memory.cap);
    json["demand"] = numberJson(memory.demand);
    json["fits"] = memory.fits ? Json(*memory.fits) : Json(nullptr);
    json["layout"] = target::halLayoutName(memory.layout);
    json["replicated"] = memory.replicated;
    json["at_most"] = memory.atMost;
    if (memory.contested) {
        json["contested"] = true;
        json["other_demand"] = numberJson(memory.otherDemand);
        json["other_fits"] = memory.otherFits ? Json(*memory.otherFits) : Json(nullptr);
    }
    json["cores"] = memory.cores ? Json(*memory.cores) : Json(nullptr);
    json["sub_layers"] = numberJson(memory.sublayers);
    json["source"] = memory.source;
    return json;
}

Json speedupJson(const std::optional<decision::Speedup> &speedup)
{
    if (!speedup)
        return nullptr;
    Json json;
    json["low"] = ratioJson(speedup->low);
    json["high"] = ratioJson(speedup->high);
    json["confidence"] = format::confidenceName(speedup->confidence);
    json["condition"] = speedup->condition;
    json["source"] = speedup->source;
    return json;
}

Json measuredJson(std::span<const decision::Measurement> measured)
{
    Json list = Json::array();
    for (const decision::Measurement &each : measured) {
        Json json;
        json["low"] = ratioJson(each.low);
        json["high"] = ratioJson(each.high);
        json["holds"] = optionalJson(each.holds());
        json["condition"] = each.condition;
        json["conditions"] = Json::array();
        for (const decision::Condition &condition : each.conditions)
            json["conditions"].push_back(conditionJson(condition));
        json["source"] = each.source;
        json["confidence"] = format::confidenceName(each.confidence);
        list.push_back(std::move(json));
    }
    return list;
}

void writeDecisions(const Bundle &bundle, const DecisionTable &table, Json head,
                    const Diagnostics &diagnostics,
                    const std::function<void(std::string_view)> &write)
{
    head["bundle"] = bundle.name();
    std::string opening = dumped(head);
    opening.pop_back();
    write(opening);
    write(",\n\"decisions\":[");
    DecisionWriter writer(bundle, table, write);
    writer.decisions();
    Json rest;
    rest["verdicts"] = writer.verdicts();
    rest["totals"] = Json::array();
    for (std::size_t column = 0; column < table.columns(); ++column)
        rest["totals"].push_back(totalsJson(table.totals(column)));
    finish(rest, diagnostics);
    std::string closing = dumped(rest);
    closing.front() = ',';
    write("],\n");
    write(std::string_view(closing).substr(1));
    write("\n");
}

} // namespace kernscope::report
