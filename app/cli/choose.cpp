// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/chips.h"
#include "app/cli/shape_option.h"
#include "app/cli/text_output.h"
#include "core/bundle/old_network.h"
#include "core/report/chip_json.h"
#include "core/report/choice_json.h"
#include "core/report/json_values.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace kernscope::cli {

namespace {

using report::Json;

std::string choiceText(const FormChoice &choice)
{
    std::string text = heading(printable(choice.address));
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
    return text + terminalText(textTable(report::candidateTable(), report::candidateRows(choice)));
}

} // namespace

int runChoose(const ChipOptions &options, Session &session)
{
    const auto chosen = chosenTarget(options, session);
    if (!chosen)
        return refuseTarget(session, "choose", chosen.error());
    const auto roofs = roofline::roofsOf(chosen->target());
    if (!roofs)
        return refuseTarget(session, "choose", roofs.error());
    const auto opened = openBundle(options.path, options.shapes);
    if (!opened)
        return reportFailure(session, "choose", opened.error());
    const BundlePtr *bundle = &opened->bundle;
    if (isOldNetwork(**bundle))
        return reportFailure(session, "choose",
                             oldNetworkError("choose.network", (*bundle)->name()));
    std::size_t first = 0, last = (*bundle)->weights().size();
    if (!options.weight.empty()) {
        const auto at = findWeight(**bundle, options.weight);
        if (!at)
            return reportFailure(session, "choose", at.error());
        first = *at;
        last = first + 1;
    }
    decision::Judge judge(chosen->choice);
    const auto network = roofline::assessNetwork(layersOf(**bundle, weightForms(**bundle)), *roofs,
                                                 judge, options.batch);
    if (!network)
        return refuseTarget(session, "choose", network.error());
    Diagnostics diagnostics = (*bundle)->diagnostics();
    Json choices = Json::array();
    std::string text;
    session.progress.setTotal((last - first) * roofline::candidateForms().size());
    {
        const ProgressLine line(session, "Choosing");
        for (std::size_t i = first; i < last && !session.progress.cancelled(); ++i) {
            const auto choice = chooseForm(**bundle, i, *roofs, judge,
                                           {options.tolerance, options.batch, &session.progress});
            if (!choice) {
                // A weight that no kernel reads has nothing to choose; anything else is a fault.
                const bool none = choice.error().code == "choose.consumer" ||
                                  choice.error().code == "choose.network";
                diagnostics.push_back({none ? Severity::Note : Severity::Error, choice.error()});
                continue;
            }
            if (session.json)
                choices.push_back(report::choiceJson(*choice));
            else
                text += choiceText(*choice);
        }
    }
    if (interrupted())
        return reportStopped(session, "choose");
    if (session.json) {
        Json document = report::document("choose");
        document["target"] =
            report::chosenTargetJson(chosen->target(), chosen->choice, &chosen->named);
        document["bundle"] = (*bundle)->name();
        document["tolerance"] = options.tolerance;
        document["program"] = report::programJson(network->program);
        document["choices"] = std::move(choices);
        addShapes(document, *opened);
        printDocument(session, document, diagnostics);
        return exitCodeOf(diagnostics);
    }
    if (!session.quiet)
        print(printable((*bundle)->name()) + " on " + chosen->text() +
              programText(network->program) +
              (network->program.hidesGains()
                   ? "  smaller weights do not shorten it, until the engine time passes the floor\n"
                   : "") +
              text + shapesText(*opened));
    printDiagnostics(session, diagnostics);
    return exitCodeOf(diagnostics);
}

} // namespace kernscope::cli
