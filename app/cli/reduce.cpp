// SPDX-License-Identifier: GPL-3.0-or-later
// `reduce`: numbers through the engine's reduction, tile by tile (chapter 20).
#include "app/cli/chips.h"
#include "app/cli/text_output.h"
#include "core/base/csv.h"
#include "core/codec/analysis/reduction.h"
#include "core/numeric/half.h"
#include "core/report/json_values.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace kernscope::cli {

namespace {

using report::Json;

constexpr std::size_t kMostValues = std::size_t{1} << 20;
constexpr std::size_t kTilesShown = 16;

Error badValue(const std::string &text)
{
    Error error;
    error.code = "cli.option";
    error.field = "VALUE";
    error.expected = "numbers such as 4096, -0.5 or 1*1024 (a value and how often), 2^20 at most";
    error.found = text;
    error.message = "The value cannot be read.";
    return error;
}

Result<std::vector<std::uint16_t>> valuesOf(const std::vector<std::string> &texts)
{
    std::vector<std::uint16_t> halves;
    for (const std::string &text : texts) {
        const std::size_t star = text.find('*');
        const auto value = parseNumber(std::string_view(text).substr(0, star));
        const auto times = star == std::string::npos
                               ? std::optional<std::int64_t>(1)
                               : parseInteger(std::string_view(text).substr(star + 1));
        const bool good = value && times && *times > 0 &&
                          static_cast<std::uint64_t>(*times) <= kMostValues - halves.size();
        if (!good)
            return tl::unexpected(badValue(text));
        halves.insert(halves.end(), static_cast<std::size_t>(*times),
                      floatToHalf(static_cast<float>(*value)));
    }
    return halves;
}

/// The sums of the tiles, of the whole, and of a reader who adds without rounding.
struct Reduced {
    std::vector<codec::Reduction> tiles;
    codec::Reduction whole;
    double exact = 0;
    float everyStep = 0; ///< rounded to fp16 after every addition
};

Reduced reduced(const std::vector<std::uint16_t> &values)
{
    Reduced made;
    const std::vector<std::uint16_t> ones(values.size(), floatToHalf(1.0F));
    const std::span<const std::uint16_t> all(values), inputs(ones);
    made.whole = codec::reduceProducts(all, inputs);
    for (std::size_t at = 0; at < values.size(); at += codec::Reduction::kTile) {
        const std::size_t count = std::min(codec::Reduction::kTile, values.size() - at);
        made.tiles.push_back(
            codec::reduceProducts(all.subspan(at, count), inputs.subspan(at, count)));
    }
    for (const std::uint16_t half : values) {
        made.exact += static_cast<double>(halfToFloat(half));
        made.everyStep = halfToFloat(floatToHalf(made.everyStep + halfToFloat(half)));
    }
    return made;
}

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

std::vector<Narrowed> narrowed(const Reduced &made, const ChipOptions &options)
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

std::string narrowedText(const Reduced &made, const ChipOptions &options)
{
    std::string text;
    for (const Narrowed &one : narrowed(made, options))
        text += fmt::format("  as {}, overflow {:<8} {} ({:#04x})\n", options.to,
                            options.to == "e5m2" && std::string_view(one.mode) == "nan" ? "infinite"
                                                                                        : one.mode,
                            one.value, one.code);
    return text;
}

void printJson(Session &session, const Reduced &made, const ChipOptions &options,
               std::size_t values)
{
    Json document = report::document("reduce");
    document["values"] = values;
    document["tile"] = codec::Reduction::kTile;
    document["tiles"] = Json::array();
    for (std::size_t i = 0; i < made.tiles.size(); ++i)
        document["tiles"].push_back(
            {{"first", i * codec::Reduction::kTile},
             {"sum", numberOrNull(static_cast<double>(made.tiles[i].accumulator))},
             {"contested", made.tiles[i].isContested()}});
    document["accumulator"] = numberOrNull(static_cast<double>(made.whole.accumulator));
    document["port"] = numberOrNull(static_cast<double>(halfToFloat(made.whole.port)));
    document["port_bits"] = made.whole.port;
    document["exact"] = numberOrNull(made.exact);
    document["fp16_accumulator"] = numberOrNull(static_cast<double>(made.everyStep));
    document["contested_tiles"] = made.whole.contested;
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

std::string reducedText(const Reduced &made)
{
    Table table({{"tile", Table::Align::Right}, {"sum", Table::Align::Right}, {"remark"}});
    for (std::size_t i = 0; i < std::min(kTilesShown, made.tiles.size()); ++i)
        table.add({std::to_string(i), fmt::format("{}", made.tiles[i].accumulator),
                   made.tiles[i].isContested() ? "partial sum of 2048 to 4095: contested" : ""});
    std::string text = table.text();
    if (made.tiles.size() > kTilesShown)
        text += fmt::format("  and {} tiles more\n", made.tiles.size() - kTilesShown);
    text += fmt::format("\n  accumulator    {} (fp32 class, over the tiles)\n"
                        "  output port    {} (fp16 {:#06x})\n"
                        "  exact sum      {}\n"
                        "  fp16 all along {} (what an fp16 accumulator would give)\n",
                        made.whole.accumulator, halfToFloat(made.whole.port), made.whole.port,
                        made.exact, made.everyStep);
    if (made.whole.isContested())
        text += fmt::format("  contested: {} tiles hold a partial sum of 2048 to 4095, where the "
                            "text of chapter 20 has every unit survive and this order of "
                            "additions loses some\n",
                            made.whole.contested);
    return text;
}

} // namespace

int runReduce(const ChipOptions &options, Session &session)
{
    const auto values = valuesOf(options.values);
    if (!values)
        return refuseTarget(session, "reduce", values.error());
    const Reduced made = reduced(*values);
    if (session.json)
        printJson(session, made, options, values->size());
    else if (!session.quiet)
        print(reducedText(made) + narrowedText(made, options));
    return kDone;
}

} // namespace kernscope::cli
