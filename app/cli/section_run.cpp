// SPDX-License-Identifier: GPL-3.0-or-later
// section list, relocate and strip.
#include "app/cli/section_run.h"

#include "app/cli/command.h"
#include "app/cli/interrupt.h"
#include "app/cli/output_file.h"
#include "app/cli/text_output.h"
#include "app/cli/usage.h"
#include "core/base/csv.h"
#include "core/base/error_builder.h"
#include "core/base/overlaid_file.h"
#include "core/bundle/bundle.h"
#include "core/container/section/section.h"
#include "core/patch/patch.h"
#include "core/report/section_json.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace kernscope::cli {

namespace {

struct OpenedSection {
    std::shared_ptr<OverlaidFile> file;
    section::WeightSection section;
};

Result<OpenedSection> openSection(const std::string &path)
{
    auto file = openFile(path);
    if (!file)
        return tl::unexpected(std::move(file.error()));
    auto section = section::readSection((*file)->bytes(), (*file)->name());
    if (!section)
        return tl::unexpected(std::move(section.error()));
    return OpenedSection{std::move(*file), std::move(*section)};
}

Result<std::uint64_t> addressOf(std::string_view option, const std::string &text)
{
    const auto number = parseInteger(text);
    if (number && *number >= 0)
        return static_cast<std::uint64_t>(*number);
    return ErrorBuilder("cli.option")
        .field(option)
        .expected("an address such as 0x40000")
        .found(text)
        .message("The address cannot be read")
        .unexpected();
}

Result<section::LoadAddresses> addressesOf(const SectionOptions &options)
{
    section::LoadAddresses addresses;
    auto base = addressOf("--base", options.base);
    if (!base)
        return tl::unexpected(std::move(base.error()));
    addresses.base = *base;
    const std::array<
        std::tuple<std::string_view, const std::string *, std::optional<std::uint64_t> *>, 2>
        tiles{{{"--input-tile", &options.inputTile, &addresses.inputTile},
               {"--output-tile", &options.outputTile, &addresses.outputTile}}};
    for (const auto &[name, text, place] : tiles) {
        if (text->empty())
            continue;
        auto address = addressOf(name, *text);
        if (!address)
            return tl::unexpected(std::move(address.error()));
        *place = *address;
    }
    return addresses;
}

/// Table 25.4: the registers that each stream of a record's slots is driven by.
std::string streamRegistersText()
{
    return heading("Load plan: registers of the streams (tables 20.8 and 25.4)") +
           terminalText(textTable(report::streamSlotTable(), report::streamSlots()));
}

/// Of the unit that has most of them, the tables that share one on-chip memory.
std::string tablesText(const section::WeightSection &section)
{
    std::uint64_t palette = 0, activation = 0;
    for (const section::Unit &unit : section.units) {
        const std::uint64_t pal = unit.entry(section::Kind::Pal).bytes;
        const std::uint64_t lut = unit.entry(section::Kind::Lut).bytes;
        if (pal + lut > palette + activation)
            palette = pal, activation = lut;
    }
    const std::string text = report::tableBudgetText(palette, activation);
    return text.empty() ? text : "\nTables of the largest unit: " + text + "\n";
}

int printSection(Context &context, const std::string &path, const section::WeightSection &section,
                 const std::string &text)
{
    if (context.json) {
        report::Json document = report::sectionWrittenJson(section, path);
        printDocument(context, document, section.diagnostics);
    } else {
        if (!context.quiet)
            print(text);
        printDiagnostics(context, section.diagnostics);
    }
    return exitCodeOf(section.diagnostics);
}

/// As every save in place: locked, behind a journal, into the file that was read.
Result<void> saveSection(const std::string &path, std::span<const std::byte> bytes)
{
    const auto bundle = openBundle(path);
    if (!bundle)
        return tl::unexpected(bundle.error());
    const auto &file = (*bundle)->files().front().file;
    if (file->size().value != bytes.size()) {
        return ErrorBuilder("patch.stale")
            .file(file->name())
            .expected(fmt::format("{} bytes", bytes.size()))
            .found(fmt::format("{} bytes", file->size().value))
            .message("The section gets another length; give --output")
            .unexpected();
    }
    if (auto laid = file->write(FileOffset(0), bytes); !laid)
        return laid;
    const WritingScope scope;
    const auto saved = saveInPlace(**bundle, SaveOptions());
    if (!saved)
        return tl::unexpected(saved.error());
    noteWritten(path);
    outputInPlace();
    return {};
}

} // namespace

int deliverSection(Context &context, const std::string &path, const OutputRules &rules,
                   std::span<const std::byte> bytes, const section::WeightSection &section,
                   const std::string &text)
{
    if (auto written = writeFile(path, bytes, rules); !written)
        return reportFailure(context, kSectionCommand, written.error());
    return printSection(context, path, section, text);
}

int runSectionList(const SectionOptions &options, Context &context)
{
    const auto opened = openSection(options.path);
    if (!opened)
        return reportFailure(context, kSectionCommand, opened.error());
    Diagnostics diagnostics = opened->section.diagnostics;
    const auto deep =
        section::verifySection(opened->section, opened->file->bytes(), opened->file->name());
    diagnostics.insert(diagnostics.end(), deep.begin(), deep.end());
    if (context.json) {
        report::Json document = report::sectionListJson(opened->section);
        printDocument(context, document, diagnostics);
    } else {
        if (!context.quiet)
            print(section::listing(opened->section) + tablesText(opened->section) +
                  streamRegistersText());
        printDiagnostics(context, diagnostics);
    }
    return exitCodeOf(diagnostics);
}

int runSectionRelocate(const SectionOptions &options, bool strip, Context &context)
{
    if (options.output.empty() && !options.inPlace)
        return reportUsage(context, kSectionCommand,
                           usageError({}, {}, {}, "--output or --in-place is needed"));
    auto opened = openSection(options.path);
    if (!opened)
        return reportFailure(context, kSectionCommand, opened.error());
    if (strip) {
        section::strip(opened->section);
    } else {
        const auto addresses = addressesOf(options);
        if (!addresses)
            return reportFailure(context, kSectionCommand, addresses.error());
        if (auto done = section::relocate(opened->section, *addresses); !done)
            return reportFailure(context, kSectionCommand, done.error());
    }
    const auto bytes = section::writeSection(opened->section, opened->file->bytes());
    if (!bytes)
        return reportFailure(context, kSectionCommand, bytes.error());
    const std::string path = options.inPlace ? options.path : options.output;
    const std::string text = fmt::format("{}: {}, {}\n", printable(path),
                                         strip ? "addresses taken back" : "slots filled",
                                         counted(opened->section.units.size(), "unit"));
    if (!options.inPlace)
        return deliverSection(context, path, outputRules(context, {options.path}), *bytes,
                              opened->section, text);
    if (const auto saved = saveSection(path, *bytes); !saved)
        return reportFailure(context, kSectionCommand, saved.error());
    return printSection(context, path, opened->section, text);
}

} // namespace kernscope::cli
