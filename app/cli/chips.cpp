// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/chips.h"

#include "app/cli/text_output.h"
#include "core/base/error_builder.h"
#include "core/report/chip_table.h"
#include "core/report/command_json.h"
#include "core/target/rules.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace kernscope::cli {

std::string yesNo(const std::optional<bool> &value)
{
    return value ? (*value ? "yes" : "no") : "unknown";
}

Result<ChosenTarget> chosenTarget(const ChipOptions &options, const Context &context)
{
    if (options.allTargets && !context.target.empty()) {
        return ErrorBuilder("cli.option")
            .field("--target")
            .expected("--target or --all-targets")
            .found("both")
            .message("Judge by one chip or by all of them.")
            .unexpected();
    }
    ChosenTarget chosen;
    auto named =
        target::findTarget(context.target.empty() ? target::defaultTarget().name : context.target);
    if (!named)
        return tl::unexpected(named.error());
    chosen.named = std::move(*named);
    chosen.byDefault = context.target.empty();
    if (options.cores != 0)
        chosen.choice.cores = options.cores;
    if (options.descriptorVersion != 0)
        chosen.choice.descriptorVersion = options.descriptorVersion;
    if (options.allTargets)
        return chosen;
    if (const auto cores = target::cores(chosen.target(), chosen.choice); !cores)
        return tl::unexpected(cores.error());
    if (const auto version = target::descriptorVersion(chosen.target(), chosen.choice); !version)
        return tl::unexpected(version.error());
    return chosen;
}

std::string ChosenTarget::text() const
{
    std::string line = target().name;
    if (!target().silicon.empty())
        line += " (" + target().silicon + ")";
    const auto cores = target::cores(target(), choice);
    if (cores && cores->value)
        line += fmt::format(", {} cores{}", *cores->value,
                            cores->contested ? " (contested; by " + cores->source + ")" : "");
    else
        line += ", cores unknown";
    if (byDefault)
        line += "; by default, --target names another";
    line += "\n";
    for (const auto &other : named.others)
        line += fmt::format("  the name may also mean {}: {}\n", other.target->name, other.source);
    return line;
}

int refuseTarget(Context &context, std::string_view command, const Error &error)
{
    reportFailure(context, command, error);
    return kUsage;
}

int runTargets(const ChipOptions &options, Context &context)
{
    std::vector<const target::Target *> shown;
    if (context.target.empty() && options.bytes) {
        shown.push_back(&target::defaultTarget());
    } else if (context.target.empty()) {
        for (const target::Target &target : target::targets())
            shown.push_back(&target);
    } else {
        const auto named = target::findTarget(context.target);
        if (!named)
            return refuseTarget(context, "targets", named.error());
        shown.push_back(named->target);
        for (const auto &other : named->others) {
            if (!options.bytes)
                shown.push_back(other.target);
        }
    }
    if (context.json) {
        report::Json document = report::targetsDocument(shown, options.bytes);
        printDocument(context, document, {});
        return kDone;
    }
    print(terminalText(textTable(report::chipTable(), shown)));
    print("\n  * sources disagree: --json names them and what each says\n");
    if (options.bytes)
        print(targetDetailsText(*shown.front()));
    return kDone;
}

Error legalityError(std::string_view code, const std::string &weight, const decision::Reason &rule,
                    const target::Target &target)
{
    return ErrorBuilder(code)
        .field(weight)
        .expected(rule.required)
        .found(rule.found)
        .message(fmt::format("No encoder of {} writes this form: {} ({}); --force writes it all "
                             "the same",
                             target.name, rule.gate, rule.source));
}

} // namespace kernscope::cli
