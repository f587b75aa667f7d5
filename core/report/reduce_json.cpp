// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/reduce_json.h"

#include "core/format/contested.h"
#include "core/numeric/half.h"
#include "core/report/engine_json.h"
#include "core/report/json_table.h"

#include <fmt/format.h>

namespace kernscope::report {

namespace {

Json reducedJson(float value)
{
    return json(Real{static_cast<double>(value)});
}

Value tileNumber(float value)
{
    return Written{static_cast<double>(value), fmt::format("{}", value)};
}

} // namespace

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

const TableOf<TileFacts> &tileTable()
{
    using Row = TileFacts;
    static constexpr Column<Row> kColumns[] = {
        {kNumber | kTables, "tile", "Number of the tile of four values, from 0",
         member<&Row::number, Code>},
        {kNumber | kDocument, "first", "Number of its first value",
         [](const Row &row) -> Value { return Code(row.number * codec::Reduction::kTile); }},
        {kNumber, "sum", "Sum of its values, rounded to fp16 after each addition",
         [](const Row &row) { return tileNumber(row.tile.sum); }},
        {kNumber | kWindow, "accumulator", "The engine's accumulator after the tile",
         [](const Row &row) { return tileNumber(row.tile.accumulator); }},
        {kNumber | kWindow, "exact", "Exact sum of all values up to here",
         [](const Row &row) -> Value { return Real(row.tile.exact, 17, true); }},
        {kNumber | kWindow, "fp16", "What an accumulator of fp16 would hold",
         [](const Row &row) { return tileNumber(row.tile.everyStep); }},
        {kNumber | kDocument, "aligned_sum", "sum, second reading", "Its sum by the second reading",
         [](const Row &row) { return tileNumber(row.tile.alignedSum); }},
        {kNumber | kWindow, "aligned_accumulator", "second reading",
         "The accumulator after the tile, by the second reading",
         [](const Row &row) { return tileNumber(row.tile.alignedAccumulator); }},
        {"contested", "remark", "Where text and model disagree",
         [](const Row &row) -> Value {
             return row.tile.contested
                        ? Value(Word("partial sum of 2048 to 4095: contested", Mark::Contested))
                        : Value(Nothing());
         },
         jsonOf([](const Row &row) { return Json(row.tile.contested); })},
    };
    static const TableOf<Row> kTable{"tiles", kColumns};
    return kTable;
}

Json reduceJson(const codec::ReductionTrace &made, std::size_t values, std::string_view type,
                const std::vector<NarrowedPort> &narrowed)
{
    Json json = document("reduce");
    json["values"] = values;
    json["tile"] = codec::Reduction::kTile;
    json["tiles"] = jsonArray(tileTable(), tileRows(made));
    json["accumulator"] = reducedJson(made.whole.accumulator);
    json["port"] = reducedJson(halfToFloat(made.whole.port));
    json["port_bits"] = made.whole.port;
    json["exact"] = report::json(Real{made.exact});
    json["fp16_accumulator"] = reducedJson(made.everyStep);
    json["contested_tiles"] = made.whole.contested;
    json["readings"] = readingsJson(format::readingsOf("reduction_tile"));
    json["aligned"] = {{"bits", codec::ReductionTrace::kAlignedBits},
                       {"accumulator", reducedJson(made.aligned.accumulator)},
                       {"port", reducedJson(halfToFloat(made.aligned.port))},
                       {"port_bits", made.aligned.port},
                       {"differs", made.readingsDiffer()}};
    json["contested_range"] = {codec::Reduction::kContestedFrom,
                               codec::Reduction::kContestedTo - 1};
    json["narrowed"] = Json::array();
    for (const NarrowedPort &one : narrowed)
        json["narrowed"].push_back({{"format", type},
                                    {"overflow", one.mode},
                                    {"code", one.code},
                                    {"value", reducedJson(one.value)},
                                    {"source", "chapter 36, fp8 datapath"}});
    json["source"] = "chapter 20, radix-4 reduction and wide accumulator";
    return json;
}

} // namespace kernscope::report
