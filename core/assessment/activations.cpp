// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/assessment/activations.h"

#include "core/assessment/weight_facts.h"
#include "core/base/error_builder.h"
#include "core/bundle/bundle.h"

#include <fmt/format.h>

namespace kernscope {

namespace {

using codec::InputStatistics;

tl::unexpected<Error> badArchive(std::string code, const Bundle &arrays, std::string field,
                                 std::string expected, std::string found, std::string message)
{
    return refused({arrays.name()}, code, field, expected, found, message);
}

constexpr std::string_view kMean = ".mean";
constexpr std::string_view kMoments = ".second_moment";

/// The weight that an array is about, and which of its statistics; a weight whose own name ends
/// like that comes first.
struct Subject {
    std::size_t weight = 0;
    std::string_view suffix;
};

std::optional<Subject> activationSubjectOf(const Bundle &network, std::string_view name)
{
    if (const auto weight = network.weightByName(name))
        return Subject{*weight, {}};
    for (const std::string_view suffix : {kMean, kMoments}) {
        if (!name.ends_with(suffix))
            continue;
        if (const auto weight = network.weightByName(name.substr(0, name.size() - suffix.size())))
            return Subject{*weight, suffix};
    }
    return std::nullopt;
}

/// An array of statistics as fp32, of as many dimensions as it should have.
Result<std::vector<float>> numbersOf(const Bundle &arrays, std::size_t index, bool matrix)
{
    const Weight &array = arrays.weights()[index];
    if (array.fault)
        return tl::unexpected(*array.fault);
    const Shape &shape = array.shape;
    const std::uint64_t most = InputStatistics::kMostColumns;
    const bool fits =
        matrix ? shape.size() == 2 && shape[0] == shape[1] && shape[0] <= most : shape.size() == 1;
    if (!fits)
        return badArchive("activations.array", arrays, array.name,
                          matrix ? fmt::format("a square matrix of at most {} rows", most)
                                 : std::string("an array of one axis"),
                          shapeText(shape), "Statistics of inputs have another shape");
    const auto decoder = TRY(arrays.decoder(index));
    std::vector<float> values(decoder.elements().value);
    decoder.decodeFloat(0, values);
    return values;
}

/// Axis of a weight along which the inputs of its layer lie: by its first consumer that multiplies
/// by it (0 of conv_transpose; the one that a matmul sums over), otherwise axis 1, or 0 where there
/// is none.
std::uint64_t inputAxisOf(const Weight &weight)
{
    static constexpr std::array<std::string_view, 4> kSumming{"conv", "conv_transpose", "linear",
                                                              "matmul"};
    for (const Consumer &consumer : weight.consumers) {
        const bool sums = std::ranges::find(kSumming, consumer.op) != kSumming.end();
        if (sums && consumer.via.empty()) // a transposition would move the axes
            return channelAxes(weight, consumer).input;
    }
    return weight.shape.size() < 2 ? 0 : 1;
}

} // namespace

Result<std::vector<std::shared_ptr<const InputStatistics>>>
readActivations(const Bundle &network, const Bundle &arrays, std::optional<std::uint64_t> axis)
{
    if (arrays.kind() != BundleKind::Npz)
        return badArchive("activations.archive", arrays, {}, "an archive of arrays (.npz)",
                          std::string(bundleKindName(arrays.kind())),
                          "Statistics are read from an archive of NumPy arrays");
    std::vector<std::shared_ptr<InputStatistics>> found(network.weights().size());
    const BundleReadLock lock(arrays);
    for (std::size_t i = 0; i < arrays.weights().size(); ++i) {
        const std::string &name = arrays.weights()[i].name;
        const auto subject = activationSubjectOf(network, name);
        if (!subject)
            return badArchive("activations.name", arrays, name,
                              "the name of a weight, alone or with .mean or .second_moment", name,
                              "The bundle has no weight, or several, of this name");
        auto numbers = TRY(numbersOf(arrays, i, subject->suffix == kMoments));
        auto &statistics = found[subject->weight];
        if (!statistics) {
            statistics = std::make_shared<InputStatistics>();
            statistics->axis = axis.value_or(inputAxisOf(network.weights()[subject->weight]));
        }
        auto &place = subject->suffix == kMean      ? statistics->mean
                      : subject->suffix == kMoments ? statistics->secondMoment
                                                    : statistics->meanSquare;
        place = std::move(numbers);
    }
    std::vector<std::shared_ptr<const InputStatistics>> result;
    for (std::size_t i = 0; i < found.size(); ++i) {
        if (found[i] && found[i]->meanSquare.empty() && found[i]->secondMoment.empty())
            return badArchive("activations.array", arrays, network.weights()[i].findableName(),
                              "mean squares beside the means", "means alone",
                              "Means alone do not say how much flows through");
        result.push_back(std::move(found[i]));
    }
    return result;
}

} // namespace kernscope
