// SPDX-License-Identifier: GPL-3.0-or-later
// `reduce`: numbers through the engine's reduction, tile by tile (chapter 20).
#include "app/cli/chips.h"
#include "app/cli/text_output.h"
#include "core/codec/analysis/reduction.h"
#include "core/format/contested.h"
#include "core/numeric/half.h"
#include "core/report/engine_json.h"
#include "core/report/json_values.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace kernscope::cli {

namespace {

using report::Json;

constexpr std::size_t kTilesShown = 16;
using codec::ReductionTrace;

Json numberOrNull(double value)
{
    return std::isfinite(value) ? Json(value) : Json(nullptr);
}

/// The port's number as an 8-bit float, in one mode of overflow.
struct Narrowed {
    const char *mode = "nan";
    std::uint8_t code = 0;
    float value = 0;
};

std::vector<Narrowed> narrowed(const ReductionTrace &made, const ChipOptions &options)
{
    std::vector<Narrowed> all;
    for (const char *mode : {"nan", "saturate"}) {
        if (options.to.empty() || (!options.overflow.empty() && options.overflow != mode))
            continue;
        const auto overflow =
            std::string_view(mode) == "nan" ? Fp8Overflow::Special : Fp8Overflow::Saturate;
        const float port = halfToFloat(made.whole.port);
        const bool e4m3 = options.to == "e4m3";
        const std::uint8_t code = e4m3 ? floatToE4m3(port, overflow) : floatToE5m2(port, overflow);
        all.push_back({mode, code, e4m3 ? e4m3ToFloat(code) : e5m2ToFloat(code)});
    }
    return all;
}

std::string narrowedText(const ReductionTrace &made, const ChipOptions &options)
{
    std::string text;
    for (const Narrowed &one : narrowed(made, options))
        text += fmt::format("  as {}, overflow {:<8} {} ({:#04x})\n", options.to,
                            options.to == "e5m2" && std::string_view(one.mode) == "nan" ? "infinite"
                                                                                        : one.mode,
                            one.value, one.code);
    return text;
}

void printJson(Session &session, const ReductionTrace &made, const ChipOptions &options,
               std::size_t values)
{
    Json document = report::document("reduce");
    document["values"] = values;
    document["tile"] = codec::Reduction::kTile;
    document["tiles"] = Json::array();
    for (std::size_t i = 0; i < made.tiles.size(); ++i)
        document["tiles"].push_back(
            {{"first", i * codec::Reduction::kTile},
             {"sum", numberOrNull(static_cast<double>(made.tiles[i].sum))},
             {"aligned_sum", numberOrNull(static_cast<double>(made.tiles[i].alignedSum))},
             {"contested", made.tiles[i].contested}});
    document["accumulator"] = numberOrNull(static_cast<double>(made.whole.accumulator));
    document["port"] = numberOrNull(static_cast<double>(halfToFloat(made.whole.port)));
    document["port_bits"] = made.whole.port;
    document["exact"] = numberOrNull(made.exact);
    document["fp16_accumulator"] = numberOrNull(static_cast<double>(made.everyStep));
    document["contested_tiles"] = made.whole.contested;
    document["readings"] = report::readingsJson(format::readingsOf("reduction_tile"));
    document["aligned"] = {
        {"bits", ReductionTrace::kAlignedBits},
        {"accumulator", numberOrNull(static_cast<double>(made.aligned.accumulator))},
        {"port", numberOrNull(static_cast<double>(halfToFloat(made.aligned.port)))},
        {"port_bits", made.aligned.port},
        {"differs", made.readingsDiffer()}};
    document["contested_range"] = {codec::Reduction::kContestedFrom,
                                   codec::Reduction::kContestedTo - 1};
    document["narrowed"] = Json::array();
    for (const Narrowed &one : narrowed(made, options))
        document["narrowed"].push_back({{"format", options.to},
                                        {"overflow", one.mode},
                                        {"code", one.code},
                                        {"value", numberOrNull(static_cast<double>(one.value))},
                                        {"source", "chapter 36, fp8 datapath"}});
    document["source"] = "chapter 20, radix-4 reduction and wide accumulator";
    printDocument(session, document, {});
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
    Table table({{"tile", Table::Align::Right}, {"sum", Table::Align::Right}, {"remark"}});
    for (std::size_t i = 0; i < std::min(kTilesShown, made.tiles.size()); ++i)
        table.add({std::to_string(i), fmt::format("{}", made.tiles[i].sum),
                   made.tiles[i].contested ? "partial sum of 2048 to 4095: contested" : ""});
    std::string text = table.text();
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

} // namespace

int runReduce(const ChipOptions &options, Session &session)
{
    auto values = codec::parseReductionValues(options.values);
    if (!values) {
        values.error().code = "cli.option";
        return refuseTarget(session, "reduce", values.error());
    }
    const ReductionTrace made = codec::traceReduction(*values);
    if (session.json)
        printJson(session, made, options, values->size());
    else if (!session.quiet)
        print(reducedText(made) + narrowedText(made, options));
    return kDone;
}

} // namespace kernscope::cli
