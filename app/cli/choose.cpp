// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/chips.h"
#include "app/cli/shape_option.h"
#include "app/cli/text_output.h"
#include "core/assessment/calibrate.h"
#include "core/assessment/prediction_note.h"
#include "core/bundle/old_network.h"
#include "core/report/choice_json.h"
#include "core/report/command_json.h"
#include "core/report/json_table.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace kernscope::cli {

namespace {

using report::Json;

std::string choiceText(const FormChoice &choice)
{
    std::string text = heading(printable(choice.title));
    const std::string take = choice.chosen.empty()      ? "no proposal"
                             : choice.chosen == "dense" ? "dense fp16"
                                                        : choice.chosen;
    text += fmt::format("  {} -> {}: {}\n", choice.stored, take, choice.reason);
    if (!choice.zeroFraction)
        return text;
    text += choice.bound == roofline::Bound::Unknown
                ? fmt::format("  what binds {} as dense is unknown", choice.op)
                : fmt::format("  {} bound as dense in {}", roofline::boundName(choice.bound),
                              choice.op);
    text += fmt::format(", {} zeros{}\n", percentText(*choice.zeroFraction),
                        choice.sampled ? "; figures from some of the channels" : "");
    if (!choice.advice.empty())
        text += "  " + choice.advice + "\n";
    for (const std::string &line : report::contestedOf(choice))
        text += "  sources disagree: " + line + "\n";
    return text + terminalText(textTable(report::candidateTable(), report::candidateRows(choice)));
}

/// The weights that are asked about: [first, last).
struct AskedWeights {
    std::size_t first = 0, last = 0;
};

Result<AskedWeights> askedWeights(const Bundle &bundle, const std::string &weight)
{
    if (isOldNetwork(bundle))
        return tl::unexpected(oldNetworkError("choose.network", bundle.name()));
    if (weight.empty())
        return AskedWeights{0, bundle.weights().size()};
    const auto at = findWeight(bundle, weight);
    if (!at)
        return tl::unexpected(at.error());
    return AskedWeights{*at, *at + 1};
}

/// What was chosen, as rows of the document or as text.
struct Chosen {
    std::vector<Json> documents;
    std::string text;
    Diagnostics diagnostics;
};

Chosen chooseForms(const Bundle &bundle, const AskedWeights &asked, const ChipOptions &options,
                   const roofline::Roofs &roofs, decision::Judge &judge, Context &context)
{
    Chosen chosen;
    chosen.diagnostics = bundle.diagnostics();
    context.progress.setTotal((asked.last - asked.first) * roofline::candidateForms().size());
    const ProgressLine line(context, "Choosing");
    for (std::size_t i = asked.first; i < asked.last && !context.progress.cancelled(); ++i) {
        const auto choice = chooseForm(bundle, i, roofs, judge,
                                       {options.tolerance, options.batch, &context.progress});
        if (!choice) {
            // A weight that no kernel reads has nothing to choose; anything else is a fault.
            const bool none =
                choice.error().code == "choose.consumer" || choice.error().code == "choose.network";
            chosen.diagnostics.push_back({none ? Severity::Note : Severity::Error, choice.error()});
            continue;
        }
        if (context.json)
            chosen.documents.push_back(report::choiceJson(*choice));
        else
            chosen.text += choiceText(*choice);
    }
    return chosen;
}

std::string gainsText(const roofline::ProgramTime &program)
{
    return program.hidesGains() ? "  smaller weights do not shorten it, until the engine time "
                                  "passes the floor\n"
                                : "";
}

} // namespace

int runChoose(const ChipOptions &options, Context &context)
{
    const auto target = chosenTarget(options, context);
    if (!target)
        return refuseTarget(context, "choose", target.error());
    const auto roofs = roofline::roofsOf(target->target());
    if (!roofs)
        return refuseTarget(context, "choose", roofs.error());
    const auto opened = openBundle(options.path, options.shapes);
    if (!opened)
        return reportFailure(context, "choose", opened.error());
    const Bundle &bundle = *opened->bundle;
    const auto asked = askedWeights(bundle, options.weight);
    if (!asked)
        return reportFailure(context, "choose", asked.error());
    decision::Judge judge(target->choice);
    const auto network = roofline::assessNetwork(layersOf(bundle, weightForms(bundle)), *roofs,
                                                 judge, options.batch);
    if (!network)
        return refuseTarget(context, "choose", network.error());
    Chosen chosen = chooseForms(bundle, *asked, options, *roofs, judge, context);
    if (interrupted())
        return reportStopped(context, "choose");
    if (context.json) {
        Json document =
            report::chipDocument("choose", &target->target(), target->choice, &target->named);
        report::addChoices(document, bundle, options.tolerance, network->program,
                           std::move(chosen.documents));
        report::addPredictionError(document, target->target());
        addShapes(document, *opened);
        printDocument(context, document, chosen.diagnostics);
        return exitCodeOf(chosen.diagnostics);
    }
    if (!context.quiet)
        print(printable(bundle.name()) + " on " + target->text() + programText(network->program) +
              "  " + roofline::predictionNote(target->target()) + "\n" +
              gainsText(network->program) + chosen.text + shapesText(*opened));
    printDiagnostics(context, chosen.diagnostics);
    return exitCodeOf(chosen.diagnostics);
}

} // namespace kernscope::cli
