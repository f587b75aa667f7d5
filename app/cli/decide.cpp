// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/chips.h"
#include "app/cli/shape_option.h"
#include "app/cli/text_output.h"
#include "core/assessment/calibrate.h"
#include "core/assessment/prediction_note.h"
#include "core/bundle/bundle.h"
#include "core/format/contested.h"
#include "core/report/chip_table.h"
#include "core/report/command_json.h"
#include "core/report/decision_table.h"
#include "core/report/json_table.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace kernscope::cli {

namespace {

std::string reasonText(const decision::Reason &reason)
{
    return fmt::format("    {:<7} {:<30} {:<8} {}{} [{}; {}]\n",
                       reason.passes ? (*reason.passes ? "passes" : "fails") : "open", reason.gate,
                       reason.offset ? target::halOffsetText(*reason.offset) : "", reason.found,
                       reason.found == reason.required ? "" : " (needs " + reason.required + ")",
                       reason.source, format::confidenceName(reason.confidence));
}

std::string weightVerdictText(const decision::Verdict &verdict, std::size_t weights)
{
    std::string text = fmt::format("  {}: {} ({} {}; by {})\n", verdict.key,
                                   decision::outcomeName(verdict.outcome), weights,
                                   weights == 1 ? "weight" : "weights", verdict.basis);
    for (const decision::Reason &reason : verdict.reasons)
        text += reasonText(reason);
    if (!verdict.note.empty())
        text += "    note: " + verdict.note + "\n";
    for (const std::string &line : verdict.disagreements)
        text += "    sources disagree: " + line + "\n";
    if (!verdict.nearestChange.empty())
        text += "    nearest change: " + verdict.nearestChange + "\n";
    return text;
}

std::string copiesText(const target::Target &target, bool contested, bool atMost)
{
    std::string text;
    if (contested) {
        text += "  * contested:";
        for (const format::Reading &reading : format::readingsOf("kernel_copies")) {
            if (reading.subject == target.name)
                text += fmt::format(" {}{} [{}]{}", reading.taken ? "" : "or ", reading.text,
                                    reading.source, reading.taken ? ";" : "");
        }
        text += "\n";
    }
    if (atMost)
        text += "  <=: how its cores share a weight is not known; at most all of it\n";
    return text;
}

/// What the ratio of a call is made of.
std::string callText(const target::Target &target)
{
    const auto roofs = roofline::roofsOf(target);
    if (!roofs || !roofs->callFixedS || !roofs->dispatchFloorS)
        return {};
    return fmt::format("  of a call: the same of a call that runs the layer alone, {:.3g} s beside "
                       "the layer and {:.3g} s at least\n",
                       *roofs->callFixedS, *roofs->dispatchFloorS);
}

/// Several functions are several dispatches: what all of them move.
std::string movedWhen(const Bundle &bundle)
{
    const auto &weights = bundle.weights();
    const bool several =
        std::any_of(weights.begin(), weights.end(), [&weights](const Weight &each) {
            return each.function != weights[0].function || each.model != weights[0].model;
        });
    return several ? "where every function runs once" : "a dispatch";
}

std::string targetTotalsText(const TargetTotals &totals, const Bundle &bundle)
{
    std::string elsewhere;
    if (totals.elsewhere > 0)
        elsewhere = fmt::format("  {} read on other backends than the engine only: nothing of {} "
                                "is moved\n",
                                totals.elsewhere == 1 ? std::string("1 weight is")
                                                      : grouped(totals.elsewhere) + " weights are",
                                totals.elsewhere == 1 ? "it" : "them");
    return fmt::format("\n  {} moved {}; {} stream, {} fold, {} dense, {} rejected, {} "
                       "unknown\n{}",
                       report::sumText(bytesText(totals.bytesMoved), totals.movedOpen),
                       movedWhen(bundle), totals.streams, totals.folds, totals.dense,
                       totals.rejected, totals.unknown, elsewhere);
}

/// Each published figure about a form here, with the conditions that fail or are open on the first
/// weight of that form: why a known speed-up is not claimed.
std::string measuredText(const Bundle &bundle, const DecisionTable &table)
{
    std::string text;
    std::vector<std::string> seen;
    for (std::size_t row = 0; row < table.rows(); ++row) {
        const roofline::Assessment assessed = table.assessment(row, 0);
        const std::size_t speeds = assessed.measured.size();
        for (std::size_t i = 0; i < speeds + assessed.energyMeasured.size(); ++i) {
            const bool energy = i >= speeds;
            const auto &measured =
                energy ? assessed.energyMeasured[i - speeds] : assessed.measured[i];
            std::string line;
            for (const auto &condition : measured.conditions) {
                if (!condition.holds.value_or(false))
                    line += fmt::format("{}{} {} (needs {})", line.empty() ? "" : ", ",
                                        condition.holds ? "fails:" : "open:", condition.found,
                                        condition.required);
            }
            const std::string key =
                table.form(row).key() + measured.condition + line + (energy ? "energy" : "");
            if (std::find(seen.begin(), seen.end(), key) != seen.end())
                continue;
            seen.push_back(key);
            text += fmt::format(
                "  {} in {}: {:.2f} to {:.2f}{}, {} [{}]{}\n", table.form(row).key(),
                printable(bundle.weights()[row].findableName()), measured.low, measured.high,
                energy ? " of the energy of fp16" : "", measured.condition, measured.source,
                line.empty() ? "; holds" : "; " + line);
        }
    }
    return text.empty() ? text : heading("Measured") + text;
}

} // namespace

std::string decisionsText(const Bundle &bundle, const DecisionTable &table)
{
    const std::vector<report::DecisionFacts> rows = report::decisionFacts(bundle, table);
    bool contested = false, atMost = false, calls = false;
    std::vector<std::pair<const decision::Verdict *, std::size_t>> verdicts;
    for (const report::DecisionFacts &row : rows) {
        const auto &decided = row.assessed.decision;
        contested |= decided.memory.contested && decided.memory.demand;
        atMost |= decided.memory.atMost && decided.memory.demand;
        calls |= row.assessed.predictedCallSpeedup.has_value();
        const decision::Verdict *verdict = decided.verdict.get();
        const auto known = std::find_if(verdicts.begin(), verdicts.end(),
                                        [&](const auto &each) { return each.first == verdict; });
        if (known == verdicts.end())
            verdicts.emplace_back(verdict, 1);
        else
            ++known->second;
    }
    std::string text =
        terminalText(textTable(report::decisionTable(), rows)) +
        "\n  measured, predicted: times the rate of dense fp16; ? some condition is not known\n"
        "  predicted: of the layer alone, against the same values stored dense; after a slash, "
        "against dense weights without zeros, where that is another figure\n" +
        (calls ? callText(table.target(0)) : std::string()) +
        "  energy: derived, power that was measured on the chip times a predicted time; ? its "
        "conditions do not hold or are not known (roofline names them)\n" +
        copiesText(table.target(0), contested, atMost) + "  " +
        roofline::predictionNote(table.target(0)) + "\n" +
        targetTotalsText(table.totals(0), bundle) + measuredText(bundle, table) +
        heading("Reasons");
    for (const auto &[verdict, count] : verdicts)
        text += weightVerdictText(*verdict, count);
    return text;
}

std::string matrixText(const Bundle &bundle, const DecisionTable &table)
{
    std::string text = terminalText(report::outcomeMatrix(bundle, table));
    text += "\n  S streams, F folds, - dense, X rejected, ? unknown\n";
    std::vector<TargetTotals> sums;
    for (std::size_t column = 0; column < table.columns(); ++column)
        sums.push_back(table.totals(column));
    return text + heading("Moved " + movedWhen(bundle)) +
           terminalText(textTable(report::targetTotalsTable(), sums, {{"moved", "moved"}}));
}

int runDecide(const ChipOptions &options, Context &context)
{
    const auto chosen = chosenTarget(options, context);
    if (!chosen)
        return refuseTarget(context, "decide", chosen.error());
    const auto opened = openBundle(options.path, options.shapes);
    if (!opened)
        return reportFailure(context, "decide", opened.error());
    const BundlePtr *bundle = &opened->bundle;
    auto targets =
        options.allTargets ? allTargets() : std::vector<const target::Target *>{&chosen->target()};
    const DecisionTable table(**bundle, std::move(targets), chosen->choice);
    const Diagnostics &diagnostics = (*bundle)->diagnostics();
    if (context.json) {
        report::Json head =
            report::chipDocument("decide", options.allTargets ? nullptr : &chosen->target(),
                                 chosen->choice, &chosen->named);
        if (!options.allTargets)
            report::addPredictionError(head, chosen->target());
        addShapes(head, *opened);
        report::writeDecisions(**bundle, table, std::move(head), diagnostics,
                               [](std::string_view piece) { print(printableJson(piece)); });
        return exitCodeOf(diagnostics);
    }
    if (!context.quiet) {
        print(printable((*bundle)->name()) +
              (options.allTargets ? "\n\n" : " on " + chosen->text()));
        if (table.rows() == 0)
            print("\nNo weights.\n");
        else
            print(options.allTargets ? matrixText(**bundle, table)
                                     : "\n" + decisionsText(**bundle, table));
        print(shapesText(*opened));
    }
    printDiagnostics(context, diagnostics);
    return exitCodeOf(diagnostics);
}

} // namespace kernscope::cli
