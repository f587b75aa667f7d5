// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/audit/scheme.h"

#include "core/base/json_place.h"
#include "core/bundle/bundle.h"
#include "core/container/mil/program.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace kernscope::audit {

namespace {

using Json = nlohmann::json;

constexpr std::string_view kKey = "compression";
constexpr std::uint64_t kUsualThreshold = 1024;

std::uint64_t numberOf(const Json &json, const char *key)
{
    const auto at = json.find(key);
    return at != json.end() && at->is_number_unsigned() ? at->get<std::uint64_t>() : 0;
}

std::string wordOf(const Json &json, const char *key)
{
    const auto at = json.find(key);
    const auto *text = at == json.end() ? nullptr : at->get_ptr<const std::string *>();
    return text ? *text : std::string();
}

/// coremltools keeps patterns of zeros to the weights of convolutions and linear layers.
bool takesPatterns(const Bundle &package, const Weight &weight)
{
    return package.kind() == BundleKind::Aimodel ||
           std::ranges::all_of(weight.consumers, [](const Consumer &each) {
               return (each.op == "conv" || each.op == "linear") && each.param == "weight";
           });
}

bool readBy(const Weight &weight, const Weight &other)
{
    return std::ranges::any_of(weight.consumers, [&](const Consumer &a) {
        return std::ranges::any_of(other.consumers,
                                   [&](const Consumer &b) { return a.op == b.op; });
    });
}

} // namespace

Scheme schemeOf(const Bundle &package)
{
    Scheme scheme;
    for (const mil::ModelDescription &description : package.program()->descriptions) {
        for (const auto &[key, text] : description.metadata) {
            if (key != kKey || !jsonFits(text))
                continue;
            const Json json = Json::parse(text, nullptr, false);
            if (!json.is_object())
                continue;
            scheme.text = text;
            scheme.compresses = wordOf(json, "form") != "dense";
            scheme.threshold = numberOf(json, "weight_threshold");
            const std::string granularity = wordOf(json, "granularity");
            if (granularity == "per_block")
                scheme.block = std::max<std::uint64_t>(numberOf(json, "block_size"), 1);
            if (granularity == "per_grouped_channel")
                scheme.group = std::max<std::uint64_t>(numberOf(json, "group_size"), 1);
            const auto ratio = json.find("n_m_ratio");
            if (ratio != json.end() && ratio->is_array() && ratio->size() == 2 &&
                (*ratio)[1].is_number_unsigned())
                scheme.pattern = (*ratio)[1].get<std::uint64_t>();
            return scheme;
        }
    }
    scheme.threshold = kUsualThreshold;
    scheme.compresses = std::ranges::any_of(package.weights(), [](const Weight &weight) {
        return !weight.fault && !weight.form.isDense() && weight.elements.value > kUsualThreshold;
    });
    return scheme;
}

std::optional<std::string> leftDense(const Bundle &package, std::size_t index, const Scheme &scheme)
{
    const Weight &weight = package.weights()[index];
    if (!scheme.compresses || weight.fault || !weight.form.isDense() || weight.shape.size() < 2 ||
        weight.elements.value <= scheme.threshold)
        return std::nullopt;
    const std::uint64_t outputs = weight.shape[0], inputs = weight.shape[1];
    if ((scheme.block > 0 && inputs % scheme.block != 0) ||
        (scheme.group > 0 && outputs % scheme.group != 0) ||
        (scheme.pattern > 0 && (inputs % scheme.pattern != 0 || inputs < 2 * scheme.pattern ||
                                !takesPatterns(package, weight))))
        return std::nullopt;
    std::size_t like = 0, same = 0, dense = 0;
    for (std::size_t i = 0; i < package.weights().size(); ++i) {
        const Weight &other = package.weights()[i];
        if (i == index || other.fault || other.shape.size() != weight.shape.size() ||
            !readBy(weight, other))
            continue;
        const bool smaller = other.elements.value <= weight.elements.value;
        like += smaller && !other.form.isDense();
        same += other.shape == weight.shape && !other.form.isDense();
        dense += other.elements.value >= weight.elements.value && other.form.isDense();
    }
    // Said by the package: a smaller one like it is compressed, or most are. Else one of its shape.
    const bool fits = scheme.text.empty() ? same > dense : like + same > 0 || dense == 0;
    if (!fits || (like + same == 0 && scheme.text.empty()))
        return std::nullopt;
    return scheme.text.empty()
               ? fmt::format("It is not compressed (dense), as {} of its shape and operation {}",
                             same, same == 1 ? "is" : "are")
               : std::string(
                     "It is not compressed: left dense, where the package says that weights "
                     "of its size are");
}

} // namespace kernscope::audit
