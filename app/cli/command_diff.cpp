// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/command.h"
#include "app/cli/diff_text.h"
#include "app/cli/text_output.h"

#include <memory>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

namespace kernscope::cli {

namespace {

struct DiffArguments {
    std::string a, b;
    DiffOptions options;
};

/// The errors of both bundles, each with its bundle's name before the file.
Diagnostics diagnosticsOf(const Bundle &a, const Bundle &b)
{
    Diagnostics all;
    for (const Bundle *bundle : {&a, &b}) {
        for (Diagnostic diagnostic : bundle->diagnostics()) {
            std::string &file = diagnostic.error.file;
            if (file.empty())
                file = bundle->name();
            else if (file != bundle->name())
                file = bundle->name() + "/" + file;
            all.push_back(std::move(diagnostic));
        }
    }
    return all;
}

int runDiff(const DiffArguments &arguments, Session &session)
{
    const auto a = openBundle(arguments.a);
    if (!a)
        return reportFailure(session, "diff", a.error());
    const auto b = openBundle(arguments.b);
    if (!b)
        return reportFailure(session, "diff", b.error());
    const auto difference = [&] {
        const ProgressLine line(session, "Comparing");
        return compareBundles(**a, **b, arguments.options, &session.progress);
    }();
    if (interrupted())
        return reportStopped(session, "diff");
    if (!difference)
        return reportFailure(session, "diff", difference.error());
    const Diagnostics diagnostics = diagnosticsOf(**a, **b);
    if (session.json) {
        report::Json document = report::differenceJson(**a, **b, *difference);
        printDocument(session, document, diagnostics);
    } else {
        if (!session.quiet)
            print(differenceText(**a, **b, *difference, arguments.options));
        printDiagnostics(session, diagnostics);
    }
    if (hasErrors(diagnostics))
        return kBadInput;
    return difference->identical ? kDone : kDiffers;
}

} // namespace

void addDiff(CLI::App &app, Session &session)
{
    CLI::App *command = app.add_subcommand(
        "diff", "Pair the weights of two bundles and compare layout, stored bytes and values");
    auto arguments = std::make_shared<DiffArguments>();
    command->add_option("a", arguments->a, "Bundle, program or weight file")
        ->required()
        ->type_name("A");
    command->add_option("b", arguments->b, "The one to compare it with")
        ->required()
        ->type_name("B");
    CLI::Option *values = command->add_flag("--values", arguments->options.values,
                                            "Compare the decoded values as well");
    command
        ->add_option("--tolerance", arguments->options.tolerance,
                     "Count the elements that differ by more than this (with --values)")
        ->type_name("X")
        ->check(CLI::NonNegativeNumber)
        ->needs(values);
    addCommonOptions(*command, session);
    addExamples(*command, {"diff old.mlmodelc new.mlmodelc",
                           "diff --values --tolerance 0.001 old.mlmodelc new.mlmodelc"});
    command->callback([arguments, &session] { session.exitCode = runDiff(*arguments, session); });
}

} // namespace kernscope::cli
