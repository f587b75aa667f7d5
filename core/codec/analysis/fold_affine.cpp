// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codec/analysis/fold_affine.h"

#include "core/base/error_builder.h"
#include "core/codec/microscaled/quantize.h"
#include "core/numeric/convert.h"
#include "core/numeric/half.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace kernscope::codec {

namespace {

Error foldFault(std::string expected, std::string found)
{
    return ErrorBuilder("codec.fold")
        .field("scale")
        .expected(std::move(expected))
        .found(std::move(found))
        .message("The scales of this weight cannot be folded into an output channel's");
}

/// Scales or zero points as one number for each output channel.
Result<std::vector<double>> perChannel(const OperandSource &source, std::uint64_t channels,
                                       std::uint64_t axis, bool affine)
{
    const auto *operand = std::get_if<Operand>(&source);
    if (operand == nullptr)
        return tl::unexpected(foldFault("stored numbers", "the result of another op"));
    const auto count = elementCount(operand->shape)->value;
    const bool leading = affine ? axis == 0 : !operand->shape.empty() && operand->shape[0] == count;
    if (count != 1 && (count != channels || !leading))
        return tl::unexpected(
            foldFault("one number, or one for each index of axis 0", shapeText(operand->shape)));
    std::vector<double> values(channels);
    for (std::uint64_t c = 0; c < channels; ++c)
        values[c] = loadValue(operand->bytes, operand->type, count == 1 ? 0 : c);
    return values;
}

Result<void> requireVector(std::span<const float> vector, std::uint64_t channels,
                           std::string_view field)
{
    if (vector.empty() || vector.size() == channels)
        return {};
    return tl::unexpected(badArgument(field, fmt::format("{} numbers", channels),
                                      fmt::format("{}", vector.size()),
                                      "The vector does not have one number for each channel"));
}

double numberOf(std::span<const float> vector, std::uint64_t channel, double fallback)
{
    return vector.empty() ? fallback : static_cast<double>(vector[channel]);
}

struct Grid {
    std::vector<double> scale;
    std::vector<double> zero;
};

Result<Grid> gridOf(const Encoding &encoding, std::uint64_t channels)
{
    if (!encoding.scaling || encoding.scaling->addsOffset || encoding.palette || encoding.mask ||
        encoding.shape.empty())
        return tl::unexpected(
            foldFault("an affine or blockwise weight of integers", "another form"));
    const Scaling &scaling = *encoding.scaling;
    const bool affine = scaling.kind == Scaling::Kind::Affine;
    auto scale = perChannel(scaling.scale, channels, scaling.axis, affine);
    if (!scale)
        return tl::unexpected(scale.error());
    Grid grid{std::move(*scale), std::vector<double>(channels)};
    if (scaling.offset) {
        auto zero = perChannel(*scaling.offset, channels, scaling.axis, affine);
        if (!zero)
            return tl::unexpected(zero.error());
        grid.zero = std::move(*zero);
    }
    return grid;
}

} // namespace

Result<FoldedAffine> foldAffine(const Decoder &weight, const ChannelAffine &layer,
                                FoldTarget target)
{
    const Encoding &encoding = weight.encoding();
    const std::uint64_t channels = encoding.shape.empty() ? 1 : encoding.shape[0];
    for (const auto &[vector, field] :
         {std::pair{&layer.bias, "bias"}, {&layer.gain, "gain"}, {&layer.shift, "shift"}}) {
        if (auto fits = requireVector(*vector, channels, field); !fits)
            return tl::unexpected(fits.error());
    }
    const auto grid = gridOf(encoding, channels);
    if (!grid)
        return tl::unexpected(grid.error());
    const std::uint64_t inner = channels == 0 ? 0 : weight.elements().value / channels;
    FoldedAffine folded;
    folded.shape = encoding.shape;
    folded.coefficients.resize(weight.elements().value);
    std::vector<std::int64_t> codes(inner);
    for (std::uint64_t c = 0; c < channels; ++c) {
        const double gain = numberOf(layer.gain, c, 1);
        const double factor = gain * grid->scale[c];
        const bool vectors = target == FoldTarget::Vectors;
        folded.postScale.push_back(vectors ? doubleToHalf(factor) : floatToHalf(1));
        folded.bias.push_back(
            doubleToHalf(gain * numberOf(layer.bias, c, 0) + numberOf(layer.shift, c, 0)));
        const auto post = static_cast<double>(halfToFloat(folded.postScale.back()));
        weight.codes(c * inner, codes);
        for (std::uint64_t i = 0; i < inner; ++i) {
            const double steps = static_cast<double>(codes[i]) - grid->zero[c];
            const std::uint16_t half = doubleToHalf(vectors ? steps : factor * steps);
            folded.coefficients[c * inner + i] = half;
            folded.largestError =
                std::max(folded.largestError,
                         std::abs(post * static_cast<double>(halfToFloat(half)) - factor * steps));
        }
    }
    return folded;
}

} // namespace kernscope::codec
