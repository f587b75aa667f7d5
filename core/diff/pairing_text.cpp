// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/counted_text.h"
#include "core/bundle/bundle.h"
#include "core/diff/content_key.h"
#include "core/diff/diff.h"

#include <array>

#include <fmt/format.h>

namespace kernscope {

namespace {

/// What both are to the operation that reads them.
std::string consumerReason(const Weight &a, const Weight &b)
{
    for (const Consumer &x : a.consumers) {
        for (const Consumer &y : b.consumers) {
            if (x.op == y.op && x.name == y.name && x.param == y.param)
                return fmt::format("both are {} of {} {}", x.param, x.op, x.name);
        }
    }
    return "both are read by the same operation";
}

std::string orderReason(const ChannelOrder &order, std::size_t channels)
{
    const bool outputs = !order.outputs.empty();
    return fmt::format("the same {} channels in another order: {} of {} stand elsewhere, "
                       "correlation {:.3f}",
                       outputs ? "output" : "input",
                       grouped(ChannelOrder::moved(outputs ? order.outputs : order.inputs)),
                       grouped(channels), order.correlation);
}

std::string contentReason(const WeightPair &pair, std::uint64_t elements)
{
    if (!pair.similarity) {
        const std::string rounded = pair.rounded ? ", rounded to fp16" : "";
        const bool whole = elements <= diff::kKeyElements;
        if (whole || (pair.values && pair.values->identical()))
            return "the same decoded values" + rounded;
        return fmt::format("the same values{} in the {} elements looked at", rounded,
                           grouped(diff::kKeyElements));
    }
    std::string text = pair.order ? orderReason(*pair.order, std::max(pair.order->outputs.size(),
                                                                      pair.order->inputs.size()))
                                  : fmt::format("the most similar values: correlation {:.3f}",
                                                pair.similarity.value_or(0));
    if (pair.nextSimilarity > 0)
        text += fmt::format(", of the next one {:.3f}", pair.nextSimilarity);
    return text;
}

} // namespace

std::string baseName(std::string_view name)
{
    static constexpr std::array<std::string_view, 3> kSuffixes{"_quantized", "_palettized",
                                                               "_sparsified"};
    for (bool taken = true; taken;) {
        taken = false;
        for (const std::string_view suffix : kSuffixes) {
            // A name that is nothing but a suffix stays.
            if (name.size() > suffix.size() && name.substr(name.size() - suffix.size()) == suffix) {
                name.remove_suffix(suffix.size());
                taken = true;
            }
        }
    }
    return std::string(name);
}

std::string_view pairingName(Pairing pairing)
{
    static constexpr std::array<std::string_view, 6> kNames{"consumer", "name",     "content",
                                                            "shape",    "position", "hand"};
    return kNames[static_cast<std::size_t>(pairing)];
}

std::string_view contentKindName(ContentKind kind)
{
    static constexpr std::array<std::string_view, 4> kNames{"", "exact", "nearest", "reordered"};
    return kNames[static_cast<std::size_t>(kind)];
}

std::string_view pairConfidenceName(PairConfidence confidence)
{
    static constexpr std::array<std::string_view, 3> kNames{"certain", "likely", "guess"};
    return kNames[static_cast<std::size_t>(confidence)];
}

std::string pairingText(const WeightPair &pair)
{
    std::string text(pairingName(pair.pairing));
    if (pair.content == ContentKind::Nearest || pair.content == ContentKind::Reordered)
        text += ": " + std::string(contentKindName(pair.content));
    return text;
}

std::string pairingReason(const Bundle &a, const Bundle &b, const WeightPair &pair)
{
    const Weight &from = a.weights()[pair.a], &to = b.weights()[pair.b];
    switch (pair.pairing) {
    case Pairing::Consumer: return consumerReason(from, to);
    case Pairing::Name:
        return from.name == to.name ? "both are called " + from.name
                                    : fmt::format("both are {} without the suffixes of converters",
                                                  baseName(from.name));
    case Pairing::Content: return contentReason(pair, from.elements.value);
    case Pairing::ShapeOnly:
        return "the only ones left of shape " + shapeText(from.shape) +
               "; their values have little in common";
    case Pairing::Hand: return "paired by hand";
    case Pairing::Position: break;
    }
    return "in their order among those left of shape " + shapeText(from.shape);
}

} // namespace kernscope
