// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/chips.h"
#include "app/cli/text_output.h"
#include "core/base/csv.h"
#include "core/report/chip_json.h"

#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace kernscope::cli {

namespace {

struct Judged {
    std::string title, weight, consumer, op;
    decision::Operation operation;
};

Error badNumbers(std::string option, std::string expected, std::string found)
{
    Error error;
    error.code = "cli.option";
    error.field = std::move(option);
    error.expected = std::move(expected);
    error.found = std::move(found);
    error.message = "The numbers cannot be read.";
    return error;
}

/// "3x3" into up to three numbers; those that are missing stay 1.
Result<std::array<std::uint64_t, 3>> numbersOf(const std::string &option, const std::string &text,
                                               char separator, std::size_t least, std::size_t most)
{
    std::array<std::uint64_t, 3> numbers{1, 1, 1};
    std::size_t count = 0;
    std::size_t start = 0;
    bool good = true;
    while (good && start <= text.size()) {
        const std::size_t end = std::min(text.find(separator, start), text.size());
        const auto value = parseInteger(std::string_view(text).substr(start, end - start));
        good = value && *value >= 0 && count < most;
        if (good)
            numbers[count++] = static_cast<std::uint64_t>(*value);
        start = end + 1;
    }
    if (!good || count < least)
        return tl::unexpected(badNumbers(
            option, fmt::format("{} to {} numbers joined by '{}'", least, most, separator), text));
    return numbers;
}

Result<Judged> typedOperation(const ChipOptions &options)
{
    Judged judged;
    judged.title = "numbers typed in";
    decision::Operation &operation = judged.operation;
    const auto channels = numbersOf("--channels", options.channels, ':', 2, 2);
    if (!channels)
        return tl::unexpected(channels.error());
    operation.inputChannels = (*channels)[0];
    operation.outputChannels = (*channels)[1];
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
        if (!numbers)
            return tl::unexpected(numbers.error());
        for (std::size_t i = 0; i < 3; ++i)
            *places[i] = (*numbers)[i];
    }
    operation.weightBits = options.weightBits;
    if (options.weightBits < 16) {
        operation.floatWeight = false;
        operation.kernelFormat = 1;
    }
    if (options.density >= 0)
        operation.density = options.density;
    return judged;
}

std::vector<Judged> bundleOperations(const Bundle &bundle)
{
    std::vector<Judged> all;
    for (const Weight &weight : bundle.weights()) {
        const auto form = weightForm(bundle, weight);
        for (const Consumer &consumer : weight.consumers) {
            const auto operation = operationOf(weight, consumer, form);
            if (operation)
                all.push_back({weight.name + " in " + consumer.op + " " + consumer.name,
                               weight.name, consumer.name, consumer.op, *operation});
        }
    }
    return all;
}

std::string conditionsText(const std::vector<decision::Condition> &conditions)
{
    std::string text;
    for (const decision::Condition &condition : conditions)
        text += fmt::format("      {:<8} {:<26} {} (needs {})\n",
                            condition.holds ? (*condition.holds ? "holds" : "fails") : "open",
                            condition.name, condition.found, condition.required);
    return text;
}

std::string cyclesText(const decision::CycleEstimate &cycles)
{
    std::string text =
        fmt::format("    cycles            {:.0f} modelled ({} MACs, {} lanes, {} "
                    "fixed)",
                    cycles.dense, grouped(cycles.macs), cycles.lanes, cycles.fixedCycles);
    if (cycles.withZeroSkip)
        text +=
            fmt::format("; {:.0f} with zero-skip ({}), sparse store {:.3f} of dense",
                        *cycles.withZeroSkip, percentText(*cycles.skipShare), *cycles.sparseRatio);
    if (cycles.measuredTimeS)
        text += fmt::format("\n    at measured rate  {:.3g} s ({:.3g} MAC/s, {})",
                            *cycles.measuredTimeS, *cycles.measuredRate, cycles.rateSource);
    return text + "\n";
}

} // namespace

std::string geometryText(const std::string &title, const decision::Operation &operation,
                         const decision::Geometry &geometry)
{
    const auto &cores = geometry.cores;
    std::string text = heading(printable(title));
    text += fmt::format("    shape             {} to {} channels, kernel {}x{}x{}, output "
                        "{}x{}x{}, stride {}x{}\n",
                        operation.inputChannels, operation.outputChannels, operation.kernelWidth,
                        operation.kernelHeight, operation.kernelDepth, operation.outputWidth,
                        operation.outputHeight, operation.outputDepth, operation.strideX,
                        operation.strideY);
    text += fmt::format("    channel group     {} by the {} ({} channels an accumulator: {}); {} "
                        "by the other reading\n",
                        geometry.group, decision::ocgReadingName(geometry.reading),
                        geometry.perAccumulator, geometry.modeReason, geometry.otherGroup);
    text += fmt::format("    passes            {} (other reading {})\n", grouped(geometry.passes),
                        grouped(geometry.otherPasses));
    text += fmt::format("    cores lit         {} of {}{}\n",
                        geometry.lit ? std::to_string(*geometry.lit) : "?",
                        cores.value ? std::to_string(*cores.value) : "?",
                        cores.contested ? " (contested; by " + cores.source + ")" : "");
    if (cores.value)
        text += fmt::format("    channel map       channel c on core c mod {}\n", *cores.value);
    text += fmt::format("    buffering         {} (demand {})\n",
                        decision::bufferingName(geometry.buffering), geometry.demand);
    const auto &set = geometry.workingSet;
    text +=
        fmt::format("    working set       largest operand {} of {}: {}\n", bytesText(set.largest),
                    set.cap ? bytesText(*set.cap) : "?",
                    set.fits ? (*set.fits ? "stays on chip" : "tiled and streamed") : "unknown");
    text += cyclesText(geometry.cycles);
    const auto &gate = geometry.winograd;
    text += fmt::format("    Winograd eligible {} (work {} of {})\n", yesNo(gate.eligible),
                        gate.work, gate.threshold);
    return text + conditionsText(gate.conditions) + conditionsText(gate.selection);
}

int runGeometry(const ChipOptions &options, Session &session)
{
    const auto chosen = chosenTarget(options, session);
    if (!chosen)
        return refuseTarget(session, "geometry", chosen.error());
    std::vector<Judged> operations;
    Diagnostics diagnostics;
    report::Json document = report::document("geometry");
    document["target"] = report::chosenTargetJson(chosen->target(), chosen->choice, &chosen->named);
    if (!options.channels.empty()) {
        auto typed = typedOperation(options);
        if (!typed)
            return refuseTarget(session, "geometry", typed.error());
        operations.push_back(std::move(*typed));
    } else {
        if (options.path.empty())
            return refuseTarget(session, "geometry",
                                badNumbers("PATH", "a bundle, or --channels", "neither"));
        const auto bundle = openBundle(options.path);
        if (!bundle)
            return reportFailure(session, "geometry", bundle.error());
        operations = bundleOperations(**bundle);
        diagnostics = (*bundle)->diagnostics();
        document["bundle"] = (*bundle)->name();
    }
    decision::GeometryOptions wanted;
    wanted.choice = chosen->choice;
    if (options.reading == "formula")
        wanted.reading = decision::OcgReading::Formula;
    if (!options.mode.empty())
        wanted.mode = decision::sourceModeFromName(options.mode);
    if (options.demandGiven)
        wanted.demand = options.demand;
    document["operations"] = report::Json::array();
    std::string text = "On " + chosen->text();
    for (const Judged &judged : operations) {
        const auto geometry = decision::computeGeometry(chosen->target(), judged.operation, wanted);
        if (!geometry) {
            Error error = geometry.error();
            error.field = judged.title + ": " + error.field;
            diagnostics.push_back({Severity::Error, std::move(error)});
            continue;
        }
        if (!session.json) {
            text += geometryText(judged.title, judged.operation, *geometry);
            continue;
        }
        report::Json row;
        row["weight"] = judged.weight.empty() ? report::Json(nullptr) : report::Json(judged.weight);
        row["consumer"] = judged.consumer;
        row["op"] = judged.op;
        row.update(report::geometryJson(judged.operation, *geometry));
        document["operations"].push_back(std::move(row));
    }
    if (session.json) {
        printDocument(session, document, diagnostics);
        return exitCodeOf(diagnostics);
    }
    if (!session.quiet)
        print(operations.empty() ? text + "\nNo operation with a kernel.\n" : text);
    printDiagnostics(session, diagnostics);
    return exitCodeOf(diagnostics);
}

} // namespace kernscope::cli
