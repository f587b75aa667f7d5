// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/chips.h"
#include "core/base/csv.h"
#include "core/base/error_builder.h"
#include "core/base/overlaid_file.h"
#include "core/bundle/bundle.h"
#include "core/form/form_steps.h"
#include "core/numeric/half.h"
#include "core/report/engine_json.h"
#include "core/report/format_table.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace kernscope::cli {

namespace {

struct DescriptorOptions {
    std::uint32_t version = 0;         ///< 0: that of the target
    std::vector<std::string> formats;  ///< of source 1, source 2 and the output
    std::vector<std::string> saturate; ///< "source1", "source2"
    std::string word;                  ///< a format word to read: "0x124"
    std::string image;                 ///< a file with a version-10 image
};

struct ActivationOptions {
    std::string path, name;
    std::optional<std::uint64_t> at;
    std::string layout, arithmetic = "exact", tail = "clamp";
    std::vector<double> inputs;
};

using descriptor::FormatLane;
using report::Json;
constexpr std::uint32_t kInt8TensorFormat = 1;
using report::kFormatLanes;

std::string groupsText()
{
    auto notes = format::engineNotes("ordering");
    for (format::EngineNote &note : format::engineNotes("datapath"))
        notes.push_back(std::move(note));
    return heading("Register groups of version 10 (table 20.7)") +
           tableText(report::imageGroupTable, descriptor::imageGroups()) +
           fmt::format("\n  {}\n", descriptor::imageV10Note()) +
           heading("Fields and ordering bits") +
           tableText(report::imageFieldTable, report::imageFieldsOf("field")) +
           heading("What else is known") + tableText(report::engineNoteTable, notes);
}

std::string streamsText()
{
    return heading("Coefficient streams (tables 20.8 and 25.4)") +
           tableText(report::imageStreamTable, report::imageStreamRows()) +
           heading("Relocation registers") +
           tableText(report::relocationRegisterTable, report::imageFieldsOf("reloc"));
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
    text += tableText(report::laneCodeTable, report::laneCodes(version));
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

void makeWord(const DescriptorOptions &options, std::uint32_t version, DescriptorAnswer &out)
{
    std::uint32_t word = 0;
    for (std::size_t i = 0; i < kFormatLanes.size(); ++i) {
        const auto rows = format::tensorFormats();
        const auto row =
            std::ranges::find_if(rows, [&](const auto &r) { return r.name == options.formats[i]; });
        if (row == rows.end()) {
            std::string names;
            for (const auto &each : rows)
                names += (names.empty() ? "" : ", ") + each.name;
            throw CommandFailure{usageError("--formats", names, options.formats[i],
                                            "There is no such tensor format.")};
        }
        const auto bits = required(descriptor::encodeFormatLane(version, kFormatLanes[i],
                                                                format::TensorFormat(row->code)));
        word |= bits;
    }
    const bool integer = std::ranges::any_of(
        options.formats, [](const std::string &name) { return name == "int8" || name == "uint8"; });
    out.text += fmt::format("  format word {:#x}\n{}", word,
                            integer ? contestedCodesText(version) : std::string());
    std::vector<report::OverflowChoice> overflow;
    for (const FormatLane lane : {FormatLane::Source1, FormatLane::Source2}) {
        const bool first = lane == FormatLane::Source1;
        const char *name = first ? "source1" : "source2";
        const bool asked = std::ranges::find(options.saturate, name) != options.saturate.end();
        const auto bits = required(descriptor::encodeOverflow(version, lane, asked));
        const auto layout = descriptor::formatWordLayout(version);
        const auto &place = first ? layout.overflowSource1 : layout.overflowSource2;
        if (!place)
            continue;
        overflow.push_back({name, asked, *place, bits});
        out.text += fmt::format("  overflow of {}: {} ({:#x} at +{:#x})\n", name,
                                asked ? "saturates" : "gives NaN", bits, *place);
    }
    report::addEncodedWord(out.json, version, word, options.formats, overflow);
}

void readWord(const DescriptorOptions &options, std::uint32_t version, DescriptorAnswer &out)
{
    const auto word = parseInteger(options.word);
    if (!word || *word < 0 || *word > 0xffffffffLL)
        throw CommandFailure{usageError("--word", "32 bits, such as 0x124", options.word,
                                        "Expected a 32-bit word.")};
    const auto bits = static_cast<std::uint32_t>(*word);
    for (const FormatLane lane : kFormatLanes)
        out.text += fmt::format("  {}: {}\n", descriptor::formatLaneName(lane),
                                descriptor::decodeFormatLane(version, lane, bits));
    out.text += contestedCodesText(version);
    report::addDecodedWord(out.json, version, bits);
}

void readImage(const DescriptorOptions &options, DescriptorAnswer &out)
{
    const auto file = required(openFile(options.image));
    const auto bits = descriptor::readOrderingBits(file->bytes());
    if (!bits) {
        throw CommandFailure{
            valueError({file->name()}, "descriptor.image", {}, "an image of at least 0x138 bytes",
                       fmt::format("{} bytes", file->bytes().size()),
                       "The file is too short for the ordering bits of a version-10 image")};
    }
    report::addOrdering(out.json, *bits);
    out.text +=
        fmt::format("  layer-two barrier {}, forward barrier {}, signal mask {:#x}, wait "
                    "mask {:#x}\n",
                    bits->l2Barrier ? "set" : "clear", bits->forwardBarrier ? "set" : "clear",
                    bits->signalMask, bits->waitMask);
}

using format::ActivationArithmetic;
using format::ActivationField;
using format::ActivationLayout;
using format::ActivationTable;
using format::ActivationTail;

struct Named {
    std::string name;
    ActivationTable table;
};

Error missing(const std::string &path, std::string found)
{
    return valueError({path}, "activation.none", {},
                      "an activation table of 86 bytes (--at names its place)", found,
                      "There is no activation table");
}

std::vector<Named> tableAt(const std::string &path, std::uint64_t at)
{
    const auto file = required(openFile(path));
    const auto bytes = file->bytes();
    const std::uint64_t rest = at > bytes.size() ? 0 : bytes.size() - at;
    if (rest < ActivationTable::kBytes)
        throw CommandFailure{
            missing(file->name(), fmt::format("{} bytes from {:#x} on", rest, at))};
    auto table = ActivationTable::parse(bytes.subspan(static_cast<std::size_t>(at)));
    if (!table)
        throw CommandFailure{ErrorBuilder(std::move(table.error())).file(file->name())};
    return std::vector<Named>{{fmt::format("{:#x}", at), *table}};
}

Result<Named> tableOf(const Bundle &bundle, std::size_t index)
{
    const auto decoder = TRY(bundle.decoder(index));
    std::vector<std::uint16_t> halves(decoder.elements().value);
    decoder.decodeHalf(0, halves);
    auto table = TRY(ActivationTable::parse(std::as_bytes(std::span(halves))));
    return Named{bundle.weights()[index].name, table};
}

std::vector<Named> tablesOf(const ActivationOptions &options, Diagnostics &diagnostics)
{
    if (options.at)
        return tableAt(options.path, *options.at);
    const auto bundle = required(openBundle(options.path));
    std::vector<std::size_t> indices;
    if (!options.name.empty()) {
        indices.push_back(required(findWeight(*bundle, options.name)));
    } else {
        for (std::size_t i = 0; i < bundle->weights().size(); ++i) {
            if (bundle->weights()[i].role == WeightRole::ActivationTable)
                indices.push_back(i);
        }
    }
    if (indices.empty())
        throw CommandFailure{missing(bundle->name(), "no weight that is one")};
    std::vector<Named> tables;
    for (const std::size_t index : indices) {
        if (bundle->weights()[index].role != WeightRole::ActivationTable)
            throw CommandFailure{
                missing(bundle->weights()[index].name, formWords(bundle->weights()[index].form))};
        auto table = tableOf(*bundle, index);
        if (table)
            tables.push_back(std::move(*table));
        else
            diagnostics.push_back({Severity::Error, std::move(table.error())});
    }
    return tables;
}

std::uint16_t evaluate(const ActivationTable &table, const ActivationOptions &options, double input)
{
    return table.evaluate(
        doubleToHalf(input),
        options.arithmetic == "half" ? ActivationArithmetic::Half : ActivationArithmetic::Exact,
        options.tail == "linear" ? ActivationTail::Linear : ActivationTail::Clamp);
}

std::string activationTableText(const Named &named, const ActivationOptions &options)
{
    const ActivationTable &table = named.table;
    const auto domain = table.domain();
    std::string text =
        heading(printable(named.name)) +
        fmt::format("  {} layout; knots from {:g} to {:g}{}, clamps {:g} and {:g}\n",
                    format::activationLayoutName(table.layout()), domain.low, domain.high,
                    domain.assumed ? " (assumed)" : "", table.lowClamp(), table.highClamp());
    text += tableText(report::activationTable, report::activationFieldRows(table));
    text += "\n" + tableText(report::knotTable, report::knotFacts(table));
    for (const double input : options.inputs)
        text +=
            fmt::format("  f({:g}) = {:g}\n", input, halfToFloat(evaluate(table, options, input)));
    return text;
}

int runDescriptor(const DescriptorOptions &options, Context &context)
{
    const auto chosen = usable(chosenTarget(ChipOptions{}, context));
    const auto known = target::encoderVersion(chosen.target());
    const std::uint32_t version = options.version != 0 ? options.version : known.value_or(0);
    if (version == 0)
        throw CommandFailure{usageError("--descriptor-version", "a version", "none",
                                        "The descriptor version of this chip is not known."),
                             true};
    DescriptorAnswer asked;
    if (!options.formats.empty())
        makeWord(options, version, asked);
    if (!options.word.empty())
        readWord(options, version, asked);
    if (!options.image.empty())
        readImage(options, asked);
    return printAnswer(
        context, {}, [&] { return report::descriptorJson(chosen.target(), version, asked.json); },
        [&] {
            return asked.text.empty() ? "For " + chosen.text() + groupsText() + streamsText() +
                                            formatWordText(version)
                                      : asked.text;
        });
}

int runActivation(const ActivationOptions &options, Context &context)
{
    Diagnostics diagnostics;
    auto tables = tablesOf(options, diagnostics);
    for (Named &named : tables) {
        if (!options.layout.empty())
            named.table.setLayout(options.layout == "text" ? ActivationLayout::Text
                                                           : ActivationLayout::Device);
    }
    return printAnswer(
        context, diagnostics,
        [&] {
            std::vector<report::Json> documents;
            for (const auto &[name, table] : tables) {
                std::vector<report::EvaluatedInput> evaluated;
                for (const double input : options.inputs)
                    evaluated.push_back({input, evaluate(table, options, input)});
                documents.push_back(report::activationJson(name, table, evaluated));
            }
            return report::activationTablesJson(std::move(documents), options.arithmetic,
                                                options.tail);
        },
        [&] {
            std::string text;
            for (const Named &named : tables)
                text += activationTableText(named, options);
            return text + "\n" + readingsText(format::readingsOf("activation_segments"));
        });
}

void addDescriptor(CLI::App &app, Context &context)
{
    const auto [command, options] = addCommand<DescriptorOptions>(
        app, context, "descriptor",
        "Register groups, coefficient streams, relocation registers, format word, ordering bits",
        runDescriptor);
    addOption(*command, "--descriptor-version", "N", options->version,
              "Descriptor version of the format word, instead of the chip's");
    CLI::Option *formats = addOption(*command, "--formats", "IN,IN2,OUT", options->formats,
                                     "Make the format word of source 1, source 2 and output")
                               ->delimiter(',')
                               ->expected(3);
    command
        ->add_option("--saturate", options->saturate,
                     "Sources whose E4M3 overflow saturates instead of giving NaN")
        ->delimiter(',')
        ->check(CLI::IsMember({"source1", "source2"}))
        ->needs(formats);
    addOption(*command, "--word", "WORD", options->word, "Read the formats of a format word")
        ->excludes(formats);
    addOption(*command, "--image", "FILE", options->image,
              "Read the ordering bits of a version-10 image");
    addCommonOptions(*command, context);
    addExamples(*command, {"descriptor", "descriptor --target H18 --formats e4m3,e4m3,fp16",
                           "descriptor --target H18 --word 0xa4"});
}

void addActivation(CLI::App &app, Context &context)
{
    const auto [command, options] = addCommand<ActivationOptions>(
        app, context, "activation",
        "Activation tables: the 43 entries, the knots, the function at some inputs", runActivation);
    addPath(*command, options->path, "Container, weight section, or file with --at");
    CLI::Option *at = addOption(*command, "--at", "OFFSET", options->at,
                                "Offset of a table's first byte in the file")
                          ->check(wholeNumber());
    addOption(*command, "--name", "NAME", options->name, "This table of the container only")
        ->excludes(at);
    addOption(*command, "--input", "X", options->inputs, "Inputs to evaluate the function at")
        ->delimiter(',');
    addWord(*command, "--layout", options->layout, {"text", "device"},
            "Reading of entries 2 and 3, instead of what the record holds");
    addWord(*command, "--arithmetic", options->arithmetic, {"exact", "half"},
            "Round once or after each operation");
    addWord(*command, "--tail", options->tail, {"clamp", "linear"},
            "Outside the knots of a text layout");
    addCommonOptions(*command, context, false);
    addExamples(*command,
                {"activation network.hwx --input -1,0,1", "activation kernel.bin --at 0x80"});
}

} // namespace

void addEngine(CLI::App &app, Context &context)
{
    addCollective(app, context);
    addDescriptor(app, context);
    addActivation(app, context);
}

} // namespace kernscope::cli
