// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/encode.h"

#include "app/cli/command.h"
#include "core/patch/edit/find_weights.h"
#include "core/patch/reencode/reencode.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include <fmt/format.h>

namespace kernscope::cli {

namespace {

tl::unexpected<Error> opsetFault(std::string found)
{
    Error error;
    error.code = "encode.usage";
    error.field = "--opset";
    error.expected = "ios16, ios17 or ios18, not before the program's own";
    error.found = std::move(found);
    error.message = "This form cannot be asked for";
    return tl::unexpected(std::move(error));
}

/// 16 of "ios16"; 0 of anything else.
unsigned opsetOf(std::string_view opset)
{
    unsigned number = 0;
    if (!opset.starts_with("ios"))
        return 0;
    const char *end = opset.data() + opset.size();
    const auto read = std::from_chars(opset.data() + 3, end, number);
    return read.ec == std::errc() && read.ptr == end ? number : 0;
}

/// A weight in its new form, on its way into the bundle.
struct Pending {
    std::size_t weight = 0;
    std::vector<float> values;
    codec::EncodedWeight encoded;
    InputStatistics inputs;
};

Result<Pending> encodeOne(const Bundle &bundle, std::size_t index, const codec::FormSpec &form,
                          InputStatistics inputs)
{
    const Weight &weight = bundle.weights()[index];
    if (weight.fault)
        return tl::unexpected(*weight.fault);
    const auto decoder = bundle.decoder(index);
    if (!decoder)
        return tl::unexpected(decoder.error());
    Pending pending{index, std::vector<float>(decoder->elements().value), {}, inputs};
    decoder->decodeFloat(0, pending.values);
    codec::FormSpec wanted = form;
    wanted.inputs = std::move(inputs);
    const bool wide = weight.type == ElementType::Fp32;
    if (wide)
        wanted.denseType = ElementType::Fp32;
    auto encoded = codec::encodeForm(pending.values, weight.shape, wanted);
    if (!encoded)
        return tl::unexpected(std::move(encoded.error()));
    if (wide)
        codec::widenToFp32(*encoded);
    pending.encoded = std::move(*encoded);
    return pending;
}

/// The operation set that the model of a weight has.
unsigned ownOpset(const Bundle &bundle, const Weight &weight)
{
    for (const mil::Function &function : bundle.program().functions) {
        if (function.name == weight.function && function.model == weight.model)
            return opsetOf(function.opset);
    }
    return 0;
}

/// The bundle with later operation sets, where forms or the user ask for them; null where they
/// do not. Appended to `raised`.
Result<BundlePtr> raisedFor(const Bundle &bundle, std::span<const Pending> pending,
                            const std::string &opset, std::vector<RaisedBundle> &raised)
{
    std::map<std::string, unsigned> wanted;
    for (const Pending &one : pending) {
        const Weight &weight = bundle.weights()[one.weight];
        const unsigned before = ownOpset(bundle, weight);
        unsigned needed = opset.empty() ? before : opsetOf(opset);
        if (!opset.empty() && (needed == 0 || needed < before))
            return opsetFault(opset);
        if (opset.empty() && before != 0)
            needed = requiredOpset(one.encoded, before).value_or(before);
        if (before != 0 && needed > before)
            wanted[weight.model] = std::max(wanted[weight.model], needed);
    }
    BundlePtr now;
    for (const auto &[model, number] : wanted) {
        auto one = raiseOpset(now ? *now : bundle, model, number);
        if (!one)
            return tl::unexpected(std::move(one.error()));
        now = one->bundle;
        raised.push_back(std::move(*one));
    }
    return now;
}

Result<std::size_t> weightIn(const Bundle &made, const Weight &weight)
{
    if (const auto index = made.weightByName(weight.address()))
        return *index;
    return refused("encode.verify", weight.findableName(), "the weight", "none",
                   "The new bundle does not hold what it should");
}

/// What the new bundle holds against what was there.
Result<EncodedOne> measured(const Bundle &bundle, const Bundle &made, const Pending &one)
{
    const Weight &weight = bundle.weights()[one.weight];
    const auto after = weightIn(made, weight);
    if (!after)
        return tl::unexpected(after.error());
    const auto stored = made.decoder(*after);
    if (!stored)
        return tl::unexpected(stored.error());
    EncodedOne result;
    result.before = one.weight;
    result.after = *after;
    const auto error = codec::accuracyError(*stored, one.values, codec::layerOf(weight.shape));
    if (!error)
        return tl::unexpected(error.error());
    result.error = *error;
    if (!one.inputs)
        return result;
    std::vector<float> decoded(one.values.size());
    stored->decodeFloat(0, decoded);
    const auto off = codec::inputError(one.values, decoded, weight.shape, *one.inputs);
    const std::vector<float> nothing(one.values.size());
    const auto whole = codec::inputError(one.values, nothing, weight.shape, *one.inputs);
    if (off && whole && *whole > 0)
        result.inputRelative = std::sqrt(*off / *whole);
    return result;
}

} // namespace

Result<std::vector<std::size_t>> weightsOf(const Bundle &bundle, const EncodeOptions &options)
{
    std::vector<std::size_t> all(bundle.weights().size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    if (!options.all) {
        auto named = patch::findWeights(bundle, options.weights);
        if (!named) {
            named.error().code = "cli.weight";
            return named;
        }
        all = std::move(*named);
    }
    std::erase_if(all, [&](std::size_t i) {
        return bundle.weights()[i].elements.value < options.minElements;
    });
    if (!all.empty())
        return all;
    Error error;
    error.code = "cli.weight";
    error.expected = options.minElements > 0
                         ? fmt::format("weights of {} elements or more", options.minElements)
                         : std::string("weights");
    error.found = "none";
    error.message = "The bundle has no such weight";
    return tl::unexpected(std::move(error));
}

Result<EncodedBundle> encodeWeights(const Bundle &bundle, std::span<const std::size_t> weights,
                                    const codec::FormSpec &form,
                                    std::span<const InputStatistics> inputs,
                                    const std::string &opset, Progress &progress)
{
    EncodedBundle result;
    std::vector<Pending> pending;
    for (const std::size_t weight : weights) {
        auto one =
            encodeOne(bundle, weight, form, inputs.empty() ? InputStatistics() : inputs[weight]);
        if (one)
            pending.push_back(std::move(*one));
        else
            result.refused.push_back({weight, std::move(one.error())});
        if (!progress.advance(1))
            return tl::unexpected(cancelledError("Nothing was written"));
    }
    auto now = raisedFor(bundle, pending, opset, result.raised);
    if (!now)
        return tl::unexpected(std::move(now.error()));
    std::vector<const Pending *> made;
    for (const Pending &one : pending) {
        // Raising keeps the names; by name it is found in the bundles that follow one another.
        const Bundle &from = *now ? **now : bundle;
        const auto index = weightIn(from, bundle.weights()[one.weight]);
        auto next =
            index ? reencodeWeight(from, *index, one.encoded) : tl::unexpected(index.error());
        if (next) {
            *now = std::move(*next);
            made.push_back(&one);
        } else {
            result.refused.push_back({one.weight, std::move(next.error())});
        }
        if (!progress.advance(1))
            return tl::unexpected(cancelledError("Nothing was written"));
    }
    if (made.empty())
        return result;
    result.made = std::move(*now);
    for (const Pending *one : made) {
        auto measure = measured(bundle, *result.made, *one);
        if (!measure)
            return tl::unexpected(std::move(measure.error()));
        result.weights.push_back(std::move(*measure));
    }
    std::sort(result.refused.begin(), result.refused.end(),
              [](const auto &a, const auto &b) { return a.weight < b.weight; });
    return result;
}

} // namespace kernscope::cli
