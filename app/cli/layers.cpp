// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/chips.h"
#include "core/base/csv.h"
#include "core/bundle/bundle.h"
#include "core/report/chip_table.h"
#include "core/report/geometry_table.h"
#include "core/report/json_table.h"
#include "core/report/placement_table.h"

#include <fmt/format.h>

namespace kernscope::cli {

namespace {

struct Judged {
    std::string title, weight, address, consumer, op;
    decision::LayerOperation operation;
    roofline::Layer layer; ///< the same for the times
};

Error badNumbers(std::string option, std::string expected, std::string found)
{
    return valueError("cli.option", std::move(option), std::move(expected), std::move(found),
                      "The numbers cannot be read.");
}

/// "3x3" into up to three numbers; those that are missing stay 1.
std::array<std::uint64_t, 3> numbersOf(const std::string &option, const std::string &text,
                                       char separator, std::size_t least, std::size_t most)
{
    std::array<std::uint64_t, 3> numbers{1, 1, 1};
    std::size_t count = 0;
    std::size_t start = 0;
    bool good = true;
    while (good && start <= text.size()) {
        const std::size_t end = std::min(text.find(separator, start), text.size());
        const auto value = parseInteger(std::string_view(text).substr(start, end - start));
        good = value && *value >= 1 && count < most;
        if (good)
            numbers[count++] = static_cast<std::uint64_t>(*value);
        start = end + 1;
    }
    if (!good || count < least)
        throw CommandFailure{
            badNumbers(option,
                       fmt::format("{}{} numbers from 1 on, joined by '{}'",
                                   least == most ? "" : fmt::format("{} to ", least), most,
                                   separator),
                       text),
            true};
    return numbers;
}

/// A layer of numbers that were typed in: its weight dense or in a form of that width.
roofline::Layer typedLayer(const decision::LayerOperation &operation)
{
    roofline::Layer layer;
    layer.op = "conv";
    layer.operation = operation;
    const auto product = [](std::initializer_list<std::uint64_t> factors) {
        std::optional<std::uint64_t> result = 1;
        for (const std::uint64_t factor : factors)
            result = result ? checkedMultiply(*result, factor) : std::nullopt;
        return result;
    };
    const auto weights =
        product({operation.inputChannels, operation.outputChannels, operation.kernelWidth,
                 operation.kernelHeight, operation.kernelDepth});
    const auto pixels =
        product({operation.outputWidth, operation.outputHeight, operation.outputDepth});
    if (!weights || !pixels || operation.inputElements == 0 || *weights > UINT64_MAX / 4)
        return layer;
    layer.form.shape = {operation.outputChannels, operation.inputChannels, operation.kernelDepth,
                        operation.kernelHeight, operation.kernelWidth};
    layer.form.elements = *weights;
    layer.form.storedBytes = layer.form.denseBytes = 2 * *weights;
    layer.form.use.unitStride =
        operation.strideX == 1 && operation.strideY == 1 && operation.strideZ == 1;
    layer.form.use.kernel = true;
    layer.form.density = operation.density;
    const std::string_view key = operation.weightBits == 8   ? "int8"
                                 : operation.weightBits == 4 ? "palette4"
                                                             : "dense";
    if (const auto form = roofline::asForm(layer.form, key))
        layer.form = *form;
    layer.flops = product({2, *weights, *pixels});
    layer.inputBytes = product({2, operation.inputElements});
    layer.outputBytes = product({2, operation.outputChannels, *pixels});
    return layer;
}

Judged typedOperation(const ChipOptions &options)
{
    Judged judged;
    judged.title = "numbers typed in";
    decision::LayerOperation &operation = judged.operation;
    const auto channels = numbersOf("--channels", options.channels, ':', 2, 2);
    operation.inputChannels = channels[0];
    operation.outputChannels = channels[1];
    using Three = std::array<std::uint64_t *, 3>;
    const std::array<std::tuple<const char *, const std::string *, Three>, 3> parts{
        {{"--kernel", &options.kernel,
          Three{&operation.kernelWidth, &operation.kernelHeight, &operation.kernelDepth}},
         {"--output-size", &options.output,
          Three{&operation.outputWidth, &operation.outputHeight, &operation.outputDepth}},
         {"--stride", &options.stride,
          Three{&operation.strideX, &operation.strideY, &operation.strideZ}}}};
    for (const auto &[name, text, places] : parts) {
        if (text->empty())
            continue;
        const auto numbers = numbersOf(name, *text, 'x', 1, 3);
        for (std::size_t i = 0; i < 3; ++i)
            *places[i] = numbers[i];
    }
    roofline::setWeightBits(operation, options.weightBits);
    if (options.density >= 0)
        operation.density = options.density;
    operation.paddedZero = decision::samePaddedZero(operation);
    operation.inputElements = decision::paddedInputElements(operation).value_or(0);
    judged.layer = typedLayer(operation);
    return judged;
}

std::vector<Judged> bundleOperations(const Bundle &bundle)
{
    std::vector<Judged> all;
    for (roofline::Layer &layer : layersOf(bundle, weightForms(bundle))) {
        if (!layer.operation)
            continue;
        const Weight &weight = bundle.weights()[layer.weight];
        const Consumer &consumer = weight.consumers[layer.consumer];
        const decision::LayerOperation operation = *layer.operation;
        all.push_back({weight.findableName() + " in " + consumer.op + " " + consumer.name,
                       weight.name, weight.address(), consumer.name, consumer.op, operation,
                       std::move(layer)});
    }
    return all;
}

std::string secondsText(const std::optional<double> &seconds)
{
    return seconds ? fmt::format("{:.3g} s", *seconds) : "unknown";
}

std::string shapeLine(const decision::LayerOperation &operation)
{
    return fmt::format(
        "    shape                      {} to {} channels, kernel {}x{}x{}, output {}, stride "
        "{}x{}\n",
        operation.inputChannels, operation.outputChannels, operation.kernelWidth,
        operation.kernelHeight, operation.kernelDepth,
        operation.outputKnown ? fmt::format("{}x{}x{}", operation.outputWidth,
                                            operation.outputHeight, operation.outputDepth)
                              : "unknown",
        operation.strideX, operation.strideY);
}

/// The operations asked about, and the answer.
struct GeometryAnswer {
    std::vector<Judged> operations;
    Diagnostics diagnostics;
    report::Json document;
    std::string text, notes; ///< of the operations, and what follows them
};

/// The operations of the bundle that read a weight, and the weights that none reads.
void askBundle(const ChipOptions &options, GeometryAnswer &answer)
{
    const auto opened = required(openBundle(options.path, options.shapes));
    answer.operations = bundleOperations(*opened.bundle);
    const auto unplaced = report::unplacedWeights(*opened.bundle);
    report::addUnplaced(answer.document, *opened.bundle, unplaced);
    answer.diagnostics = opened.bundle->diagnostics();
    addShapes(answer.document, opened);
    answer.notes =
        titledTable("Without geometry", report::unplacedTable, unplaced) + shapesText(opened);
}

decision::GeometryOptions geometryOptions(const ChipOptions &options, const ChosenTarget &chosen)
{
    decision::GeometryOptions wanted;
    wanted.choice = chosen.choice;
    if (options.reading == "formula")
        wanted.reading = decision::OcgReading::Formula;
    if (!options.mode.empty())
        wanted.mode = decision::sourceModeFromName(options.mode);
    wanted.demand = options.demand;
    return wanted;
}

/// What no bundle says of an operation.
void setModes(decision::LayerOperation &operation, const ChipOptions &options)
{
    operation.workUnitMode = options.workUnitMode;
    operation.tensorFormat = options.activation == "int8"    ? 1U
                             : options.activation == "uint8" ? 2U
                             : options.activation == "e4m3"  ? 12U
                                                             : 3U;
}

/// Every operation on the chip: as rows of the document, or as text.
void judgeOperations(const ChosenTarget &chosen, const decision::GeometryOptions &wanted,
                     const roofline::Roofs &roofs, bool json, GeometryAnswer &answer)
{
    decision::Judge judge(chosen.choice);
    std::vector<report::Json> operations;
    for (const Judged &judged : answer.operations) {
        const auto assessment = roofline::assess(judged.layer, judged.layer.form, roofs, judge);
        // Numbers that were typed in are those that the array gets.
        const bool typed = judged.weight.empty();
        const auto geometry =
            typed ? decision::computeGeometry(chosen.target(), judged.operation, wanted)
                  : roofline::geometryOf(judged.layer, assessment, chosen.target(), wanted);
        if (!geometry) {
            Error error = geometry.error();
            error.field = judged.title + ": " + error.field;
            answer.diagnostics.push_back({Severity::Error, std::move(error)});
            continue;
        }
        const auto operation =
            typed ? judged.operation : roofline::arrayOperation(judged.layer, assessment);
        if (json)
            operations.push_back(report::judgedJson(
                {judged.weight, judged.layer.function, judged.consumer, judged.op, judged.address},
                operation, *geometry, assessment));
        else
            answer.text += geometryText(judged.title, operation, *geometry, assessment);
    }
    report::addOperations(answer.document, std::move(operations));
    if (answer.operations.empty())
        answer.text += "\nNo operation with a kernel.\n";
}

using roofline::Placement;
using roofline::Roofs;

std::string numberText(const std::optional<double> &value)
{
    return value ? fmt::format("{:.4g}", *value) : "?";
}

std::string roofsText(const Roofs &roofs)
{
    const auto ceilings = report::ceilingRows(roofs);
    std::string text =
        ceilings.empty()
            ? std::string("\nNo ceilings are published for this chip.\n")
            : heading("Ceilings (> those used)") + tableText(report::ceilingTable, ceilings);
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

std::string layersText(const Bundle &bundle, const std::vector<Placement> &placements)
{
    if (placements.empty())
        return "\nNo layer with a kernel.\n";
    // A column that says the same of each row says nothing.
    report::Titles titles;
    if (placements.front().layer.ofSeveral)
        titles = {{"name", "function/layer"}};
    return heading("Layers") +
           tableText(report::placementTable, report::placedLayers(bundle, placements), titles);
}

/// The readings of the rail that energies are derived from.
std::string powerText(const target::Target &target)
{
    const auto figures = roofline::powerFigures(target);
    return figures.empty()
               ? "\n  no power of " + target.name + " is published: no energy\n"
               : heading("Power (energy of a layer: derived, these times its predicted time; ? "
                         "the conditions do not hold or are not known)") +
                     tableText(report::powerTable, figures);
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

std::string geometryText(const std::string &title, const decision::LayerOperation &operation,
                         const decision::Geometry &geometry, const roofline::Assessment &assessment)
{
    return heading(printable(title)) + shapeLine(operation) +
           fmt::format("    {:<26} {}  compute {}, memory {}; {} bound, by the roofs\n", "time",
                       secondsText(assessment.timeS), secondsText(assessment.computeS),
                       secondsText(assessment.memoryS), roofline::boundName(assessment.bound)) +
           report::engineFactsText(report::geometryFacts(operation, geometry));
}

int runGeometry(const ChipOptions &options, Context &context)
{
    const auto chosen = usable(chosenTarget(options, context));
    GeometryAnswer answer;
    answer.document =
        report::chipDocument("geometry", &chosen.target(), chosen.choice, &chosen.named);
    report::addPredictionError(answer.document, chosen.target());
    if (!options.channels.empty())
        answer.operations.push_back(typedOperation(options));
    else if (options.path.empty())
        throw CommandFailure{badNumbers("PATH", "a bundle, or --channels", "neither"), true};
    else
        askBundle(options, answer);
    const auto roofs = usable(roofline::roofsOf(chosen.target()));
    for (Judged &judged : answer.operations) {
        setModes(judged.operation, options);
        if (judged.layer.operation)
            setModes(*judged.layer.operation, options);
    }
    judgeOperations(chosen, geometryOptions(options, chosen), roofs, context.json, answer);
    return printAnswer(
        context, answer.diagnostics, [&] { return answer.document; },
        [&] {
            return "On " + chosen.text() + answer.text + "\n" +
                   roofline::predictionNote(chosen.target()) + "\n" + answer.notes;
        });
}

std::string programText(const roofline::ProgramTime &program)
{
    if (program.layers == 0 && program.notes.empty())
        return {};
    return "\n" + wholeText(program, "program");
}

int runRoofline(const ChipOptions &options, Context &context)
{
    const auto chosen = usable(chosenTarget(options, context));
    const auto roofs =
        usable(roofline::roofsOf(chosen.target(), {options.compute, options.bandwidth}));
    const auto opened = required(openBundle(options.path, options.shapes));
    const Bundle &bundle = *opened.bundle;
    decision::Judge judge(chosen.choice);
    const auto network = usable(roofline::assessNetwork(layersOf(bundle, weightForms(bundle)),
                                                        roofs, judge, options.batch));
    const report::ProgramVerdict verdict = report::programVerdict(bundle, network);
    return printAnswer(
        context, bundle.diagnostics(),
        [&] {
            report::Json document =
                report::chipDocument("roofline", &chosen.target(), chosen.choice, &chosen.named);
            report::addVerdict(document, verdict);
            report::addRoofline(document, bundle, roofs, network, options.batch);
            addShapes(document, opened);
            return document;
        },
        [&] {
            return printable(bundle.name()) + " on " + chosen.text() + verdictText(verdict) +
                   roofsText(roofs) + layersText(bundle, network.placements) +
                   programText(network.program) + "  " + roofline::predictionNote(chosen.target()) +
                   "\n" + powerText(chosen.target()) +
                   titledTable("Not assessed", report::unassessedTable,
                               report::unassessedRows(bundle)) +
                   shapesText(opened);
        });
}

} // namespace kernscope::cli
