// SPDX-License-Identifier: GPL-3.0-or-later
// `descriptor`: the version-10 image, the coefficient streams and the format word.
#include "app/cli/chips.h"
#include "app/cli/engine.h"
#include "app/cli/text_output.h"
#include "app/cli/usage.h"
#include "core/base/csv.h"
#include "core/base/error_builder.h"
#include "core/base/overlaid_file.h"
#include "core/report/engine_json.h"
#include "core/target/rules.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace kernscope::cli {

namespace {

using descriptor::FormatLane;
using report::Json;

constexpr std::string_view kDescriptorCommand = "descriptor";
constexpr std::uint32_t kInt8TensorFormat = 1;
using report::kFormatLanes;

std::string groupsText()
{
    auto notes = format::engineNotes("ordering");
    for (format::EngineNote &note : format::engineNotes("datapath"))
        notes.push_back(std::move(note));
    return heading("Register groups of version 10 (table 20.7)") +
           terminalText(textTable(report::imageGroupTable(), descriptor::imageGroups())) +
           fmt::format("\n  {}\n", descriptor::imageV10Note()) +
           heading("Fields and ordering bits") +
           terminalText(textTable(report::imageFieldTable(), report::imageFieldsOf("field"))) +
           heading("What else is known") +
           terminalText(textTable(report::engineNoteTable(), notes));
}

std::string streamsText()
{
    return heading("Coefficient streams (tables 20.8 and 25.4)") +
           terminalText(textTable(report::imageStreamTable(), report::imageStreamRows())) +
           heading("Relocation registers") +
           terminalText(
               textTable(report::relocationRegisterTable(), report::imageFieldsOf("reloc")));
}

/// What sources give for the codes of the integers, where the word of that version has both.
std::string contestedCodesText(std::uint32_t version)
{
    return readingsText(format::readingsOf(
        descriptor::contestedCode(version, format::TensorFormat(kInt8TensorFormat))));
}

std::string formatWordText(std::uint32_t version)
{
    const auto layout = descriptor::formatWordLayout(version);
    std::string text = heading(fmt::format("Format word of version {} (table 36.3)", version)) +
                       fmt::format("  at +{:#x} of the object, lanes of {} bits\n", layout.offset,
                                   layout.laneBits);
    text += terminalText(textTable(report::laneCodeTable(), report::laneCodes(version)));
    for (const FormatLane lane : {FormatLane::Source1, FormatLane::Source2}) {
        const auto &place =
            lane == FormatLane::Source1 ? layout.overflowSource1 : layout.overflowSource2;
        const auto bit = descriptor::encodeOverflow(version, lane, true);
        text += bit ? fmt::format("  E4M3 overflow of {}: bit 24 at +{:#x}, 1 saturates, 0 gives "
                                  "NaN\n",
                                  descriptor::formatLaneName(lane), *place)
                    : fmt::format("  E4M3 overflow of {}: \"{}\"\n",
                                  descriptor::formatLaneName(lane), bit.error().message);
    }
    return text + contestedCodesText(version);
}

/// What was asked: a word made or read, the ordering bits of an image.
struct DescriptorAnswer {
    Json json;
    std::string text;
};

Result<void> makeWord(const DescriptorOptions &options, std::uint32_t version,
                      DescriptorAnswer &out)
{
    std::uint32_t word = 0;
    for (std::size_t i = 0; i < kFormatLanes.size(); ++i) {
        const auto rows = format::tensorFormats();
        const auto row = std::find_if(rows.begin(), rows.end(),
                                      [&](const auto &r) { return r.name == options.formats[i]; });
        if (row == rows.end()) {
            std::string names;
            for (const auto &each : rows)
                names += (names.empty() ? "" : ", ") + each.name;
            return tl::unexpected(usageError("--formats", names, options.formats[i],
                                             "There is no such tensor format."));
        }
        const auto bits =
            descriptor::encodeFormatLane(version, kFormatLanes[i], format::TensorFormat(row->code));
        if (!bits)
            return tl::unexpected(bits.error());
        word |= *bits;
    }
    const bool integer =
        std::any_of(options.formats.begin(), options.formats.end(),
                    [](const std::string &name) { return name == "int8" || name == "uint8"; });
    out.text += fmt::format("  format word {:#x}\n{}", word,
                            integer ? contestedCodesText(version) : std::string());
    std::vector<report::OverflowChoice> overflow;
    for (const FormatLane lane : {FormatLane::Source1, FormatLane::Source2}) {
        const bool first = lane == FormatLane::Source1;
        const char *name = first ? "source1" : "source2";
        const bool asked = std::find(options.saturate.begin(), options.saturate.end(), name) !=
                           options.saturate.end();
        const auto bits = descriptor::encodeOverflow(version, lane, asked);
        if (!bits)
            return tl::unexpected(bits.error());
        const auto layout = descriptor::formatWordLayout(version);
        const auto &place = first ? layout.overflowSource1 : layout.overflowSource2;
        if (!place)
            continue;
        overflow.push_back({name, asked, *place, *bits});
        out.text += fmt::format("  overflow of {}: {} ({:#x} at +{:#x})\n", name,
                                asked ? "saturates" : "gives NaN", *bits, *place);
    }
    report::addEncodedWord(out.json, version, word, options.formats, overflow);
    return {};
}

Result<void> readWord(const DescriptorOptions &options, std::uint32_t version,
                      DescriptorAnswer &out)
{
    const auto word = parseInteger(options.word);
    if (!word || *word < 0 || *word > 0xffffffffLL)
        return tl::unexpected(
            usageError("--word", "32 bits, such as 0x124", options.word, "This is no word."));
    const auto bits = static_cast<std::uint32_t>(*word);
    for (const FormatLane lane : kFormatLanes)
        out.text += fmt::format("  {}: {}\n", descriptor::formatLaneName(lane),
                                descriptor::decodeFormatLane(version, lane, bits));
    out.text += contestedCodesText(version);
    report::addDecodedWord(out.json, version, bits);
    return {};
}

Result<void> readImage(const DescriptorOptions &options, DescriptorAnswer &out)
{
    const auto file = openFile(options.image);
    if (!file)
        return tl::unexpected(file.error());
    const auto bits = descriptor::readOrderingBits((*file)->bytes());
    if (!bits) {
        return ErrorBuilder("descriptor.image")
            .file((*file)->name())
            .expected("an image of at least 0x138 bytes")
            .found(fmt::format("{} bytes", (*file)->bytes().size()))
            .message("The file is too short for the ordering bits of a version-10 image")
            .unexpected();
    }
    report::addOrdering(out.json, *bits);
    out.text +=
        fmt::format("  layer-two barrier {}, forward barrier {}, signal mask {:#x}, wait "
                    "mask {:#x}\n",
                    bits->l2Barrier ? "set" : "clear", bits->forwardBarrier ? "set" : "clear",
                    bits->signalMask, bits->waitMask);
    return {};
}

Result<DescriptorAnswer> answer(const DescriptorOptions &options, std::uint32_t version)
{
    DescriptorAnswer out;
    if (!options.formats.empty()) {
        if (auto made = makeWord(options, version, out); !made)
            return tl::unexpected(made.error());
    }
    if (!options.word.empty()) {
        if (auto read = readWord(options, version, out); !read)
            return tl::unexpected(read.error());
    }
    if (!options.image.empty()) {
        if (auto read = readImage(options, out); !read)
            return tl::unexpected(read.error());
    }
    return out;
}

} // namespace

int runDescriptor(const DescriptorOptions &options, Context &context)
{
    const auto chosen = chosenTarget(ChipOptions{}, context);
    if (!chosen)
        return refuseTarget(context, kDescriptorCommand, chosen.error());
    const auto known = target::encoderVersion(chosen->target());
    const std::uint32_t version = options.version != 0 ? options.version : known.value_or(0);
    if (version == 0)
        return refuseTarget(context, kDescriptorCommand,
                            usageError("--descriptor-version", "a version", "none",
                                       "The descriptor version of this chip is not known."));
    const auto asked = answer(options, version);
    if (!asked)
        return reportFailure(context, kDescriptorCommand, asked.error());
    if (!context.json) {
        if (!context.quiet)
            print(asked->text.empty() ? "For " + chosen->text() + groupsText() + streamsText() +
                                            formatWordText(version)
                                      : asked->text);
        return kDone;
    }
    printDocument(context, report::descriptorJson(chosen->target(), version, asked->json), {});
    return kDone;
}

} // namespace kernscope::cli
