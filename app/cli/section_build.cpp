// SPDX-License-Identifier: GPL-3.0-or-later
// section build: weights of any bundle as a weight section, or as the slices of a container.
#include "app/cli/chips.h"
#include "app/cli/command.h"
#include "app/cli/output_file.h"
#include "app/cli/section_run.h"
#include "app/cli/text_output.h"
#include "core/base/error_builder.h"
#include "core/bundle/bundle.h"
#include "core/bundle/slice_file.h"
#include "core/report/section_json.h"
#include "core/target/rules.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace kernscope::cli {

namespace {

Error buildError(const std::string &field, std::string expected, std::string found,
                 std::string message)
{
    return ErrorBuilder("section.build")
        .field(field)
        .expected(std::move(expected))
        .found(std::move(found))
        .message(std::move(message));
}

Result<const target::Target *> targetOf(const Context &context)
{
    if (context.target.empty())
        return &target::defaultTarget();
    auto named = target::findTarget(context.target);
    if (!named)
        return tl::unexpected(std::move(named.error()));
    return named->target;
}

/// Which target was taken, where none was named.
std::string defaultTargetText(const Context &context, const target::Target &target)
{
    return context.target.empty()
               ? fmt::format("for {} by default, --target names another\n", target.name)
               : std::string();
}

Result<std::vector<std::size_t>> chosenWeights(const Bundle &bundle, const SectionOptions &options)
{
    std::vector<std::size_t> chosen;
    for (const std::string &name : options.names) {
        auto weight = findWeight(bundle, name);
        if (!weight)
            return tl::unexpected(std::move(weight.error()));
        chosen.push_back(*weight);
    }
    if (!chosen.empty())
        return chosen;
    chosen = plan::sectionWeights(bundle);
    if (chosen.empty())
        return tl::unexpected(buildError("bundle", "weights", "none", "There is nothing to build"));
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

/// What the weights are taken from, and where the output may be.
struct Source {
    BundlePtr bundle;
    std::vector<std::size_t> weights;
    OutputRules rules;
};

Result<Source> openSource(const SectionOptions &options, const Context &context)
{
    auto bundle = openBundle(options.path);
    if (!bundle)
        return tl::unexpected(std::move(bundle.error()));
    auto weights = chosenWeights(**bundle, options);
    if (!weights)
        return tl::unexpected(std::move(weights.error()));
    auto rules = outputRules(context, **bundle);
    if (auto free = checkOutput(options.output, OutputKind::File, rules); !free)
        return tl::unexpected(std::move(free.error()));
    return Source{std::move(*bundle), std::move(*weights), std::move(rules)};
}

} // namespace

int runSectionBuild(const SectionOptions &options, Context &context)
{
    const auto target = targetOf(context);
    if (!target)
        return reportFailure(context, kSectionCommand, target.error());
    const auto source = openSource(options, context);
    if (!source)
        return reportFailure(context, kSectionCommand, source.error());
    const auto &[bundle, chosen, rules] = *source;
    Diagnostics forced;
    if (const auto refused = refusedForms(*bundle, chosen, options, **target, context);
        !refused.empty()) {
        if (!context.force)
            return reportFailure(context, kSectionCommand, refused.front().error);
        forced = refused;
    }
    auto built = plan::buildSection(*bundle, chosen, options.made, **target, options.output);
    if (!built)
        return reportFailure(context, kSectionCommand, built.error());
    Diagnostics &said = built->section.diagnostics;
    said.insert(said.end(), forced.begin(), forced.end());
    return deliverSection(context, options.output, rules, built->bytes, built->section,
                          defaultTargetText(context, **target) + section::listing(built->section));
}

int runSectionSlices(const SectionOptions &options, Context &context)
{
    const auto target = targetOf(context);
    if (!target)
        return reportFailure(context, kSectionCommand, target.error());
    const auto form = sliceForm((*target)->name);
    if (!form)
        return reportFailure(context, kSectionCommand, form.error());
    const auto source = openSource(options, context);
    if (!source)
        return reportFailure(context, kSectionCommand, source.error());
    const auto &[bundle, chosen, rules] = *source;
    const auto file = buildSlices(
        *bundle, chosen, {options.sparseSlices, options.imageSide, options.made.lanes}, *form);
    if (!file)
        return reportFailure(context, kSectionCommand, file.error());
    if (auto written = writeFile(options.output, file->bytes, rules); !written)
        return reportFailure(context, kSectionCommand, written.error());
    if (context.json) {
        report::Json document =
            report::sliceFileJson(file->rows, {options.output, (*target)->name, file->laws});
        printDocument(context, document, {});
    } else if (!context.quiet) {
        print(defaultTargetText(context, **target) +
              terminalText(textTable(report::sliceTable(), file->rows)) + file->laws);
    }
    return kDone;
}

} // namespace kernscope::cli
