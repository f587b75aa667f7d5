// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/command.h"
#include "core/base/error_builder.h"
#include "core/base/files.h"
#include "core/base/sandbox.h"
#include "core/bundle/bundle.h"
#include "core/patch/patch.h"
#include "core/patch/save/journal.h"
#include "core/patch/save/save_key.h"
#include "resources/sample.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace {

namespace cli = kernscope::cli;

/// As CLI11 takes them, last first. "help [COMMAND]" is the command's --help.
std::vector<std::string> argumentsOf(int argc, char **argv, cli::Context &context)
{
    std::vector<std::string> arguments(argv + 1, argv + argc);
    // Known before the parser has got there: a document answers for every mistake.
    context.json = std::ranges::find(arguments, "--json") != arguments.end();
    if (!arguments.empty() && arguments.front() == "help") {
        arguments.erase(arguments.begin());
        arguments.push_back("--help");
    }
    std::ranges::reverse(arguments);
    return arguments;
}

int run(int argc, char **argv, cli::Context &context)
{
    CLI::App app("Inspects, decodes, compares and patches compiled neural-network weights.",
                 "kernscope-cli");
    app.set_version_flag("-V,--version", "kernscope-cli " KERNSCOPE_VERSION);
    app.require_subcommand(1);
    app.formatter(cli::helpFormatter());
    cli::addInspect(app, context);
    cli::addWeight(app, context);
    cli::addBytes(app, context);
    cli::addDecode(app, context);
    cli::addDiff(app, context);
    cli::addFind(app, context);
    cli::addGraph(app, context);
    cli::addPatch(app, context);
    cli::addRecover(app, context);
    cli::addConvert(app, context);
    cli::addEncode(app, context);
    cli::addQuantize(app, context);
    cli::addHwx(app, context);
    cli::addOdix(app, context);
    cli::addSurvey(app, context);
    cli::addAudit(app, context);
    cli::addChips(app, context);
    cli::addPlan(app, context);
    cli::addEngine(app, context);
    cli::addSection(app, context);
    cli::addSelftest(app, context);
    cli::groupCommands(app);
    app.footer("kernscope-cli help scripts: each command with what it prints as JSON");
    if (argc == 3 && std::string_view(argv[1]) == "help" &&
        std::string_view(argv[2]) == "scripts") {
        cli::print(std::string(cli::kScriptsPage));
        context.command = "help";
        return cli::finish(context, cli::kDone);
    }
    if (argc > 1 && std::string_view(argv[1]) == "completion") {
        cli::printCompletions(app, {argv + 2, argv + argc});
        context.command = "completion";
        return cli::finish(context, cli::kDone);
    }
    try {
        app.parse(argumentsOf(argc, argv, context));
    } catch (const CLI::ParseError &error) {
        return cli::reportParseError(app, error, context);
    } catch (const cli::UsageFailure &failure) {
        return cli::reportUsage(context, failure.error);
    } catch (const cli::CommandFailure &failure) {
        context.exitCode = failure.usage ? cli::reportUsage(context, failure.error)
                                         : cli::reportFailure(context, failure.error);
    }
    cli::finishJournals(context);
    return cli::finish(context, context.exitCode);
}

/// Commands that write into what they were given, or beside it: the others only read.
constexpr std::array<std::string_view, 9> kWritingCommands{"convert", "dequantize", "encode",
                                                           "patch",   "plan",       "quantize",
                                                           "recover", "section",    "selftest"};
/// Options whose value is a file to be written.
constexpr std::array<std::string_view, 6> kOutputOptions{"-o",    "--output", "--svg",
                                                         "--dot", "--memory", "--report"};

/// Links of a folder lead elsewhere, as those of a download cache do: the files that they lead to
/// are read. A folder that a link leads to is not.
void addLinkTargets(const std::filesystem::path &folder, std::vector<std::filesystem::path> &out)
{
    namespace fs = std::filesystem;
    constexpr std::size_t kMaxEntries = 20000;
    std::error_code fault;
    fs::recursive_directory_iterator entry(folder, fs::directory_options::skip_permission_denied,
                                           fault);
    for (std::size_t i = 0; !fault && i < kMaxEntries && entry != fs::end(entry); ++i) {
        std::error_code none;
        if (entry->is_symlink(none) && entry->is_regular_file(none))
            out.push_back(entry->path());
        entry.increment(fault);
    }
}

/// A file refers to files beside it, a program to those in "weights" as well.
void addNeighbours(const std::filesystem::path &file, kernscope::SandboxRights &rights)
{
    namespace fs = std::filesystem;
    constexpr std::size_t kMaxEntries = 4096;
    rights.read.push_back(file);
    rights.list.push_back(file.parent_path());
    rights.read.push_back(file.parent_path() / "weights");
    std::error_code fault;
    fs::directory_iterator entry(file.parent_path(), fault);
    for (std::size_t i = 0; !fault && i < kMaxEntries && entry != fs::end(entry); ++i) {
        std::error_code none;
        if (entry->is_regular_file(none))
            rights.read.push_back(entry->path());
        entry.increment(fault);
    }
}

/// Of "-o" and "-fo" what stands for the output, of "-oNAME" with it: where the name begins.
std::size_t shortOutput(std::string_view argument)
{
    const std::size_t letter = argument.find_first_not_of("fq", 1);
    const bool isShort = argument.size() > 1 && argument[0] == '-' && letter != argument.npos;
    return isShort && argument[letter] == 'o' ? letter + 1 : 0;
}

/// A command that only reads keeps its rights on the paths that it was given: of a file, on the
/// files that lie beside it, for models refer to those. See "Rights" of the manual page.
void giveUpRights(std::span<char *const> arguments)
{
    namespace fs = std::filesystem;
    const char *wanted = std::getenv("KERNSCOPE_SANDBOX");
    if (arguments.size() < 2 || (wanted != nullptr && std::string_view(wanted) == "off") ||
        std::ranges::find(kWritingCommands, arguments[1]) != kWritingCommands.end())
        return;
    kernscope::SandboxRights rights;
    std::error_code fault;
    rights.read.push_back(kernscope::stateFolder());
    for (const fs::path &scratch : {fs::path("/var/tmp"), fs::temp_directory_path(fault)})
        rights.write.push_back(scratch);
    std::vector<fs::path> folders;
    std::string_view option;
    for (const std::string_view argument : arguments.subspan(2)) {
        const std::size_t equals = argument.find('=');
        if (argument.starts_with('-') && equals != argument.npos)
            option = argument.substr(0, equals);
        const std::size_t output = shortOutput(argument);
        const bool attached = output > 0 && output < argument.size();
        const fs::path path(attached ? argument.substr(output)
                            : argument.starts_with('-') && equals != argument.npos
                                ? argument.substr(equals + 1)
                                : argument);
        if (attached || std::ranges::find(kOutputOptions, option) != kOutputOptions.end()) {
            const fs::path target = fs::weakly_canonical(fs::absolute(path, fault), fault);
            rights.write.push_back(target.parent_path());
        } else if (const fs::path real = fs::canonical(
                       path.parent_path().extension() == ".pte" ? path.parent_path() : path, fault);
                   !fault) { // "x.pte/1" is in a file
            if (fs::is_directory(fs::symlink_status(real, fault))) {
                rights.read.push_back(real);
                folders.push_back(real);
                addLinkTargets(real, rights.read);
            } else {
                addNeighbours(real, rights);
                if (fs::is_symlink(fs::symlink_status(path, fault)))
                    addNeighbours(fs::absolute(path, fault), rights);
            }
        }
        option = output > 0 ? "-o" : argument;
    }
    // Journals of interrupted saves lie beside what they are of, or where that was once.
    folders.insert(folders.end(), rights.list.begin(), rights.list.end());
    for (const fs::path &folder : folders)
        rights.read.push_back(kernscope::patch::journalPath(folder));
    for (const kernscope::patch::SaveKey &key : kernscope::patch::pendingSaveKeys())
        rights.read.push_back(key.journal);
    kernscope::enterSandbox(rights);
}

/// Reports an exception that ended the command, such as a lack of memory, by a document
/// with --json even then.
int reportException(cli::Context &context, const char *what) noexcept
{
    const bool memory = std::string_view(what) == "std::bad_alloc";
    try {
        cli::discardOutput();
        return cli::reportFailure(
            context, kernscope::ErrorBuilder(memory ? "io.memory" : "io.system")
                         .found(what)
                         .message(memory ? "There is not enough memory for this"
                                         : "The system refused something that is needed"));
    } catch (...) { // not even for that sentence
        cli::discardOutput();
        constexpr std::string_view kDocument =
            "{\"schema\":1,\"tool\":\"kernscope\",\"version\":\"" KERNSCOPE_VERSION
            "\",\"command\":\"\",\"diagnostics\":[{\"severity\":\"error\",\"code\":\"io.memory\","
            "\"message\":\"There is not enough memory for this\"}]}\n";
        if (context.json && cli::takeStandardOutput())
            std::fwrite(kDocument.data(), 1, kDocument.size(), stdout);
        std::fputs("kernscope-cli: there is not enough memory for this\n", stderr);
        return cli::kIo;
    }
}

} // namespace

int main(int argc, char **argv)
{
    cli::beginPager();
    giveUpRights({argv, static_cast<std::size_t>(argc)});
    cli::Context context;
    int exitCode = cli::kIo;
    auto reserve =
        std::make_unique<char[]>(std::size_t{1} << 18); // for the message about a lack of memory
    try {
        cli::beginInterrupt(context);
        exitCode = run(argc, argv, context);
    } catch (const std::exception &failure) {
        reserve.reset();
        exitCode = reportException(context, failure.what());
    } catch (...) {
        exitCode = reportException(context, "an exception of no known type");
    }
    cli::writeOutput(); // what is left where it ended otherwise
    exitCode = cli::endInterrupt(context, exitCode);
    cli::writeOutput(); // that it was stopped
    return exitCode;
}

namespace kernscope::cli {

namespace {

using report::SelftestStep;
namespace fs = std::filesystem;

/// A folder of our own below the system's temporary one, gone at the end.
class TemporaryFolder
{
public:
    TemporaryFolder()
    {
        std::error_code fault;
        std::string name = fs::temp_directory_path(fault) / "kernscope-selftest-XXXXXX";
        if (!fault && ::mkdtemp(name.data()) != nullptr)
            m_path = name;
    }
    ~TemporaryFolder()
    {
        std::error_code ignored;
        if (!m_path.empty())
            fs::remove_all(m_path, ignored);
    }
    TemporaryFolder(const TemporaryFolder &) = delete;
    TemporaryFolder &operator=(const TemporaryFolder &) = delete;

    const fs::path &path() const { return m_path; }

private:
    fs::path m_path;
};

class Selftest
{
public:
    std::vector<SelftestStep> run()
    {
        if (openAll()) {
            for (const BundlePtr &bundle : m_bundles)
                coverAndDecode(*bundle);
            compare();
            patchInMemory();
            saveAndReadBack();
        }
        return std::move(m_steps);
    }

private:
    bool step(std::string name, bool passed, std::string detail = {})
    {
        m_steps.push_back({std::move(name), passed, std::move(detail)});
        return passed;
    }
    bool failed(std::string name, const Error &error)
    {
        return step(std::move(name), false, describe(error));
    }

    bool openAll()
    {
        for (sample::SampleBundle &made : sample::bundles()) {
            const auto opened = Bundle::open(made.name, OpenOptions{std::move(made.files)});
            if (!opened)
                return failed("open " + made.name, opened.error());
            const Diagnostics &rows = (*opened)->diagnostics();
            if (!step("open " + made.name, !hasErrors(rows) && !(*opened)->weights().empty(),
                      fmt::format("{} weights, {} diagnostics", (*opened)->weights().size(),
                                  rows.size())))
                return false;
            m_bundles.push_back(*opened);
        }
        sample::SampleBundle made = sample::coreAi();
        const auto opened = Bundle::open(made.name, OpenOptions{std::move(made.files)});
        if (!opened)
            return failed("open " + made.name, opened.error());
        if (!step("open " + made.name, (*opened)->diagnostics().empty(),
                  fmt::format("{} weights", (*opened)->weights().size())))
            return false;
        coverAndDecode(**opened);
        return step("dense, sparse and palette sample", m_bundles.size() == 3);
    }

    void coverAndDecode(const Bundle &bundle)
    {
        std::size_t file = kNoIndex;
        std::uint64_t at = 0;
        bool covered = true;
        for (const Section &section : bundle.sections()) {
            if (section.file != file)
                at = 0;
            file = section.file;
            covered = covered && section.range.offset.value == at;
            at = section.range.end();
        }
        step(bundle.name() + ": sections cover every byte", covered);

        std::uint64_t elements = 0;
        for (std::size_t i = 0; i < bundle.weights().size(); ++i) {
            const auto figures = computeStatistics(bundle, i, {true, true});
            if (!figures) {
                failed(bundle.name() + ": decode " + bundle.weights()[i].name, figures.error());
                return;
            }
            elements += figures->elements;
        }
        step(bundle.name() + ": decode and hash every weight",
             hasErrors(verifyPayloads(bundle)) == false, fmt::format("{} elements", elements));
    }

    void compare()
    {
        const auto difference = compareBundles(*m_bundles[0], *m_bundles[1], {true, 0, true});
        if (!difference) {
            failed("compare dense and sparse", difference.error());
            return;
        }
        bool exact = difference->weights.size() == m_bundles[0]->weights().size();
        std::uint64_t zeroed = 0;
        for (const ComparedPair &pair : difference->weights) {
            exact = exact && pair.values && pair.values->changed == 0 && pair.values->revived == 0;
            zeroed += pair.values ? pair.values->zeroed : 0;
        }
        step("compare dense and sparse: kept values exact", exact && zeroed > 0,
             fmt::format("{} elements zeroed", zeroed));
    }

    static Edit editOf(const Bundle &bundle, codec::PartRole role, Edit::Kind kind)
    {
        Edit edit;
        edit.kind = kind;
        for (const Weight &weight : bundle.weights()) {
            if (weight.has(role)) {
                edit.weight = weight.name;
                break;
            }
        }
        return edit;
    }

    void patchInMemory()
    {
        Edit edit = editOf(*m_bundles[2], codec::PartRole::Lut, Edit::Kind::Codebook);
        edit.indices = {IndexRange{0, 0, false, true}, IndexRange{3, 0, false, true}};
        edit.value = 0.25;
        const auto plan = planEdits(m_bundles[2], {edit}, 0);
        if (!plan) {
            failed("plan a codebook edit", plan.error());
            return;
        }
        const auto after = applyEdit(m_bundles[2], plan->front());
        const bool applied = after && (*after)->modified() && plan->front().stored == 0.25;
        step("patch a codebook entry", applied, plan->front().note);
        const auto back = after ? revertEdit(*after, plan->front()) : after;
        step("undo it", back && !(*back)->modified());
    }

    void saveAndReadBack()
    {
        const TemporaryFolder folder;
        ::setenv("XDG_STATE_HOME", folder.path().c_str(), 1); // nothing of it is the user's
        const fs::path copy = folder.path() / "copy.mlmodelc";
        const auto saved = saveCopy(*m_bundles[0], copy);
        if (!saved) {
            failed("save a copy", saved.error());
            return;
        }
        step("save a copy", saved->verified);
        const auto opened = Bundle::open(copy);
        if (!opened) {
            failed("open the copy", opened.error());
            return;
        }
        Edit edit = editOf(**opened, codec::PartRole::Data, Edit::Kind::Set);
        edit.indices = {IndexRange{1, 0, false, true}};
        edit.value = 0.5;
        const auto plan = planEdits(*opened, {edit}, 0);
        const auto after = plan ? applyEdit(*opened, plan->front())
                                : Result<BundlePtr>(tl::unexpected(plan.error()));
        const auto written =
            after ? saveInPlace(**after, false) : Result<SaveReport>(tl::unexpected(after.error()));
        if (!written) {
            failed("patch the copy in place", written.error());
            return;
        }
        step("patch the copy in place", written->verified,
             fmt::format("{} bytes written", written->bytesWritten.value));
        const auto again = Bundle::open(copy);
        const auto difference = again ? compareBundles(*m_bundles[0], **again, {true, 0, true})
                                      : Result<Difference>(tl::unexpected(again.error()));
        std::uint64_t changed = 0;
        if (difference) {
            for (const ComparedPair &pair : difference->weights)
                changed += pair.values ? pair.values->changed : 0;
        }
        step("read it back: one element differs", changed == 1);
    }

    std::vector<SelftestStep> m_steps;
    std::vector<BundlePtr> m_bundles;
};

/// Takes the embedded sample end to end, in memory and in a temporary folder that it removes.
/// Stops at the first step that the later ones need.
void runSelftestCommand(Context &context)
{
    const WritingScope scope; // into a folder that it removes at the end
    const std::vector<SelftestStep> steps = Selftest().run();
    std::size_t failed = 0;
    for (const SelftestStep &step : steps)
        failed += step.passed ? 0 : 1;
    context.exitCode = failed == 0 ? kDone : kDiffers;
    if (context.json)
        return printDocument(report::selftestJson(steps), {});
    for (const SelftestStep &step : steps) {
        if (context.quiet && step.passed)
            continue;
        print(fmt::format("  {}  {}{}\n",
                          step.passed ? styled(Style::Good, "holds") : styled(Style::Bad, "FAILS"),
                          step.name, step.detail.empty() ? "" : ": " + step.detail));
    }
    if (!context.quiet)
        print(fmt::format("{} of {} steps hold\n", steps.size() - failed, steps.size()));
}

} // namespace

void addSelftest(CLI::App &app, Context &context)
{
    CLI::App *command =
        app.add_subcommand("selftest", "Take the embedded sample the whole way: open, decode, "
                                       "compare, patch, save, read back");
    addCommonOptions(*command, context, false);
    addExamples(*command, {"selftest"});
    command->callback([&context] { runSelftestCommand(context); });
}

} // namespace kernscope::cli
