// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/encode.h"

#include "app/cli/text_output.h"
#include "core/base/error_builder.h"
#include "core/bundle/bundle.h"
#include "core/codec/encode/form_encoder.h"
#include "core/report/encode_table.h"

#include <charconv>

#include <fmt/format.h>

namespace kernscope::cli {

namespace {

using codec::FormSpec;

tl::unexpected<Error> usageFault(std::string field, std::string expected, std::string found)
{
    return ErrorBuilder("encode.usage")
        .field(std::move(field))
        .expected(std::move(expected))
        .found(std::move(found))
        .message("This form cannot be asked for")
        .unexpected();
}

Result<codec::SparsePattern> patternOf(const EncodeOptions &options)
{
    codec::SparsePattern pattern;
    const char *end = options.pattern.data() + options.pattern.size();
    const auto first = std::from_chars(options.pattern.data(), end, pattern.keep);
    const bool colon = first.ec == std::errc() && first.ptr != end && *first.ptr == ':';
    const auto second = colon ? std::from_chars(first.ptr + 1, end, pattern.of) : first;
    if (!colon || second.ec != std::errc() || second.ptr != end)
        return usageFault("--pattern", "N:M, N elements kept of M", options.pattern);
    pattern.axis = options.axis.value_or(1);
    return pattern;
}

ElementType codeType(const EncodeOptions &options)
{
    return options.type.empty() ? ElementType::Int8 : elementTypeFromName(options.type);
}

codec::PaletteOptions paletteOptions(const EncodeOptions &options)
{
    return {options.bits, options.codebooks, options.vector,
            options.entries == "e4m3" ? ElementType::Fp8E4M3Fn
                                      : elementTypeFromName(options.entries)};
}

codec::BlockwiseOptions blockwiseOptions(const EncodeOptions &options)
{
    const ElementType type = codeType(options);
    return {type, options.block, options.axis.value_or(1),
            options.zeroPoint || !isSignedInteger(type)};
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
        const auto pattern = patternOf(options);
        if (!pattern)
            return tl::unexpected(pattern.error());
        form.pattern = *pattern;
    }
    const codec::FormEncoder *survivors = codec::formEncoderOfWord(options.survivors);
    if (survivors != nullptr && survivors->encodeKept != nullptr)
        form.survivors = survivors->node;
    return form;
}

} // namespace

/// The options of every encoder; the one that is asked for reads its own.
static Result<FormSpec> plainFormOf(const EncodeOptions &options)
{
    const codec::FormEncoder *encoder = codec::formEncoderOfWord(options.form);
    if (encoder == nullptr)
        return usageFault("--form", codec::encoderWords(), options.form);
    FormSpec form;
    form.node = encoder->node;
    form.palette = paletteOptions(options);
    form.blockwise = blockwiseOptions(options);
    form.affine.codeType = codeType(options);
    form.affine.axis = options.perTensor ? std::nullopt : std::optional(options.axis.value_or(0));
    form.affine.symmetric = !options.zeroPoint;
    return form.node == FormNode::Sparse ? withMask(std::move(form), options) : form;
}

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
    text += terminalText(textTable(report::encodedSideTable(),
                                   report::encodedSides(bundle, encoded), {{"side", ""}}));
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
    std::string text =
        terminalText(textTable(report::encodedTable(), report::encodedFacts(bundle, encoded)));
    text += fmt::format("asked   {}\n", report::askedText(encoded));
    text += "errors  relative: of the weights, of the layer through the engine's reduction "
            "(estimate), by the statistics of the inputs (expected)\n";
    text +=
        fmt::format("weights {} of {} encoded; bundle {}, was {}\n", encoded.weights.size(),
                    encoded.weights.size() + encoded.refused.size(),
                    grouped(encoded.made->totalBytes().value), grouped(bundle.totalBytes().value));
    return text;
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

} // namespace kernscope::cli
