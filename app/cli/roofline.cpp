// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/chips.h"
#include "app/cli/shape_option.h"
#include "app/cli/text_output.h"
#include "core/assessment/prediction_note.h"
#include "core/bundle/bundle.h"
#include "core/report/command_json.h"
#include "core/report/placement_table.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace kernscope::cli {

namespace {

using roofline::Placement;
using roofline::Roofs;

std::string numberText(const std::optional<double> &value)
{
    return value ? fmt::format("{:.4g}", *value) : "?";
}

std::string roofsText(const Roofs &roofs)
{
    const auto ceilings = report::ceilingRows(roofs);
    std::string text = ceilings.empty()
                           ? std::string("\nNo ceilings are published for this chip.\n")
                           : heading("Ceilings (> those used)") +
                                 terminalText(textTable(report::ceilingTable(), ceilings));
    if (roofs.ridge)
        text += fmt::format("\n  ridge {:.1f} FLOP/byte ({}; {})\n", *roofs.ridge,
                            roofs.ridgeSource, format::confidenceName(roofs.ridgeConfidence));
    if (roofs.dispatchFloorS)
        text += fmt::format("  dispatch floor {:.3g} s ({})\n", *roofs.dispatchFloorS,
                            roofs.dispatchSource);
    if (roofs.workingSetBytes)
        text += fmt::format("  working set {} ({})\n",
                            bytesText(static_cast<std::uint64_t>(*roofs.workingSetBytes)),
                            roofs.workingSetSource);
    return text;
}

std::string unassessedText(const Bundle &bundle)
{
    const auto rows = report::unassessedRows(bundle);
    return rows.empty()
               ? std::string()
               : heading("Not assessed") + terminalText(textTable(report::unassessedTable(), rows));
}

std::string layersText(const Bundle &bundle, const std::vector<Placement> &placements)
{
    if (placements.empty())
        return "\nNo layer with a kernel.\n";
    // A column that says the same of each row says nothing.
    report::Titles titles;
    if (placements.front().layer.ofSeveral)
        titles = {{"name", "function/layer"}};
    return heading("Layers") +
           terminalText(textTable(report::placementTable(),
                                  report::placedLayers(bundle, placements), titles));
}

/// The readings of the rail that energies are derived from.
std::string powerText(const target::Target &target)
{
    const auto figures = roofline::powerFigures(target);
    return figures.empty()
               ? "\n  no power of " + target.name + " is published: no energy\n"
               : heading("Power (energy of a layer: derived, these times its predicted time; ? "
                         "the conditions do not hold or are not known)") +
                     terminalText(textTable(report::powerTable(), figures));
}

/// Of one dispatch, or of a pipeline whose figures are sums.
std::string timesText(const roofline::ProgramTime &program, std::string_view noun)
{
    using Bound = roofline::ProgramTime::Bound;
    std::string text = fmt::format("  engine time {} s", numberText(program.engineTimeS));
    if (program.timed < program.layers)
        text += fmt::format(
            " (unknown for {} of {} layers{})", program.layers - program.timed, program.layers,
            program.timed > 0 ? fmt::format("; {:.3g} s for the others", program.knownS)
                              : std::string());
    text += fmt::format("; dispatch floor {} s", numberText(program.dispatchFloorS));
    if (program.callFixedS > 0)
        text += fmt::format(", beside the layers {:.3g} s", program.callFixedS);
    text += program.launches.value_or(1) == 1 ? "\n"
                                              : fmt::format(" of {} launches\n", *program.launches);
    if (program.energy)
        text += fmt::format(
            "  energy of {} {} uJ, derived: {} [{}]\n", noun == "pipeline" ? "a run" : "a dispatch",
            report::energyText(program.energy), program.energy->basis, program.energy->source);
    for (const std::string &note : program.notes)
        text += "  " + printable(note) + "\n";
    if (program.bound == Bound::Dispatch)
        return text +
               fmt::format("  {} {} s: bound by the dispatch, {:.0f} % of it the engine works\n",
                           noun, numberText(program.timeS),
                           100 * *program.engineTimeS / *program.timeS);
    if (program.bound == Bound::Engine)
        return text +
               fmt::format("  {} {} s: bound by the engine\n", noun, numberText(program.timeS));
    return program.refused > 0
               ? text
               : text + fmt::format("  the {}'s time and what bounds it are not known\n", noun);
}

/// The parts of a whole under their names, then what they are together.
std::string wholeText(const roofline::ProgramTime &program, std::string_view noun)
{
    if (program.dispatches.empty())
        return timesText(program, noun);
    const bool entries = program.function.empty();
    std::string text;
    for (const roofline::ProgramTime &each : program.dispatches)
        text += (text.empty() ? "" : "\n") + printable(each.function) + "\n" +
                wholeText(each, entries ? "function" : "launch");
    if (program.alternatives)
        return text + "\n  a dispatch enters one of the functions: their times do not add up\n";
    if (!entries)
        return text + "\n" + printable(program.function) + ", one launch after the other\n" +
               timesText(program, noun);
    return text + fmt::format("\nall {} models, one after the other\n", program.dispatches.size()) +
           timesText(program, "pipeline");
}

} // namespace

std::string programText(const roofline::ProgramTime &program)
{
    if (program.layers == 0 && program.notes.empty())
        return {};
    return "\n" + wholeText(program, "program");
}

int runRoofline(const ChipOptions &options, Context &context)
{
    const auto chosen = chosenTarget(options, context);
    if (!chosen)
        return refuseTarget(context, "roofline", chosen.error());
    const auto roofs = roofline::roofsOf(chosen->target(), {options.compute, options.bandwidth});
    if (!roofs)
        return refuseTarget(context, "roofline", roofs.error());
    const auto opened = openBundle(options.path, options.shapes);
    if (!opened)
        return reportFailure(context, "roofline", opened.error());
    const BundlePtr *bundle = &opened->bundle;
    decision::Judge judge(chosen->choice);
    const auto network = roofline::assessNetwork(layersOf(**bundle, weightForms(**bundle)), *roofs,
                                                 judge, options.batch);
    if (!network)
        return refuseTarget(context, "roofline", network.error());
    const std::vector<Placement> &placements = network->placements;
    const roofline::ProgramTime &program = network->program;
    const Diagnostics &diagnostics = (*bundle)->diagnostics();
    if (context.json) {
        report::Json document =
            report::chipDocument("roofline", &chosen->target(), chosen->choice, &chosen->named);
        report::addRooflineOf(document, **bundle, *roofs, *network, options.batch);
        addShapes(document, *opened);
        printDocument(context, document, diagnostics);
        return exitCodeOf(diagnostics);
    }
    if (!context.quiet)
        print(printable((*bundle)->name()) + " on " + chosen->text() + roofsText(*roofs) +
              layersText(**bundle, placements) + programText(program) + "  " +
              roofline::predictionNote(chosen->target()) + "\n" + powerText(chosen->target()) +
              unassessedText(**bundle) + shapesText(*opened));
    printDiagnostics(context, diagnostics);
    return exitCodeOf(diagnostics);
}

} // namespace kernscope::cli
