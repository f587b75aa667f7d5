// SPDX-License-Identifier: GPL-3.0-or-later
// Batch norms of a checkpoint: a module with a running mean and a running variance. The epsilon is
// not in the checkpoint, and neither is which layer the norm follows: both are found by names and,
// where they do not decide, by the values of the package (Seats).
#include "core/audit/reference.h"

#include "core/bundle/bundle.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>

namespace kernscope::audit {

namespace {

constexpr std::string_view kMean = "running_mean", kVariance = "running_var";

std::vector<float> valuesOf(const Bundle &checkpoint, std::size_t tensor)
{
    const auto decoder = checkpoint.decoder(tensor);
    if (!decoder)
        return {};
    std::vector<float> values(static_cast<std::size_t>(decoder->elements().value));
    decoder->decodeFloat(0, values);
    return values;
}

std::string_view moduleOf(std::string_view name)
{
    const std::size_t dot = name.rfind('.');
    return dot == name.npos ? std::string_view() : name.substr(0, dot);
}

/// How much of two names is the same from the beginning, in parts between dots, and how near the
/// first parts that differ are: "bn1" belongs to "conv1", "3" to "2".
double nearness(std::string_view norm, std::string_view layer)
{
    double same = 0;
    while (!norm.empty() && !layer.empty()) {
        const std::string_view a = norm.substr(0, norm.find('.')),
                               b = layer.substr(0, layer.find('.'));
        if (a != b) {
            const auto digits = [](std::string_view text) {
                std::size_t number = 0;
                bool any = false;
                for (const char c : text) {
                    if (c >= '0' && c <= '9') {
                        number = number * 10 + static_cast<std::size_t>(c - '0');
                        any = true;
                    }
                }
                return any ? std::optional(number) : std::nullopt;
            };
            const bool plain = a.find_first_not_of("0123456789") == a.npos &&
                               b.find_first_not_of("0123456789") == b.npos;
            const auto x = digits(a), y = digits(b);
            if (plain && x && y) // of a sequence: the layer right before
                return same + (*x == *y + 1 ? 0.9
                               : *x > *y    ? 0.5 / static_cast<double>(*x - *y)
                                            : 0);
            return same + (x == y ? 0.8 : 0.1);
        }
        same += 1;
        norm.remove_prefix(std::min(norm.size(), a.size() + 1));
        layer.remove_prefix(std::min(layer.size(), b.size() + 1));
    }
    return same;
}

} // namespace

std::vector<float> FoldedNorm::factors(Folding folding) const
{
    std::vector<float> result(variance.size(), 1);
    for (std::size_t i = 0; i < result.size(); ++i) {
        const double deviation = folding == Folding::NoVariance || folding == Folding::None
                                     ? 1
                                     : std::sqrt(static_cast<double>(variance[i]) + epsilon);
        const double by = folding == Folding::NoGain || folding == Folding::None || gain.empty()
                              ? 1
                              : static_cast<double>(gain[i]);
        result[i] = static_cast<float>(by / deviation);
    }
    return result;
}

std::vector<float> FoldedNorm::biases(Folding folding) const
{
    const std::vector<float> factor = factors(folding);
    std::vector<float> result(variance.size());
    for (std::size_t i = 0; i < result.size(); ++i) {
        const double before = (bias.empty() ? 0 : static_cast<double>(bias[i])) -
                              (folding == Folding::NoMean ? 0 : static_cast<double>(mean[i]));
        result[i] = static_cast<float>((shift.empty() ? 0 : static_cast<double>(shift[i])) +
                                       before * static_cast<double>(factor[i]));
    }
    return result;
}

std::vector<FoldedNorm> findNorms(const Bundle &checkpoint)
{
    std::map<std::string, std::size_t, std::less<>> byName;
    for (std::size_t i = 0; i < checkpoint.weights().size(); ++i)
        byName.emplace(checkpoint.weights()[i].name, i);
    const auto tensor = [&](std::string_view module, std::string_view last) {
        const auto found = byName.find(std::string(module) + "." + std::string(last));
        return found == byName.end() ? kNoIndex : found->second;
    };
    std::vector<FoldedNorm> norms;
    for (const auto &[name, index] : byName) {
        const std::string_view module = moduleOf(name);
        const std::size_t mean = tensor(module, kMean);
        if (!name.ends_with("." + std::string(kVariance)) || mean == kNoIndex)
            continue;
        FoldedNorm norm;
        norm.name = module;
        norm.variance = valuesOf(checkpoint, index);
        norm.mean = valuesOf(checkpoint, mean);
        const std::size_t channels = norm.variance.size();
        if (const auto at = tensor(module, "weight"); at != kNoIndex)
            norm.gain = valuesOf(checkpoint, at);
        if (const auto at = tensor(module, "bias"); at != kNoIndex)
            norm.shift = valuesOf(checkpoint, at);
        const bool sized = channels > 0 && norm.mean.size() == channels &&
                           (norm.gain.empty() || norm.gain.size() == channels) &&
                           (norm.shift.empty() || norm.shift.size() == channels);
        double best = 0;
        std::size_t layer = kNoIndex;
        for (const auto &[other, at] : byName) {
            const Shape &shape = checkpoint.weights()[at].shape;
            if (!other.ends_with(".weight") || shape.size() < 2 || shape[0] != channels)
                continue;
            const double near = nearness(module, moduleOf(other));
            if (near > best) {
                best = near;
                layer = at;
            }
        }
        if (!sized || layer == kNoIndex)
            continue;
        norm.convolution = layer;
        norm.norm = tensor(module, "weight") == kNoIndex ? index : tensor(module, "weight");
        if (const auto at = tensor(moduleOf(checkpoint.weights()[layer].name), "bias");
            at != kNoIndex) {
            norm.bias = valuesOf(checkpoint, at);
            if (norm.bias.size() != channels)
                norm.bias.clear();
        }
        norms.push_back(std::move(norm));
    }
    return norms;
}

} // namespace kernscope::audit
