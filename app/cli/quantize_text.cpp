// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/engine.h"
#include "app/cli/quantize.h"
#include "app/cli/text_output.h"
#include "core/report/quantize_table.h"

#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace kernscope::cli {

namespace {

std::string figuresText(const quantized::ErrorFigures &figures)
{
    std::string text = fmt::format(
        "error   max |d| {:.6g}, mean |d| {:.6g}, rmse {:.6g}\n"
        "        relative {:.6g} ({:.2f} dB), cosine {:.8f}",
        figures.maxAbs, figures.meanAbs, figures.rmse, figures.relative,
        figures.relative > 0 ? -20 * std::log10(figures.relative) : HUGE_VAL, figures.cosine);
    text += fmt::format(" over {} elements", grouped(figures.elements));
    if (figures.nonFinite > 0)
        text += fmt::format(", {} not finite", grouped(figures.nonFinite));
    return text + "\n";
}

/// How the instruction is written, what its devices are known to have, what is contested.
std::string instructionText(const quantized::Quantized &made)
{
    std::string text = heading("Instruction");
    for (const format::TquantLine &line : made.lines)
        text += fmt::format("  {}{}{}\n", line.name, line.name.empty() ? "" : ": ", line.text);
    for (const format::TquantFact &fact : made.devices)
        text += fmt::format("  {}: {} {}{} [{}]\n", fact.device, fact.feature, fact.value,
                            fact.note.empty() ? "" : "; " + fact.note, fact.source);
    return text + readingsText(made.contested);
}

} // namespace

std::string quantizeText(const quantized::Quantized &made,
                         const quantized::QuantizeOptions &options)
{
    std::string text = styled(Style::Bold, options.format);
    if (options.format.starts_with("mx"))
        text += fmt::format(", {} scales, groups of 32 along axis {}, data {}, exponents {}",
                            options.algorithm, options.axis, options.layout,
                            made.folder.matrix.exponents);
    else
        text += fmt::format(", {} cast, one scale a {}",
                            made.folder.manifest.value("chain", options.chain),
                            options.perTensor ? "tensor" : "row");
    text += fmt::format("\n{} from {}\n", shapeText(made.folder.matrix.shape),
                        made.folder.manifest.value("source", std::string()));
    text += terminalText(textTable(report::quantizedFileTable(), made.folder.manifest["files"]));
    text += heading("Tiles of the instruction") +
            terminalText(textTable(report::quantizeTileTable(), made.tiles)) +
            instructionText(made) + "\n";
    text += fmt::format(
        "stored  {}, {:.3f} of fp16\n", bytesText(made.bytes),
        static_cast<double>(made.bytes) /
            static_cast<double>(2 * made.folder.matrix.rows * made.folder.matrix.columns));
    return text + figuresText(made.figures);
}

std::string dequantizeText(const Dequantized &result, const std::string &folder,
                           const std::string &output, ElementType type)
{
    std::string text = fmt::format(
        "{}: {} {} to {} ({})\n", printable(folder), result.folder.matrix.format,
        shapeText(result.folder.matrix.shape), printable(output), elementTypeName(type));
    if (result.figures)
        text += figuresText(*result.figures);
    return text;
}

} // namespace kernscope::cli
