// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/encode.h"

#include "app/cli/output.h"
#include "core/assessment/consumer_kinds.h"
#include "core/assessment/weight_facts.h"
#include "core/base/error_builder.h"
#include "core/base/parts.h"
#include "core/bundle/bundle.h"
#include "core/bundle/statistics.h"
#include "core/codec/encode/form_encoder.h"
#include "core/numeric/half_counts.h"
#include "core/patch/edit/find_weight.h"
#include "core/patch/reencode/reencode.h"

#include <climits>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

namespace kernscope::cli {

namespace {

using codec::FormSpec;

tl::unexpected<Error> usageFault(std::string field, std::string expected, std::string found)
{
    return refused("encode.usage", std::move(field), std::move(expected), std::move(found),
                   "This form cannot be asked for");
}

Result<codec::SparsePattern> patternOf(const EncodeOptions &options)
{
    const std::string_view text = options.pattern;
    const std::size_t colon = std::min(text.find(':'), text.size());
    const auto keep = digitsOf(text.substr(0, colon));
    const auto of = digitsOf(text.substr(std::min(colon + 1, text.size())));
    if (!keep || !of)
        return usageFault("--pattern", "N:M, N elements kept of M", options.pattern);
    return codec::SparsePattern{*keep, *of, options.axis.value_or(1)};
}

/// What is kept, added to a form that has the rest.
Result<FormSpec> withMask(FormSpec form, const EncodeOptions &options)
{
    const int given =
        (options.density ? 1 : 0) + (options.threshold ? 1 : 0) + (options.pattern.empty() ? 0 : 1);
    if (given > 1)
        return usageFault("--form sparse", "one of --density, --threshold and --pattern",
                          "several of them");
    form.density = options.density;
    form.threshold = options.threshold;
    if (!options.pattern.empty()) {
        form.pattern = TRY(patternOf(options));
    }
    const codec::FormEncoder *survivors = codec::formEncoderOfWord(options.survivors);
    if (survivors != nullptr && survivors->encodeKept != nullptr)
        form.survivors = survivors->node;
    return form;
}

/// The options of every encoder; the chosen one reads its own.
static Result<FormSpec> plainFormOf(const EncodeOptions &options)
{
    const codec::FormEncoder *encoder = codec::formEncoderOfWord(options.form);
    if (encoder == nullptr)
        return usageFault("--form", codec::encoderWords(), options.form);
    const ElementType type =
        options.type.empty() ? ElementType::Int8 : elementTypeFromName(options.type);
    FormSpec form;
    form.node = encoder->node;
    form.palette = {options.bits, options.codebooks, options.vector,
                    options.entries == "e4m3" ? ElementType::Fp8E4M3Fn
                                              : elementTypeFromName(options.entries)};
    form.blockwise = {type, options.block, options.axis.value_or(1),
                      options.zeroPoint || !isSignedInteger(type)};
    form.affine.codeType = type;
    form.affine.axis = options.perTensor ? std::nullopt : std::optional(options.axis.value_or(0));
    form.affine.symmetric = !options.zeroPoint;
    return form.node == FormNode::Sparse ? withMask(std::move(form), options) : form;
}

/// Which operations the later operation set defines anew; all of them mean what they meant.
static std::string raisedText(const RaisedBundle &raised)
{
    std::string text =
        fmt::format("opset   raised from {} to {}\n", printable(raised.before), raised.after);
    for (const OpsetChange &change : raised.changes)
        text += fmt::format("        {} ({} in {}): ios{}: {}{}\n", change.operation, change.count,
                            printable(change.function), change.opset, change.change,
                            change.rewritten ? "; rewritten so, with the same bytes" : "");
    return text;
}

static std::string oneText(const Bundle &bundle, const EncodedBundle &encoded)
{
    const EncodedOne &one = encoded.weights.front();
    const Weight &after = encoded.made->weights()[one.after];
    const codec::AccuracyError &error = one.error;
    std::string text = fmt::format("{}  {} {}\n", styled(Style::Bold, printable(after.name)),
                                   elementTypeName(after.type), shapeText(after.shape));
    text +=
        tableText(report::encodedSideTable, report::encodedSides(bundle, encoded), {{"side", ""}});
    text += fmt::format("asked   {}\n", report::askedText(encoded));
    text += fmt::format("weights max |d| {:.6g}, rmse {:.6g}, relative {:.6g}\n",
                        error.weightMaxAbs, error.weightRmse, error.weightRelative);
    text += fmt::format("layer   relative {:.6g} through the engine's reduction (estimate; dense "
                        "fp16: {:.6g})\n",
                        error.outputRelative, error.denseRelative);
    if (one.inputRelative)
        text += fmt::format("inputs  relative {:.6g} by their statistics (expected)\n",
                            *one.inputRelative);
    if (error.contested > 0)
        text += fmt::format("        contested partial sums: in {} of {}\n",
                            grouped(error.contested), counted(error.outputs, "output"));
    return text;
}

static std::string severalText(const Bundle &bundle, const EncodedBundle &encoded)
{
    std::string text = tableText(report::encodedTable, report::encodedFacts(bundle, encoded));
    text += fmt::format("asked   {}\n", report::askedText(encoded));
    text += "errors  relative: of the weights, of the layer through the engine's reduction "
            "(estimate), by the statistics of the inputs (expected)\n";
    text +=
        fmt::format("weights {} of {} encoded; bundle {}, was {}\n", encoded.weights.size(),
                    encoded.weights.size() + encoded.refused.size(),
                    grouped(encoded.made->totalBytes().value), grouped(bundle.totalBytes().value));
    return text;
}

/// 16 of "ios16"; 0 of anything else.
unsigned opsetOf(std::string_view opset)
{
    const auto number = opset.starts_with("ios") ? digitsOf(opset.substr(3)) : std::nullopt;
    return number && *number <= UINT_MAX ? static_cast<unsigned>(*number) : 0;
}

/// A weight in its new form, on its way into the bundle.
struct Pending {
    std::size_t weight = 0;
    std::vector<float> values;
    codec::EncodedWeight encoded;
    InputStatisticsPtr inputs;
    ChannelAxes axes;
    std::string asked;
};

Result<Pending> encodeOne(const Bundle &bundle, std::size_t index, codec::FormSpec form,
                          InputStatisticsPtr inputs, const ChannelAxes &axes)
{
    const Weight &weight = bundle.weights()[index];
    if (weight.fault)
        return tl::unexpected(*weight.fault);
    if (auto fault = maskFault(bundle, index))
        return tl::unexpected(*std::move(fault));
    const auto decoder = TRY(bundle.decoder(index));
    Pending pending{index, std::vector<float>(decoder.elements().value),
                    {},    inputs,
                    axes,  codec::describe(form)};
    decoder.decodeFloat(0, pending.values);
    form.inputs = std::move(inputs);
    // Dense is fp16: the program casts it to the fp32 that its operations read.
    const bool narrow = form.node == FormNode::Dense && weight.type == ElementType::Fp32;
    const auto beyond =
        std::ranges::count_if(pending.values, [](float value) { return isBeyondHalf(value); });
    if (narrow && beyond > 0)
        return refused("encode.range", {}, "values up to 65504",
                       counted(static_cast<std::uint64_t>(beyond), "value") + " beyond it",
                       "Values that fp16 does not hold stay fp32");
    pending.encoded = TRY(codec::encodeForm(pending.values, weight.shape, form,
                                            narrow ? ElementType::Fp16 : weight.type));
    return pending;
}

/// Why --all leaves a weight as it is in a form that is not dense; nothing where
/// it is not. `encoded`: null where it cannot have the form.
std::optional<Error> whyKept(const Weight &weight, const codec::EncodedWeight *encoded)
{
    const auto kept = [](std::string_view code, std::string reason) -> Error {
        return ErrorBuilder(code).message(std::move(reason));
    };
    if (std::string note = uncompressibleNote(weight); !note.empty())
        return kept("encode.operand", std::move(note));
    if (weight.type != ElementType::Fp16 && weight.type != ElementType::Fp32)
        return kept("encode.kept",
                    fmt::format("values of {} have no other form", elementTypeName(weight.type)));
    if (encoded == nullptr)
        return std::nullopt;
    if (weight.elements.value < 10 && weight.operands().front().place->isLiteral())
        return kept("encode.kept", "one more operation takes more than these few numbers do");
    std::uint64_t bytes = 0;
    for (const codec::EncodedPart &part : encoded->parts)
        bytes += part.bytes.size();
    const auto dense = packedBytes(weight.elements, weight.type);
    if (!dense || bytes < dense->value)
        return std::nullopt;
    return kept("encode.kept",
                fmt::format("{} bytes in this form are no fewer than the {} as dense", bytes,
                            dense->value));
}

/// The operation set that the model of a weight has.
unsigned ownOpset(const Bundle &bundle, const Weight &weight)
{
    for (const mil::Function &function : bundle.program()->functions) {
        if (function.name == weight.function && function.model == weight.model)
            return opsetOf(function.opset);
    }
    return 0;
}

/// The operation set that each weight needs, where its program has an earlier one; else 0.
Result<std::vector<unsigned>> neededOpsets(const Bundle &bundle, std::span<const Pending> pending,
                                           const std::string &opset)
{
    std::vector<unsigned> needs;
    for (const Pending &one : pending) {
        const unsigned before = ownOpset(bundle, bundle.weights()[one.weight]);
        unsigned needed = opset.empty() ? before : opsetOf(opset);
        if (!opset.empty() && (needed == 0 || needed < before))
            return refused("encode.usage", "--opset",
                           "ios16, ios17 or ios18, not before the program's own", opset,
                           "This form cannot be asked for");
        if (opset.empty() && before != 0)
            needed = requiredOpset(one.encoded, before).value_or(before);
        needs.push_back(before != 0 && needed > before ? needed : 0);
    }
    return needs;
}

/// The bundle with later operation sets, where forms or the user ask for them; null where they
/// do not. Weights whose model cannot have the one that they need are refused.
Result<BundlePtr> raisedFor(const Bundle &bundle, std::span<const Pending> pending,
                            const std::string &opset, EncodedBundle &result)
{
    auto needs = TRY(neededOpsets(bundle, pending, opset));
    BundlePtr now;
    for (;;) {
        const auto highest = std::ranges::max_element(needs);
        if (highest == needs.end() || *highest == 0)
            return now;
        const unsigned number = *highest;
        const auto modelOf = [&](std::size_t i) -> const std::string & {
            return bundle.weights()[pending[i].weight].model;
        };
        const std::string model = modelOf(static_cast<std::size_t>(highest - needs.begin()));
        auto raised = raiseOpset(now ? *now : bundle, model, number);
        if (!raised && !opset.empty())
            return tl::unexpected(std::move(raised.error()));
        for (std::size_t i = 0; i < needs.size(); ++i) {
            if (modelOf(i) != model || needs[i] == 0)
                continue;
            if (!raised && needs[i] == number)
                result.refused.push_back({pending[i].weight, raised.error()});
            if (raised || needs[i] == number)
                needs[i] = 0;
        }
        if (!raised)
            continue;
        now = raised->bundle;
        result.raised.push_back(std::move(*raised));
    }
}

Result<std::size_t> weightIn(const Bundle &made, const Weight &weight)
{
    if (const auto index = made.weightByName(weight.address()))
        return *index;
    return refused("encode.verify", weight.findableName(), "the weight", "none",
                   "The new bundle does not hold what it should");
}

bool isRefused(std::span<const RefusedWeight> refused, std::size_t weight)
{
    return std::ranges::any_of(refused,
                               [weight](const RefusedWeight &one) { return one.weight == weight; });
}

/// The bundle with all that is pending; null where nothing is left of it. `from` is the bundle, or
/// what it became by raising its operation sets. What cannot be put in is looked for one by one,
/// once all of it together has failed, and added to `refused`.
Result<BundlePtr> putIn(const Bundle &from, const Bundle &bundle, std::span<const Pending> pending,
                        std::vector<RefusedWeight> &refused)
{
    const auto together = [&]() -> Result<BundlePtr> {
        std::vector<Reencoding> all;
        for (const Pending &one : pending) {
            if (isRefused(refused, one.weight))
                continue;
            const auto index = TRY(weightIn(from, bundle.weights()[one.weight]));
            all.push_back({index, &one.encoded});
        }
        return all.empty() ? BundlePtr() : reencodeWeights(from, all);
    };
    auto made = together();
    if (made)
        return made;
    const std::size_t before = refused.size();
    for (const Pending &one : pending) {
        const auto index = weightIn(from, bundle.weights()[one.weight]);
        auto alone =
            index ? reencodeWeight(from, *index, one.encoded) : tl::unexpected(index.error());
        if (!alone)
            refused.push_back({one.weight, std::move(alone.error())});
    }
    return refused.size() == before ? made : together();
}

/// What the new bundle holds against what was there.
Result<EncodedOne> measured(const Bundle &bundle, const Bundle &made, const Pending &one)
{
    const Weight &weight = bundle.weights()[one.weight];
    const auto after = TRY(weightIn(made, weight));
    const auto stored = TRY(made.decoder(after));
    EncodedOne result;
    result.before = one.weight;
    result.after = after;
    result.asked = one.asked;
    result.error =
        TRY(codec::accuracyError(stored, one.values, layerShape(weight.shape, one.axes)));
    if (!one.inputs)
        return result;
    std::vector<float> decoded(one.values.size());
    stored.decodeFloat(0, decoded);
    const auto off = codec::inputError(one.values, decoded, weight.shape, *one.inputs);
    const std::vector<float> nothing(one.values.size());
    const auto whole = codec::inputError(one.values, nothing, weight.shape, *one.inputs);
    if (off && whole && *whole > 0)
        result.inputRelative = std::sqrt(*off / *whole);
    return result;
}

} // namespace

Result<WantedForm> formOf(const EncodeOptions &options)
{
    auto form = plainFormOf(options);
    const bool fitted =
        options.method.empty() ? !options.activations.empty() : options.method == "fitted";
    if (form && fitted)
        form->method = codec::EncodeMethod::Fitted;
    if (form && options.method == "feedback")
        form->method = codec::EncodeMethod::Feedback;
    if (!form)
        return tl::unexpected(form.error());
    return WantedForm{*form, options.axis.has_value()};
}

std::string encodeText(const Bundle &bundle, const EncodedBundle &encoded,
                       const EncodeOptions &options)
{
    const bool one = encoded.weights.size() == 1 && encoded.refused.empty();
    std::string text = one ? oneText(bundle, encoded) : severalText(bundle, encoded);
    for (const RaisedBundle &raised : encoded.raised)
        text += raisedText(raised);
    return text + fmt::format("written {}\n", printable(options.output));
}

Result<std::vector<std::size_t>> weightsOf(const Bundle &bundle, const EncodeOptions &options)
{
    std::vector<std::size_t> all(bundle.weights().size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    if (!options.all) {
        auto named =
            TRY(patch::findWeights(bundle, options.weights).map_error(withCode("cli.weight")));
        all = std::move(named);
    }
    std::erase_if(all, [&](std::size_t i) {
        return bundle.weights()[i].elements.value < options.minElements;
    });
    if (!all.empty())
        return all;
    return refused("cli.weight", {},
                   options.minElements > 0
                       ? fmt::format("weights of {} elements or more", options.minElements)
                       : std::string("weights"),
                   "none", "The bundle has no such weight");
}

Result<EncodedBundle> encodeWeights(const Bundle &bundle, std::span<const std::size_t> weights,
                                    const WantedForm &form, bool all,
                                    std::span<const InputStatisticsPtr> inputs,
                                    const std::string &opset, Progress &progress)
{
    EncodedBundle result;
    const auto axes = judgedAxes(bundle);
    std::vector<Pending> pending;
    for (const std::size_t weight : weights) {
        const codec::FormSpec spec =
            form.ownAxis ? form.spec : alongChannels(form.spec, axes[weight]);
        auto one = encodeOne(bundle, weight, spec,
                             inputs.empty() ? InputStatisticsPtr() : inputs[weight], axes[weight]);
        auto reason = all && form.spec.node != FormNode::Dense
                          ? whyKept(bundle.weights()[weight], one ? &one->encoded : nullptr)
                          : std::nullopt;
        // Of fp32 values the dense form is made by a cast, which is no constant either.
        if (all && form.spec.node == FormNode::Dense &&
            bundle.weights()[weight].type == ElementType::Fp32) {
            if (std::string note = uncompressibleNote(bundle.weights()[weight]); !note.empty())
                reason = ErrorBuilder("encode.operand").message(std::move(note));
        }
        if (all && form.spec.node == FormNode::Dense && !one && one.error().code == "encode.range")
            reason = one.error();
        if (reason)
            result.kept.push_back({weight, std::move(*reason)});
        else if (one)
            pending.push_back(std::move(*one));
        else
            result.refused.push_back({weight, std::move(one.error())});
        if (!progress.advance(1))
            return tl::unexpected(cancelledError("Nothing was written"));
    }
    auto now = TRY(raisedFor(bundle, pending, opset, result));
    auto made = TRY(putIn(now ? *now : bundle, bundle, pending, result.refused));
    if (made == nullptr)
        return result;
    result.made = std::move(made);
    for (const Pending &one : pending) {
        if (isRefused(result.refused, one.weight))
            continue;
        if (!progress.advance(1))
            return tl::unexpected(cancelledError("Nothing was written"));
        auto measure = TRY(measured(bundle, *result.made, one));
        result.weights.push_back(std::move(measure));
    }
    std::ranges::sort(result.refused,
                      [](const auto &a, const auto &b) { return a.weight < b.weight; });
    return result;
}

} // namespace kernscope::cli
