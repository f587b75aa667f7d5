// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/reduce_json.h"

#include "core/format/contested.h"
#include "core/numeric/half.h"
#include "core/report/engine_json.h"
#include "core/report/json_table.h"

namespace kernscope::report {

namespace {

Json reducedJson(float value)
{
    return json(Real{static_cast<double>(value)});
}

Json tilesJson(const codec::ReductionTrace &made)
{
    Json tiles = Json::array();
    for (std::size_t i = 0; i < made.tiles.size(); ++i)
        tiles.push_back({{"first", i * codec::Reduction::kTile},
                         {"sum", reducedJson(made.tiles[i].sum)},
                         {"aligned_sum", reducedJson(made.tiles[i].alignedSum)},
                         {"contested", made.tiles[i].contested}});
    return tiles;
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

Json reduceJson(const codec::ReductionTrace &made, std::size_t values, std::string_view type,
                const std::vector<NarrowedPort> &narrowed)
{
    Json json = document("reduce");
    json["values"] = values;
    json["tile"] = codec::Reduction::kTile;
    json["tiles"] = tilesJson(made);
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
