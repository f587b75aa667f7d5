// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/engine_facts.h"

#include "core/report/collective_table.h"
#include "core/target/hal.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace kernscope::report {

namespace {

using Facts = std::vector<EngineFact>;

template <class T>
std::string refusal(const Result<T> &result)
{
    const Error &error = result.error();
    return fmt::format("{} ({}: found {}, expected {})", error.message, error.field, error.found,
                       error.expected);
}

const Word kRefused{"refused", Mark::Bad};

/// A number that the arithmetic gives, or why it refuses one.
template <class T>
void addResult(Facts &facts, std::string what, const Result<T> &result, const Value &value,
               std::string remark, std::string source)
{
    facts.push_back({std::move(what), result ? value : Value(kRefused),
                     result ? std::move(remark) : refusal(result), std::move(source)});
}

std::string numbersText(const std::vector<std::uint64_t> &numbers)
{
    return fmt::format("{}", fmt::join(numbers, ", "));
}

void addMeshFacts(const CollectiveAsked &asked, Facts &facts)
{
    facts.push_back({.what = "Mesh", .heading = true});
    const auto count = decision::deviceCount(asked.mesh);
    addResult(facts, "devices", count, Count{count.value_or(0)}, {}, "chapter 36");
    const auto index = decision::aneIndex(asked.mesh, asked.device);
    addResult(facts, fmt::format("engine index of ({})", numbersText(asked.device)), index,
              Count{index.value_or(0)},
              "inner axes, last fastest, plus the die, axis 0 fastest, times the engines",
              "AneIndexFromDeviceId");
    const auto device = decision::deviceOfIndex(asked.mesh, asked.index);
    addResult(facts, fmt::format("device of index {}", asked.index), device,
              numbersText(device ? *device : std::vector<std::uint64_t>()), {},
              "DeviceIdFromAneIndex (inverse assumed)");
}

void addShardingFacts(const CollectiveAsked &asked, Facts &facts)
{
    facts.push_back({.what = "Sharding", .heading = true});
    const auto sharding = decision::checkSharding(asked.mesh, asked.tensor, asked.axes);
    for (const decision::ShardCheck &check : sharding.checks)
        facts.push_back({check.name,
                         check.passes ? Word{"holds", Mark::Passes} : Word{"fails", Mark::Bad},
                         check.found, "chapter 36"});
    facts.push_back({"one device's part",
                     sharding.valid() ? Value(numbersText(sharding.shard)) : Value(kRefused),
                     {},
                     "chapter 36"});
}

void addReductions(const CollectiveAsked &asked, Facts &facts)
{
    facts.push_back({.what = "Reductions and operations", .heading = true});
    for (const decision::ReductionToken &token : decision::reductionTokens())
        facts.push_back({"token " + token.token, Code{token.kind}, {}, "table 36.5"});
    const auto atomic = decision::atomicOperation(asked.reduction);
    addResult(facts, fmt::format("atomic of reduction type {}", asked.reduction), atomic,
              Code{atomic.value_or(0)},
              "another numbering than the tokens: the two are not chained", "table 36.6");
    if (atomic) {
        const auto word = decision::atomicWord(*atomic, asked.dataType);
        addResult(facts, "packed atomic word", word, Hex{word.value_or(0), 8},
                  "(operation & 0xff) | (data type << 8)", "chapter 36");
    }
    for (const decision::CollectiveOp &op : decision::collectiveOps())
        facts.push_back(
            {op.mnemonic,
             op.unitType ? fmt::format("unit type {}", *op.unitType) : std::string("no unit type"),
             op.role, op.source});
}

void addGates(const target::Target &target, Facts &facts)
{
    facts.push_back({.what = "Capability bytes of " + target.name, .heading = true});
    for (const CollectiveByteFacts &row : collectiveByteRows(target))
        facts.push_back({row.byte->capability + " " + target::halOffsetText(row.byte->offset),
                         row.value ? Value(Code{*row.value ? 1U : 0U}) : Value(Word{"unknown"}),
                         {},
                         std::string(row.source)});
    for (const decision::CollectiveGate &gate : decision::collectiveGates(target))
        facts.push_back({gate.name,
                         !gate.open   ? Word{"unknown"}
                         : *gate.open ? Word{"open"}
                                      : Word{"closed", Mark::Bad},
                         gate.found, gate.source});
}

} // namespace

std::vector<EngineFact> collectiveFacts(const CollectiveAsked &asked, const target::Target &target)
{
    Facts facts;
    addMeshFacts(asked, facts);
    addShardingFacts(asked, facts);
    addReductions(asked, facts);
    addGates(target, facts);
    return facts;
}

} // namespace kernscope::report
