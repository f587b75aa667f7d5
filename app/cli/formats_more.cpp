// SPDX-License-Identifier: GPL-3.0-or-later
// `formats`: what the element types are for, how they fold, multiply and are written into a task.
#include "app/cli/chips.h"
#include "app/cli/engine.h"
#include "app/cli/text_output.h"
#include "core/format/code_sets.h"
#include "core/format/contested.h"
#include "core/report/engine_json.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace kernscope::cli {

namespace {

std::string rolesText()
{
    return heading("Types in a weight") +
           terminalText(textTable(report::elementRoleTable(), format::weightElementRoles()));
}

/// Runs of codes that the predicate answers alike.
std::string foldText()
{
    std::string folds;
    for (std::uint32_t code = 0; code <= 16; ++code) {
        const format::TensorFormat format(code);
        if (!format::isDmaConvertibleToFp16(format))
            continue;
        const auto *row = format::find(format);
        folds += fmt::format("{}{}", folds.empty() ? "" : ", ", code);
        folds += row != nullptr ? " " + row->name : std::string(" (no name published)");
    }
    const format::CodeSet &set = format::dmaConvertibleToFp16();
    return heading(fmt::format("Fold predicate ({}, mask {:#x})", set.source, set.mask)) +
           "  the DMA folds to fp16: " + folds + "\n";
}

std::string doubleMacText()
{
    return heading("Double multiply (chapter 36: one byte each, of the same class)") +
           terminalText(textTable(report::doubleMacTable(), report::doubleMacPairs()));
}

std::string lanesText(std::uint32_t version)
{
    if (version == 0)
        return {};
    const auto layout = descriptor::formatWordLayout(version);
    std::string text =
        heading(fmt::format("Format word of version {} (table 36.3)", version)) +
        fmt::format("  at +{:#x}, lanes of {} bits\n", layout.offset, layout.laneBits);
    std::vector<report::LaneCode> codes = report::laneCodes(version);
    // The others are refused alike; `descriptor` lists them.
    std::erase_if(codes, [](const report::LaneCode &code) {
        return !code.bits && code.name != "e4m3" && code.name != "e5m2";
    });
    return text + terminalText(textTable(report::laneCodeTable(), codes)) +
           fmt::format(
               "  E4M3 overflow: {}\n",
               layout.overflowSource1
                   ? fmt::format("bit 24 at +{:#x} (source 1) and +{:#x} (source 2): 1 "
                                 "saturates to 0x7e, 0 gives NaN, 0x7f",
                                 *layout.overflowSource1, *layout.overflowSource2)
                   : "\"" +
                         descriptor::encodeOverflow(version, descriptor::FormatLane::Source1, true)
                             .error()
                             .message +
                         "\"");
}

} // namespace

std::string readingsText(std::span<const format::Reading> readings)
{
    std::string text;
    for (const format::Reading &reading : readings)
        text += fmt::format(
            "  {} {}: {} [{}]{}\n", reading.taken ? "followed: " : "contested:", reading.topic,
            reading.text, reading.source, reading.note.empty() ? "" : "; " + reading.note);
    return text;
}

std::string moreFormatsText(std::uint32_t descriptorVersion)
{
    return rolesText() + heading("fp8 formats (table 36.1)") +
           terminalText(textTable(report::fp8FormatTable(), format::fp8Formats())) + foldText() +
           doubleMacText() + lanesText(descriptorVersion) + heading("What else is known") +
           terminalText(textTable(report::engineNoteTable(), format::engineNotes())) +
           heading("Contested") + readingsText(format::readingsAbout("engine"));
}

} // namespace kernscope::cli
