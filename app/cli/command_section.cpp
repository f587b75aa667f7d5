// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/chips.h"
#include "core/base/csv.h"
#include "core/base/error_builder.h"
#include "core/base/overlaid_file.h"
#include "core/bundle/bundle.h"
#include "core/plan/section_build.h"
#include "core/report/section_json.h"
#include "core/target/target.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace kernscope::cli {

namespace {

struct SectionOptions {
    std::string path;
    std::vector<std::string> names; ///< weights; none: all of the bundle
    std::string output;
    bool inPlace = false;
    plan::SectionOptions made; ///< build: form, cores, lanes
    std::string base = "0", inputTile, outputTile;
};

struct OpenedSection {
    std::shared_ptr<OverlaidFile> file;
    section::WeightSection section;
};

OpenedSection openSection(const std::string &path)
{
    auto file = required(openFile(path));
    auto section = required(section::readSection(file->bytes(), file->name()));
    return OpenedSection{std::move(file), std::move(section)};
}

std::uint64_t addressOf(std::string_view option, const std::string &text)
{
    const auto number = parseInteger(text);
    if (number && *number >= 0)
        return static_cast<std::uint64_t>(*number);
    throw CommandFailure{valueError("cli.option", option, "an address such as 0x40000", text,
                                    "The address cannot be read")};
}

section::LoadAddresses addressesOf(const SectionOptions &options)
{
    section::LoadAddresses addresses;
    auto base = addressOf("--base", options.base);
    addresses.base = base;
    const std::array<
        std::tuple<std::string_view, const std::string *, std::optional<std::uint64_t> *>, 2>
        tiles{{{"--input-tile", &options.inputTile, &addresses.inputTile},
               {"--output-tile", &options.outputTile, &addresses.outputTile}}};
    for (const auto &[name, text, place] : tiles) {
        if (text->empty())
            continue;
        auto address = addressOf(name, *text);
        *place = address;
    }
    return addresses;
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
    return printAnswer(
        context, section.diagnostics, [&] { return report::sectionWrittenJson(section, path); },
        [&] { return text; });
}

/// What build, relocate and strip do with a section that they made: writes it to `path` and says
/// so, with `text` unless --json is given. Returns the exit code.
int deliverSection(Context &context, const std::string &path, const OutputRules &rules,
                   std::span<const std::byte> bytes, const section::WeightSection &section,
                   const std::string &text)
{
    required(writeFile(path, bytes, rules));
    return printSection(context, path, section, text);
}

/// As every save in place: locked, behind a journal, into the file that was read.
void saveSection(const std::string &path, std::span<const std::byte> bytes)
{
    const auto bundle = required(openBundle(path));
    const auto &file = bundle->files().front().file;
    if (file->size().value != bytes.size()) {
        throw CommandFailure{valueError({file->name()}, "patch.stale", {},
                                        fmt::format("{} bytes", bytes.size()),
                                        fmt::format("{} bytes", file->size().value),
                                        "The section gets another length; give --output")};
    }
    required(file->write(FileOffset(0), bytes));
    const WritingScope scope;
    required(saveInPlace(*bundle, SaveOptions()));
    noteWritten(path);
    outputInPlace();
}

int runSectionList(const SectionOptions &options, Context &context)
{
    const auto opened = openSection(options.path);
    Diagnostics diagnostics = opened.section.diagnostics;
    const auto deep =
        section::verifySection(opened.section, opened.file->bytes(), opened.file->name());
    diagnostics.insert(diagnostics.end(), deep.begin(), deep.end());
    return printAnswer(
        context, diagnostics, [&] { return report::sectionListJson(opened.section); },
        [&] {
            return section::listing(opened.section) + tablesText(opened.section) +
                   heading("Load plan: registers of the streams (tables 20.8 and 25.4)") +
                   tableText(report::streamSlotTable, report::streamSlots());
        });
}

int runSectionRelocate(const SectionOptions &options, bool strip, Context &context)
{
    if (options.output.empty() && !options.inPlace)
        throw CommandFailure{usageError({}, {}, {}, "--output or --in-place is needed"), true};
    auto opened = openSection(options.path);
    if (strip) {
        section::strip(opened.section);
    } else {
        const auto addresses = addressesOf(options);
        required(section::relocate(opened.section, addresses));
    }
    const auto bytes = required(section::writeSection(opened.section, opened.file->bytes()));
    const std::string path = options.inPlace ? options.path : options.output;
    const std::string text = fmt::format("{}: {}, {}\n", printable(path),
                                         strip ? "addresses taken back" : "slots filled",
                                         counted(opened.section.units.size(), "unit"));
    if (!options.inPlace)
        return deliverSection(context, path, outputRules(context, {options.path}), bytes,
                              opened.section, text);
    saveSection(path, bytes);
    return printSection(context, path, opened.section, text);
}

Error buildError(const std::string &field, std::string expected, std::string found,
                 std::string message)
{
    return valueError("section.build", field, std::move(expected), std::move(found),
                      std::move(message));
}

const target::Target *targetOf(const Context &context)
{
    if (context.target.empty())
        return &target::defaultTarget();
    auto named = required(target::findTarget(context.target));
    return named.target;
}

/// Which target was taken, where none was named.
std::string defaultTargetText(const Context &context, const target::Target &target)
{
    return context.target.empty()
               ? fmt::format("for {} by default, --target names another\n", target.name)
               : std::string();
}

std::vector<std::size_t> chosenWeights(const Bundle &bundle, const SectionOptions &options)
{
    std::vector<std::size_t> chosen;
    for (const std::string &name : options.names) {
        chosen.push_back(required(findWeight(bundle, name)));
    }
    if (!chosen.empty())
        return chosen;
    chosen = plan::sectionWeights(bundle);
    if (chosen.empty())
        throw CommandFailure{buildError("bundle", "weights", "none", "There is nothing to build")};
    return chosen;
}

/// A diagnostic for each weight that no encoder of the chip writes in its form, with the rule.
Diagnostics refusedForms(const Bundle &bundle, const std::vector<std::size_t> &chosen,
                         const SectionOptions &options, const target::Target &target,
                         const Context &context)
{
    Diagnostics refused;
    for (const auto &[index, rule] : plan::sectionRefusals(bundle, chosen, options.made, target)) {
        refused.push_back(
            {context.force ? Severity::Warning : Severity::Error,
             legalityError("section.legality", bundle.weights()[index].name, rule, target)});
    }
    return refused;
}

/// Returns the exit code.
int runSectionBuild(const SectionOptions &options, Context &context)
{
    const auto target = targetOf(context);
    const auto bundle = required(openBundle(options.path));
    const auto chosen = chosenWeights(*bundle, options);
    const auto rules = outputRules(context, *bundle);
    if (options.output != "-")
        required(checkOutput(options.output, OutputKind::File, rules));
    Diagnostics forced;
    if (const auto refused = refusedForms(*bundle, chosen, options, *target, context);
        !refused.empty()) {
        if (!context.force)
            throw CommandFailure{refused.front().error};
        forced = refused;
    }
    auto built =
        required(plan::buildSection(*bundle, chosen, options.made, *target, options.output));
    Diagnostics &said = built.section.diagnostics;
    said.insert(said.end(), forced.begin(), forced.end());
    return deliverSection(context, options.output, rules, built.bytes, built.section,
                          defaultTargetText(context, *target) + section::listing(built.section));
}

void addBuild(CLI::App &parent, Context &context)
{
    auto options = std::make_shared<SectionOptions>();
    CLI::App *command = parent.add_subcommand("build", "Build a section from weights of a bundle");
    addPath(*command, options->path, "Bundle");
    addOption(*command, "names", "NAME", options->names, "Weights; without any, all of them");
    addStreamOutput(*command, context, options->output, "File to write; - is standard output",
                    "OUT")
        ->required();
    addWord(*command, "--form", options->made.form,
            {"stored", "dense", "sparse", "palette", "affine"}, "How to store them");
    command
        ->add_option("--bits", options->made.bits, "Bits of a palette's indices (--form palette)")
        ->capture_default_str();
    command
        ->add_option("--vector", options->made.vector,
                     "Output channels that one entry serves (--form palette)")
        ->capture_default_str();
    addWord(*command, "--entries", options->made.entries, {"fp16", "int8", "e4m3"},
            "Type of a codebook's entries (--form palette)");
    command
        ->add_option("--cores", options->made.cores,
                     "Cores that share each weight; without it, those of the chip")
        ->check(CLI::Range(1, 256));
    command
        ->add_option("--lanes", options->made.lanes,
                     "Most channels of a group; without it one: channel c on core c mod cores")
        ->check(CLI::Range(1, 65536));
    command->get_option("--force")->description(
        "Replace the output where it exists, and write a form that the chip has no encoder for, "
        "with a warning");
    addCommonOptions(*command, context);
    addExamples(*command, {"section build model.mlmodelc conv1_weight --form palette -o w.ksec",
                           "section build model.mlmodelc --target M1 -o w.ksec",
                           "section build model.mlmodelc w --form palette --entries e4m3 --target "
                           "H18 -o w.ksec"});
    command->callback([options, command, &context] {
        for (const char *name : {"--bits", "--vector", "--entries"}) {
            if (options->made.form != "palette" && command->count(name) > 0)
                throw UsageFailure{usageError(name, "--form palette",
                                              "--form " + options->made.form,
                                              std::string(name) + " has no effect here")};
        }
        context.exitCode = runSectionBuild(*options, context);
    });
}

void addWrite(CLI::App &parent, Context &context, bool strip)
{
    const auto [command, options] = addCommand<SectionOptions>(
        parent, context, strip ? "strip" : "relocate",
        strip ? "Take the addresses back" : "Fill the slots with addresses, as a loader would",
        [strip](const SectionOptions &given, Context &of) {
            return runSectionRelocate(given, strip, of);
        });
    addPath(*command, options->path, "Weight section");
    auto *output = addStreamOutput(*command, context, options->output,
                                   "File to write; - is standard output", "OUT");
    command->get_option("--force")->needs(output);
    command->add_flag("--in-place", options->inPlace, "Write the file itself")->excludes(output);
    if (!strip) {
        addOption(*command, "--base", "ADDRESS", options->base, "Address of the file's first byte")
            ->required();
        command->add_option("--input-tile", options->inputTile, "Address of the input tile");
        command->add_option("--output-tile", options->outputTile, "Address of the output tile");
    }
    addCommonOptions(*command, context, false);
    addExamples(*command, {strip ? "section strip loaded.ksec -o w.ksec"
                                 : "section relocate w.ksec --base 0x40000 -o loaded.ksec"});
}

} // namespace

void addSection(CLI::App &app, Context &context)
{
    CLI::App *command = app.add_subcommand(
        "section", "Weight sections: build, list, relocate, strip (kernel units and their groups)");
    command->require_subcommand(1);
    addBuild(*command, context);
    const auto [list, options] = addCommand<SectionOptions>(
        *command, context, "list", "Show the units, groups and slots", runSectionList);
    addPath(*list, options->path, "Weight section");
    addCommonOptions(*list, context, false);
    addExamples(*list, {"section list w.ksec"});
    addWrite(*command, context, false);
    addWrite(*command, context, true);
}

} // namespace kernscope::cli
