// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/command.h"
#include "core/base/csv.h"
#include "core/base/error_builder.h"
#include "core/base/overlaid_file.h"
#include "core/bundle/bundle.h"
#include "core/container/anec/anec.h"
#include "core/report/compiled_origin.h"
#include "core/report/container_table.h"
#include "core/report/hwx_json.h"
#include "core/report/json_table.h"
#include "core/report/odix_json.h"
#include "core/report/register_table.h"
#include "core/report/structure_table.h"
#include "core/report/task_table.h"

#include <algorithm>
#include <iterator>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace kernscope::cli {

namespace {

struct HwxOptions {
    std::string path;
    std::string other;  ///< container to compare with; empty where none was given
    std::string survey; ///< folder of containers; empty where none was given
    bool noRegisters = false;
    std::string loadAt; ///< address that the image is loaded to; empty: it is not
    bool strip = false; ///< take such an address back instead
};

/// Slots with the words that a loader would write.
std::string hwxLoadText(const std::vector<hwx::Slot> &places,
                        const std::vector<hwx::LoadedSlot> &loaded)
{
    const auto changed =
        std::ranges::count_if(loaded, [](const auto &each) { return each.changes(); });
    return heading("Load plan") +
           tableText(report::loadedSlotTable, report::loadedSlotRows(places, loaded)) +
           fmt::format("\n  {} of {} slots change; of the others the engine adds the aperture "
                       "itself, or the reason is named\n",
                       changed, loaded.size());
}

using descriptor::TaskDetail;
using descriptor::TaskReader;

std::string tensorsText(const TaskDetail &detail, const TaskReader &reader)
{
    const auto value = [&](std::string_view role) {
        const auto number = hwx::roleValue(detail, reader, role);
        return number ? std::to_string(*number) : std::string("?");
    };
    return fmt::format("in {}x{}x{}, out {}x{}x{}, kernel {}x{}, format {}", value("in_w"),
                       value("in_h"), value("cin"), value("out_w"), value("out_h"), value("cout"),
                       value("Kw"), value("Kh"), value("kernel_fmt"));
}

std::string taskText(const hwx::Container &container, const hwx::Text &text, TaskReader &reader,
                     const hwx::LaneFinder &finder, const std::vector<hwx::KernelTile> &tiles,
                     std::size_t index, bool registers)
{
    const auto &before = reader.before(index);
    TaskDetail detail;
    reader.read(index, detail);
    const auto &version = *text.tasks->version;
    std::string result = fmt::format(
        "\n{} at {:#x}, {} bytes, {} records{}\n  {}\n",
        styled(Style::Bold, fmt::format("Task {}", index)), detail.task.offset,
        grouped(detail.task.bytes()), detail.stream.packets.size(),
        detail.stream.exact ? "" : ": " + detail.stream.fault, tensorsText(detail, reader));
    std::string header;
    for (const auto &[name, value] : descriptor::headerFields(detail, version)) {
        if (value != 0)
            header += fmt::format(" {}={}", name, value);
    }
    if (header.empty() && std::ranges::any_of(detail.header, [](auto word) { return word != 0; }))
        header = fmt::format(" words {:#x}", fmt::join(detail.header, " "));
    result += "  header:" + (header.empty() ? " all zero" : header) + "\n";
    if (registers)
        result +=
            tableText(report::registerTable, report::registerFacts(detail, before, version, 0));
    const auto lanes = report::laneFacts(finder.lanes(detail, reader), tiles, container);
    return lanes.empty() ? result : result + tableText(report::laneTable, lanes);
}

/// The tasks of it: shapes, header, registers, lanes.
std::string hwxTasksText(const hwx::Container &container, std::span<const std::byte> bytes,
                         bool registers)
{
    std::string result;
    const auto tiles = hwx::kernelTiles(container);
    for (const hwx::Text &text : container.texts) {
        const hwx::SegmentSection *section = container.section(text.section);
        if (section == nullptr || !section->bytes || text.tasks->version == nullptr)
            continue;
        TaskReader reader(bytes.subspan(static_cast<std::size_t>(section->bytes->offset.value),
                                        static_cast<std::size_t>(section->bytes->bytes.value)),
                          *text.tasks);
        const hwx::LaneFinder finder(container, text, tiles);
        for (std::size_t i = 0; i < text.tasks->tasks.size(); ++i)
            result += taskText(container, text, reader, finder, tiles, i, registers);
    }
    if (registers && !result.empty())
        result += "\n  * differs from the task before   ! contested\n";
    return result;
}

std::string containerSummary(const hwx::Container &container, const std::string &name)
{
    std::string text = styled(Style::Bold, printable(name)) + ": " + bytesText(container.fileBytes);
    const auto *version = container.version;
    if (version == nullptr)
        return text + fmt::format(", unknown subtype {:#x}\n", container.header.cpusubtype);
    text += fmt::format(", subtype {}, descriptor version {}", version->subtype, version->number);
    if (!version->generation.empty())
        text += ", " + version->generation;
    if (!version->targets.empty())
        text += fmt::format(" ({})", fmt::join(version->targets, " "));
    text += container.extended() ? ", extended form\n" : "\n";
    if (container.ident)
        text += "  compiler " + printable(container.ident->compilerVersion) + ", target " +
                printable(container.ident->target) + ", " +
                counted(container.ident->flags.size(), "flag") + "\n";
    if (version->confidence == format::Confidence::Contested && !version->note.empty())
        text += "  contested: " + version->note + "\n";
    return text;
}

/// The whole of a container, for people: header, commands, segments, ports, tasks (with their
/// registers on request), lanes, slots and kernels.
std::string hwxText(const hwx::Container &container, std::span<const std::byte> bytes,
                    const std::string &name, bool registers)
{
    return containerSummary(container, name) +
           titledTable("Commands", report::commandTable, report::commandFacts(container)) +
           titledTable("Segments and sections", report::containerSectionTable,
                       report::containerSectionFacts(container)) +
           titledTable("Ports", report::portTable, report::portFacts(container)) +
           titledTable("Symbols", report::symbolTable, report::symbolFacts(container)) +
           titledTable("Relocation slots", report::slotTable,
                       report::slotRows(hwx::relocationSlots(container, bytes), {})) +
           hwxTasksText(container, bytes, registers);
}

using report::ContainerDifference;
using report::RegisterChange;

ContainerDifference compareContainers(const HwxOptions &options, Context &context)
{
    ContainerDifference result;
    for (const auto &[path, bundle] :
         {std::pair(&options.path, &result.a), std::pair(&options.other, &result.b)}) {
        *bundle = required(openBundle(*path));
    }
    result.whole = required(compareBundles(*result.a, *result.b, {}, &context.progress));
    result.tasks = compareTasks(*result.a, *result.b).value_or(TaskComparison());
    const AlignedBytes bytes = alignBytes(result.a, result.b, result.whole.weights);
    const auto found = ByteDifferences::find(bytes, context.progress);
    if (!found)
        throw CommandFailure{cancelledError("The comparison was cancelled")};
    for (std::size_t i = 0; i < bytes.alignment.sections().size(); ++i) {
        if (found->tallyOf(i).any())
            result.sections.emplace_back(bytes.alignment.sections()[i].name, found->tallyOf(i));
    }
    return result;
}

/// "CoeffBaseAddr[0]" and "CoeffBaseAddr[15]" are elements of one array: its name without them.
std::string_view arrayName(const descriptor::RegisterDifference &reg)
{
    if (reg.reg == nullptr)
        return {};
    const std::string_view name = reg.reg->name;
    const auto last = name.find_last_not_of("0123456789[]");
    return last == std::string_view::npos || last + 1 == name.size() ? std::string_view()
                                                                     : name.substr(0, last + 1);
}

/// Elements of one array that differ alike.
bool sameElement(const descriptor::RegisterDifference &x, const descriptor::RegisterDifference &y)
{
    return !arrayName(x).empty() && arrayName(x) == arrayName(y) && x.reg->block == y.reg->block &&
           x.a == y.a && x.b == y.b;
}

std::string taskNumber(const descriptor::TaskDifference &task)
{
    if (task.a == task.b)
        return std::to_string(task.a);
    const auto number = [](std::size_t index) {
        return index == descriptor::kNoTask ? std::string("-") : std::to_string(index);
    };
    return number(task.a) + " > " + number(task.b);
}

/// The register at `first`, with those after it that are its array's and differ alike. Returns the
/// place after them.
std::size_t addRegisters(std::vector<RegisterChange> &rows, const std::string &number,
                         const descriptor::TaskDifference &task, std::size_t first)
{
    const auto &reg = task.registers[first];
    std::size_t end = first + 1;
    while (end < task.registers.size() && sameElement(reg, task.registers[end]))
        ++end;
    std::vector<RegisterChange> own = report::registerChanges(reg);
    own.front().task = number;
    if (end - first > 1)
        own.front().name +=
            fmt::format(" to {} ({} registers)", task.registers[end - 1].reg->name, end - first);
    rows.insert(rows.end(), own.begin(), own.end());
    return end;
}

void addTask(std::vector<RegisterChange> &rows, const descriptor::TaskDifference &task)
{
    RegisterChange row;
    row.task = taskNumber(task);
    if (task.a == descriptor::kNoTask || task.b == descriptor::kNoTask) {
        row.name = task.a == descriptor::kNoTask ? "inserted" : "removed";
        row.taskAlone = true;
        rows.push_back(std::move(row));
        return;
    }
    row.name = "header";
    for (const auto &field : task.header) {
        row.field = field.name;
        row.a = field.a;
        row.b = field.b;
        rows.push_back(row);
    }
    for (std::size_t i = 0; i < task.registers.size();)
        i = addRegisters(rows, row.task, task, i);
}

std::string tasksText(const ContainerDifference &difference)
{
    std::vector<RegisterChange> rows;
    for (const descriptor::TaskDifference &task : difference.tasks.differences)
        addTask(rows, task);
    std::string text;
    if (!difference.tasks.sameVersion)
        text += "  The descriptor versions differ: registers are compared by their addresses.\n";
    return text +
           (rows.empty() ? "  No task differs.\n" : tableText(report::registerChangeTable, rows));
}

std::string containerWeightsText(const ContainerDifference &difference)
{
    std::string text;
    const auto &pairs = difference.whole.weights;
    for (const ComparedPair &pair : wholePairs(pairs)) {
        const Weight &a = difference.a->weights()[pair.a], &b = difference.b->weights()[pair.b];
        if (!pair.storedEqual)
            text += fmt::format("  weight {}{}: {}\n", printable(a.name),
                                a.name == b.name ? "" : " > " + printable(b.name),
                                verdict(pair, *difference.a, *difference.b));
    }
    for (const std::size_t i : difference.whole.onlyA)
        text += "  weight only in A: " + printable(difference.a->weights()[i].name) + "\n";
    for (const std::size_t i : difference.whole.onlyB)
        text += "  weight only in B: " + printable(difference.b->weights()[i].name) + "\n";
    for (const ComparedPair &part : std::span(pairs).subspan(wholePairs(pairs).size()))
        text +=
            fmt::format("  weight {} > {}: {}\n", printable(difference.a->weights()[part.a].name),
                        printable(difference.b->weights()[part.b].name), sliceText(*part.slice));
    return text.empty() && !pairs.empty() ? "  No weight differs.\n" : text;
}

std::string containersText(const ContainerDifference &difference)
{
    std::string text = fmt::format(
        "{} ({}) and {} ({})\n", printable(difference.a->files().front().path),
        counted(difference.tasks.tasksA, "task"), printable(difference.b->files().front().path),
        counted(difference.tasks.tasksB, "task"));
    text += tasksText(difference) + containerWeightsText(difference);
    for (const auto &[name, bytes] : difference.sections)
        text += fmt::format("  section {}: {}\n", printable(name), tallyText(bytes));
    return text;
}

/// `hwx --diff`: tasks aligned by what they write, weights, and the sections whose bytes differ.
/// Returns the exit code: 0 only where the two files hold the same bytes.
int runHwxDiff(const HwxOptions &options, Context &context)
{
    const auto difference = compareContainers(options, context);
    Diagnostics diagnostics = difference.a->diagnostics();
    const auto &others = difference.b->diagnostics();
    diagnostics.insert(diagnostics.end(), others.begin(), others.end());
    const int faults = printAnswer(
        context, diagnostics, [&] { return report::containerDifferenceJson(difference); },
        [&] { return containersText(difference); });
    return faults != kDone ? faults : difference.whole.identical ? kDone : kDiffers;
}

struct Opened {
    std::shared_ptr<OverlaidFile> file;
    hwx::Container container;
};

Result<Opened> openContainer(const std::string &path)
{
    std::error_code fault;
    if (std::filesystem::is_directory(path, fault)) {
        return refused({path}, "io.open", {}, "a hardware container (.hwx, .anec)", "a folder",
                       "Only a file can be a hardware container; inspect reads folders");
    }
    auto file = TRY(openFile(path));
    if (!hwx::isContainer(file->bytes()) && anec::isAnec(file->bytes())) {
        auto anec = TRY(anec::readAnec(file->bytes(), file->name()));
        return Opened{std::move(file), std::move(anec.image)};
    }
    auto container = TRY(hwx::readContainer(file->bytes(), file->name()));
    return Opened{std::move(file), std::move(container)};
}

/// By path. What cannot be listed is a diagnostic, and so is what is beyond the limit.
std::vector<std::filesystem::path> containersIn(const std::filesystem::path &folder,
                                                Diagnostics &missing)
{
    namespace fs = std::filesystem;
    constexpr std::size_t kMost = 100'000;
    std::vector<fs::path> found;
    std::error_code failure;
    const auto unlisted = [&](const fs::path &path) {
        missing.push_back(
            {Severity::Error, valueError({path.string()}, "io.open", {}, {}, failure.message(),
                                         "The folder cannot be listed")});
    };
    fs::recursive_directory_iterator at(folder, failure);
    for (; !failure && at != fs::end(at); at.increment(failure)) {
        const auto ending = at->path().extension();
        if (at->symlink_status(failure).type() == fs::file_type::directory) {
            fs::directory_iterator(at->path(), failure); // which would end the listing
            if (failure) {
                unlisted(at->path());
                at.disable_recursion_pending();
            }
        } else if ((ending == ".hwx" || ending == ".anec" || ending == ".h13") &&
                   at->is_regular_file(failure)) {
            if (found.size() == kMost) {
                missing.push_back(
                    {Severity::Error,
                     ErrorBuilder("hwx.survey")
                         .file(folder.string())
                         .found("more")
                         .message(fmt::format("Only {} containers are surveyed", kMost))});
                break;
            }
            found.push_back(at->path());
        }
        failure.clear();
    }
    if (failure)
        unlisted(folder);
    std::ranges::sort(found);
    return found;
}

std::string surveyText(const report::HwxSurvey &survey)
{
    const std::vector<report::SurveyRow> rows = survey.rows();
    return fmt::format("{}, {}\n", counted(survey.files(), "container"),
                       counted(survey.tasks(), "task")) +
           (rows.empty() ? std::string("Every word has a name.\n")
                         : heading("Words without a name") + tableText(report::surveyTable, rows));
}

/// Containers that cannot be read are diagnostics; the others are surveyed.
int runSurvey(const HwxOptions &options, Context &context)
{
    report::HwxSurvey survey;
    Diagnostics diagnostics;
    const auto paths = containersIn(options.survey, diagnostics);
    if (paths.empty() && !diagnostics.empty())
        throw CommandFailure{diagnostics.front().error};
    if (paths.empty())
        throw CommandFailure{ErrorBuilder("hwx.survey")
                                 .file(options.survey)
                                 .found("no .hwx file")
                                 .message("There is no container to survey")};
    for (const std::filesystem::path &path : paths) {
        if (interrupted())
            return kDone;
        const auto opened = openContainer(path.string());
        if (opened)
            survey.add(opened->container, opened->file->bytes());
        else
            diagnostics.push_back({Severity::Error, opened.error()});
    }
    return printAnswer(
        context, diagnostics, [&] { return report::hwxSurveyDocument(survey); },
        [&] { return surveyText(survey); });
}

/// What a loader would write into every slot, or take out of it.
int runLoad(const HwxOptions &options, const Opened &opened, Context &context)
{
    const auto address = parseInteger(options.loadAt);
    if (!address || *address < 0)
        throw CommandFailure{valueError("cli.option", "--load-at", "an address such as 0x40000000",
                                        options.loadAt, "Expected an address")};
    const hwx::LoadPlan plan{static_cast<std::uint64_t>(*address)};
    const auto places = hwx::relocationSlots(opened.container, opened.file->bytes());
    const auto loaded = options.strip ? hwx::computeStrip(opened.container, places, plan)
                                      : hwx::computeLoad(opened.container, places, plan);
    const auto &diagnostics = opened.container.diagnostics;
    return printAnswer(
        context, diagnostics,
        [&] {
            return report::hwxLoadDocument(opened.container, plan, options.strip, places, loaded);
        },
        [&] { return hwxLoadText(places, loaded); });
}

/// The command `hwx`. Returns the exit code: 1 where a comparison finds a difference.
int runHwx(const HwxOptions &options, Context &context)
{
    if (options.path.empty() && options.survey.empty())
        throw CLI::RequiredError("path");
    if (!options.survey.empty())
        return runSurvey(options, context);
    const auto opened = required(openContainer(options.path));
    if (!options.other.empty()) {
        required(openContainer(options.other));
        return runHwxDiff(options, context);
    }
    if (!options.loadAt.empty())
        return runLoad(options, opened, context);
    const auto &diagnostics = opened.container.diagnostics;
    const auto bytes = opened.file->bytes();
    return printAnswer(
        context, diagnostics,
        [&] {
            return report::hwxDocument(opened.container, bytes, opened.file->name(),
                                       !options.noRegisters);
        },
        [&] {
            return hwxText(opened.container, bytes, opened.file->name(), !options.noRegisters);
        });
}

} // namespace

void addHwx(CLI::App &app, Context &context)
{
    const auto [command, options] = addCommand<HwxOptions>(
        app, context, "hwx",
        "Show a hardware container: commands, symbols, task descriptors, registers", runHwx);
    CLI::Option *path = addOption(*command, "path", "PATH", options->path, "Hardware container");
    command->add_flag("--no-registers", options->noRegisters,
                      "Leave out the registers of each task");
    addOption(*command, "--diff", "OTHER", options->other,
              "Compare with another container: tasks by what they write, weights, sections");
    addOption(*command, "--survey", "FOLDER", options->survey,
              "Values of every word without a name over the containers of a folder")
        ->excludes(path);
    CLI::Option *load =
        addOption(*command, "--load-at", "ADDRESS", options->loadAt,
                  "Load plan: what a loader would write for an image at this address")
            ->needs(path);
    command
        ->add_flag("--strip", options->strip,
                   "Of an image that was loaded there, what is left without the address")
        ->needs(load);
    addCommonOptions(*command, context, false);
    addExamples(*command, {"hwx network.hwx --no-registers", "hwx old.hwx --diff new.hwx",
                           "hwx --survey containers/", "hwx network.hwx --load-at 0x40000000"});
}

namespace {

struct OdixArguments {
    std::string path, against, memory;
    bool instructions = false;
};

BundlePtr openCompiled(const std::string &path)
{
    BundlePtr bundle = required(openBundle(path));
    if (bundle->kind() != BundleKind::Aimodelx)
        throw CommandFailure{valueError(
            {path, FileOffset(0)}, "odix.kind", {}, "a compiled Core AI program (.aimodelx, .odix)",
            bundleKindName(bundle->kind()),
            "Only compiled programs have kernels and a memory plan; inspect reads others")};
    return bundle;
}

std::string odixSummaryText(const Bundle &bundle, const odix::Compiled &compiled)
{
    const odix::Program &program = compiled.program;
    std::string text = fmt::format(
        "{}: compiled program, version {}.{}, {}, {}, {}, {}\n", printable(bundle.name()),
        program.major, program.minor,
        program.platform.empty() ? "no platform" : "platform " + printable(program.platform),
        counted(program.functions.size(), "function"),
        counted(program.constants.size(), "constant"), counted(program.symbols.size(), "symbol"));
    for (const auto &[name, functions] : program.entries)
        text += fmt::format("  entry {}: {}\n", name.empty() ? "without a name" : printable(name),
                            counted(functions.size(), "function"));
    for (const odix::Buffer &buffer : compiled.trace.buffers)
        text += fmt::format("  scratch memory: {}\n", bytesText(buffer.bytes));
    if (compiled.debug)
        text += fmt::format("  debug information: {}{}{}\n", printable(compiled.debug->format),
                            compiled.debug->format.empty() ? "" : ", ",
                            counted(compiled.debug->operations.size(), "operation"));
    return text;
}

/// Kernels by their names, with the number of calls in all functions.
std::string kernelsText(const odix::Compiled &compiled)
{
    std::string text = heading("Kernels");
    for (const report::KernelRow &row : report::kernelRows(compiled))
        text += fmt::format("  {:>6}  {}\n", grouped(row.calls), printable(row.name));
    return text;
}

std::string odixText(const Bundle &bundle, const odix::Compiled &compiled, bool instructions)
{
    std::string text =
        odixSummaryText(bundle, compiled) + kernelsText(compiled) +
        titledTable("Memory plan", report::memoryTable, report::memoryRows(compiled)) +
        titledTable("Constants", report::constantTable, report::constantRows(compiled));
    if (instructions)
        text += titledTable("Instructions", report::instructionTable,
                            report::instructionRows(compiled));
    return text;
}

/// "26 weights: 20 kept, 4 written out, 2 folded to dense".
std::string fatesText(const std::vector<report::OriginRow> &rows)
{
    std::vector<std::pair<std::string_view, std::size_t>> counts;
    for (const report::OriginRow &row : rows) {
        const std::string_view name = report::fateName(row.fate);
        const auto known =
            std::ranges::find_if(counts, [name](const auto &each) { return each.first == name; });
        if (known == counts.end())
            counts.emplace_back(name, 1);
        else
            ++known->second;
    }
    std::string text = counted(rows.size(), "weight");
    for (std::size_t i = 0; i < counts.size(); ++i)
        text += fmt::format("{} {} {}", i == 0 ? ":" : ",", counts[i].second, counts[i].first);
    return text + "\n";
}

/// `odix --against`: exit code 1 where the program was made of another package.
int runAgainst(const OdixArguments &arguments, const Bundle &bundle, Context &context)
{
    const auto package = required(openBundle(arguments.against));
    const auto rows = required(report::compiledOrigins(*package, bundle, &context.progress));
    Diagnostics diagnostics = bundle.diagnostics();
    const auto &others = package->diagnostics();
    diagnostics.insert(diagnostics.end(), others.begin(), others.end());
    const bool differs = std::ranges::any_of(
        rows, [](const auto &row) { return row.fate == report::Fate::Differs; });
    const int faults = printAnswer(
        context, diagnostics, [&] { return report::originDocument(arguments.against, rows); },
        [&] { return fatesText(rows) + tableText(report::originTable, rows); });
    return faults != kDone ? faults : differs ? kDiffers : kDone;
}

int runOdix(const OdixArguments &arguments, Context &context)
{
    const auto bundle = openCompiled(arguments.path);
    if (!arguments.against.empty())
        return runAgainst(arguments, *bundle, context);
    const auto &compiled = bundle->compiled();
    if (!arguments.memory.empty() && compiled) {
        const std::string svg = report::memoryPlanSvg(*compiled);
        required(writeFile(arguments.memory, std::as_bytes(std::span(svg)),
                           outputRules(context, *bundle)));
    }
    return printAnswer(
        context, bundle->diagnostics(),
        [&] {
            return report::odixDocument(
                compiled ? &*compiled : nullptr,
                compiled ? bundle->files()[compiled->file].file->size().value : 0);
        },
        [&] { return compiled ? odixText(*bundle, *compiled, arguments.instructions) : ""; });
}

struct SurveyArguments {
    std::string path, against;
    std::optional<std::uint64_t> minEngineBytes;
};

std::string compiledSurveyText(const coreai_cache::Survey &survey,
                               const std::optional<report::SurveyedPackage> &package)
{
    std::string text = report::surveySentence(survey) + "\n";
    if (package)
        text += fmt::format("  compiled from this file: {}\n", report::compiledFromText(*package));
    const auto containers = std::ranges::count_if(
        survey.parts, [](const auto &part) { return part.role == "hardware container"; });
    if (!survey.facts.empty())
        text +=
            heading("What it says of itself") + tableText(report::compiledFactTable, survey.facts);
    text += heading("Regions and files") + tableText(report::compiledPartTable, survey.parts);
    if (containers > 0)
        text += fmt::format("\n{}: open each with hwx or inspect\n",
                            counted(static_cast<std::uint64_t>(containers), "hardware container"));
    return text;
}

/// Exit code 1 where fewer bytes than wanted lie on the engine, or the folder is of another
/// package.
int runCompiledSurvey(const SurveyArguments &arguments, Context &context)
{
    const auto survey =
        required(coreai_cache::surveyFolder(arguments.path, &context.progress, openSmallFile));
    std::optional<report::SurveyedPackage> package;
    if (!arguments.against.empty()) {
        package.emplace();
        package->path = arguments.against;
        package->hash = required(coreai_cache::packageHash(arguments.against, openSmallFile));
        package->compiledFrom = coreai_cache::compiledFrom(survey, package->hash);
    }
    const int faults = printAnswer(
        context, survey.diagnostics, [&] { return report::surveyDocument(survey, package); },
        [&] { return compiledSurveyText(survey, package); });
    const bool fails = survey.engineBytes < arguments.minEngineBytes.value_or(0) ||
                       (package && package->compiledFrom == false);
    return faults != kDone ? faults : fails ? kDiffers : kDone;
}

} // namespace

void addOdix(CLI::App &app, Context &context)
{
    const auto [command, arguments] = addCommand<OdixArguments>(
        app, context, "odix",
        "Show a compiled Core AI program: kernels, instructions, memory plan, constants", runOdix);
    addPath(*command, arguments->path, "Compiled program (.aimodelx, .odix)");
    command->add_flag("--instructions", arguments->instructions, "List every instruction");
    command
        ->add_option("--against", arguments->against,
                     "The package that it was compiled from: what became of each weight")
        ->type_name("PACKAGE");
    addOption(*command, "--memory", "FILE", arguments->memory, "Write the memory plan as SVG")
        ->each(
            [&context](const std::string &path) { checkStream(context, "--memory", path, true); });
    command->add_flag("-f,--force", context.force,
                      "Replace the output where it exists: a file by a file, a bundle by a bundle");
    addSharedOptions(*command, context);
    addExamples(*command, {"odix model.aimodelx --instructions",
                           "odix model.aimodelx --against model.aimodel",
                           "odix model.aimodelx --memory plan.svg"});
}

void addSurvey(CLI::App &app, Context &context)
{
    const auto [command, arguments] = addCommand<SurveyArguments>(
        app, context, "survey",
        "Show what a Mac compiled: which bytes lie on the engine, in which regions",
        runCompiledSurvey);
    addPath(*command, arguments->path,
            "Compiled folder (.aimodelc, coreai-cache, .mpsgraphpackage, .bundle)");
    addOption(*command, "--against", "PACKAGE", arguments->against,
              "The .aimodel: whether the folder was compiled from it");
    addOption(*command, "--min-engine-bytes", "N", arguments->minEngineBytes,
              "Exit status 1 where fewer bytes lie on the engine")
        ->check(wholeNumber());
    addSharedOptions(*command, context);
    addExamples(*command, {"survey model.h17c.aimodelc --against model.aimodel",
                           "survey model.h17c.aimodelc --min-engine-bytes 400000000"});
}

} // namespace kernscope::cli
