// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/plan.h"
#include "app/cli/text_output.h"
#include "core/report/plan_table.h"

#include <algorithm>

#include <fmt/format.h>

namespace kernscope::cli {

namespace {

using report::PlanSubject;

std::string planTitle(const PlanSubject &subject)
{
    const plan::Limits &limits = *subject.limits;
    std::string chips;
    for (const target::Target *target : subject.survey->targets)
        chips += (chips.empty() ? "" : ", ") + target->name;
    std::string text =
        fmt::format("{} on {}: least {}, error of a layer at most {:g}", printable(subject.bundle),
                    chips, plan::goalName(subject.plan->goal), limits.tolerance);
    if (limits.totalTolerance)
        text += fmt::format(", of the network at most {:g}", *limits.totalTolerance);
    if (limits.maxBytes)
        text += fmt::format(", at most {} B stored", grouped(*limits.maxBytes));
    return text + "\n";
}

std::string planWeights(const PlanSubject &subject)
{
    return heading("Weights") +
           terminalText(textTable(
               report::plannedWeightTable(),
               report::plannedWeights(*subject.survey, subject.plan->choice, subject.plan->why)));
}

std::string planFront(const PlanSubject &subject, const char *axis,
                      const std::vector<plan::FrontPoint> &points, const plan::FrontCount &count)
{
    return points.empty() ? ""
                          : heading(report::frontTitle(axis, points, count)) +
                                terminalText(textTable(report::frontTable(),
                                                       report::frontRows(subject, axis, points)));
}

} // namespace

std::string planText(const PlanSubject &subject)
{
    const plan::Plan &plan = *subject.plan;
    std::string text = planTitle(subject);
    text += plan.proven ? "  proven: no other choice of the forms that were tried is better\n"
                        : fmt::format("  has {:.6g}; no choice has less than {:.6g}\n", plan.cost,
                                      plan.bound);
    for (const std::string &note : report::planNotes(subject))
        text += "  " + printable(note) + "\n";
    text += planWeights(subject) + heading("Before and after") +
            terminalText(textTable(report::planTotalsTable(), report::planTotals(subject)));
    text += planFront(subject, "stored bytes", plan.storedFront, plan.storedCount);
    text += planFront(subject, "time", plan.timeFront, plan.timeCount);
    if (!subject.builds.empty())
        text +=
            heading("Other builds") + terminalText(textTable(report::buildTotalsTable(),
                                                             report::buildTotals(subject, false)));
    if (const auto contested = report::contestedOf(subject); !contested.empty()) {
        text += heading("Sources disagree");
        for (const std::string &line : contested)
            text += "  " + line + "\n";
    }
    text += heading("Rules");
    for (const std::string &rule : report::planRules(*subject.survey))
        text += "  " + rule + "\n";
    if (subject.raised != nullptr) {
        for (const plan::RaisedModel &model : *subject.raised)
            text += fmt::format("opset   raised from {} to {} {}\n", printable(model.before),
                                model.after, printable(model.model));
    }
    if (!subject.output.empty())
        text += fmt::format("written {}\n", printable(subject.output));
    return text;
}

} // namespace kernscope::cli
