// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/assessment/stream.h"

#include "core/assessment/gate_reasons.h"
#include "core/assessment/nearest_change.h"
#include "core/format/table_rows.h"

#include <algorithm>
#include <array>
#include <bit>

#include <fmt/format.h>

namespace kernscope::decision {

namespace {

constexpr std::array<std::string_view, 5> kOutcomes{"streams", "folds", "dense", "rejected",
                                                    "unknown"};

/// What the gates alone say.
Outcome gateOutcome(const WeightForm &form, const GateReasons &gates)
{
    if (form.node == FormNode::Unknown)
        return Outcome::Unknown;
    if (!form.compressed())
        return form.element == ElementType::Fp8E5M2 ? Outcome::Folds : Outcome::Dense;
    if (gates.formatRefused)
        return Outcome::Rejected;
    if (gates.formatUnknown)
        return Outcome::Unknown;
    if (gates.useFails || gates.noStreamedForm || gates.gateClear)
        return Outcome::Folds;
    return gates.gateUnknown ? Outcome::Unknown : Outcome::Streams;
}

/// The name by which a table speaks of the form; empty where none is about it: several codebooks,
/// quantised codebooks, blocks of floating point.
std::string tableKey(const WeightForm &form)
{
    const bool palette = form.isPalette();
    if (palette && form.vectorSize > 1)
        return "vector-palette";
    if (!form.plain() || (palette && form.codebooks > 1))
        return {};
    return form.key();
}

/// A rule about the width of indices that a measurement of that width on the chip contradicts is
/// open there (a table names the width of a palette, and nothing else that encoders have rules
/// for). What its compiler was seen to refuse is refused like by a rule.
void heedMeasurement(const TableOutcome &table, const target::Target &target, GateReasons &gates)
{
    if (table.outcome == Outcome::Rejected) {
        Reason refusal;
        refusal.gate = "compiler";
        refusal.required = "a form that the compiler takes";
        refusal.found = table.note.empty() ? "refused" : table.note;
        refusal.passes = false;
        refusal.source = table.source;
        refusal.confidence = table.confidence;
        refusal.encoder = true;
        gates.all.push_back(std::move(refusal));
        gates.formatRefused = true;
        return;
    }
    if (table.basis != "measured" || table.outcome != Outcome::Streams)
        return;
    for (Reason &reason : gates.all) {
        if (!reason.gate.ends_with("index width") || reason.passes.value_or(true))
            continue;
        reason.passes.reset();
        reason.confidence = format::Confidence::Contested;
        reason.note += fmt::format("{}the form was measured on {} ({})",
                                   reason.note.empty() ? "" : "; ", target.name, table.source);
        gates.formatRefused = false;
    }
}

} // namespace

std::string_view outcomeName(Outcome outcome)
{
    return kOutcomes[std::size_t(outcome)];
}

std::optional<Outcome> outcomeFromName(std::string_view name)
{
    for (std::size_t i = 0; i < kOutcomes.size(); ++i) {
        if (kOutcomes[i] == name)
            return Outcome(i);
    }
    return std::nullopt;
}

const std::vector<TableOutcome> &tableOutcomes()
{
    static const auto outcomes = tables::loadRows<TableOutcome>(
        "stream_outcomes", {{"form", &TableOutcome::form},
                            {"scope", &TableOutcome::scope},
                            {"outcome",
                             [](TableOutcome &row, std::string_view cell) {
                                 row.outcome = outcomeFromName(cell).value_or(Outcome::Unknown);
                             }},
                            {"basis", &TableOutcome::basis},
                            {"source", &TableOutcome::source},
                            {"note", &TableOutcome::note},
                            {"confidence", &TableOutcome::confidence}});
    return outcomes;
}

const TableOutcome *tableOutcome(const std::string &key, const target::Target &target)
{
    const TableOutcome *found = nullptr;
    for (const TableOutcome &row : tableOutcomes()) {
        if (row.form != key)
            continue;
        if (row.scope == target.name)
            return &row;
        if (!target.family.empty() && row.scope == target.family)
            found = &row;
    }
    return found;
}

std::optional<Reason> encoderRefusal(WeightForm form, const target::Target &target)
{
    form.use = {};
    Verdict verdict = judgeForm(form, target);
    for (Reason &reason : verdict.reasons) {
        if (reason.encoder && reason.passes && !*reason.passes)
            return std::move(reason);
    }
    return std::nullopt;
}

Verdict judgeForm(const WeightForm &form, const target::Target &target)
{
    Verdict verdict;
    verdict.target = &target;
    verdict.key = form.key();
    GateReasons gates = consultGates(form, target);
    const Outcome byGates = gateOutcome(form, gates);
    const std::string key = tableKey(form);
    const TableOutcome *table = key.empty() ? nullptr : tableOutcome(key, target);
    if (table)
        heedMeasurement(*table, target, gates);
    verdict.outcome = gateOutcome(form, gates);
    verdict.reasons = std::move(gates.all);
    verdict.disagreements = std::move(gates.disagreements);
    for (const Reason &reason : verdict.reasons) {
        if (reason.encoder && reason.passes && !*reason.passes && verdict.refusedBy.empty())
            verdict.refusedBy = reason.gate;
    }
    verdict.basis = "gates (chapter 25; chapter 7, table 7.2)";
    // A table speaks of the form in itself; a use that fails a gate folds it all the same, unless
    // it is refused in any use.
    if (!table || (gates.useFails && table->outcome != Outcome::Rejected))
        return verdict;
    if (table->outcome != byGates) {
        verdict.disagreements.push_back(fmt::format(
            "{} has it {}{}; the gates by themselves say {}.", table->source,
            outcomeName(table->outcome), table->note.empty() ? "" : " (" + table->note + ")",
            byGates == Outcome::Unknown ? "nothing, since their bytes are not known here"
                                        : outcomeName(byGates)));
    }
    verdict.outcome = table->outcome;
    verdict.basis = table->source;
    verdict.note = table->note;
    verdict.confidence = table->confidence;
    return verdict;
}

std::optional<std::uint64_t> crossingBytes(const WeightForm &form, Outcome outcome)
{
    if (outcome == Outcome::Streams)
        return form.storedBytes;
    if (form.node == FormNode::Unknown)
        return std::nullopt;
    // Of a weight whose shape could not be read, no size is known.
    return form.elements == 0 && !form.storedBytes ? std::nullopt : std::optional(form.denseBytes);
}

namespace {

/// Forms of equal ones get the same verdicts, the nearest change included.
std::string verdictKey(const WeightForm &form)
{
    return form.signature() + nearestChangeKey(form);
}

} // namespace

Judge::Row &Judge::rowOf(const WeightForm &form)
{
    if (const auto known = m_rows.find(form); known != m_rows.end())
        return *known->second;
    if (m_rows.size() >= kMostForms)
        m_rows.clear();
    Row &row = m_verdicts[verdictKey(form)];
    row.resize(target::targets().size());
    m_rows.emplace(form, &row);
    return row;
}

std::shared_ptr<const Verdict> Judge::verdict(const WeightForm &form, const target::Target &target)
{
    auto &slot = rowOf(form)[target.index];
    if (!slot) {
        auto made = std::make_shared<Verdict>(judgeForm(form, target));
        made->nearestChange = nearestChange(form, *made);
        slot = std::move(made);
    }
    return slot;
}

std::span<const std::shared_ptr<const Verdict>> Judge::verdicts(const WeightForm &form)
{
    const Row &row = rowOf(form);
    if (std::find(row.begin(), row.end(), nullptr) != row.end()) {
        for (const target::Target &target : target::targets())
            verdict(form, target);
    }
    return row;
}

KernelMemory Judge::memory(const WeightForm &form, const Verdict &verdict)
{
    if (m_caps.empty()) {
        for (const target::Target &each : target::targets()) {
            const auto chosen = target::cores(each, m_choice);
            const auto cores = chosen ? chosen->value : each.cores;
            m_caps.push_back(
                {kernelMemoryCap(each, false, cores), kernelMemoryCap(each, true, cores)});
        }
    }
    const bool streamed = verdict.outcome == Outcome::Streams;
    return withDemand(m_caps[verdict.target->index][streamed ? 1 : 0],
                      crossingBytes(form, verdict.outcome));
}

Decision Judge::sized(const WeightForm &form, std::shared_ptr<const Verdict> verdict)
{
    Decision decision;
    const Outcome outcome = verdict->outcome;
    decision.memory = memory(form, *verdict);
    if (outcome != Outcome::Rejected && outcome != Outcome::Unknown)
        decision.bytesMoved = crossingBytes(form, outcome);
    decision.verdict = std::move(verdict);
    return decision;
}

Decision Judge::decide(const WeightForm &form, const target::Target &target)
{
    return sized(form, verdict(form, target));
}

} // namespace kernscope::decision
