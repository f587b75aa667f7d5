// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/collective_table.h"

#include "core/numeric/half.h"
#include "core/report/engine_json.h"
#include "core/report/geometry_table.h"
#include "core/report/json_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace kernscope::report {

const TableOf<decision::CollectiveOp> collectiveOperationTable(
    "collective operations",
    {{"mnemonic", "operation", "Name of the operation", member<&decision::CollectiveOp::mnemonic>},
     {kNumber, "unit_type", "unit type", "Number of the unit that the compiler turns it into",
      CELL(known<Code>(row.unitType)), unknownAs("none")},
     {"role", "What it does", member<&decision::CollectiveOp::role>},
     {"source", "Where this is from", member<&decision::CollectiveOp::source>}},
    {"mnemonic", "role", "unit_type", "source"});

std::vector<CollectiveByteFacts> collectiveByteRows(const target::Target &target)
{
    std::vector<CollectiveByteFacts> rows;
    for (const decision::CollectiveByte &byte : decision::collectiveBytes()) {
        const auto *value = target::halValue(target, target::HalLayout::Chapters, byte.offset);
        rows.push_back({&byte, target::halBit(target, byte.offset),
                        value != nullptr ? View(value->source) : View(byte.source)});
    }
    return rows;
}

const TableOf<CollectiveByteFacts> collectiveByteTable(
    "capability bytes",
    {{"offset", "byte", "Offset of the byte in the table of the chip",
      CELL(Value(target::halOffsetText(row.byte->offset)))},
     {"capability", "What the byte says of the chip", CELL(Value(View(row.byte->capability)))},
     {"value", "The byte of the chip: 1 where it can",
      CELL(known<Code>(row.value ? std::optional<std::uint64_t>(*row.value) : std::nullopt)),
      unknownAs("unknown"), jsonOf(CELL(row.value ? Json(*row.value) : Json(nullptr)))},
     {"source", "Where the value is from, or, without one, the byte", CELL(Value(row.source))}});

const TableOf<decision::CollectiveGate> collectiveGateTable(
    "collective gates",
    {{"name", "gate", "What the layer needs to run", member<&decision::CollectiveGate::name>},
     {"open", "Whether it lets the layer run", CELL(known(row.open)), unknownAs("unknown")},
     {"found", "What was found there", member<&decision::CollectiveGate::found>},
     {"source", "Where this is from", member<&decision::CollectiveGate::source>}},
    {"name", "found", "open", "source"});

const TableOf<decision::CcdmaSetter> ccdmaSetterTable(
    "collective-setters",
    {{kNumber, "order", "Place in the sequence, from 1",
      member<&decision::CcdmaSetter::order, Code>},
     {"name", "setter", "What is set", member<&decision::CcdmaSetter::name>},
     {"source", "Where the sequence is documented", member<&decision::CcdmaSetter::source>}});

const TableOf<decision::CollectiveNote> collectiveNoteTable(
    "collective-notes",
    {{"name", "about", "What the rule is about", member<&decision::CollectiveNote::name>},
     {"text", "rule or message", "The rule, or what the compiler says",
      member<&decision::CollectiveNote::text>},
     {"source", "Where it is documented", member<&decision::CollectiveNote::source>}});

void addMesh(Json &answer, const decision::Mesh &mesh, std::uint64_t devices)
{
    answer["mesh"] = {{"extents", mesh.extents},
                      {"die_axis", mesh.dieAxis},
                      {"engines_per_die", mesh.enginesPerDie},
                      {"devices", devices}};
}

void addDeviceOfIndex(Json &answer, std::uint64_t index, const std::vector<std::uint64_t> &device)
{
    answer["index"] = {{"index", index}, {"device", device}};
}

void addIndexOfDevice(Json &answer, const std::vector<std::uint64_t> &device, std::uint64_t index)
{
    answer["device"] = {{"device", device}, {"index", index}};
}

void addMembers(Json &answer, const std::vector<std::uint64_t> &members, bool runs)
{
    answer["device"]["members"] = members;
    answer["device"]["runs"] = runs;
}

void addSharding(Json &answer, const std::vector<std::uint64_t> &tensor,
                 const decision::Sharding &sharding)
{
    Json json{{"tensor", tensor},
              {"valid", sharding.valid()},
              {"shard", sharding.valid() ? Json(sharding.shard) : Json(nullptr)},
              {"checks", listJson(sharding.checks, [&](const auto &check) -> Json {
                   return {{"name", check.name}, {"found", check.found}, {"passes", check.passes}};
               })}};
    answer["sharding"] = std::move(json);
}

void addAtomic(Json &answer, std::uint32_t reductionType, unsigned operation,
               std::uint32_t dataType, std::uint32_t word)
{
    answer["atomic"] = {{"reduction_type", reductionType},
                        {"operation", operation},
                        {"data_type", dataType},
                        {"word", fmt::format("{:#x}", word)}};
}

Json collectiveAnswerJson(const target::Target &target, const Json &worked)
{
    Json json = document("collective");
    json["target"] = target.name;
    json["confidence"] = "decoded, not measured";
    json["collective"] = collectiveJson(target);
    if (!worked.is_null())
        json.update(worked);
    return json;
}

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

Value tileNumber(float value)
{
    return Written{static_cast<double>(value), fmt::format("{}", value)};
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

std::vector<NarrowedPort> narrowedPort(const codec::ReductionTrace &made, std::string_view type,
                                       std::string_view overflow)
{
    std::vector<NarrowedPort> all;
    for (const std::string_view mode : {"nan", "saturate"}) {
        if (type.empty() || (!overflow.empty() && overflow != mode))
            continue;
        const auto how = mode == "nan" ? Fp8Overflow::Special : Fp8Overflow::Saturate;
        const float port = halfToFloat(made.whole.port);
        const bool e4m3 = type == "e4m3";
        const std::uint8_t code = e4m3 ? floatToE4m3(port, how) : floatToE5m2(port, how);
        all.push_back({mode, code, e4m3 ? e4m3ToFloat(code) : e5m2ToFloat(code)});
    }
    return all;
}

std::vector<TileFacts> tileRows(const codec::ReductionTrace &made)
{
    std::vector<TileFacts> rows;
    for (std::size_t i = 0; i < made.tiles.size(); ++i)
        rows.push_back({i, made.tiles[i]});
    return rows;
}

const TableOf<TileFacts>
    tileTable("tiles",
              {{kNumber | kTables, "tile", "Number of the tile of four values, from 0",
                member<&TileFacts::number, Code>},
               {kNumber | kDocument, "first", "Number of its first value",
                CELL(Code(row.number *codec::Reduction::kTile))},
               {kNumber, "sum", "Sum of its values, rounded to fp16 after each addition",
                CELL(tileNumber(row.tile.sum))},
               {kNumber | kWindow, "accumulator", "The engine's accumulator after the tile",
                CELL(tileNumber(row.tile.accumulator))},
               {kNumber | kWindow, "exact", "Exact sum of all values up to here",
                CELL(Real(row.tile.exact, 17, true))},
               {kNumber | kWindow, "fp16", "What an accumulator of fp16 would hold",
                CELL(tileNumber(row.tile.everyStep))},
               {kNumber | kDocument, "aligned_sum", "Its sum by the second reading",
                CELL(tileNumber(row.tile.alignedSum))},
               {kNumber | kWindow, "aligned_accumulator", "second reading",
                "The accumulator after the tile, by the second reading",
                CELL(tileNumber(row.tile.alignedAccumulator))},
               {"contested", "remark", "Where text and model disagree",
                CELL(row.tile.contested
                         ? Value(Word("partial sum of 2048 to 4095: contested", Mark::Contested))
                         : Value(Nothing())),
                jsonOf(CELL(Json(row.tile.contested)))}});

Json reduceJson(const codec::ReductionTrace &made, std::size_t values, std::string_view type,
                const std::vector<NarrowedPort> &narrowed)
{
    Json json = document("reduce");
    json["values"] = values;
    json["tile"] = codec::Reduction::kTile;
    json["tiles"] = jsonArray(tileTable, tileRows(made));
    json["accumulator"] = finiteJson(made.whole.accumulator);
    json["port"] = finiteJson(halfToFloat(made.whole.port));
    json["port_bits"] = made.whole.port;
    json["exact"] = report::json(Real{made.exact});
    json["fp16_accumulator"] = finiteJson(made.everyStep);
    json["contested_tiles"] = made.whole.contested;
    json["readings"] = readingsJson(format::readingsOf("reduction_tile"));
    json["aligned"] = {{"bits", codec::ReductionTrace::kAlignedBits},
                       {"accumulator", finiteJson(made.aligned.accumulator)},
                       {"port", finiteJson(halfToFloat(made.aligned.port))},
                       {"port_bits", made.aligned.port},
                       {"differs", made.readingsDiffer()}};
    json["contested_range"] = {codec::Reduction::kContestedFrom,
                               codec::Reduction::kContestedTo - 1};
    json["narrowed"] = listJson(narrowed, [&](const auto &one) -> Json {
        return {{"format", type},
                {"overflow", one.mode},
                {"code", one.code},
                {"value", finiteJson(one.value)},
                {"source", "chapter 36, fp8 datapath"}};
    });
    json["source"] = "chapter 20, radix-4 reduction and wide accumulator";
    return json;
}

} // namespace kernscope::report
