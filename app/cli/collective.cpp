// SPDX-License-Identifier: GPL-3.0-or-later
// `collective`: the multi-die layer of chapter 36 and its arithmetic.
#include "app/cli/chips.h"
#include "core/base/csv.h"
#include "core/base/error_builder.h"
#include "core/base/quantity.h"
#include "core/bundle/bundle.h"
#include "core/numeric/half.h"
#include "core/report/chip_table.h"
#include "core/report/collective_table.h"
#include "core/report/format_table.h"
#include "core/report/json_table.h"
#include "core/report/placement_table.h"

#include <algorithm>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace kernscope::cli {

namespace {

struct CollectiveOptions {
    std::string mesh; ///< extents: "2x2x4"; empty: none was asked about
    std::uint64_t dieAxis = 0;
    std::uint64_t engines = 0;          ///< of a die; 0: the number that the inner axes address
    std::vector<std::uint64_t> device;  ///< coordinates
    std::vector<std::uint64_t> members; ///< engine indices of a layer on the single-program path
    std::optional<std::uint64_t> index;
    std::optional<std::uint32_t> reductionType;
    std::uint32_t dataType = 0;
    std::string tensor;              ///< extents
    std::vector<std::string> shards; ///< "0:1": tensor axis 0 over mesh axis 1
};

using decision::Mesh;
using report::Json;

/// "2x2x4".
std::vector<std::uint64_t> extentsOf(std::string_view text, const char *option)
{
    std::vector<std::uint64_t> extents;
    for (std::string_view rest = text; !text.empty();) {
        const std::string_view one = rest.substr(0, rest.find('x'));
        const auto number = parseInteger(one);
        if (!number || *number < 0)
            throw CommandFailure{usageError(option, "numbers such as 2x4", std::string(text),
                                            "The extents cannot be read."),
                                 true};
        extents.push_back(static_cast<std::uint64_t>(*number));
        if (one.size() == rest.size())
            break;
        rest.remove_prefix(one.size() + 1);
    }
    return extents;
}

/// "0:1" for each split; the mesh axis of each tensor axis.
std::vector<std::optional<std::size_t>> axesOf(const std::vector<std::string> &shards,
                                               std::size_t rank)
{
    std::vector<std::optional<std::size_t>> axes(rank);
    for (const std::string &shard : shards) {
        const std::size_t colon = shard.find(':');
        const auto tensor = parseInteger(std::string_view(shard).substr(0, colon));
        const auto mesh = colon == std::string::npos
                              ? std::nullopt
                              : parseInteger(std::string_view(shard).substr(colon + 1));
        const bool fits = tensor && mesh && *tensor >= 0 && *mesh >= 0 &&
                          static_cast<std::uint64_t>(*tensor) < rank &&
                          !axes[static_cast<std::size_t>(*tensor)];
        if (!fits)
            throw CommandFailure{
                usageError("--shard",
                           fmt::format("TENSOR-AXIS:MESH-AXIS, each of {} axes at most once", rank),
                           shard, "The split cannot be read."),
                true};
        axes[static_cast<std::size_t>(*tensor)] = static_cast<std::size_t>(*mesh);
    }
    return axes;
}

/// Engines that the axes from the die axis on address; 1 where they are too many to count, which
/// the mesh is refused for.
std::uint64_t innerEngines(const std::vector<std::uint64_t> &extents,
                           const CollectiveOptions &options)
{
    std::optional<std::uint64_t> product = 1;
    for (std::size_t i = options.dieAxis; i < extents.size(); ++i)
        product = product ? checkedMultiply(*product, extents[i]) : std::nullopt;
    return std::max<std::uint64_t>(1, product.value_or(1));
}

/// The results of the arithmetic that was asked for.
struct Worked {
    Json json;
    std::string text;
    bool holds = true; ///< false where a sharding is not valid or a layer does not run
};

void workDevice(const CollectiveOptions &options, const Mesh &mesh, Worked &out)
{
    if (options.index) {
        const auto device = usable(decision::deviceOfIndex(mesh, *options.index));
        report::addDeviceOfIndex(out.json, *options.index, device);
        out.text += fmt::format("  engine index {} is device ({})\n", *options.index,
                                fmt::join(device, ", "));
    }
    if (options.device.empty())
        return;
    const auto index = usable(decision::aneIndex(mesh, options.device));
    report::addIndexOfDevice(out.json, options.device, index);
    out.text +=
        fmt::format("  device ({}) has engine index {}\n", fmt::join(options.device, ", "), index);
    if (options.members.empty())
        return;
    const auto runs = usable(decision::runsOnDevice(mesh, options.device, true, options.members));
    out.holds = out.holds && runs;
    report::addMembers(out.json, options.members, runs);
    out.text += fmt::format("  a layer with the members {} {} there\n",
                            fmt::join(options.members, ", "), runs ? "runs" : "does not run");
}

void workSharding(const CollectiveOptions &options, const Mesh &mesh, Worked &out)
{
    const auto tensor = extentsOf(options.tensor, "--tensor");
    const auto axes = axesOf(options.shards, tensor.size());
    const decision::Sharding sharding = decision::checkSharding(mesh, tensor, axes);
    for (const decision::ShardCheck &check : sharding.checks) {
        out.text += fmt::format("  {}: {} ({})\n", check.passes ? "passes" : "fails", check.name,
                                check.found);
    }
    if (sharding.valid())
        out.text += fmt::format("  each device holds {}\n", fmt::join(sharding.shard, " x "));
    report::addSharding(out.json, tensor, sharding);
    out.holds = out.holds && sharding.valid();
}

void workMesh(const CollectiveOptions &options, Worked &out)
{
    const auto extents = extentsOf(options.mesh, "--mesh");
    const Mesh mesh{extents, static_cast<std::size_t>(options.dieAxis),
                    options.engines != 0 ? options.engines : innerEngines(extents, options)};
    const auto count = usable(decision::deviceCount(mesh));
    report::addMesh(out.json, mesh, count);
    out.text += fmt::format("  {} devices ({}), dies on the axes below {}, {} engines a die\n",
                            count, fmt::join(extents, " x "), options.dieAxis, mesh.enginesPerDie);
    workDevice(options, mesh, out);
    if (!options.tensor.empty())
        workSharding(options, mesh, out);
}

Worked worked(const CollectiveOptions &options)
{
    Worked out;
    if (!options.mesh.empty())
        workMesh(options, out);
    if (options.reductionType) {
        const auto operation = usable(decision::atomicOperation(*options.reductionType));
        const auto word = usable(decision::atomicWord(operation, options.dataType));
        report::addAtomic(out.json, *options.reductionType, operation, options.dataType, word);
        out.text += fmt::format("  reduction type {}: atomic operation {}, data type {}, word "
                                "{:#x}\n",
                                *options.reductionType, operation, options.dataType, word);
    }
    return out;
}

std::string operationsText()
{
    std::string text = heading("Operations") +
                       tableText(report::collectiveOperationTable, decision::collectiveOps()) +
                       "\n  reduction kinds:";
    for (const decision::ReductionToken &token : decision::reductionTokens())
        text += fmt::format(" {} {}", token.token, token.kind);
    text += " (any other 0, invalid; table 36.5)\n  atomic operation of a reduction type:";
    for (const decision::AtomicRow &row : decision::atomicRows())
        text += fmt::format(" {}:{}", row.reduction,
                            row.operation ? std::to_string(*row.operation) : "none");
    return text + " (others 0; table 36.6; another numbering than the kinds)\n";
}

std::string collectiveChipText(const target::Target &target)
{
    return heading("Capability bytes") +
           tableText(report::collectiveByteTable, report::collectiveByteRows(target),
                     {{"value", "on " + target.name}}) +
           heading("Gates") +
           tableText(report::collectiveGateTable, decision::collectiveGates(target));
}

std::string settersText()
{
    return heading("Setters of the collective DMA, in this order") +
           tableText(report::ccdmaSetterTable, decision::ccdmaSetters()) +
           heading("Rules and messages") +
           tableText(report::collectiveNoteTable, decision::collectiveNotes());
}

std::string formatsText(const target::Target &target, const format::FormatUse &use)
{
    const report::Titles here{{"legal", "on " + target.name}};
    return tableText(report::kernelFormatTable, report::kernelFormatRows(use), here) +
           heading("Tensor formats") +
           tableText(report::elementTypeTable, report::tensorFormatRows(target)) +
           heading("Encoder") +
           tableText(report::codegenTable, report::codegenRows(use.descriptorVersion)) +
           moreFormatsText(use.descriptorVersion);
}

int runFacts(const std::string &name, Context &context)
{
    const std::string_view table = name == "all" ? std::string_view() : name;
    return printAnswer(
        context, {}, [&] { return report::embeddedFactsJson(table); },
        [&] { return tableText(report::embeddedFactTable, report::embeddedFactRows(table)); });
}

/// Runs of codes that the predicate answers alike.
std::string foldText()
{
    std::string folds;
    for (std::uint32_t code = 0; code <= 16; ++code) {
        const format::TensorFormat format(code);
        if (!format::isDmaConvertibleToFp16(format))
            continue;
        const auto *row = format::find(format);
        folds += fmt::format("{}{}", folds.empty() ? "" : ", ", code);
        folds += row != nullptr ? " " + row->name : std::string(" (no name published)");
    }
    const format::CodeSet &set = format::dmaConvertibleToFp16();
    return heading(fmt::format("Fold predicate ({}, mask {:#x})", set.source, set.mask)) +
           "  the DMA folds to fp16: " + folds + "\n";
}

std::string lanesText(std::uint32_t version)
{
    if (version == 0)
        return {};
    const auto layout = descriptor::formatWordLayout(version);
    std::string text =
        heading(fmt::format("Format word of version {} (table 36.3)", version)) +
        fmt::format("  at +{:#x}, lanes of {} bits\n", layout.offset, layout.laneBits);
    std::vector<report::LaneCode> codes = report::laneCodes(version);
    // The others are refused alike; `descriptor` lists them.
    std::erase_if(codes, [](const report::LaneCode &code) {
        return !code.bits && code.name != "e4m3" && code.name != "e5m2";
    });
    return text + tableText(report::laneCodeTable, codes) +
           fmt::format(
               "  E4M3 overflow: {}\n",
               layout.overflowSource1
                   ? fmt::format("bit 24 at +{:#x} (source 1) and +{:#x} (source 2): 1 "
                                 "saturates to 0x7e, 0 gives NaN, 0x7f",
                                 *layout.overflowSource1, *layout.overflowSource2)
                   : "\"" +
                         descriptor::encodeOverflow(version, descriptor::FormatLane::Source1, true)
                             .error()
                             .message +
                         "\"");
}

std::string halText(const target::Target &target)
{
    std::string text;
    for (const target::HalLayout layout : {target::HalLayout::Chapters, target::HalLayout::Later}) {
        const std::string_view name = target::halLayoutName(layout);
        std::vector<report::TargetFact> rows;
        std::size_t unknown = 0;
        for (report::TargetFact &row : report::halRows(target)) {
            if (row.table != name)
                continue;
            if (row.value.scope.empty() && !*row.byte) // bytes decide: unknown ones are shown
                ++unknown;
            else
                rows.push_back(std::move(row));
        }
        text += heading(fmt::format("Table of compiler {}", name)) +
                tableText(report::targetFactTable, rows);
        if (unknown > 0)
            text += fmt::format("  and {} scalars whose value is not known (--json)\n", unknown);
    }
    return text;
}

using roofline::CalibrationRow;

/// What the compiler itself estimated for the layers of a program, beside the predictions.
std::string estimatesText(const BundlePtr &bundle, const roofline::NetworkAssessment &network,
                          const std::vector<report::PlacedLayer> &estimated)
{
    if (!bundle)
        return {};
    if (estimated.empty())
        return "\nThe compiler wrote no estimate for a layer of this program.\n";
    return heading("The compiler's own estimates beside those for " + network.roofs.target->name) +
           tableText(report::estimateTable, estimated);
}

/// How many rows are met, and which effects the model lacks where it is off.
std::string calibrationSummary(const std::vector<CalibrationRow> &rows)
{
    std::size_t met = 0, compared = 0, goals = 0, goalsMet = 0, trivial = 0, own = 0;
    std::vector<std::pair<const CalibrationRow *, std::size_t>> missing;
    for (const CalibrationRow &row : rows) {
        const bool within = row.within().value_or(false);
        compared += row.counts() ? 1 : 0;
        met += row.counts() && within ? 1 : 0;
        trivial += row.isTrivial() ? 1 : 0;
        own += row.own && !row.isTrivial() ? 1 : 0;
        goals += row.goal ? 1 : 0;
        goalsMet += row.goal && within ? 1 : 0;
        if (within)
            continue;
        const auto at = std::ranges::find_if(
            missing, [&](const auto &each) { return each.first->missing == row.missing; });
        if (at == missing.end())
            missing.emplace_back(&row, 1);
        else
            ++at->second;
    }
    std::string text =
        fmt::format("\n  {} of {} predictions within {:.0f} % ({} rows; not counted: {} trivial, "
                    "{} that the model was fitted on); * goals: {} of {}\n",
                    met, compared, 100 * roofline::kCalibrationGoal, rows.size(), trivial, own,
                    goalsMet, goals);
    for (const auto &[row, count] : missing)
        text += fmt::format("  missing in {}: {} [{}]\n", count, row->missing, row->missingSource);
    return text;
}

constexpr std::size_t kTilesShown = 16;
using codec::ReductionTrace;

std::string narrowedText(const std::vector<report::NarrowedPort> &narrowed,
                         const ChipOptions &options)
{
    std::string text;
    for (const report::NarrowedPort &one : narrowed)
        text += fmt::format("  as {}, overflow {:<8} {} ({:#04x})\n", options.to,
                            options.to == "e5m2" && one.mode == "nan" ? "infinite" : one.mode,
                            one.value, one.code);
    return text;
}

/// The reading that is not followed, with its source.
std::string secondReadingText()
{
    for (const format::Reading &reading : format::readingsOf("reduction_tile")) {
        if (!reading.taken)
            return fmt::format("contested: {} [{}]", reading.text, reading.source);
    }
    return {};
}

std::string reducedText(const ReductionTrace &made)
{
    std::vector<report::TileFacts> tiles = report::tileRows(made);
    tiles.resize(std::min(kTilesShown, tiles.size()));
    std::string text = tableText(report::tileTable, tiles);
    if (made.tiles.size() > kTilesShown)
        text += fmt::format("  and {}\n", counted(made.tiles.size() - kTilesShown, "more tile"));
    text += fmt::format("\n  accumulator    {} (fp32 class, over the tiles)\n"
                        "  output port    {} (fp16 {:#06x})\n"
                        "  exact sum      {}\n"
                        "  fp16 all along {} (what an fp16 accumulator would give)\n",
                        made.whole.accumulator, halfToFloat(made.whole.port), made.whole.port,
                        made.exact, made.everyStep);
    if (made.whole.isContested() || made.readingsDiffer())
        text += fmt::format("  second reading {} at the port, {} in the accumulator ({})\n",
                            halfToFloat(made.aligned.port), made.aligned.accumulator,
                            secondReadingText());
    if (made.whole.isContested())
        text += fmt::format("  contested: partial sums of 2048 to 4095 in {}, where the text of "
                            "chapter 20 has every unit survive and this order of additions loses "
                            "some\n",
                            counted(made.whole.contested, "tile"));
    return text;
}

int runCollective(const CollectiveOptions &options, Context &context)
{
    const auto chosen = usable(chosenTarget(ChipOptions{}, context));
    const auto asked = worked(options);
    printAnswer(
        context, {}, [&] { return report::collectiveAnswerJson(chosen.target(), asked.json); },
        [&] {
            return asked.text.empty()
                       ? "For " + chosen.text() +
                             "Decoded from the compiler and gated off on every known chip: nothing "
                             "of it was measured.\n" +
                             operationsText() + collectiveChipText(chosen.target()) + settersText()
                       : asked.text;
        });
    return asked.holds ? kDone : kDiffers;
}

/// A tensor and how it is split over the mesh.
void addTensor(CLI::App &command, CollectiveOptions &options, CLI::Option *mesh)
{
    CLI::Option *tensor =
        addOption(command, "--tensor", "NxN", options.tensor, "Extents of a tensor")->needs(mesh);
    addOption(command, "--shard", "T:M", options.shards,
              "Tensor axis over mesh axis, once for each split")
        ->needs(tensor);
}

} // namespace

void addCollective(CLI::App &app, Context &context)
{
    const auto [command, options] = addCommand<CollectiveOptions>(
        app, context, "collective",
        "The multi-die layer: operations, gates, meshes, sharding, setters", runCollective);
    CLI::Option *mesh = addOption(*command, "--mesh", "NxN", options->mesh,
                                  "Extents of a device mesh, axis by axis");
    addOption(*command, "--die-axis", "N", options->dieAxis,
              "Axes below it count dies, others engines")
        ->needs(mesh);
    addOption(*command, "--engines", "N", options->engines,
              "Engines of a die (unless given: the number that the inner axes address)")
        ->needs(mesh);
    CLI::Option *device = addOption(*command, "--device", "N,N", options->device,
                                    "Coordinates: the engine index of it")
                              ->delimiter(',')
                              ->needs(mesh);
    addOption(*command, "--index", "N", options->index, "Engine index: the device that has it")
        ->check(wholeNumber())
        ->needs(mesh);
    addOption(*command, "--members", "N,N", options->members,
              "Engine indices of a single-program layer: does it run on the device?")
        ->delimiter(',')
        ->needs(device);
    addTensor(*command, *options, mesh);
    CLI::Option *atomic = addOption(*command, "--reduction-type", "N", options->reductionType,
                                    "Reduction type: its atomic operation and the packed word")
                              ->check(wholeNumber());
    addOption(*command, "--data-type", "N", options->dataType,
              "Atomic data type, for the packed word")
        ->needs(atomic);
    addCommonOptions(*command, context);
    addExamples(*command, {"collective --target M1",
                           "collective --mesh 2x2x4 --die-axis 2 --engines 4 --device 1,0,3",
                           "collective --mesh 2x4 --tensor 64x128 --shard 0:0 --shard 1:1",
                           "collective --reduction-type 5 --data-type 2"});
}

int runFormats(const ChipOptions &options, Context &context)
{
    if (!options.facts.empty())
        return runFacts(options.facts, context);
    const auto chosen = usable(chosenTarget(options, context));
    const target::Target &target = chosen.target();
    format::FormatUse use;
    use.descriptorVersion = options.descriptorVersion != 0
                                ? options.descriptorVersion
                                : target::encoderVersion(target).value_or(0);
    use.e4m3Capability = target::halBit(target, target::hal::kE4m3);
    return printAnswer(
        context, {}, [&] { return report::formatsJson(target, use); },
        [&] { return "For " + chosen.text() + formatsText(target, use); });
}

std::string readingsText(std::span<const format::Reading> readings)
{
    std::string text;
    for (const format::Reading &reading : readings)
        text += fmt::format(
            "  {} {}: {} [{}]{}\n", reading.taken ? "followed: " : "contested:", reading.topic,
            reading.text, reading.source, reading.note.empty() ? "" : "; " + reading.note);
    return text;
}

std::string moreFormatsText(std::uint32_t descriptorVersion)
{
    return heading("Types in a weight") +
           tableText(report::elementRoleTable, format::weightElementRoles()) +
           heading("fp8 formats (table 36.1)") +
           tableText(report::fp8FormatTable, format::fp8Formats()) + foldText() +
           heading("Double multiply (chapter 36: one byte each, of the same class)") +
           tableText(report::doubleMacTable, report::doubleMacPairs()) +
           lanesText(descriptorVersion) + heading("What else is known") +
           tableText(report::engineNoteTable, format::engineNotes()) + heading("Contested") +
           readingsText(format::readingsAbout("engine"));
}

std::string targetDetailsText(const target::Target &target)
{
    const auto readings = format::readingsAbout(target.name);
    return halText(target) + heading("MinimumFamily floors") +
           tableText(report::floorTable, report::floorRows(target)) +
           titledTable("Facts and rules", report::placedFactTable, report::placedFacts(target)) +
           (readings.empty() ? std::string() : heading("Contested") + readingsText(readings));
}

int runCalibrate(const ChipOptions &options, Context &context)
{
    const target::Target *target = nullptr;
    if (!context.target.empty()) {
        const auto named = usable(target::findTarget(context.target));
        target = named.target;
    }
    const std::vector<CalibrationRow> rows = roofline::calibrate(target);
    const auto figures = roofline::publishedFigures(target);
    Diagnostics diagnostics;
    BundlePtr bundle;
    roofline::NetworkAssessment network;
    std::vector<report::PlacedLayer> estimated; // points into both
    if (!options.path.empty()) {
        const auto opened = required(openBundle(options.path, options.shapes));
        bundle = opened.bundle;
        diagnostics = bundle->diagnostics();
        const auto roofs = roofline::roofsOf(target != nullptr ? *target : target::defaultTarget());
        decision::Judge judge;
        network =
            usable(roofline::assessNetwork(layersOf(*bundle, weightForms(*bundle)), *roofs, judge));
        estimated = report::placedLayers(*bundle, network.placements);
        std::erase_if(estimated, [](const auto &row) { return row.notes->estimatedMs.empty(); });
    }
    return printAnswer(
        context, diagnostics,
        [&] { return report::calibrateJson(target, rows, figures, estimated); },
        [&] {
            return (rows.empty()
                        ? "No measurement of this chip is published.\n"
                        : tableText(report::calibrationTable, rows) + calibrationSummary(rows)) +
                   titledTable("Other published figures (- nothing predicts them)",
                               report::publishedFigureTable, figures) +
                   estimatesText(bundle, network, estimated);
        });
}

int runReduce(const ChipOptions &options, Context &context)
{
    const auto values =
        usable(codec::parseReductionValues(options.values).map_error(withCode("cli.option")));
    const ReductionTrace made = codec::traceReduction(values);
    const auto narrowed = report::narrowedPort(made, options.to, options.overflow);
    return printAnswer(
        context, {}, [&] { return report::reduceJson(made, values.size(), options.to, narrowed); },
        [&] { return reducedText(made) + narrowedText(narrowed, options); });
}

} // namespace kernscope::cli
