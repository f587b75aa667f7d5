// SPDX-License-Identifier: GPL-3.0-or-later
// section build: weights of any bundle as a weight section, or as the slices of a container.
#include "app/cli/chips.h"
#include "app/cli/command.h"
#include "app/cli/output_file.h"
#include "app/cli/section_run.h"
#include "app/cli/text_output.h"
#include "core/base/error_builder.h"
#include "core/bundle/bundle.h"
#include "core/bundle/section_weight.h"
#include "core/descriptor/version.h"
#include "core/lanes/size_law.h"
#include "core/lanes/sparse.h"
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

Result<lanes::SliceLayout> layoutFor(const Bundle &bundle, std::size_t weight, bool biased,
                                     const SectionOptions &options)
{
    auto geometry = laneGeometry(bundle.weights()[weight]);
    if (!geometry)
        return tl::unexpected(std::move(geometry.error()));
    geometry->bias = biased;
    lanes::DealOptions deal;
    if (options.imageSide != 0)
        deal.imageSide = options.imageSide;
    if (options.made.lanes != 0)
        deal.cap = options.made.lanes;
    // A container of the same weight: its own lanes, so that the bytes come out the same.
    const auto &lanes = bundle.weights()[weight].dealing.lanes;
    if (options.made.lanes == 0 && !lanes.empty() && bundle.kind() == BundleKind::Hwx)
        deal.cap = lanes.front();
    return lanes::SliceLayout::make(*geometry, laneLaw(bundle.weights()[weight], *geometry), deal);
}

struct Sliced {
    lanes::SliceLayout layout;
    std::vector<lanes::Slice> slices;
};

Result<Sliced> sliced(const Bundle &bundle, std::size_t weight, const SectionOptions &options,
                      lanes::SparseForm form)
{
    const auto decoder = bundle.decoder(weight);
    if (!decoder)
        return tl::unexpected(decoder.error());
    std::vector<std::uint16_t> weights(decoder->elements().value), bias;
    decoder->decodeHalf(0, weights);
    const std::size_t beside = biasOf(bundle, weight);
    if (beside != kNoIndex) {
        const auto values = bundle.decoder(beside);
        if (!values)
            return tl::unexpected(values.error());
        bias.resize(values->elements().value);
        values->decodeHalf(0, bias);
    }
    auto layout = layoutFor(bundle, weight, !bias.empty(), options);
    if (!layout)
        return tl::unexpected(std::move(layout.error()));
    auto slices = options.sparseSlices ? lanes::encodeSparse(form, *layout, weights, bias)
                                       : lanes::encodeSlices(*layout, weights, bias);
    if (!slices)
        return tl::unexpected(std::move(slices.error()));
    return Sliced{std::move(*layout), std::move(*slices)};
}

/// The slices of all weights end to end, and what is said of them.
struct SliceFile {
    std::vector<std::byte> bytes;
    std::vector<report::SliceRow> rows;
    std::string laws;

    void add(const std::string &name, const Sliced &made, bool sparse)
    {
        for (std::size_t lane = 0; lane < made.slices.size(); ++lane) {
            const lanes::Slice &slice = made.slices[lane];
            rows.push_back({name, lane, bytes.size(), slice.size()});
            bytes.insert(bytes.end(), slice.begin(), slice.end());
        }
        if (!sparse)
            laws +=
                fmt::format("{}: {}\n", printable(name), lanes::explainSliceSize(made.layout, 0));
    }
};

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
    const descriptor::Version *version = descriptor::versionOfTarget((*target)->name);
    const auto form = version != nullptr ? lanes::sparseFormOf(version->generation) : std::nullopt;
    if (!form)
        return reportFailure(context, kSectionCommand,
                             buildError("--target", slicedTargets(), (*target)->name,
                                        "The order of slices of other targets is not published"));
    const auto source = openSource(options, context);
    if (!source)
        return reportFailure(context, kSectionCommand, source.error());
    const auto &[bundle, chosen, rules] = *source;
    SliceFile file;
    for (const std::size_t index : chosen) {
        const auto made = sliced(*bundle, index, options, *form);
        if (!made)
            return reportFailure(context, kSectionCommand, made.error());
        file.add(bundle->weights()[index].name, *made, options.sparseSlices);
    }
    if (auto written = writeFile(options.output, file.bytes, rules); !written)
        return reportFailure(context, kSectionCommand, written.error());
    if (context.json) {
        report::Json document =
            report::sliceFileJson(file.rows, {options.output, (*target)->name, file.laws});
        printDocument(context, document, {});
    } else if (!context.quiet) {
        print(defaultTargetText(context, **target) +
              terminalText(textTable(report::sliceTable(), file.rows)) + file.laws);
    }
    return kDone;
}

} // namespace kernscope::cli
