// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/encode.h"

#include "app/cli/text_output.h"

#include "core/patch/reencode/reencode.h"

#include <charconv>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace kernscope::cli {

namespace {

using codec::FormSpec;

tl::unexpected<Error> usageFault(std::string field, std::string expected, std::string found)
{
    Error error;
    error.code = "encode.usage";
    error.field = std::move(field);
    error.expected = std::move(expected);
    error.found = std::move(found);
    error.message = "This form cannot be asked for";
    return tl::unexpected(std::move(error));
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

Result<FormSpec> sparseForm(const EncodeOptions &options)
{
    FormSpec form;
    form.node = FormNode::Sparse;
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
    if (options.survivors == "palette") {
        form.survivors = FormNode::Palette;
        form.palette = paletteOptions(options);
    } else if (options.survivors == "blockwise") {
        form.survivors = FormNode::Blockwise;
        form.blockwise = blockwiseOptions(options);
    }
    return form;
}

} // namespace

Result<FormSpec> formOf(const EncodeOptions &options)
{
    FormSpec form;
    if (options.form == "sparse")
        return sparseForm(options);
    if (options.form == "palette") {
        form.node = FormNode::Palette;
        form.palette = paletteOptions(options);
        return form;
    }
    if (options.form == "affine") {
        form.node = FormNode::Affine;
        form.affine.codeType = codeType(options);
        form.affine.axis =
            options.perTensor ? std::nullopt : std::optional(options.axis.value_or(0));
        form.affine.symmetric = !options.zeroPoint;
    } else if (options.form == "blockwise") {
        form.node = FormNode::Blockwise;
        form.blockwise = blockwiseOptions(options);
    } else if (options.form != "dense") {
        return usageFault("--form", "dense, affine, palette, sparse or blockwise", options.form);
    }
    return form;
}

namespace {

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

/// The bundle with a later operation set, where the form or the user asks for one.
Result<std::optional<RaisedBundle>> raisedFor(const Bundle &bundle, const Weight &weight,
                                              const codec::EncodedWeight &encoded,
                                              const std::string &opset)
{
    unsigned before = 0;
    for (const mil::Function &function : bundle.program().functions) {
        if (function.name == weight.function && function.model == weight.model)
            before = opsetOf(function.opset);
    }
    unsigned wanted = opset.empty() ? before : opsetOf(opset);
    if (!opset.empty() && (wanted == 0 || wanted < before))
        return usageFault("--opset", "ios16, ios17 or ios18, not before the program's own", opset);
    if (opset.empty() && before != 0) {
        const auto needed = requiredOpset(encoded, before);
        if (needed)
            wanted = *needed;
    }
    if (before == 0 || wanted <= before)
        return std::optional<RaisedBundle>();
    auto raised = raiseOpset(bundle, weight.model, wanted);
    if (!raised)
        return tl::unexpected(std::move(raised.error()));
    return std::optional(std::move(*raised));
}

} // namespace

Result<EncodedBundle> encodeWeight(const Bundle &bundle, std::size_t weight,
                                   const codec::FormSpec &form, const std::string &opset)
{
    const Weight &before = bundle.weights()[weight];
    if (before.fault)
        return tl::unexpected(*before.fault);
    const auto decoder = bundle.decoder(weight);
    if (!decoder)
        return tl::unexpected(decoder.error());
    std::vector<float> values(decoder->elements().value);
    decoder->decodeFloat(0, values);
    FormSpec wanted = form;
    const bool wide = before.type == ElementType::Fp32;
    if (wide)
        wanted.denseType = ElementType::Fp32;
    auto encoded = codec::encodeForm(values, before.shape, wanted);
    if (!encoded)
        return tl::unexpected(encoded.error());
    if (wide)
        codec::widenToFp32(*encoded);
    auto raised = raisedFor(bundle, before, *encoded, opset);
    if (!raised)
        return tl::unexpected(std::move(raised.error()));
    const Bundle &from = *raised ? *(*raised)->bundle : bundle;
    auto made = reencodeWeight(from, weight, *encoded);
    if (!made)
        return tl::unexpected(made.error());
    EncodedBundle result;
    result.raised = std::move(*raised);
    result.made = std::move(*made);
    result.before = weight;
    result.after = result.made->weightByName(before.address()).value_or(0);
    const auto stored = result.made->decoder(result.after);
    if (!stored)
        return tl::unexpected(stored.error());
    const auto error = codec::accuracyError(*stored, values, codec::layerOf(before.shape));
    if (!error)
        return tl::unexpected(error.error());
    result.error = *error;
    return result;
}

report::Json accuracyJson(const codec::AccuracyError &error)
{
    report::Json json;
    json["weight_max_abs"] = error.weightMaxAbs;
    json["weight_rmse"] = error.weightRmse;
    json["weight_relative"] = error.weightRelative;
    json["output_max_abs"] = error.outputMaxAbs;
    json["output_rmse"] = error.outputRmse;
    json["output_relative"] = error.outputRelative;
    json["dense_relative"] = error.denseRelative;
    json["outputs"] = error.outputs;
    json["non_finite"] = error.nonFinite;
    json["contested"] = error.contested;
    json["estimate"] = true;
    return json;
}

void addEncodeJson(report::Json &document, const Bundle &bundle, const EncodedBundle &encoded,
                   const codec::FormSpec &form, const EncodeOptions &options)
{
    const Weight &after = encoded.made->weights()[encoded.after];
    document["name"] = after.name;
    document["form"] = formText(after.form);
    document["asked"] = codec::describe(form);
    document["before"] = report::weightJson(bundle, encoded.before, std::nullopt, {});
    document["after"] = report::weightJson(*encoded.made, encoded.after, std::nullopt, {});
    document["error"] = accuracyJson(encoded.error);
    document["bytes_before"] = bundle.totalBytes().value;
    document["bytes_after"] = encoded.made->totalBytes().value;
    document["output"] = options.output;
    if (!encoded.raised) {
        document["opset"] = nullptr;
        return;
    }
    report::Json opset;
    opset["before"] = encoded.raised->before;
    opset["after"] = encoded.raised->after;
    opset["changes"] = report::Json::array();
    for (const OpsetChange &change : encoded.raised->changes)
        opset["changes"].push_back({{"operation", change.operation},
                                    {"function", change.function},
                                    {"count", change.count},
                                    {"opset", fmt::format("ios{}", change.opset)},
                                    {"change", change.change}});
    document["opset"] = std::move(opset);
}

/// Which operations the later operation set defines anew; all of them mean what they meant.
static std::string raisedText(const RaisedBundle &raised)
{
    std::string text =
        fmt::format("opset   raised from {} to {}\n", printable(raised.before), raised.after);
    for (const OpsetChange &change : raised.changes)
        text += fmt::format("        {} ({} in {}): ios{}: {}\n", change.operation, change.count,
                            printable(change.function), change.opset, change.change);
    return text;
}

std::string encodeText(const Bundle &bundle, const EncodedBundle &encoded,
                       const codec::FormSpec &form, const EncodeOptions &options)
{
    const Weight &before = bundle.weights()[encoded.before];
    const Weight &after = encoded.made->weights()[encoded.after];
    const codec::AccuracyError &error = encoded.error;
    std::string text = fmt::format("{}  {} {}\n", styled(Style::Bold, printable(after.name)),
                                   elementTypeName(after.type), shapeText(after.shape));
    Table table({{""},
                 {"form"},
                 {"stored", Table::Align::Right},
                 {"ratio", Table::Align::Right},
                 {"bundle", Table::Align::Right}});
    const auto row = [&](const char *name, const Bundle &of, const Weight &weight) {
        table.add({name, formText(weight.form), grouped(weight.storedBytes.value),
                   fmt::format("{:.3f}", weight.ratio()), grouped(of.totalBytes().value)});
    };
    row("before", bundle, before);
    row("after", *encoded.made, after);
    text += table.text();
    text += fmt::format("asked   {}\n", codec::describe(form));
    text += fmt::format("weights max |d| {:.6g}, rmse {:.6g}, relative {:.6g}\n",
                        error.weightMaxAbs, error.weightRmse, error.weightRelative);
    text += fmt::format("layer   relative {:.6g} through the engine's reduction (estimate; dense "
                        "fp16: {:.6g})\n",
                        error.outputRelative, error.denseRelative);
    if (error.contested > 0)
        text += fmt::format("        {} of {} outputs rest on a contested partial sum\n",
                            grouped(error.contested), grouped(error.outputs));
    if (encoded.raised)
        text += raisedText(*encoded.raised);
    return text + fmt::format("written {}\n", printable(options.output));
}

} // namespace kernscope::cli
