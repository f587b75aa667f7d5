// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bundle/bundle.h"
#include "core/report/chip_json.h"
#include "core/report/fact_values.h"
#include "core/report/json_table.h"
#include "core/report/json_values.h"
#include "core/report/reason_table.h"

#include <iterator>
#include <unordered_map>

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

std::vector<Column<decision::Reason>> reasonColumns()
{
    using Row = decision::Reason;
    return {
        {.key = "passes",
         .title = "state",
         .explanation = "Whether the condition holds on this chip",
         .value = passesValue,
         .document = [](const Row &row) { return optionalJson(row.passes); }},
        {.key = "gate",
         .title = "condition",
         .explanation = "What the compiler consults",
         .value = [](const Row &row) -> Value { return row.gate; },
         .origin = noteOf},
        {.key = "offset",
         .title = "offset",
         .explanation = "Place in the hardware-abstraction table of compiler 9.509",
         .value = [](const Row &row) -> Value {
             return row.offset ? Value(target::halOffsetText(*row.offset)) : Value(Nothing());
         }},
        {.key = "value",
         .title = "value",
         .explanation = "Value of the byte",
         .shown = kDocument,
         .document = [](const Row &row) { return optionalJson(row.value); }},
        {.key = "found",
         .title = "found",
         .explanation = "The byte or fact that was found; unknown is not 0",
         .value = [](const Row &row) -> Value { return row.found; },
         .origin = noteOf},
        {.key = "required",
         .title = "needed",
         .explanation = "What it would have to be",
         .value = [](const Row &row) -> Value { return row.required; }},
        {.key = "source",
         .title = "source",
         .explanation = "Where the value is documented",
         .value = [](const Row &row) -> Value { return row.source; }},
        {.key = "confidence",
         .title = "confidence",
         .explanation = "How well it is known",
         .value = [](const Row &row) { return confidenceValue(row.confidence); }},
        {.key = "note",
         .title = "note",
         .explanation = "What is to be known of the condition",
         .shown = kDocument,
         .value = [](const Row &row) -> Value {
             return row.note.empty() ? Value(Absent()) : Value(row.note);
         }},
    };
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

/// What every decision of one verdict repeats, made once.
struct Pieces {
    std::size_t index = 0;
    std::string middle;  ///< from the target to the reasons
    std::string closing; ///< disagreements and the nearest change
};

void append(std::string &text, std::uint64_t value)
{
    const fmt::format_int digits(value);
    const bool quoted = value > (std::uint64_t(1) << 53);
    if (quoted)
        text += '"';
    text.append(digits.data(), digits.size());
    if (quoted)
        text += '"';
}

void append(std::string &text, const std::optional<std::uint64_t> &value)
{
    if (value)
        append(text, *value);
    else
        text += "null";
}

class DecisionWriter
{
public:
    DecisionWriter(const Bundle &bundle, const DecisionTable &table,
                   const std::function<void(std::string_view)> &write)
        : m_bundle(bundle), m_table(table), m_write(write),
          m_inline(table.rows() * table.columns() <= kInlineDecisions)
    {
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
    Pieces &piecesOf(const Verdict &verdict);
    void one(const std::string &head, std::size_t row, std::size_t column);

    const Bundle &m_bundle;
    const DecisionTable &m_table;
    const std::function<void(std::string_view)> &m_write;
    bool m_inline;
    std::string m_buffer;
    std::unordered_map<const Verdict *, Pieces> m_pieces;
    std::vector<const Verdict *> m_order;
};

Pieces &DecisionWriter::piecesOf(const Verdict &verdict)
{
    const auto [at, isNew] = m_pieces.try_emplace(&verdict);
    if (!isNew)
        return at->second;
    Pieces &pieces = at->second;
    pieces.index = m_order.size();
    m_order.push_back(&verdict);
    Json reasons = Json::array();
    if (m_inline) {
        reasons = jsonArray(reasonTable(), verdict.reasons);
    }
    pieces.middle = fmt::format(
        R"(,"target":{},"outcome":"{}","legal":{},"refused_by":{},"verdict":{},"reasons":{})",
        dumped(verdict.target->name), decision::outcomeName(verdict.outcome),
        verdict.refusedBy.empty() ? "true" : "false",
        verdict.refusedBy.empty() ? "null" : dumped(verdict.refusedBy), pieces.index,
        dumped(reasons));
    if (m_inline)
        pieces.closing = fmt::format(R"(,"disagreements":{},"note":{},"nearest_change":{})",
                                     dumped(verdict.disagreements), dumped(verdict.note),
                                     dumped(verdict.nearestChange));
    return pieces;
}

void DecisionWriter::one(const std::string &head, std::size_t row, std::size_t column)
{
    const Verdict &verdict = m_table.verdict(row, column);
    Pieces &pieces = piecesOf(verdict);
    const roofline::Assessment assessed = m_table.assessment(row, column);
    const decision::KernelMemory &memory = assessed.decision.memory;
    m_buffer += head;
    m_buffer += pieces.middle;
    m_buffer += R"(,"cap":)";
    if (m_inline) {
        m_buffer += dumped(memoryJson(memory));
    } else {
        m_buffer += R"({"offset":")";
        m_buffer += target::halOffsetText(memory.offset);
        m_buffer += R"(","bytes":)";
        append(m_buffer, memory.cap);
        m_buffer += R"(,"demand":)";
        append(m_buffer, memory.demand);
        m_buffer += R"(,"fits":)";
        m_buffer += memory.fits ? (*memory.fits ? "true}" : "false}") : "null}";
    }
    m_buffer += R"(,"bytes_moved":)";
    append(m_buffer, assessed.decision.bytesMoved);
    m_buffer += R"(,"speedup":)";
    Json speedup = speedupJson(assessed.speedup);
    if (m_inline) {
        m_buffer += dumped(speedup);
        m_buffer += R"(,"measured":)" + dumped(measuredJson(assessed.measured));
    } else {
        if (speedup.is_object()) {
            speedup.erase("condition");
            speedup.erase("source");
        }
        m_buffer += dumped(speedup);
    }
    m_buffer += R"(,"predicted_speedup":)" + dumped(optionalJson(assessed.predictedSpeedup));
    m_buffer +=
        R"(,"predicted_speedup_unpruned":)" + dumped(optionalJson(assessed.predictedOverUnpruned));
    m_buffer += fmt::format(R"(,"bound":"{}","time_s":)", roofline::boundName(assessed.bound));
    m_buffer += dumped(optionalJson(assessed.timeS));
    if (m_inline) {
        m_buffer += R"(,"energy":)" + dumped(energyJson(assessed.energy));
        m_buffer += R"(,"energy_measured":)" + dumped(measuredJson(assessed.energyMeasured));
    }
    m_buffer += pieces.closing;
    m_buffer += '}';
}

void DecisionWriter::decisions()
{
    constexpr std::size_t kFlush = 1 << 20;
    m_buffer.reserve(kFlush + (1 << 16));
    for (std::size_t row = 0; row < m_table.rows(); ++row) {
        const Weight &weight = m_bundle.weights()[row];
        const std::string head = R"({"weight":)" + dumped(weight.name) + R"(,"function":)" +
                                 dumped(weight.function) + R"(,"address":)" +
                                 dumped(weight.address()) + R"(,"form":)" +
                                 dumped(formText(weight.form));
        for (std::size_t column = 0; column < m_table.columns(); ++column) {
            m_buffer += row == 0 && column == 0 ? "\n" : ",\n";
            one(head, row, column);
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
    static const TableOf<decision::Reason> kTable{
        "reasons",
        reasonColumns(),
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
