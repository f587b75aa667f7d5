// SPDX-License-Identifier: GPL-3.0-or-later
// `collective`: the multi-die layer of chapter 36 and its arithmetic.
#include "app/cli/chips.h"
#include "app/cli/engine.h"
#include "app/cli/text_output.h"
#include "app/cli/usage.h"
#include "core/base/csv.h"
#include "core/base/quantity.h"
#include "core/report/collective_table.h"
#include "core/report/engine_json.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace kernscope::cli {

namespace {

using decision::Mesh;
using report::Json;

constexpr std::string_view kCollectiveCommand = "collective";

/// "2x2x4".
Result<std::vector<std::uint64_t>> extentsOf(std::string_view text, const char *option)
{
    std::vector<std::uint64_t> extents;
    for (std::string_view rest = text; !text.empty();) {
        const std::string_view one = rest.substr(0, rest.find('x'));
        const auto number = parseInteger(one);
        if (!number || *number < 0)
            return tl::unexpected(usageError(option, "numbers such as 2x4", std::string(text),
                                             "The extents cannot be read."));
        extents.push_back(static_cast<std::uint64_t>(*number));
        if (one.size() == rest.size())
            break;
        rest.remove_prefix(one.size() + 1);
    }
    return extents;
}

/// "0:1" for each split; the mesh axis of each tensor axis.
Result<std::vector<std::optional<std::size_t>>> axesOf(const std::vector<std::string> &shards,
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
            return tl::unexpected(usageError(
                "--shard", fmt::format("TENSOR-AXIS:MESH-AXIS, each of {} axes at most once", rank),
                shard, "The split cannot be read."));
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

/// What was asked of the arithmetic, worked out.
struct Worked {
    Json json;
    std::string text;
    bool holds = true; ///< false where a sharding is not valid or a layer does not run
};

Result<void> workDevice(const CollectiveOptions &options, const Mesh &mesh, Worked &out)
{
    if (options.indexGiven) {
        const auto device = decision::deviceOfIndex(mesh, options.index);
        if (!device)
            return tl::unexpected(device.error());
        report::addDeviceOfIndex(out.json, options.index, *device);
        out.text += fmt::format("  engine index {} is device ({})\n", options.index,
                                fmt::join(*device, ", "));
    }
    if (options.device.empty())
        return {};
    const auto index = decision::aneIndex(mesh, options.device);
    if (!index)
        return tl::unexpected(index.error());
    report::addIndexOfDevice(out.json, options.device, *index);
    out.text +=
        fmt::format("  device ({}) has engine index {}\n", fmt::join(options.device, ", "), *index);
    if (!options.membersGiven)
        return {};
    const auto runs = decision::runsOnDevice(mesh, options.device, true, options.members);
    if (!runs)
        return tl::unexpected(runs.error());
    out.holds = out.holds && *runs;
    report::addMembers(out.json, options.members, *runs);
    out.text += fmt::format("  a layer with the members {} {} there\n",
                            fmt::join(options.members, ", "), *runs ? "runs" : "does not run");
    return {};
}

Result<void> workSharding(const CollectiveOptions &options, const Mesh &mesh, Worked &out)
{
    const auto tensor = extentsOf(options.tensor, "--tensor");
    if (!tensor)
        return tl::unexpected(tensor.error());
    const auto axes = axesOf(options.shards, tensor->size());
    if (!axes)
        return tl::unexpected(axes.error());
    const decision::Sharding sharding = decision::checkSharding(mesh, *tensor, *axes);
    for (const decision::ShardCheck &check : sharding.checks) {
        out.text += fmt::format("  {}: {} ({})\n", check.passes ? "passes" : "fails", check.name,
                                check.found);
    }
    if (sharding.valid())
        out.text += fmt::format("  each device holds {}\n", fmt::join(sharding.shard, " x "));
    report::addSharding(out.json, *tensor, sharding);
    out.holds = out.holds && sharding.valid();
    return {};
}

Result<void> workMesh(const CollectiveOptions &options, Worked &out)
{
    const auto extents = extentsOf(options.mesh, "--mesh");
    if (!extents)
        return tl::unexpected(extents.error());
    const Mesh mesh{*extents, static_cast<std::size_t>(options.dieAxis),
                    options.engines != 0 ? options.engines : innerEngines(*extents, options)};
    const auto count = decision::deviceCount(mesh);
    if (!count)
        return tl::unexpected(count.error());
    report::addMesh(out.json, mesh, *count);
    out.text +=
        fmt::format("  {} devices ({}), dies on the axes below {}, {} engines a die\n", *count,
                    fmt::join(*extents, " x "), options.dieAxis, mesh.enginesPerDie);
    if (auto done = workDevice(options, mesh, out); !done)
        return done;
    return options.tensor.empty() ? Result<void>() : workSharding(options, mesh, out);
}

Result<Worked> worked(const CollectiveOptions &options)
{
    Worked out;
    if (!options.mesh.empty()) {
        if (auto done = workMesh(options, out); !done)
            return tl::unexpected(done.error());
    }
    if (options.atomicGiven) {
        const auto operation = decision::atomicOperation(options.reductionType);
        if (!operation)
            return tl::unexpected(operation.error());
        const auto word = decision::atomicWord(*operation, options.dataType);
        if (!word)
            return tl::unexpected(word.error());
        report::addAtomic(out.json, options.reductionType, *operation, options.dataType, *word);
        out.text += fmt::format("  reduction type {}: atomic operation {}, data type {}, word "
                                "{:#x}\n",
                                options.reductionType, *operation, options.dataType, *word);
    }
    return out;
}

std::string operationsText()
{
    std::string text =
        heading("Operations") +
        terminalText(textTable(report::collectiveOperationTable(), decision::collectiveOps())) +
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
           terminalText(textTable(report::collectiveByteTable(), report::collectiveByteRows(target),
                                  {{"value", "on " + target.name}})) +
           heading("Gates") +
           terminalText(
               textTable(report::collectiveGateTable(), decision::collectiveGates(target)));
}

std::string settersText()
{
    return heading("Setters of the collective DMA, in this order") +
           terminalText(textTable(report::ccdmaSetterTable(), decision::ccdmaSetters())) +
           heading("Rules and messages") +
           terminalText(textTable(report::collectiveNoteTable(), decision::collectiveNotes()));
}

} // namespace

int runCollective(const CollectiveOptions &options, Context &context)
{
    const auto chosen = chosenTarget(ChipOptions{}, context);
    if (!chosen)
        return refuseTarget(context, kCollectiveCommand, chosen.error());
    const auto asked = worked(options);
    if (!asked)
        return refuseTarget(context, kCollectiveCommand, asked.error());
    const int exitCode = asked->holds ? kDone : kDiffers;
    if (!context.json) {
        if (!context.quiet)
            print(asked->text.empty()
                      ? "For " + chosen->text() +
                            "Decoded from the compiler and gated off on every known chip: nothing "
                            "of it was measured.\n" +
                            operationsText() + collectiveChipText(chosen->target()) + settersText()
                      : asked->text);
        return exitCode;
    }
    printDocument(context, report::collectiveAnswerJson(chosen->target(), asked->json), {});
    return exitCode;
}

} // namespace kernscope::cli
