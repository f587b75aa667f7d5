// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/chips.h"
#include "core/assessment/activations.h"
#include "core/base/overlaid_file.h"
#include "core/bundle/bundle.h"
#include "core/plan/weight_error.h"
#include "core/report/plan_table.h"
#include "core/target/target.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace kernscope::cli {

namespace {

struct PlanOptions {
    std::string path;
    std::vector<std::string> targets; ///< empty: the default one
    double tolerance = 0.01;
    double totalTolerance = -1; ///< negative: none
    std::uint64_t maxBytes = 0; ///< 0: no limit
    std::string minimise;       ///< empty: what the times that are known allow
    std::string error = "weights";
    std::uint64_t batch = 1;
    std::vector<std::string> shapes;      ///< "INPUT=N,N,..."
    std::string activations, sensitivity; ///< files; empty: none
    std::vector<std::string> forms;       ///< patterns; empty: all
    std::vector<std::string> compare;     ///< other builds of the network
    std::vector<std::string> forced;      ///< "PATTERN=FORM"
    std::uint64_t points = 20;            ///< of each front
    bool candidates = false;
    std::string format = "text"; ///< text, json, csv
    std::string output, report;
};

using report::PlanSubject;

std::string planTitle(const PlanSubject &subject)
{
    const plan::Limits &limits = *subject.limits;
    std::string chips;
    for (const target::Target *target : subject.survey->targets)
        chips += (chips.empty() ? "" : ", ") + target->name;
    std::string text =
        fmt::format("{} on {}: least {}, error of a layer at most {:g}", printable(subject.bundle),
                    chips, plan::goalName(subject.plan->goal), limits.tolerance);
    if (limits.totalTolerance)
        text += fmt::format(", of the network at most {:g}", *limits.totalTolerance);
    if (limits.maxBytes)
        text += fmt::format(", at most {} B stored", grouped(*limits.maxBytes));
    return text + "\n";
}

std::string planWeights(const PlanSubject &subject)
{
    return heading("Weights") +
           tableText(
               report::plannedWeightTable,
               report::plannedWeights(*subject.survey, subject.plan->choice, subject.plan->why));
}

std::string planFront(const PlanSubject &subject, const char *axis,
                      const std::vector<plan::FrontPoint> &points, const plan::FrontCount &count)
{
    return titledTable(report::frontTitle(axis, points, count), report::frontTable,
                       report::frontRows(subject, axis, points));
}

/// For people: what each weight becomes, before and after, the front.
std::string planText(const PlanSubject &subject)
{
    const plan::Plan &plan = *subject.plan;
    std::string text = planTitle(subject);
    if (subject.verdict)
        text += verdictText(*subject.verdict);
    text += plan.proven ? "  proven: no other choice of the forms that were tried is better\n"
                        : fmt::format("  has {:.6g}; no choice has less than {:.6g}\n", plan.cost,
                                      plan.bound);
    for (const std::string &note : report::planNotes(subject))
        text += "  " + printable(note) + "\n";
    text += planWeights(subject) + heading("Before and after") +
            tableText(report::planTotalsTable, report::planTotals(subject));
    text += planFront(subject, "stored bytes", plan.storedFront, plan.storedCount);
    text += planFront(subject, "time", plan.timeFront, plan.timeCount);
    if (!subject.builds.empty())
        text += heading("Other builds") +
                tableText(report::buildTotalsTable, report::buildTotals(subject, false));
    if (const auto contested = report::contestedOf(subject); !contested.empty()) {
        text += heading("Sources disagree");
        for (const std::string &line : contested)
            text += "  " + line + "\n";
    }
    text += heading("Rules");
    for (const std::string &rule : report::planRules(*subject.survey))
        text += "  " + rule + "\n";
    if (subject.raised != nullptr) {
        for (const plan::RaisedModel &model : *subject.raised)
            text += fmt::format("opset   raised from {} to {} {}\n", printable(model.before),
                                model.after, printable(model.model));
    }
    if (!subject.output.empty())
        text += fmt::format("written {}\n", printable(subject.output));
    return text;
}

/// Exit codes: wrong use; no plan exists.
int refusePlan(Context &context, const Error &error)
{
    if (error.code == "plan.form" || error.code == "plan.forced" || error.code == "plan.report")
        return reportUsage(context, error);
    const int code = reportFailure(context, error);
    return error.code == "plan.infeasible" || error.code == "plan.open" ? int(kDiffers) : code;
}

plan::Limits planLimitsOf(const PlanOptions &options)
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
            throw CommandFailure{usageError("--force-form", "PATTERN=FORM", text,
                                            "A form by hand needs a weight and a form")};
        limits.forced.emplace_back(text.substr(0, at), text.substr(at + 1));
    }
    return limits;
}

/// The kind of a report, by the end of its name.
std::string reportKind(const std::string &path)
{
    static constexpr OutputEnding kEndings[] = {
        {".html", ".html"}, {".md", ".md"}, {".json", ".json"}, {".csv", ".csv"}};
    if (path.empty())
        return path;
    return required(outputFormat(path, {}, kEndings, "--report"));
}

void readMeasured(const PlanOptions &options, const Bundle &bundle, plan::SurveyOptions &survey)
{
    if (!options.activations.empty()) {
        const auto arrays = required(openBundle(options.activations));
        survey.inputs = required(readActivations(bundle, *arrays));
    }
    if (!options.sensitivity.empty()) {
        const auto file = required(openFile(options.sensitivity));
        const auto bytes = file->bytes();
        survey.sensitivity = required(plan::readSensitivity(
            bundle, {reinterpret_cast<const char *>(bytes.data()), bytes.size()},
            options.sensitivity));
    }
}

plan::SurveyOptions surveyOptions(const PlanOptions &options, const plan::Limits &limits,
                                  const Bundle &bundle, Context &context)
{
    plan::SurveyOptions survey;
    const std::vector<std::string> standard{target::defaultTarget().name};
    for (const std::string &name : options.targets.empty() ? standard : options.targets) {
        survey.targets.push_back(required(target::findTarget(name)).target);
    }
    survey.batch = options.batch;
    for (const std::string &text : options.shapes)
        survey.shapes.push_back(required(shapes::parseBinding(text)));
    if (const auto bound = survey.shapes.empty() ? bindDefaults(bundle) : std::nullopt) {
        survey.shapes = bound->summary.bound;
        survey.defaultShapes = true;
    }
    survey.forms = options.forms;
    survey.forced = limits.forced;
    survey.model =
        options.error == "outputs" ? plan::ErrorModel::Outputs : plan::ErrorModel::Weights;
    survey.progress = &context.progress;
    readMeasured(options, bundle, survey);
    return survey;
}

/// Everything of one plan, from the options to what is printed.
class PlanRun
{
public:
    PlanRun(const PlanOptions &options, Context &context) : m_options(options), m_context(context)
    {
    }

    /// What can be refused before any work.
    // Each throws CommandFailure.
    void prepare()
    {
        m_limits = planLimitsOf(m_options);
        m_limits.progress = &m_context.progress;
        reportKind(m_options.report); // is known
        m_bundle = required(openBundle(m_options.path));
        m_surveyOptions = surveyOptions(m_options, m_limits, *m_bundle, m_context);
        const OutputRules rules = this->rules();
        if (!m_options.output.empty())
            required(checkOutput(m_options.output, OutputKind::Model, rules));
        if (!m_options.report.empty())
            required(checkOutput(m_options.report, OutputKind::File, rules));
    }

    void make()
    {
        const ProgressLine line(m_context, "Planning");
        m_survey = required(plan::survey(*m_bundle, m_surveyOptions));
        m_verdict =
            required(report::programVerdict(m_survey.shaped ? *m_survey.shaped->bundle : *m_bundle,
                                            *m_survey.targets.front(), {}, m_options.batch));
        m_plan = required(plan::solve(m_survey, m_limits));
        for (const std::string &path : m_options.compare) {
            const auto other = required(openBundle(path));
            m_builds.push_back(
                required(plan::measureBuild(*m_bundle, m_survey, m_surveyOptions, *other)));
        }
        if (!m_options.output.empty())
            m_made = required(plan::carryOut(*m_bundle, m_surveyOptions, std::move(m_survey),
                                             m_limits, std::move(m_plan)));
    }

    /// The report is written beside its place first, and gets its name after the bundle has its
    /// own.
    void write()
    {
        required(checkInputs());
        std::optional<OutputFile> report;
        if (!m_options.report.empty()) {
            report.emplace(required(OutputFile::create(m_options.report, rules())));
            const std::string text = report::planReport(reportKind(m_options.report), subject());
            required(report->write(std::as_bytes(std::span(text))));
        }
        if (m_made) {
            const ProgressLine line(m_context, "Writing");
            required(writeCopy(m_context, *m_made->bundle, m_options.output, m_bundle->path()));
        }
        if (report)
            required(report->commit());
        if (m_made || report)
            outputInPlace();
    }

    int print()
    {
        const report::PlanSubject shown = subject();
        const auto &shaped = shown.survey->shaped;
        const Diagnostics &diagnostics = (shaped ? *shaped->bundle : *m_bundle).diagnostics();
        if (m_options.format != "csv" || m_context.json)
            return printAnswer(
                m_context, diagnostics, [&] { return report::planJson(shown); },
                [&] { return planText(shown); });
        cli::printWhole(report::planReport(".csv", shown));
        printDiagnostics(m_context, diagnostics);
        return exitCodeOf(diagnostics);
    }

private:
    report::PlanSubject subject() const
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
        subject.verdict = m_verdict;
        return subject;
    }

    /// Neither output takes the place of anything that is read.
    OutputRules rules() const
    {
        OutputRules rules = outputRules(m_context, *m_bundle);
        for (const std::string &path : {m_options.activations, m_options.sensitivity}) {
            if (!path.empty())
                rules.inputs.emplace_back(path);
        }
        rules.inputs.insert(rules.inputs.end(), m_options.compare.begin(), m_options.compare.end());
        return rules;
    }

    const PlanOptions &m_options;
    Context &m_context;
    plan::Limits m_limits;
    plan::SurveyOptions m_surveyOptions;
    BundlePtr m_bundle;
    plan::Survey m_survey;
    plan::Plan m_plan;
    std::optional<plan::PlannedBundle> m_made;
    std::vector<plan::Build> m_builds;
    std::optional<report::ProgramVerdict> m_verdict;
};

int runPlan(const PlanOptions &options, Context &context)
{
    context.json = context.json || options.format == "json";
    PlanRun run(options, context);
    for (const auto &step : {&PlanRun::prepare, &PlanRun::make, &PlanRun::write}) {
        try {
            (run.*step)();
        } catch (const CommandFailure &failure) {
            return refusePlan(context, failure.error);
        }
        checkInterrupt();
    }
    return run.print();
}

using PlanAsked = std::shared_ptr<PlanOptions>;

void addPlanLimits(CLI::App &command, const PlanAsked &options)
{
    addMaxError(command, options->tolerance);
    addOption(command, "--total-tolerance", "X", options->totalTolerance,
              "Largest relative error of all weights taken as one")
        ->check(notNegative());
    addOption(command, "--max-bytes", "N", options->maxBytes, "Most stored bytes of all weights")
        ->check(CLI::PositiveNumber);
    addWord(command, "--minimise,--minimize", options->minimise,
            {"time", "stored", "moved", "error"},
            "What is to be least: predicted time, stored bytes, bytes moved, or the error "
            "of the network; without it time, or stored bytes where times are not known or no "
            "form changes them");
    addWord(command, "--error", options->error, {"weights", "outputs"},
            "What errors are taken from: the weights, or the layer's outputs through the "
            "engine's reduction (slower)");
    addOption(command, "--batch", "N", options->batch, "Inputs of a dispatch")
        ->check(CLI::Range(std::uint64_t(1), std::uint64_t(1'000'000'000)));
}

void addMeasured(CLI::App &command, const PlanAsked &options)
{
    addOption(command, "--activations", "FILE.npz", options->activations,
              "Statistics of what flows into the weights, by the weights' names: NAME (mean "
              "squares of the input channels), NAME.mean, NAME.second_moment");
    addOption(command, "--sensitivity", "FILE.csv", options->sensitivity,
              "Columns weight and sensitivity: a factor on the error of that weight");
    addOption(command, "--forms", "FORM", options->forms,
              "Forms to try, by name or pattern (palette*); may be given again")
        ->allow_extra_args(false);
    addOption(command, "--force-form", "PATTERN=FORM", options->forced,
              "The form of the weights of that name or pattern; may be given again")
        ->allow_extra_args(false);
}

void addOutputs(CLI::App &command, Context &context, const PlanAsked &options)
{
    addOutput(command, context, options->output,
              "Bundle to write, with every weight in its planned form", "BUNDLE");
    addOption(command, "--report", "FILE", options->report,
              "Before and after of each layer and chip: .html, .md, .json or .csv")
        ->each(
            [&context](const std::string &path) { checkStream(context, "--report", path, false); });
    addWord(command, "--format", options->format, {"text", "json", "csv"},
            "What is printed (json: the same as --json)");
    addOption(command, "--compare", "PATH", options->compare,
              "Another build of the network, measured by the same rules; may be given again")
        ->allow_extra_args(false);
    addOption(command, "--points", "N", options->points, "Points of each front, at most")
        ->check(CLI::Range(2, 1000))
        ->capture_default_str();
    command.add_flag("--candidates", options->candidates,
                     "JSON: every form that was tried for a weight, with its figures");
}

} // namespace

void addPlan(CLI::App &app, Context &context)
{
    const auto [command, options] = addCommand<PlanOptions>(
        app, context, "plan", "The best forms for a whole network within an error budget", runPlan);
    addPath(*command, options->path, "Bundle with a program");
    addSharedOptions(*command, context);
    addOption(*command, "--target", "NAME", options->targets,
              fmt::format("Chip to plan for, under any of its names (default {}); may be "
                          "given again: a form must be one that all of them take",
                          target::defaultTarget().name))
        ->allow_extra_args(false)
        ->each([](const std::string &name) {
            if (auto found = target::findTarget(name); !found)
                throw UsageFailure{std::move(found.error())};
        });
    addShapeOption(*command, options->shapes);
    addPlanLimits(*command, options);
    addMeasured(*command, options);
    addOutputs(*command, context, options);
    addExamples(*command,
                {"plan model.mlmodelc --target M1 --max-error 0.02 -o planned.mlmodelc",
                 "plan model.mlmodelc --target M1 --target M4 --minimise stored --json",
                 "plan model.mlpackage --shape x=1,3,640,640 --json",
                 "plan model.mlmodelc --max-bytes 200000 --minimise error --report plan.html",
                 "plan model.mlmodelc --max-error 0.05 --force-form '*bias*=keep' --format csv"});
}

} // namespace kernscope::cli
