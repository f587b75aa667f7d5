// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/plan/measure_build.h"

#include "core/base/parallel.h"
#include "core/bundle/bundle.h"
#include "core/bundle/stored_bytes.h"
#include "core/plan/judge_content.h"

#include <cmath>
#include <map>
#include <mutex>
#include <optional>
#include <tuple>

namespace kernscope::plan {

namespace {

using ReaderKey = std::tuple<std::string, std::string, std::string, std::string, std::string>;

/// Model, function, operation, name of the operation and operand that read a weight.
std::vector<ReaderKey> readersOf(const Weight &weight)
{
    std::vector<ReaderKey> keys;
    for (const Consumer &consumer : weight.consumers)
        keys.emplace_back(weight.model, weight.function, consumer.op, consumer.name,
                          consumer.param);
    return keys;
}

/// By row: the partner in the other build.
std::vector<std::optional<std::size_t>> partnersOf(const Bundle &bundle, const Survey &survey,
                                                   const Bundle &other)
{
    std::map<ReaderKey, std::size_t> readers;
    for (std::size_t i = 0; i < other.weights().size(); ++i) {
        for (ReaderKey &key : readersOf(other.weights()[i]))
            readers.emplace(std::move(key), i);
    }
    std::vector<std::optional<std::size_t>> partners(survey.rows.size());
    for (std::size_t r = 0; r < survey.rows.size(); ++r) {
        const Weight &weight = bundle.weights()[survey.rows[r].weight];
        for (const ReaderKey &key : readersOf(weight)) {
            const auto found = readers.find(key);
            if (found != readers.end() && other.weights()[found->second].shape == weight.shape &&
                !other.weights()[found->second].fault)
                partners[r] = found->second;
        }
    }
    return partners;
}

Result<double> buildError(const Bundle &bundle, const Row &row, const SurveyOptions &options,
                          const Bundle &other, std::size_t partner)
{
    const auto values = weightValues(bundle, row.weight, row.axes, inputsOf(options, row.weight));
    if (!values)
        return tl::unexpected(values.error());
    const BundleReadLock lock(other);
    const auto decoder = other.decoder(partner);
    if (!decoder)
        return tl::unexpected(decoder.error());
    return formError(*values, *decoder, options.model);
}

/// The chips' figures of all layers of a build.
Result<void> addChips(const Bundle &other, const Survey &survey, const SurveyOptions &options,
                      PlanTotals &totals)
{
    const auto forms = weightForms(other);
    const auto layers = layersByWeight(other, options);
    if (!layers)
        return tl::unexpected(layers.error());
    decision::Judge judge(options.choice);
    totals.moved.assign(survey.targets.size(), 0);
    std::vector<std::vector<roofline::LayerTime>> times(survey.targets.size());
    for (std::size_t i = 0; i < layers->size(); ++i) {
        const auto &ofWeight = (*layers)[i];
        const auto chips = chipFigures(ofWeight, forms[i], survey.roofs, judge, options.batch);
        for (std::size_t t = 0; t < chips.size(); ++t) {
            addBytes(totals.moved[t], chips[t].moved);
            for (std::size_t j = 0; j < ofWeight.size(); ++j)
                times[t].push_back({&ofWeight[j], chips[t].layerS[j], chips[t].refusal});
        }
    }
    for (std::size_t t = 0; t < survey.targets.size(); ++t)
        totals.programs.push_back(roofline::programTime(times[t], survey.roofs[t]));
    return {};
}

/// Error of each row that has a partner in the other build; 0 of the others.
Result<std::vector<double>> errorsOfRows(const Bundle &bundle, const Survey &survey,
                                         const SurveyOptions &options, const Bundle &other,
                                         const std::vector<std::optional<std::size_t>> &partners)
{
    std::vector<double> errors(survey.rows.size(), 0);
    std::mutex mutex;
    std::optional<Error> failed;
    inParallel(survey.rows.size(), options.threads, [&](std::size_t r) {
        if (!partners[r] || !survey.rows[r].candidates)
            return true;
        const auto error = buildError(bundle, survey.rows[r], options, other, *partners[r]);
        const bool on = options.progress == nullptr || !options.progress->cancelled();
        if (error && on) {
            errors[r] = *error;
            return true;
        }
        const std::lock_guard lock(mutex);
        failed = error ? cancelledError("The comparison was cancelled") : error.error();
        return false;
    });
    if (failed)
        return tl::unexpected(std::move(*failed));
    return errors;
}

} // namespace

Result<Build> measureBuild(const Bundle &bundle, const Survey &survey, const SurveyOptions &options,
                           const Bundle &other)
{
    Build build;
    build.name = other.name();
    const auto partners = partnersOf(bundle, survey, other);
    const auto errors = errorsOfRows(bundle, survey, options, other, partners);
    if (!errors)
        return tl::unexpected(errors.error());
    double squared = 0, energy = 0;
    for (std::size_t r = 0; r < survey.rows.size(); ++r) {
        const Row &row = survey.rows[r];
        if (!row.candidates)
            continue;
        if (!partners[r]) {
            build.unpaired.push_back(survey.names[r]);
            continue;
        }
        ++build.paired;
        const double error = (*errors)[r] * row.sensitivity;
        squared += error * error * row.energy;
        energy += row.energy;
        if (error > build.totals.largestError) {
            build.totals.largestError = error;
            build.totals.largest = r;
        }
    }
    if (build.paired == 0) {
        Error none =
            valueError("plan.build", {}, "weights that are read as those of " + bundle.name(),
                       "none", "This is no build of the network that is planned");
        none.file = other.name();
        return tl::unexpected(std::move(none));
    }
    build.totals.error = energy > 0 ? std::sqrt(squared / energy) : 0;
    build.totals.stored = other.totals().storedBytes.value;
    build.totals.unread = weightsOfUnknownBytes(other);
    if (auto added = addChips(other, survey, options, build.totals); !added)
        return tl::unexpected(std::move(added.error()));
    return build;
}

} // namespace kernscope::plan
