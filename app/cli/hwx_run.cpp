// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/hwx_run.h"

#include "app/cli/command.h"
#include "app/cli/hwx_diff.h"
#include "app/cli/hwx_text.h"
#include "app/cli/text_output.h"
#include "core/base/csv.h"
#include "core/base/error_builder.h"
#include "core/base/overlaid_file.h"
#include "core/bundle/bundle.h"
#include "core/container/anec/anec.h"
#include "core/container/hwx/slots.h"
#include "core/report/command_json.h"
#include "core/report/register_table.h"

#include <algorithm>
#include <filesystem>
#include <iterator>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace kernscope::cli {

namespace {

struct Opened {
    std::shared_ptr<OverlaidFile> file;
    hwx::Container container;
};

Result<Opened> openContainer(const std::string &path)
{
    std::error_code fault;
    if (std::filesystem::is_directory(path, fault)) {
        return ErrorBuilder("io.open")
            .file(path)
            .expected("a hardware container (.hwx, .anec)")
            .found("a folder")
            .message("Only a file can be a hardware container; inspect reads folders")
            .unexpected();
    }
    auto file = openFile(path);
    if (!file)
        return tl::unexpected(std::move(file.error()));
    if (!hwx::isContainer((*file)->bytes()) && anec::isAnec((*file)->bytes())) {
        auto anec = anec::readAnec((*file)->bytes(), (*file)->name());
        if (!anec)
            return tl::unexpected(std::move(anec.error()));
        return Opened{std::move(*file), std::move(anec->image)};
    }
    auto container = hwx::readContainer((*file)->bytes(), (*file)->name());
    if (!container)
        return tl::unexpected(std::move(container.error()));
    return Opened{std::move(*file), std::move(*container)};
}

std::vector<std::filesystem::path> containersIn(const std::string &folder)
{
    constexpr std::size_t kMost = 100'000;
    std::vector<std::filesystem::path> found;
    std::error_code failure;
    std::filesystem::recursive_directory_iterator at(
        folder, std::filesystem::directory_options::skip_permission_denied, failure);
    for (; !failure && at != std::filesystem::recursive_directory_iterator();
         at.increment(failure)) {
        const auto ending = at->path().extension();
        const bool named = ending == ".hwx" || ending == ".anec" || ending == ".h13";
        if (named && at->is_regular_file(failure) && found.size() < kMost)
            found.push_back(at->path());
    }
    std::sort(found.begin(), found.end());
    return found;
}

std::string surveyText(const report::HwxSurvey &survey)
{
    const std::vector<report::SurveyRow> rows = survey.rows();
    return fmt::format("{}, {}\n", counted(survey.files(), "container"),
                       counted(survey.tasks(), "task")) +
           (rows.empty() ? std::string("Every word has a name.\n")
                         : heading("Words without a name") +
                               terminalText(textTable(report::surveyTable(), rows)));
}

/// Containers that cannot be read are diagnostics; the others are surveyed.
int runSurvey(const HwxOptions &options, Context &context)
{
    report::HwxSurvey survey;
    Diagnostics diagnostics;
    const auto paths = containersIn(options.survey);
    if (paths.empty()) {
        return reportFailure(
            context, "hwx",
            ErrorBuilder(std::filesystem::is_directory(options.survey) ? "hwx.survey" : "io.open")
                .file(options.survey)
                .expected("a folder with .hwx files")
                .message("There is no container to survey"));
    }
    for (const std::filesystem::path &path : paths) {
        if (interrupted())
            return kDone;
        const auto opened = openContainer(path.string());
        if (opened)
            survey.add(opened->container, opened->file->bytes());
        else
            diagnostics.push_back({Severity::Error, opened.error()});
    }
    if (context.json) {
        report::Json document = report::hwxSurveyDocument(survey);
        printDocument(context, document, diagnostics);
    } else {
        if (!context.quiet)
            print(surveyText(survey));
        printDiagnostics(context, diagnostics);
    }
    return cli::exitCodeOf(diagnostics);
}

/// What a loader would write into every slot, or take out of it.
int runLoad(const HwxOptions &options, const Opened &opened, Context &context)
{
    const auto address = parseInteger(options.loadAt);
    if (!address || *address < 0) {
        return reportFailure(context, "hwx",
                             ErrorBuilder("cli.option")
                                 .field("--load-at")
                                 .expected("an address such as 0x40000000")
                                 .found(options.loadAt)
                                 .message("This is no address"));
    }
    const hwx::LoadPlan plan{static_cast<std::uint64_t>(*address)};
    const auto places = hwx::relocationSlots(opened.container, opened.file->bytes());
    const auto loaded = options.strip ? hwx::computeStrip(opened.container, places, plan)
                                      : hwx::computeLoad(opened.container, places, plan);
    const auto &diagnostics = opened.container.diagnostics;
    if (context.json) {
        report::Json document =
            report::hwxLoadDocument(opened.container, plan, options.strip, places, loaded);
        printDocument(context, document, diagnostics);
    } else {
        if (!context.quiet)
            print(hwxLoadText(places, loaded));
        printDiagnostics(context, diagnostics);
    }
    return cli::exitCodeOf(diagnostics);
}

} // namespace

int runHwx(const HwxOptions &options, Context &context)
{
    if (!options.survey.empty())
        return runSurvey(options, context);
    const auto opened = openContainer(options.path);
    if (!opened)
        return reportFailure(context, "hwx", opened.error());
    if (!options.other.empty()) {
        if (const auto other = openContainer(options.other); !other)
            return reportFailure(context, "hwx", other.error());
        return runHwxDiff(options, context);
    }
    if (!options.loadAt.empty())
        return runLoad(options, *opened, context);
    const auto &diagnostics = opened->container.diagnostics;
    const auto bytes = opened->file->bytes();
    if (context.json) {
        report::Json document = report::hwxDocument(opened->container, bytes, opened->file->name(),
                                                    {!options.noRegisters});
        printDocument(context, document, diagnostics);
    } else {
        if (!context.quiet)
            print(hwxText(opened->container, bytes, opened->file->name(), !options.noRegisters));
        printDiagnostics(context, diagnostics);
    }
    return exitCodeOf(diagnostics);
}

} // namespace kernscope::cli
