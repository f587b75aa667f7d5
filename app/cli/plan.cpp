// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/plan.h"

#include "app/cli/output_file.h"
#include "app/cli/text_output.h"
#include "app/cli/usage.h"
#include "core/assessment/activations.h"
#include "core/base/overlaid_file.h"
#include "core/bundle/bundle.h"
#include "core/plan/inputs.h"
#include "core/target/rules.h"

#include <filesystem>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace kernscope::cli {

namespace {

constexpr const char *kPlanCommand = "plan";

/// Where people asked for what there is not, and where the answer is that there is no plan.
int refusePlan(Context &context, const Error &error)
{
    if (error.code == "plan.form" || error.code == "plan.forced" || error.code == "plan.report")
        return reportUsage(context, kPlanCommand, error);
    if (error.code == "task.cancelled" && interrupted())
        return reportStopped(context, kPlanCommand);
    const int code = reportFailure(context, kPlanCommand, error);
    return error.code == "plan.infeasible" || error.code == "plan.open" ? int(kDiffers) : code;
}

Result<plan::Limits> planLimitsOf(const PlanOptions &options)
{
    plan::Limits limits;
    limits.goal = plan::goalFromName(options.minimise);
    limits.tolerance = options.tolerance;
    if (options.totalTolerance >= 0)
        limits.totalTolerance = options.totalTolerance;
    if (options.maxBytes > 0)
        limits.maxBytes = options.maxBytes;
    limits.frontPoints = options.points;
    for (const std::string &text : options.forced) {
        const auto at = text.rfind('=');
        if (at == text.npos || at == 0)
            return tl::unexpected(usageError("--force-form", "PATTERN=FORM", text,
                                             "A form by hand needs a weight and a form"));
        limits.forced.emplace_back(text.substr(0, at), text.substr(at + 1));
    }
    return limits;
}

/// The kind of a report, by the end of its name.
Result<std::string> reportKind(const std::string &path)
{
    static constexpr OutputEnding kEndings[] = {
        {".html", ".html"}, {".md", ".md"}, {".json", ".json"}, {".csv", ".csv"}};
    if (path.empty())
        return path;
    return outputFormat(path, {}, kEndings, "--report");
}

Result<void> readMeasured(const PlanOptions &options, const Bundle &bundle,
                          plan::SurveyOptions &survey)
{
    if (!options.activations.empty()) {
        const auto arrays = openBundle(options.activations);
        if (!arrays)
            return tl::unexpected(arrays.error());
        auto inputs = readActivations(bundle, **arrays);
        if (!inputs)
            return tl::unexpected(inputs.error());
        survey.inputs = std::move(*inputs);
    }
    if (!options.sensitivity.empty()) {
        const auto file = openFile(options.sensitivity);
        if (!file)
            return tl::unexpected(file.error());
        const auto bytes = (*file)->bytes();
        auto sensitivity = plan::readSensitivity(
            bundle, {reinterpret_cast<const char *>(bytes.data()), bytes.size()},
            options.sensitivity);
        if (!sensitivity)
            return tl::unexpected(sensitivity.error());
        survey.sensitivity = std::move(*sensitivity);
    }
    return {};
}

Result<plan::SurveyOptions> surveyOptions(const PlanOptions &options, const plan::Limits &limits,
                                          const Bundle &bundle, Context &context)
{
    plan::SurveyOptions survey;
    const std::vector<std::string> standard{target::defaultTarget().name};
    for (const std::string &name : options.targets.empty() ? standard : options.targets) {
        const auto found = target::findTarget(name);
        if (!found)
            return tl::unexpected(found.error());
        survey.targets.push_back(found->target);
    }
    survey.batch = options.batch;
    for (const std::string &text : options.shapes) {
        auto binding = shapes::parseBinding(text);
        if (!binding)
            return tl::unexpected(std::move(binding.error()));
        survey.shapes.push_back(std::move(*binding));
    }
    if (const auto bound = survey.shapes.empty() ? bindDefaults(bundle) : std::nullopt) {
        survey.shapes = bound->summary.bound;
        survey.defaultShapes = true;
    }
    survey.forms = options.forms;
    survey.forced = limits.forced;
    survey.model =
        options.error == "outputs" ? plan::ErrorModel::Outputs : plan::ErrorModel::Weights;
    survey.progress = &context.progress;
    if (auto read = readMeasured(options, bundle, survey); !read)
        return tl::unexpected(std::move(read.error()));
    return survey;
}

/// Everything of one plan, from the options to what is printed.
class PlanRun
{
public:
    PlanRun(const PlanOptions &options, Context &context) : m_options(options), m_context(context)
    {
    }

    Result<void> prepare();
    Result<void> make();
    Result<void> write();
    int print();

private:
    report::PlanSubject subject() const;
    OutputRules rules() const;

    const PlanOptions &m_options;
    Context &m_context;
    plan::Limits m_limits;
    plan::SurveyOptions m_surveyOptions;
    BundlePtr m_bundle;
    plan::Survey m_survey;
    plan::Plan m_plan;
    std::optional<plan::PlannedBundle> m_made;
    std::vector<plan::Build> m_builds;
};

report::PlanSubject PlanRun::subject() const
{
    report::PlanSubject subject;
    subject.bundle = m_bundle->name();
    subject.output = m_options.output;
    subject.survey = m_made ? &m_made->survey : &m_survey;
    subject.plan = m_made ? &m_made->plan : &m_plan;
    subject.limits = &m_limits;
    subject.raised = m_made ? &m_made->raised : nullptr;
    subject.builds = m_builds;
    subject.candidates = m_options.candidates;
    return subject;
}

/// Neither output takes the place of anything that is read.
OutputRules PlanRun::rules() const
{
    OutputRules rules = outputRules(m_context, *m_bundle);
    for (const std::string &path : {m_options.activations, m_options.sensitivity}) {
        if (!path.empty())
            rules.inputs.emplace_back(path);
    }
    rules.inputs.insert(rules.inputs.end(), m_options.compare.begin(), m_options.compare.end());
    return rules;
}

/// What can be refused before any work.
Result<void> PlanRun::prepare()
{
    auto limits = planLimitsOf(m_options);
    if (!limits)
        return tl::unexpected(std::move(limits.error()));
    m_limits = std::move(*limits);
    m_limits.progress = &m_context.progress;
    if (auto kind = reportKind(m_options.report); !kind)
        return tl::unexpected(std::move(kind.error()));
    auto bundle = openBundle(m_options.path);
    if (!bundle)
        return tl::unexpected(std::move(bundle.error()));
    m_bundle = std::move(*bundle);
    auto survey = surveyOptions(m_options, m_limits, *m_bundle, m_context);
    if (!survey)
        return tl::unexpected(std::move(survey.error()));
    m_surveyOptions = std::move(*survey);
    const OutputRules rules = this->rules();
    if (!m_options.output.empty()) {
        if (auto free = checkOutput(m_options.output, OutputKind::Folder, rules); !free)
            return tl::unexpected(std::move(free.error()));
    }
    if (!m_options.report.empty()) {
        if (auto free = checkOutput(m_options.report, OutputKind::File, rules); !free)
            return tl::unexpected(std::move(free.error()));
    }
    return {};
}

Result<void> PlanRun::make()
{
    const ProgressLine line(m_context, "Planning");
    auto survey = plan::survey(*m_bundle, m_surveyOptions);
    if (!survey)
        return tl::unexpected(std::move(survey.error()));
    m_survey = std::move(*survey);
    auto plan = plan::solve(m_survey, m_limits);
    if (!plan)
        return tl::unexpected(std::move(plan.error()));
    m_plan = std::move(*plan);
    for (const std::string &path : m_options.compare) {
        const auto other = openBundle(path);
        if (!other)
            return tl::unexpected(other.error());
        auto build = plan::measureBuild(*m_bundle, m_survey, m_surveyOptions, **other);
        if (!build)
            return tl::unexpected(std::move(build.error()));
        m_builds.push_back(std::move(*build));
    }
    if (m_options.output.empty())
        return {};
    auto made = plan::carryOut(*m_bundle, m_surveyOptions, std::move(m_survey), m_limits,
                               std::move(m_plan));
    if (!made)
        return tl::unexpected(std::move(made.error()));
    m_made = std::move(*made);
    return {};
}

/// The report is written beside its place first, and gets its name after the bundle has its own.
Result<void> PlanRun::write()
{
    if (auto same = checkInputs(); !same)
        return same;
    std::optional<OutputFile> report;
    if (!m_options.report.empty()) {
        auto file = OutputFile::create(m_options.report, rules());
        if (!file)
            return tl::unexpected(std::move(file.error()));
        const std::string text = report::planReport(*reportKind(m_options.report), subject());
        if (auto written = file->write(std::as_bytes(std::span(text))); !written)
            return written;
        report.emplace(std::move(*file));
    }
    if (m_made) {
        const ProgressLine line(m_context, "Writing");
        const auto saved =
            writeCopy(m_context, *m_made->bundle, m_options.output, m_bundle->path());
        if (!saved)
            return tl::unexpected(saved.error());
    }
    if (report) {
        if (auto named = report->commit(); !named)
            return named;
    }
    if (m_made || report)
        outputInPlace();
    return {};
}

int PlanRun::print()
{
    const report::PlanSubject shown = subject();
    const auto &shaped = shown.survey->shaped;
    const Diagnostics &diagnostics = (shaped ? *shaped->bundle : *m_bundle).diagnostics();
    if (m_context.json || m_options.format == "json") {
        report::Json document = report::planJson(shown);
        printDocument(m_context, document, diagnostics);
        return exitCodeOf(diagnostics);
    }
    if (m_options.format == "csv")
        cli::print(report::planReport(".csv", shown));
    else if (!m_context.quiet)
        cli::print(planText(shown));
    printDiagnostics(m_context, diagnostics);
    return exitCodeOf(diagnostics);
}

} // namespace

int runPlan(const PlanOptions &options, Context &context)
{
    context.json = context.json || options.format == "json";
    PlanRun run(options, context);
    for (const auto &step : {&PlanRun::prepare, &PlanRun::make, &PlanRun::write}) {
        if (auto done = (run.*step)(); !done)
            return refusePlan(context, done.error());
        if (interrupted())
            return reportStopped(context, kPlanCommand);
    }
    return run.print();
}

} // namespace kernscope::cli
