// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/assessment/collective.h"

#include "core/format/table_rows.h"

#include <algorithm>

#include <fmt/format.h>

namespace kernscope::decision {

namespace {

struct CollectiveTable {
    std::vector<CollectiveOp> ops;
    std::vector<ReductionToken> tokens;
    std::vector<AtomicRow> atomics;
    std::vector<CollectiveByte> bytes;
    std::vector<CcdmaSetter> setters;
    std::vector<CollectiveNote> notes;
};

CollectiveTable readTable()
{
    CollectiveTable read;
    const auto table = tables::load("collective");
    for (std::size_t i = 0; table && i < table->rows(); ++i) {
        const std::string_view kind = table->cell(i, "kind");
        const std::string key(table->cell(i, "key"));
        const std::string text(table->cell(i, "text"));
        const std::string source(table->cell(i, "source"));
        const auto number = parseInteger(table->cell(i, "value"));
        const auto value = number ? std::optional(static_cast<unsigned>(*number)) : std::nullopt;
        const auto code = static_cast<std::uint32_t>(parseInteger(key).value_or(0));
        if (kind == "unit_type")
            read.ops.push_back({key, text, value, source});
        else if (kind == "token")
            read.tokens.push_back({key, value.value_or(0)});
        else if (kind == "atomic")
            read.atomics.push_back({code, value});
        else if (kind == "byte")
            read.bytes.push_back({target::HalOffset{code}, text, source});
        else if (kind == "setter")
            read.setters.push_back({code, text, source});
        else if (kind == "setter_gate" || kind == "runs_on" || kind == "sharding" ||
                 kind == "layer")
            read.notes.push_back({key, text, source});
    }
    return read;
}

const CollectiveTable &table()
{
    static const CollectiveTable read = readTable();
    return read;
}

/// Engines that the inner axes address, after checking the whole mesh.
Result<std::uint64_t> innerSize(const Mesh &mesh)
{
    if (mesh.extents.empty() || mesh.extents.size() > 64)
        return refused("collective.mesh", "extents", "1 to 64 axes",
                       fmt::format("{}", mesh.extents.size()), "A mesh has at least one axis.");
    if (mesh.dieAxis > mesh.extents.size())
        return refused("collective.mesh", "die axis",
                       fmt::format("at most {}", mesh.extents.size()),
                       fmt::format("{}", mesh.dieAxis),
                       "The die axis lies among the axes or behind the last.");
    std::optional<std::uint64_t> inner = 1, all = 1;
    for (std::size_t i = 0; i < mesh.extents.size(); ++i) {
        if (mesh.extents[i] == 0)
            return refused("collective.mesh", fmt::format("extent {}", i), "at least 1", "0",
                           "An axis of a mesh has at least one device.");
        all = all ? checkedMultiply(*all, mesh.extents[i]) : std::nullopt;
        if (i >= mesh.dieAxis)
            inner = inner ? checkedMultiply(*inner, mesh.extents[i]) : std::nullopt;
    }
    if (!inner || !all || !checkedMultiply(*all, mesh.enginesPerDie))
        return refused("collective.overflow", "extents", "a product below 2^64", "more",
                       "The mesh has more devices than 64 bits count.");
    if (*inner > mesh.enginesPerDie)
        return refused("collective.mesh", "engines per die", fmt::format("at least {}", *inner),
                       fmt::format("{}", mesh.enginesPerDie),
                       "The axes from the die axis on address more engines than a die has.");
    return *inner;
}

/// False where a rule says "refused"; empty where nothing is known.
std::optional<bool> refusedBy(const target::Target &target, std::string_view name)
{
    const target::TargetRule *rule = target::targetRule(target, name);
    return rule && rule->value == "refused" ? std::optional(false) : std::nullopt;
}

} // namespace

std::span<const CollectiveOp> collectiveOps()
{
    return table().ops;
}

std::span<const ReductionToken> reductionTokens()
{
    return table().tokens;
}

Result<unsigned> atomicOperation(std::uint32_t reductionType)
{
    for (const AtomicRow &row : table().atomics) {
        if (row.reduction != reductionType)
            continue;
        if (!row.operation)
            return refused("collective.atomic", "reduction type", "1, 2, 4, 5, 8, 9 or 10",
                           fmt::format("{}", reductionType),
                           "This reduction has no hardware atomic.");
        return *row.operation;
    }
    return 0U;
}

Result<std::uint32_t> atomicWord(std::uint32_t operation, std::uint32_t dataType)
{
    if (dataType > 0xffffff)
        return refused("collective.data_type", "data type", "at most 0xffffff",
                       fmt::format("{:#x}", dataType), "The data type does not fit the word.");
    return (operation & 0xffU) | (dataType << 8);
}

Result<std::uint64_t> aneIndex(const Mesh &mesh, std::span<const std::uint64_t> device)
{
    TRY(innerSize(mesh));
    if (device.size() != mesh.extents.size())
        return refused("collective.device", "device",
                       fmt::format("{} coordinates", mesh.extents.size()),
                       fmt::format("{}", device.size()), "A device has a coordinate an axis.");
    for (std::size_t i = 0; i < device.size(); ++i) {
        if (device[i] >= mesh.extents[i])
            return refused("collective.device", fmt::format("coordinate {}", i),
                           fmt::format("below {}", mesh.extents[i]), fmt::format("{}", device[i]),
                           "The device lies outside the mesh.");
    }
    std::uint64_t engine = 0; // last axis fastest
    for (std::size_t i = mesh.dieAxis; i < device.size(); ++i)
        engine = engine * mesh.extents[i] + device[i];
    std::uint64_t die = 0; // axis 0 fastest
    for (std::size_t i = mesh.dieAxis; i-- > 0;)
        die = die * mesh.extents[i] + device[i];
    return engine + die * mesh.enginesPerDie;
}

Result<std::vector<std::uint64_t>> deviceOfIndex(const Mesh &mesh, std::uint64_t index)
{
    TRY(innerSize(mesh));
    std::uint64_t engine = index % mesh.enginesPerDie;
    std::uint64_t die = index / mesh.enginesPerDie;
    std::vector<std::uint64_t> device(mesh.extents.size());
    for (std::size_t i = device.size(); i-- > mesh.dieAxis;) {
        device[i] = engine % mesh.extents[i];
        engine /= mesh.extents[i];
    }
    for (std::size_t i = 0; i < mesh.dieAxis; ++i) {
        device[i] = die % mesh.extents[i];
        die /= mesh.extents[i];
    }
    if (engine != 0 || die != 0)
        return refused("collective.index", "index", "an index that a device has",
                       fmt::format("{}", index), "No device of the mesh has this index.");
    return device;
}

Result<bool> runsOnDevice(const Mesh &mesh, std::span<const std::uint64_t> device,
                          bool singleProgram, std::span<const std::uint64_t> members)
{
    const auto index = TRY(aneIndex(mesh, device));
    return !singleProgram || std::ranges::find(members, index) != members.end();
}

std::span<const CcdmaSetter> ccdmaSetters()
{
    return table().setters;
}

std::span<const CollectiveNote> collectiveNotes()
{
    return table().notes;
}

std::span<const AtomicRow> atomicRows()
{
    return table().atomics;
}

Result<std::uint64_t> deviceCount(const Mesh &mesh)
{
    TRY(innerSize(mesh));
    std::uint64_t count = 1;
    for (const std::uint64_t extent : mesh.extents)
        count *= extent;
    return count;
}

bool Sharding::valid() const
{
    return std::ranges::all_of(checks, &ShardCheck::passes);
}

Sharding checkSharding(const Mesh &mesh, std::span<const std::uint64_t> tensor,
                       std::span<const std::optional<std::size_t>> axes)
{
    Sharding sharding;
    std::vector<std::size_t> used;
    sharding.shard.assign(tensor.begin(), tensor.end());
    if (axes.size() > tensor.size())
        sharding.checks.push_back(
            {"rank", fmt::format("{} axes for {}", axes.size(), tensor.size()), false});
    for (std::size_t i = 0; i < axes.size() && i < tensor.size(); ++i) {
        if (!axes[i])
            continue;
        const std::size_t axis = *axes[i];
        const bool exists = axis < mesh.extents.size() && mesh.extents[axis] > 0;
        sharding.checks.push_back(
            {fmt::format("tensor axis {}: mesh axis exists", i), fmt::format("{}", axis), exists});
        if (!exists)
            continue;
        const bool twice = std::ranges::find(used, axis) != used.end();
        sharding.checks.push_back(
            {fmt::format("tensor axis {}: mesh axis {} is used once", i, axis),
             twice ? "used twice" : "once", !twice});
        used.push_back(axis);
        const std::uint64_t shards = mesh.extents[axis];
        const bool divides = tensor[i] % shards == 0 && tensor[i] > 0;
        sharding.checks.push_back({fmt::format("tensor axis {}: divisible by its shards", i),
                                   fmt::format("{} / {}", tensor[i], shards), divides});
        if (divides)
            sharding.shard[i] = tensor[i] / shards;
    }
    if (!sharding.valid())
        sharding.shard.clear();
    return sharding;
}

std::span<const CollectiveByte> collectiveBytes()
{
    return table().bytes;
}

std::vector<CollectiveGate> collectiveGates(const target::Target &target)
{
    const auto enable = target::halBit(target, target::hal::kCollective);
    return {
        {"collective-enable byte, hal[0x48b] & 1", enable ? (*enable ? "1" : "0") : "unknown",
         "table 36.7", enable},
        {"collective DMA registers", "every setter is a stub that asserts", "chapter 36", false},
        {"sharding and SPMD functions", "\"This target does not allow sharding or SPMD functions\"",
         "chapter 36 (source DMA emitters)", refusedBy(target, "spmd_functions")},
        {"tasklet for the architecture", "needs the per-section tasklet bit and the SPMD predicate",
         "chapter 36 (tasklet emitter)", refusedBy(target, "tasklets")},
    };
}

} // namespace kernscope::decision
