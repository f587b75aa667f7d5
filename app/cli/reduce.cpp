// SPDX-License-Identifier: GPL-3.0-or-later
// `reduce`: numbers through the engine's reduction, tile by tile (chapter 20).
#include "app/cli/chips.h"
#include "app/cli/text_output.h"
#include "core/base/error_builder.h"
#include "core/codec/analysis/reduction.h"
#include "core/format/contested.h"
#include "core/numeric/half.h"
#include "core/report/reduce_json.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace kernscope::cli {

namespace {

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
    std::string text = terminalText(textTable(report::tileTable(), tiles));
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

int runReduce(const ChipOptions &options, Context &context)
{
    const auto values =
        codec::parseReductionValues(options.values).map_error(withCode("cli.option"));
    if (!values)
        return refuseTarget(context, "reduce", values.error());
    const ReductionTrace made = codec::traceReduction(*values);
    const auto narrowed = report::narrowedPort(made, options.to, options.overflow);
    if (context.json) {
        report::Json document = report::reduceJson(made, values->size(), options.to, narrowed);
        printDocument(context, document, {});
    } else if (!context.quiet) {
        print(reducedText(made) + narrowedText(narrowed, options));
    }
    return kDone;
}

} // namespace kernscope::cli
