// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/plan/weight_error.h"

#include "core/codec/analysis/accuracy.h"

#include <algorithm>
#include <cmath>

namespace kernscope::plan {

namespace {

constexpr std::uint64_t kBlock = 16384;

/// The extents before, at and behind the input channels.
struct InputRuns {
    std::uint64_t channels = 1, inner = 1;
};
InputRuns inputRuns(const WeightValues &weight)
{
    InputRuns runs;
    if (weight.axes.input >= weight.shape.size())
        return runs;
    runs.channels = weight.shape[weight.axes.input];
    for (std::size_t i = weight.axes.input + 1; i < weight.shape.size(); ++i)
        runs.inner *= weight.shape[i];
    return runs;
}

/// The mean square that an element's input has. A grouped convolution has one for each channel of
/// every group: those of the group that the output channel belongs to.
double meanSquareAt(const WeightValues &weight, const InputRuns &runs, std::uint64_t element)
{
    const std::uint64_t channel = element / runs.inner % runs.channels;
    const std::uint64_t groups = weight.meanSquares.size() / runs.channels;
    if (groups <= 1)
        return static_cast<double>(weight.meanSquares[channel]);
    const std::uint64_t row = element / (weight.values.size() / weight.shape[0]);
    const std::uint64_t group = row * groups / weight.shape[0];
    return static_cast<double>(weight.meanSquares[group * runs.channels + channel]);
}

/// Sum over elements [first, first + found.size()) of the weighted squared differences.
double squares(const WeightValues &weight, const InputRuns &runs, std::uint64_t first,
               std::span<const float> found)
{
    const float *original = weight.values.data() + first;
    if (weight.meanSquares.empty()) {
        double sums[4] = {};
        std::size_t i = 0;
        for (; i + 4 <= found.size(); i += 4) {
            for (std::size_t lane = 0; lane < 4; ++lane) {
                const double off =
                    static_cast<double>(found[i + lane]) - static_cast<double>(original[i + lane]);
                sums[lane] += off * off;
            }
        }
        for (; i < found.size(); ++i) {
            const double off = static_cast<double>(found[i]) - static_cast<double>(original[i]);
            sums[0] += off * off;
        }
        return (sums[0] + sums[1]) + (sums[2] + sums[3]);
    }
    double sum = 0;
    for (std::size_t i = 0; i < found.size(); ++i) {
        const double off = static_cast<double>(found[i]) - static_cast<double>(original[i]);
        sum += off * off * meanSquareAt(weight, runs, first + i);
    }
    return sum;
}

Result<codec::Decoder> decoderOf(const codec::EncodedWeight &encoded)
{
    return codec::Decoder::make(encoded.encoding());
}

/// [outer, channels, inner] to [channels, outer x inner], each input weighed by the root of its
/// mean square.
std::vector<float> asLayer(const WeightValues &weight, std::span<const float> values)
{
    const InputRuns runs = inputRuns(weight);
    const std::size_t axis = std::min(weight.axes.output, weight.shape.size());
    std::uint64_t inner = 1;
    for (std::size_t i = axis + 1; i < weight.shape.size(); ++i)
        inner *= weight.shape[i];
    const std::uint64_t channels = axis < weight.shape.size() ? weight.shape[axis] : 1;
    const std::uint64_t outer = values.size() / (channels * inner);
    std::vector<float> layer(values.size());
    for (std::uint64_t i = 0; i < values.size(); ++i) {
        const std::uint64_t o = i / (channels * inner), c = i / inner % channels, n = i % inner;
        const double factor =
            weight.meanSquares.empty() ? 1 : std::sqrt(meanSquareAt(weight, runs, i));
        layer[(c * outer + o) * inner + n] =
            static_cast<float>(static_cast<double>(values[i]) * factor);
    }
    return layer;
}

Result<double> outputError(const WeightValues &weight, const codec::Decoder &decoder)
{
    std::vector<float> found(weight.values.size());
    decoder.decodeFloat(0, found);
    const std::uint64_t channels =
        weight.axes.output < weight.shape.size() ? weight.shape[weight.axes.output] : 1;
    const Shape layer{channels, weight.values.size() / std::max<std::uint64_t>(channels, 1)};
    const auto dense = codec::encodeDense(asLayer(weight, found), layer, ElementType::Fp32);
    if (!dense)
        return tl::unexpected(dense.error());
    const auto stored = decoderOf(*dense);
    if (!stored)
        return tl::unexpected(stored.error());
    const auto error = codec::accuracyError(*stored, asLayer(weight, weight.values),
                                            codec::layerOf(layer), codec::AccuracyOptions());
    if (!error)
        return tl::unexpected(error.error());
    return error->outputRelative;
}

} // namespace

std::string_view errorModelName(ErrorModel model)
{
    return model == ErrorModel::Weights ? "weights" : "outputs";
}

Result<WeightValues> weightValues(const Bundle &bundle, std::size_t index, const Axes &axes,
                                  std::uint64_t mostElements)
{
    const Weight &weight = bundle.weights()[index];
    const BundleReadLock lock(bundle);
    const auto decoder = bundle.decoder(index);
    if (!decoder)
        return tl::unexpected(decoder.error());
    WeightValues picked;
    picked.shape = weight.shape;
    picked.type = weight.type;
    picked.axes = axes;
    const std::uint64_t rows = weight.shape.empty() ? 1 : weight.shape[0];
    // Halves again and again, so that codebooks and patterns still divide what is left.
    std::uint64_t take = rows;
    while (take % 2 == 0 && take > 16 && weight.elements.value / picked.step > mostElements) {
        take /= 2;
        picked.step *= 2;
    }
    const std::uint64_t length = weight.elements.value / std::max<std::uint64_t>(rows, 1);
    picked.values.resize(take * length);
    if (picked.step == 1) {
        decoder->decodeFloat(0, picked.values);
        return picked;
    }
    picked.shape[0] = take;
    for (std::uint64_t row = 0; row < take; ++row)
        decoder->decodeFloat(row * picked.step * length,
                             std::span(picked.values).subspan(row * length, length));
    return picked;
}

double energy(const WeightValues &weight)
{
    const InputRuns runs = inputRuns(weight);
    const std::vector<float> zeros(kBlock);
    double sum = 0;
    for (std::uint64_t at = 0; at < weight.values.size(); at += kBlock)
        sum += squares(weight, runs, at,
                       std::span(zeros).first(std::min(kBlock, weight.values.size() - at)));
    return sum * static_cast<double>(weight.step);
}

Result<codec::EncodedWeight> encodeAs(const WeightValues &weight, const codec::FormSpec &spec)
{
    codec::FormSpec wanted = spec;
    const bool wide = weight.type == ElementType::Fp32;
    if (wide)
        wanted.denseType = ElementType::Fp32;
    auto encoded = codec::encodeForm(weight.values, weight.shape, wanted);
    if (encoded && wide)
        codec::widenToFp32(*encoded);
    return encoded;
}

Result<double> formError(const WeightValues &weight, const codec::EncodedWeight &encoded,
                         ErrorModel model)
{
    const auto decoder = decoderOf(encoded);
    if (!decoder)
        return tl::unexpected(decoder.error());
    return formError(weight, *decoder, model);
}

Result<double> formError(const WeightValues &weight, const codec::Decoder &stored, ErrorModel model)
{
    if (model == ErrorModel::Outputs)
        return outputError(weight, stored);
    const InputRuns runs = inputRuns(weight);
    std::vector<float> found(kBlock);
    double sum = 0;
    for (std::uint64_t at = 0; at < weight.values.size(); at += kBlock) {
        const auto block = std::span(found).first(std::min(kBlock, weight.values.size() - at));
        stored.decodeFloat(at, block);
        sum += squares(weight, runs, at, block);
    }
    const double whole = energy(weight) / static_cast<double>(weight.step);
    if (sum == 0)
        return 0.0;
    return whole > 0 ? std::sqrt(sum / whole) : std::numeric_limits<double>::infinity();
}

std::uint64_t storedBytes(const WeightValues &weight, const codec::EncodedWeight &encoded)
{
    std::uint64_t bytes = 0;
    for (const codec::EncodedPart &part : encoded.parts) {
        const auto count = elementCount(part.shape);
        const bool table = part.role == codec::PartRole::Lut ||
                           (part.role == codec::PartRole::Scale && encoded.entries > 0);
        const bool byRow =
            part.role == codec::PartRole::Data || part.role == codec::PartRole::Indices ||
            part.role == codec::PartRole::Mask || part.role == codec::PartRole::NonzeroData ||
            (!part.shape.empty() && part.shape[0] == weight.shape[0]);
        if (!weight.sampled() || table || !byRow || !count)
            bytes += part.bytes.size();
        else
            bytes += (count->value * weight.step * bitWidth(part.type) + 7) / 8;
    }
    return bytes;
}

} // namespace kernscope::plan
