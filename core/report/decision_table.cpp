// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/decision_table.h"

#include "core/bundle/bundle.h"
#include "core/form/form_steps.h"
#include "core/report/fact_values.h"
#include "core/report/geometry_table.h"
#include "core/report/json_table.h"
#include "core/report/placement_table.h"

namespace kernscope::report {

namespace {

/// Against the same values stored dense; after a slash against dense weights without zeros, where
/// that is another figure.
Value predictedValue(const DecisionFacts &row)
{
    const auto &predicted = row.assessed.predictedSpeedup;
    if (!predicted)
        return Unknown();
    std::string figures = fmt::format("{:.2f}", *predicted);
    if (row.assessed.predictedOverUnpruned) {
        const std::string unpruned = fmt::format("{:.2f}", *row.assessed.predictedOverUnpruned);
        figures += unpruned == figures ? "" : " / " + unpruned;
    }
    return Written{*predicted, figures};
}

/// "41,504 *" where sources disagree, "<= 41,504" where it is a bound.
Value demandValue(const DecisionFacts &row)
{
    const decision::KernelMemory &memory = row.assessed.decision.memory;
    if (!memory.demand)
        return Unknown();
    return Written{static_cast<double>(*memory.demand), (memory.atMost ? "<= " : "") +
                                                            grouped(*memory.demand) +
                                                            (memory.contested ? " *" : "")};
}

/// Of many decisions the condition and the source are in `verdicts[]`' place, the figures here.
Json speedupDocument(const DecisionFacts &row)
{
    Json json = speedupJson(row.assessed.speedup);
    if (!row.whole && json.is_object()) {
        json.erase("condition");
        json.erase("source");
    }
    return json;
}

Json memoryDocument(const DecisionFacts &row)
{
    const decision::KernelMemory &memory = row.assessed.decision.memory;
    if (row.whole)
        return memoryJson(memory);
    return {{"offset", target::halOffsetText(memory.offset)},
            {"bytes", numberJson(memory.cap)},
            {"demand", numberJson(memory.demand)},
            {"fits", optionalJson(memory.fits)}};
}

Json choiceErrorJson(const codec::AccuracyError &error)
{
    return {{"relative", error.outputRelative},        {"rmse", error.outputRmse},
            {"max_abs", error.outputMaxAbs},           {"dense_relative", error.denseRelative},
            {"weight_relative", error.weightRelative}, {"weight_max_abs", error.weightMaxAbs},
            {"outputs", numberJson(error.outputs)},    {"contested", numberJson(error.contested)}};
}

Value remarkValue(const CandidateFacts &row)
{
    const FormCandidate &candidate = row.candidate;
    if (!candidate.passedOver.empty())
        return candidate.passedOver;
    if (!candidate.withinTolerance)
        return Word{"error above the tolerance"};
    return candidate.stored ? Value(Word{"stored so"}) : Value(Nothing());
}

using decision::Verdict;

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

/// One row a line; returns the verdicts that they refer to, in the order of their indices.
std::vector<const Verdict *> writeRows(const Bundle &bundle, const DecisionTable &table,
                                       const std::function<void(std::string_view)> &write)
{
    constexpr std::size_t kFlush = 1 << 20;
    const std::vector<std::size_t> order =
        columnOrder(decisionTable.facts(), decisionTable.documentOrder, kDocument);
    std::vector<const Verdict *> verdicts;
    std::unordered_map<const Verdict *, std::size_t> indices;
    DecisionFacts facts;
    facts.whole = table.rows() * table.columns() <= kInlineDecisions;
    std::string text;
    for (std::size_t row = 0; row < table.rows(); ++row) {
        facts.weight = &bundle.weights()[row];
        for (std::size_t column = 0; column < table.columns(); ++column) {
            facts.assessed = table.assessment(row, column);
            const auto [at, isNew] = indices.try_emplace(&facts.verdict(), verdicts.size());
            if (isNew)
                verdicts.push_back(at->first);
            facts.verdictIndex = at->second;
            Json json = Json::object();
            addCells(json, decisionTable, order, facts);
            text += (row == 0 && column == 0 ? "\n" : ",\n") + documentText(json, -1);
        }
        if (text.size() >= kFlush)
            write(std::exchange(text, {}));
    }
    write(text);
    return verdicts;
}

/// "S" streams, "F" folds, "-" dense, "X" rejected, "?" not known.
std::string_view outcomeLetter(decision::Outcome outcome)
{
    switch (outcome) {
    case decision::Outcome::Streams: return "S";
    case decision::Outcome::Folds: return "F";
    case decision::Outcome::Dense: return "-";
    case decision::Outcome::Rejected: return "X";
    case decision::Outcome::Unknown: break;
    }
    return "?";
}

} // namespace

std::vector<DecisionFacts> decisionFacts(const Bundle &bundle, const DecisionTable &table)
{
    std::vector<DecisionFacts> rows;
    rows.reserve(table.rows());
    for (std::size_t row = 0; row < table.rows(); ++row)
        rows.push_back({&bundle.weights()[row], table.assessment(row, 0)});
    return rows;
}

const TableOf<DecisionFacts> decisionTable(
    "decisions",
    {{kName, "weight", "The weight, by a name that finds it", CELL(row.weight->findableName()),
      jsonOf(CELL(Json(row.weight->name)))},
     {kName, "form", "How it is stored", CELL(formWords(row.weight->form)),
      jsonOf(CELL(Json(formText(row.weight->form))))},
     {"outcome", "What the chip does with the stored form",
      CELL(outcomeValue(row.assessed.decision.outcome()))},
     {kNumber, "bytes_moved", "moved", "Bytes that a dispatch moves",
      CELL(known<Count>(row.assessed.decision.bytesMoved)), withUnit("B"), unknownAs("?")},
     {kNumber, "speedup", "measured", "Times the rate of dense fp16, as published for such a layer",
      CELL(speedupValue(row.assessed.speedup)), jsonOf(speedupDocument)},
     {kNumber, "predicted_speedup", "predicted",
      "Times the rate of the same values stored dense, of the layer alone", predictedValue,
      jsonOf(CELL(optionalJson(row.assessed.predictedSpeedup)))},
     {kNumber, "predicted_speedup_call", "of a call",
      "The same of a call that runs the layer alone, where what a call takes beside its layers "
      "is known",
      [](auto &row) {
          const auto &predicted = row.assessed.predictedCallSpeedup;
          return predicted ? Value(Written{*predicted, fmt::format("{:.2f}", *predicted)})
                           : Value(Absent());
      },
      jsonOf(CELL(optionalJson(row.assessed.predictedCallSpeedup)))},
     {"bound", "What the layer's time is bound by",
      CELL(Word(roofline::boundName(row.assessed.bound)))},
     {kNumber, "energy", "Power that was measured times a predicted time",
      CELL(energyText(row.assessed.energy)), withUnit("uJ"),
      jsonOf(CELL(row.whole ? energyJson(row.assessed.energy) : noKey()))},
     {kNumber | kTables, "demand", "a core needs", "Kernel memory that a core needs for it",
      demandValue, withUnit("B"), unknownAs("?")},
     {kNumber, "cap", "of cap", "Kernel memory that a core has",
      CELL(known<Count>(row.assessed.decision.memory.cap)), withUnit("B"), unknownAs("?"),
      jsonOf(memoryDocument)},
     {kNumber | kTables, "sub_layers", "parts", "Parts that the weight is split into",
      CELL(known<Count>(row.assessed.decision.memory.sublayers)), unknownAs("?")},
     {kDocument, "target", "The chip that decides", CELL(Json(row.verdict().target->name))},
     {kDocument, "legal", "Whether the chip takes the weight as it is stored",
      CELL(Json(row.verdict().refusedBy.empty()))},
     {kDocument, "refused_by", "The rule that the stored form breaks",
      CELL(row.verdict().refusedBy.empty() ? Json(nullptr) : Json(row.verdict().refusedBy))},
     {kDocument, "verdict", "Place of its verdict in the list of verdicts",
      CELL(Json(row.verdictIndex))},
     {kDocument, "reasons", "Each condition that the verdict consulted",
      CELL(row.whole ? jsonArray(reasonTable, row.verdict().reasons) : Json::array())},
     {kDocument, "disagreements", "What sources say otherwise",
      CELL(row.whole ? Json(row.verdict().disagreements) : noKey())},
     {kDocument, "note", "Note on the verdict",
      CELL(row.whole ? Json(row.verdict().note) : noKey())},
     {kDocument, "nearest_change",
      "The smallest change after which the chip would decide otherwise",
      CELL(row.whole ? Json(row.verdict().nearestChange) : noKey())},
     {kDocument, "function", "Function of the program that reads the weight",
      CELL(Json(row.weight->function))},
     {kDocument, "address", "The weight with its model and function",
      CELL(Json(row.weight->address()))},
     {kDocument, "measured", "What was published for such a layer, with each condition",
      CELL(row.whole ? measuredJson(row.assessed.measured) : noKey())},
     {kDocument, "predicted_speedup_unpruned", "Times the rate of dense weights without zeros",
      CELL(optionalJson(row.assessed.predictedOverUnpruned))},
     {kDocument, "time_s", "Predicted time of the layer", CELL(optionalJson(row.assessed.timeS))},
     {kDocument, "roofs", "Roofs that the time was made with",
      CELL(row.whole ? roofsJson(row.assessed) : noKey())},
     {kDocument, "energy_measured",
      "What was published of the energy of such a layer, with each condition",
      CELL(row.whole ? measuredJson(row.assessed.energyMeasured) : noKey())}},
    {"weight",
     "function",
     "address",
     "form",
     "target",
     "outcome",
     "legal",
     "refused_by",
     "verdict",
     "reasons",
     "cap",
     "bytes_moved",
     "speedup",
     "measured",
     "predicted_speedup",
     "predicted_speedup_unpruned",
     "predicted_speedup_call",
     "bound",
     "time_s",
     "energy",
     "energy_measured",
     "disagreements",
     "note",
     "nearest_change"});

TextTable outcomeMatrix(const Bundle &bundle, const DecisionTable &table)
{
    const std::vector<Column<DecisionFacts>> &declared = decisionTable.columns;
    constexpr std::size_t kOfWeights = 2; // its name and its form
    std::vector<TextTable::Column> headers;
    for (std::size_t i = 0; i < kOfWeights; ++i)
        headers.push_back({declared[i].facts().header(), declared[i].align});
    for (std::size_t column = 0; column < table.columns(); ++column)
        headers.push_back({table.target(column).name, TextTable::Align::Left});
    TextTable matrix(std::move(headers));
    DecisionFacts facts;
    for (std::size_t row = 0; row < table.rows(); ++row) {
        facts.weight = &bundle.weights()[row];
        std::vector<std::string> cells;
        for (std::size_t i = 0; i < kOfWeights; ++i)
            cells.push_back(text(declared[i].value(facts)));
        for (std::size_t column = 0; column < table.columns(); ++column)
            cells.emplace_back(outcomeLetter(table.verdict(row, column).outcome));
        matrix.add(std::move(cells));
    }
    return matrix;
}

const TableOf<decision::Reason> reasonTable(
    "reasons",
    {{"passes", "state", "Whether the condition holds on this chip",
      CELL(!row.passes   ? Word{"open", Mark::Open}
           : *row.passes ? Word{"passes", Mark::Passes}
                         : Word{"fails", Mark::Bad}),
      jsonOf(CELL(optionalJson(row.passes)))},
     {"gate", "condition", "What the compiler consults", member<&decision::Reason::gate>,
      originOf(noteOf)},
     {"offset", "Place in the hardware-abstraction table of compiler 9.509",
      CELL(row.offset ? Value(target::halOffsetText(*row.offset)) : Value(Nothing()))},
     {kDocument, "value", "Value of the byte", CELL(optionalJson(row.value))},
     {"found", "The byte or fact that was found; unknown is not 0",
      member<&decision::Reason::found>, originOf(noteOf)},
     {"required", "needed", "What it would have to be", member<&decision::Reason::required>},
     {"source", "Where the value is documented", member<&decision::Reason::source>},
     {"confidence", "How well it is known", CELL(confidenceValue(row.confidence))},
     {kDocument, "note", "Note on the condition", CELL(orAbsent(row.note))}},
    {"gate", "offset", "value", "passes", "source", "confidence", "found", "required"});

Json verdictJson(const Verdict &verdict)
{
    return {{"form", verdict.key},
            {"target", verdict.target->name},
            {"outcome", decision::outcomeName(verdict.outcome)},
            {"basis", verdict.basis},
            {"refused_by", verdict.refusedBy.empty() ? Json(nullptr) : Json(verdict.refusedBy)},
            {"note", verdict.note},
            {"confidence", format::confidenceName(verdict.confidence)},
            {"reasons", jsonArray(reasonTable, verdict.reasons)},
            {"disagreements", verdict.disagreements},
            {"nearest_change", verdict.nearestChange}};
}

Json memoryJson(const decision::KernelMemory &memory)
{
    Json json{{"offset", target::halOffsetText(memory.offset)},
              {"bytes", numberJson(memory.cap)},
              {"demand", numberJson(memory.demand)},
              {"fits", memory.fits ? Json(*memory.fits) : Json(nullptr)},
              {"layout", target::halLayoutName(memory.layout)},
              {"replicated", memory.replicated},
              {"at_most", memory.atMost}};
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
    return {{"low", ratioJson(speedup->low)},
            {"high", ratioJson(speedup->high)},
            {"confidence", format::confidenceName(speedup->confidence)},
            {"condition", speedup->condition},
            {"source", speedup->source}};
}

Json measuredJson(std::span<const decision::Measurement> measured)
{
    Json list = Json::array();
    for (const decision::Measurement &each : measured) {
        list.push_back({{"low", ratioJson(each.low)},
                        {"high", ratioJson(each.high)},
                        {"holds", optionalJson(each.holds())},
                        {"condition", each.condition},
                        {"conditions", listJson(each.conditions, conditionJson)},
                        {"source", each.source},
                        {"confidence", format::confidenceName(each.confidence)}});
    }
    return list;
}

void writeDecisions(const Bundle &bundle, const DecisionTable &table, Json head,
                    const Diagnostics &diagnostics,
                    const std::function<void(std::string_view)> &write)
{
    head["bundle"] = bundle.name();
    std::string opening = documentText(head, -1);
    opening.pop_back();
    write(opening);
    write(",\n\"decisions\":[");
    Json rest;
    rest["verdicts"] = Json::array();
    for (const Verdict *verdict : writeRows(bundle, table, write))
        rest["verdicts"].push_back(verdictJson(*verdict));
    rest["totals"] = Json::array();
    for (std::size_t column = 0; column < table.columns(); ++column)
        rest["totals"].push_back(totalsJson(table.totals(column)));
    finish(rest, diagnostics);
    std::string closing = documentText(rest, -1);
    closing.front() = ',';
    write("],\n");
    write(std::string_view(closing).substr(1));
    write("\n");
}

std::vector<std::string> contestedOf(const FormChoice &choice)
{
    std::vector<std::string> lines;
    for (const FormCandidate &candidate : choice.candidates) {
        if (!candidate.stored && candidate.form != choice.chosen)
            continue;
        for (const std::string &line : candidate.assessment.decision.verdict->disagreements) {
            std::string whole = candidate.form + ": " + line;
            if (std::ranges::find(lines, whole) == lines.end())
                lines.push_back(std::move(whole));
        }
    }
    return lines;
}

std::vector<CandidateFacts> candidateRows(const FormChoice &choice)
{
    std::vector<CandidateFacts> rows;
    for (const FormCandidate &candidate : choice.candidates)
        rows.push_back({candidate, candidate.form == choice.chosen});
    return rows;
}

const TableOf<CandidateFacts> candidateTable(
    "candidates",
    {{kName | kTerminal, "marked", "candidate", "Form, with > where it is the one to take",
      CELL((row.chosen ? "> " : "  ") + row.candidate.form)},
     {kDocument | kWindow, "form", "candidate", "Form; smallest bytes come first",
      CELL(Word({}, row.chosen ? Mark::Chosen : Mark::None, row.candidate.form))},
     {kNumber, "bytes", "Stored bytes of the whole weight", CELL(Count(row.candidate.bytes))},
     {kNumber, "bytes_per_weight", "B/weight", "Bytes a weight",
      CELL(Ratio(row.candidate.bytesPerWeight))},
     {"outcome", "What the chip does with it",
      CELL(outcomeValue(row.candidate.assessment.outcome))},
     {kDocument, "stored", "Whether the weight has this form now", CELL(row.candidate.stored)},
     {kDocument, "streams", "Whether the chip reads it as it is stored",
      CELL(row.candidate.assessment.outcome == decision::Outcome::Streams)},
     {kNumber, "error",
      "Relative error of the layer's output against fp32, through the engine's reduction, on "
      "sampled inputs: an estimate",
      CELL(row.candidate.error ? Value(Real{row.candidate.error->outputRelative, 3, true})
                               : Value(Unknown())),
      jsonOf(CELL(row.candidate.error ? choiceErrorJson(*row.candidate.error) : Json(nullptr)))},
     {kNumber | kWindow, "max_weight_error", "max weight error", "Largest difference of a weight",
      CELL(ofAny<Unknown>(row.candidate.error,
                          [](auto &error) { return Real(error.weightMaxAbs, 3, true); }))},
     {kDocument | kWindow, "within_tolerance", "within tolerance",
      "Whether the error is at most the tolerance", CELL(row.candidate.withinTolerance)},
     {kDocument, "passed_over", "Why it is not a candidate of the procedure",
      CELL(orNothing(row.candidate.passedOver))},
     {kNumber | kDocument | kWindow, "time_s", "modelled time", "Time of the layer by the roofline",
      CELL(known<Seconds>(row.candidate.assessment.timeS)), withUnit("s")},
     {kDocument, "bound", "What bounds the layer: compute or bandwidth",
      CELL(Word(roofline::boundName(row.candidate.assessment.bound)))},
     {kNumber, "speedup", "measured speed-up",
      "Times the rate of dense fp16, where it was measured on this chip; ? some condition of "
      "the measurement is not known of this layer",
      CELL(speedupValue(row.candidate.assessment.speedup)),
      jsonOf(CELL(speedupJson(row.candidate.assessment.speedup))), originOf([](auto &row) {
          const auto &quoted = row.candidate.assessment.speedup;
          return quoted ? quoted->condition : std::string();
      })},
     {kNumber | kDocument, "predicted_speedup",
      "Times the rate of the same values stored dense, by the roofline",
      CELL(known<Real>(row.candidate.assessment.predictedSpeedup, 2))},
     {kNumber | kDocument, "predicted_speedup_unpruned",
      "Times the rate of dense weights without zeros, by the roofline",
      CELL(known<Real>(row.candidate.assessment.predictedOverUnpruned, 2))},
     {kNumber | kDocument, "predicted_speedup_call",
      "Times the rate of the same values stored dense, of a call that runs the layer alone; "
      "unknown where what a call takes beside its layers is",
      CELL(known<Real>(row.candidate.assessment.predictedCallSpeedup, 2))},
     {kName | kTables, "remark", "Why it is taken or passed over", remarkValue},
     {kDocument, "chosen", "Whether it is the form to take", member<&CandidateFacts::chosen>}});

Json choiceJson(const FormChoice &choice)
{
    return {
        {"weight", choice.name},
        {"address", choice.address},
        {"stored", choice.stored},
        {"op", choice.op},
        {"bound", roofline::boundName(choice.bound)},
        {"zero_fraction", choice.zeroFraction ? ratioJson(*choice.zeroFraction) : Json(nullptr)},
        {"sampled", choice.sampled},
        {"form", choice.chosen.empty() ? Json(nullptr) : Json(choice.chosen)},
        {"reason", choice.reason},
        {"advice", choice.advice.empty() ? Json(nullptr) : Json(choice.advice)},
        {"contested", contestedOf(choice)},
        {"candidates", jsonArray(candidateTable, candidateRows(choice))}};
}

void addChoices(Json &document, const Bundle &bundle, double tolerance,
                const roofline::ProgramTime &program, std::vector<Json> choices)
{
    document["bundle"] = bundle.name();
    document["tolerance"] = tolerance;
    document["program"] = programJson(program);
    document["choices"] = std::move(choices);
}

} // namespace kernscope::report
