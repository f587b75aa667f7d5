// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/command.h"
#include "core/bundle/bundle.h"
#include "core/report/audit_report.h"
#include "core/report/difference_formats.h"

#include <memory>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace kernscope::cli {

namespace {

struct AuditArguments {
    std::string path, against, sibling, rules, output;
    audit::AuditOptions options;
    bool all = false;
};

std::string auditAnswer(const report::AuditSubject &subject, bool all)
{
    const audit::AuditResult &result = subject.result;
    std::string text =
        styled(result.faulty.empty() && result.comparable() ? Style::Good : Style::Bad,
               report::auditVerdict(result)) +
        ": " + printable(report::auditSentence(subject)) + "\n";
    if (!result.faulty.empty()) {
        text += heading("At fault") + tableText(report::auditTable(), result.faulty);
        for (const audit::AuditedWeight &row : result.faulty)
            text += fmt::format("  {}: {}\n", printable(row.name), printable(row.why));
    }
    for (const LimitFault &fault : subject.broken)
        text += fmt::format("  {} {} {}\n", styled(Style::Bad, "exceeds"), printable(fault.weight),
                            report::faultText(fault));
    if (!subject.sibling.empty())
        text += heading("Which build is nearer") +
                tableText(report::nearerTable(), subject.nearer()) + "  " +
                printable(report::nearerSentence(subject)) + "\n";
    if (all && !result.sound.empty())
        text += heading("Sound") + tableText(report::auditTable(), result.sound);
    for (const report::KnownFaultLine &line : subject.knownFaults)
        text += fmt::format("  known fault: {}\n", printable(line.text));
    if (!result.unpaired.empty() || !result.missing.empty())
        text += fmt::format("\n{} of the package not in the checkpoint, {} of the checkpoint not "
                            "in the package\n",
                            counted(result.unpaired.size(), "weight"),
                            counted(result.missing.size(), "tensor"));
    return text;
}

int runAudit(AuditArguments &arguments, Context &context)
{
    static constexpr OutputEnding kEndings[] = {
        {".html", "html"}, {".md", "markdown"}, {".csv", "csv"}, {".json", "json"}};
    const std::string format = arguments.output.empty()
                                   ? std::string()
                                   : usable(outputFormat(arguments.output, {}, kEndings));
    std::vector<std::filesystem::path> inputs{arguments.path, arguments.against};
    for (const std::string &path : {arguments.sibling, arguments.rules}) {
        if (!path.empty())
            inputs.emplace_back(path);
    }
    const OutputRules rules = outputRules(context, std::move(inputs));
    if (!arguments.output.empty() && arguments.output != "-")
        required(checkOutput(arguments.output, OutputKind::File, rules)); // before the work
    if (!arguments.rules.empty())
        arguments.options.rules = readRules(arguments.rules);
    const BundlePtr package = required(openBundle(arguments.path));
    const BundlePtr checkpoint = required(openBundle(arguments.against));
    const BundlePtr sibling =
        arguments.sibling.empty() ? nullptr : required(openBundle(arguments.sibling));
    report::AuditSubject subject{arguments.path,
                                 arguments.against,
                                 {},
                                 report::knownFaultLines(*package),
                                 checkBuild(*package, arguments.options.rules),
                                 arguments.sibling};
    const auto audited = [&](const BundlePtr &build) {
        return required(
            audit::auditPackage(build, checkpoint, arguments.options, &context.progress));
    };
    {
        const ProgressLine line(context, "Comparing");
        subject.result = audited(package);
        if (sibling)
            subject.siblingResult = audited(sibling);
    }
    checkInterrupt();
    Diagnostics diagnostics = package->diagnostics();
    diagnostics.insert(diagnostics.end(), checkpoint->diagnostics().begin(),
                       checkpoint->diagnostics().end());
    if (!arguments.output.empty()) {
        const std::string text = report::auditText(subject, format, diagnostics);
        required(writeFile(arguments.output, std::as_bytes(std::span(text)), rules));
    }
    const int faults = printAnswer(
        context, diagnostics, [&] { return report::auditJson(subject); },
        [&] { return auditAnswer(subject, arguments.all); });
    return faults != kDone ? faults : subject.holds() ? kDone : kDiffers;
}

} // namespace

void addAudit(CLI::App &app, Context &context)
{
    const auto [command, arguments] = addCommand<AuditArguments>(
        app, context, "audit",
        "Hold a converted package against the checkpoint that it was made from: are the "
        "stored weights what their forms make of it, or which are not, and how?",
        runAudit);
    addPath(*command, arguments->path, "Package or compiled model");
    addOption(*command, "--against", "CHECKPOINT", arguments->against,
              "The checkpoint: .safetensors, its .safetensors.index.json or the folder with it, "
              ".npz; or another build")
        ->required();
    addOption(*command, "--limit", "X", arguments->options.limit,
              "At fault where the error is more than X times the best possible one of the form "
              "(1.5)")
        ->check(notNan())
        ->check(CLI::Range(1.0, 1000.0));
    addOption(*command, "--rules", "FILE", arguments->rules,
              "TOML file of rules, that of diff: audit-limit of all weights or of a name, weights "
              "to ignore, forms that they must have, known faults that may not occur");
    addOption(*command, "--sibling", "BUNDLE", arguments->sibling,
              "Another build: say which of the two is nearer to the checkpoint, weight by weight");
    command->add_flag("--exact", arguments->options.exact,
                      "The best possible error of all blocks, not of a sample");
    command->add_flag("--all", arguments->all, "List sound weights as well");
    addStreamOutput(*command, context, arguments->output, "Write a report as well",
                    "FILE.html|.md|.csv|.json");
    addSharedOptions(*command, context);
    addExamples(*command, {"audit model.mlpackage --against model.safetensors",
                           "audit model.aimodel --against model.safetensors.index.json --json",
                           "audit model.mlpackage --against checkpoint/ -o audit.html",
                           "audit --rules limits.toml new.mlpackage --against model.safetensors",
                           "audit new.mlpackage --sibling old.mlpackage --against m.safetensors"});
}

} // namespace kernscope::cli
