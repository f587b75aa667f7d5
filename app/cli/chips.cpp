// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/chips.h"

#include "core/base/find.h"
#include "core/bundle/build_facts.h"
#include "core/bundle/bundle.h"
#include "core/format/table_rows.h"
#include "core/report/chip_table.h"
#include "core/report/decision_table.h"
#include "core/report/json_table.h"
#include "core/report/placement_table.h"
#include "core/report/weight_table.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

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
    return report::severalFunctions(bundle) ? "where every function runs once" : "a dispatch";
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
            if (std::ranges::find(seen, key) != seen.end())
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
    return text + tableText(report::candidateTable, report::candidateRows(choice));
}

/// The weights that are asked about: [first, last).
struct AskedWeights {
    std::size_t first = 0, last = 0;
};

AskedWeights askedWeights(const Bundle &bundle, const std::string &weight)
{
    if (isOldNetwork(bundle))
        throw CommandFailure{oldNetworkError("choose.network", bundle.name())};
    if (weight.empty())
        return AskedWeights{0, bundle.weights().size()};
    const auto at = required(findWeight(bundle, weight));
    return AskedWeights{at, at + 1};
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

/// A command that judges by a chip.
std::pair<CLI::App *, std::shared_ptr<ChipOptions>>
addChip(CLI::App &app, Context &context, const char *name, const char *text,
        int (*run)(const ChipOptions &, Context &))
{
    auto added = addCommand<ChipOptions>(app, context, name, text, run);
    addCommonOptions(*added.first, context);
    return added;
}

void addChoice(CLI::App &command, ChipOptions &options)
{
    addOption(command, "--cores", "N", options.cores,
              "Cores by another source than the chapters (as `targets` lists them)");
}

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
        const auto known =
            std::ranges::find_if(verdicts, [&](const auto &each) { return each.first == verdict; });
        if (known == verdicts.end())
            verdicts.emplace_back(verdict, 1);
        else
            ++known->second;
    }
    std::string text =
        tableText(report::decisionTable, rows) +
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
    const auto sums =
        mapped(table.columns(), [&](std::size_t column) { return table.totals(column); });
    return text + heading("Moved " + movedWhen(bundle)) +
           tableText(report::targetTotalsTable, sums, {{"moved", "moved"}});
}

int runDecide(const ChipOptions &options, Context &context)
{
    const auto chosen = usable(chosenTarget(options, context));
    const auto opened = required(openBundle(options.path, options.shapes));
    const BundlePtr *bundle = &opened.bundle;
    auto targets =
        options.allTargets ? allTargets() : std::vector<const target::Target *>{&chosen.target()};
    const DecisionTable table(**bundle, std::move(targets), chosen.choice);
    const Diagnostics &diagnostics = (*bundle)->diagnostics();
    std::optional<report::ProgramVerdict> verdict;
    if (!options.allTargets)
        verdict = usable(report::programVerdict(**bundle, chosen.target(), chosen.choice));
    if (context.json) {
        report::Json head =
            report::chipDocument("decide", options.allTargets ? nullptr : &chosen.target(),
                                 chosen.choice, &chosen.named);
        if (!options.allTargets)
            report::addPredictionError(head, chosen.target());
        if (verdict)
            report::addVerdict(head, *verdict);
        addShapes(head, opened);
        report::writeDecisions(
            **bundle, table, std::move(head), diagnostics,
            [](std::string_view piece) { printWhole(printableJson(std::string(piece))); });
        return exitCodeOf(diagnostics);
    }
    if (!context.quiet) {
        print(printable((*bundle)->name()) +
              (verdict ? " on " + chosen.text() + verdictText(*verdict) : "\n\n"));
        if (table.rows() == 0)
            print("\nNo weights.\n");
        else
            print(options.allTargets ? matrixText(**bundle, table)
                                     : "\n" + decisionsText(**bundle, table));
        print(shapesText(opened));
    }
    printDiagnostics(context, diagnostics);
    return exitCodeOf(diagnostics);
}

void addDecide(CLI::App &app, Context &context)
{
    const auto [command, options] =
        addChip(app, context, "decide",
                "Say whether each weight streams or folds on a chip, and why", runDecide);
    addPath(*command, options->path);
    addExamples(*command,
                {"decide model.mlmodelc --target M1", "decide model.mlmodelc --all-targets"});
    addShapeOption(*command, options->shapes);
    command->add_flag("--all-targets", options->allTargets, "Judge by every chip");
    addChoice(*command, *options);
    addOption(*command, "--descriptor-version", "N", options->descriptorVersion,
              "Descriptor version by another source than the chapters");
}

void addGeometry(CLI::App &app, Context &context)
{
    const auto [command, options] =
        addChip(app, context, "geometry",
                "Output-channel groups, passes, cores, buffering and Winograd", runGeometry);
    CLI::Option *path = addPath(*command, options->path)->required(false);
    addExamples(*command, {"geometry model.mlmodelc --target M1",
                           "geometry model.mlmodelc --shape image=1,3,640,640",
                           "geometry --channels 256:512 --kernel 3x3 --output-size 32x32"});
    addShapeOption(*command, options->shapes)->needs(path);
    addChoice(*command, *options);
    CLI::Option *channels = addOption(*command, "--channels", "IN:OUT", options->channels,
                                      "Typed in instead of a bundle: IN:OUT")
                                ->excludes(path);
    addOption(*command, "--kernel", "WxH", options->kernel, "Typed in: WxH or WxHxD")
        ->needs(channels);
    addOption(*command, "--output-size", "WxH", options->output, "Typed in: WxH or WxHxD")
        ->needs(channels);
    addOption(*command, "--stride", "X", options->stride, "Typed in: X or XxY")->needs(channels);
    command->add_option("--weight-bits", options->weightBits, "Typed in: bits of a weight")
        ->check(CLI::IsMember({1, 2, 3, 4, 6, 8, 16}))
        ->needs(channels);
    addWord(*command, "--activation", options->activation, {"fp16", "int8", "uint8", "e4m3"},
            "Type of the activation");
    command
        ->add_option("--work-unit-mode", options->workUnitMode,
                     "Work-unit mode; 1 and 2 raise the work that Winograd asks for to 32")
        ->check(CLI::IsMember({0, 1, 2}))
        ->capture_default_str();
    command->add_option("--density", options->density, "Typed in: share of weights not zero")
        ->check(notNan())
        ->check(CLI::Range(0.0, 1.0))
        ->needs(channels);
    addWord(*command, "--source-mode", options->mode, {"tiny", "small", "default", "other"},
            "tiny, small, default or other");
    addWord(*command, "--reading", options->reading, {"listing", "formula"},
            "Of the group size: listing or formula");
    command->add_option("--demand", options->demand, "Accumulator demand in work units");
}

void addRoofline(CLI::App &app, Context &context)
{
    const auto [command, options] =
        addChip(app, context, "roofline", "Place every layer under a chip's ceilings", runRoofline);
    addPath(*command, options->path);
    addExamples(*command, {"roofline model.mlmodelc --target M1 --batch 4",
                           "roofline model.mlmodelc --shape image=1,3,640,640"});
    addShapeOption(*command, options->shapes);
    addChoice(*command, *options);
    addOption(*command, "--batch", "N", options->batch, "Inputs of a dispatch");
    addOption(*command, "--compute", "NAME", options->compute,
              "Compute ceiling of all layers, by name");
    addOption(*command, "--bandwidth", "NAME", options->bandwidth,
              "Bandwidth ceiling of all streams, by name");
}

int runChoose(const ChipOptions &options, Context &context)
{
    const auto target = usable(chosenTarget(options, context));
    const auto roofs = usable(roofline::roofsOf(target.target()));
    const auto opened = required(openBundle(options.path, options.shapes));
    const Bundle &bundle = *opened.bundle;
    const auto asked = askedWeights(bundle, options.weight);
    decision::Judge judge(target.choice);
    const auto network = usable(roofline::assessNetwork(layersOf(bundle, weightForms(bundle)),
                                                        roofs, judge, options.batch));
    const report::ProgramVerdict verdict = report::programVerdict(bundle, network);
    Chosen chosen = chooseForms(bundle, asked, options, roofs, judge, context);
    checkInterrupt();
    return printAnswer(
        context, chosen.diagnostics,
        [&] {
            Json document =
                report::chipDocument("choose", &target.target(), target.choice, &target.named);
            report::addChoices(document, bundle, options.tolerance, network.program,
                               std::move(chosen.documents));
            report::addPredictionError(document, target.target());
            report::addVerdict(document, verdict);
            addShapes(document, opened);
            return document;
        },
        [&] {
            return printable(bundle.name()) + " on " + target.text() + verdictText(verdict) +
                   programText(network.program) + "  " + roofline::predictionNote(target.target()) +
                   "\n" + chosen.text + shapesText(opened);
        });
}

void addChoose(CLI::App &app, Context &context)
{
    const auto [command, options] = addChip(
        app, context, "choose", "The form that each weight should take on a chip", runChoose);
    addPath(*command, options->path);
    addExamples(*command, {"choose model.mlmodelc --target M1 --max-error 0.02"});
    addShapeOption(*command, options->shapes);
    addChoice(*command, *options);
    addMaxError(*command, options->tolerance);
    addOption(*command, "--batch", "N", options->batch, "Inputs of a dispatch");
    addOption(*command, "--weight", "NAME", options->weight, "This weight only");
}

void addReduce(CLI::App &app, Context &context)
{
    const auto [command, options] =
        addChip(app, context, "reduce",
                "Numbers through the engine's reduction: tiles, accumulator, port", runReduce);
    addOption(*command, "values", "VALUE", options->values,
              "Numbers; VALUE*COUNT for COUNT of them")
        ->required();
    CLI::Option *to = addWord(*command, "--to", options->to, {"e4m3", "e5m2"},
                              "Narrow the result at the end to an 8-bit float");
    addWord(*command, "--overflow", options->overflow, {"nan", "saturate"},
            "What is past the largest number becomes (without it, both are shown)")
        ->needs(to);
    addExamples(*command, {"reduce 4096 '1*1024'", "reduce 8192 '1*16' --target M1",
                           "reduce 400 100 --to e4m3 --overflow saturate"});
}

void addFormats(CLI::App &app, Context &context)
{
    const auto [formats, options] = addChip(
        app, context, "formats",
        "The kernel formats and what a chip's descriptor can hold, and the other numberings",
        runFormats);
    std::vector<std::string> names{"all"};
    for (const std::string_view name : tables::names())
        names.emplace_back(name);
    addOption(*formats, "--facts", "TABLE", options->facts,
              "The rows of a table of facts instead, each with its source; all: every table")
        ->check(CLI::IsMember(names).description(""));
    addExamples(*formats, {"formats --target M4", "formats --facts hwx_codes"});
}

int runTargets(const ChipOptions &options, Context &context)
{
    std::vector<const target::Target *> shown;
    if (context.target.empty() && options.bytes) {
        shown.push_back(&target::defaultTarget());
    } else if (context.target.empty()) {
        for (const target::Target &target : target::targets())
            shown.push_back(&target);
    } else {
        const auto named = usable(target::findTarget(context.target));
        shown.push_back(named.target);
        for (const auto &other : named.others) {
            if (!options.bytes)
                shown.push_back(other.target);
        }
    }
    return printAnswer(
        context, {}, [&] { return report::targetsDocument(shown, options.bytes); },
        [&] {
            return tableText(report::chipTable, shown) +
                   "\n  * sources disagree: --json names them and what each says\n" +
                   (options.bytes ? targetDetailsText(*shown.front()) : std::string());
        });
}

} // namespace

Result<ChosenTarget> chosenTarget(const ChipOptions &options, const Context &context)
{
    if (options.allTargets && !context.target.empty()) {
        return refused("cli.option", "--target", "--target or --all-targets", "both",
                       "Judge by one chip or by all of them.");
    }
    ChosenTarget chosen;
    chosen.named = TRY(
        target::findTarget(context.target.empty() ? target::defaultTarget().name : context.target));
    chosen.byDefault = context.target.empty();
    if (options.cores != 0)
        chosen.choice.cores = options.cores;
    if (options.descriptorVersion != 0)
        chosen.choice.descriptorVersion = options.descriptorVersion;
    if (options.allTargets)
        return chosen;
    TRY(target::cores(chosen.target(), chosen.choice));
    TRY(target::descriptorVersion(chosen.target(), chosen.choice));
    return chosen;
}

std::string ChosenTarget::text() const
{
    std::string line = target().name;
    if (!target().silicon.empty())
        line += " (" + target().silicon + ")";
    const auto cores = target::cores(target(), choice);
    if (cores && cores->value)
        line += fmt::format(", {} cores{}", *cores->value,
                            cores->contested ? " (contested; by " + cores->source + ")" : "");
    else
        line += ", cores unknown";
    if (byDefault)
        line += "; by default, --target names another";
    line += "\n";
    for (const auto &other : named.others)
        line += fmt::format("  the name may also mean {}: {}\n", other.target->name, other.source);
    return line;
}

Error legalityError(std::string_view code, const std::string &weight, const decision::Reason &rule,
                    const target::Target &target)
{
    return valueError(
        code, weight, rule.required, rule.found,
        fmt::format("No encoder of {} writes this form: {} ({}); --force writes it all "
                    "the same",
                    target.name, rule.gate, rule.source));
}

std::string verdictText(const report::ProgramVerdict &verdict)
{
    const std::string text = "\n  " + printable(verdict.sentence) + "\n";
    return verdict.gains.empty() ? text
                                 : text + heading("Faster in another form") +
                                       tableText(report::gainTable, verdict.gains);
}

void addChips(CLI::App &app, Context &context)
{
    addDecide(app, context);
    addGeometry(app, context);
    addRoofline(app, context);
    addChoose(app, context);
    addReduce(app, context);
    const auto [calibrate, calibrateOptions] =
        addChip(app, context, "calibrate",
                "Published measurements beside what is predicted for them", runCalibrate);
    addOption(*calibrate, "path", "PATH", calibrateOptions->path,
              "A program in which the compiler wrote its own estimates");
    addExamples(*calibrate,
                {"calibrate", "calibrate --target M2 --json", "calibrate model.mil --target M6"});
    const auto [targets, targetsOptions] =
        addChip(app, context, "targets", "The chips, their names and what is contested about them",
                runTargets);
    targets->add_flag("--bytes", targetsOptions->bytes,
                      "The chip's capability bytes and scalars, operation floors, facts and rules");
    addExamples(*targets, {"targets", "targets --target M1 --json", "targets --target M5 --bytes"});
    addFormats(app, context);
}

} // namespace kernscope::cli
