// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bundle/scale_data.h"

#include "core/base/error_builder.h"
#include "core/bundle/bundle.h"

#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace kernscope {

namespace {

constexpr std::uint64_t kProgressEvery = 1u << 14;

Result<std::vector<double>> valuesOf(const Bundle &bundle, codec::Operand operand,
                                     Progress &progress)
{
    operand.bytes = bundle.operandBytes(operand);
    std::uint64_t count = 1;
    for (const std::uint64_t extent : operand.shape)
        count *= extent; // the reader checked the product against the operand's bytes
    std::vector<double> values;
    values.reserve(count);
    for (std::uint64_t i = 0; i < count; ++i) {
        if (i % kProgressEvery == 0 && progress.cancelled())
            return ErrorBuilder("task.cancelled").message("cancelled").unexpected();
        values.push_back(
            codec::operandValue(operand, i).value_or(std::numeric_limits<double>::quiet_NaN()));
    }
    return values;
}

} // namespace

bool ScaleData::has(const Weight &weight)
{
    const codec::Operand *scale = weight.operand(codec::PartRole::Scale);
    return scale != nullptr && scale->type != ElementType::Unknown;
}

Result<ScaleData> ScaleData::read(const Bundle &bundle, std::size_t index, Progress &progress)
{
    const Weight &weight = bundle.weights()[index];
    const codec::Operand *scale = weight.operand(codec::PartRole::Scale);
    if (!scale)
        return ErrorBuilder("scale.none").message("The weight has no scales.").unexpected();
    ScaleData data;
    data.shape = scale->shape;
    data.exponents = scale->type == ElementType::Fp8E8M0;
    data.scales = TRY(valuesOf(bundle, *scale, progress));
    for (const auto role : {codec::PartRole::ZeroPoint, codec::PartRole::Offset}) {
        const codec::Operand *zero = weight.operand(role);
        if (!zero)
            continue;
        data.zeros = TRY(valuesOf(bundle, *zero, progress));
        data.zeroPoints = role == codec::PartRole::ZeroPoint;
        if (data.scales.size() == 1 && data.zeros.size() > 1)
            data.shape = zero->shape;
        break;
    }
    const codec::Scaling *scaling = weight.form.scaling();
    if (scaling)
        data.axis = scaling->axis;
    const codec::Operand *bias =
        scaling && scaling->bias ? codec::storedOperand(*scaling->bias) : nullptr;
    if (!bias)
        return data;
    auto biases = TRY(valuesOf(bundle, *bias, progress));
    const bool fits = biases.size() == 1 || biases.size() == data.rows();
    if (fits && std::any_of(biases.begin(), biases.end(), [](double each) { return each != 0; }))
        data.biases = std::move(biases);
    return data;
}

std::optional<std::size_t> ScaleData::zeroPlace(std::size_t row) const
{
    if (zeros.size() == rows())
        return row;
    return zeros.size() == 1 ? std::optional<std::size_t>(0) : std::nullopt;
}

std::optional<double> ScaleData::zeroOf(std::size_t row) const
{
    const auto place = zeroPlace(row);
    return place ? std::optional(zeros[*place]) : std::nullopt;
}

std::optional<int> ScaleData::exponentOf(std::size_t row) const
{
    const double scale = scaleOf(row);
    return exponents && std::isfinite(scale) && scale > 0 ? std::optional(std::ilogb(scale))
                                                          : std::nullopt;
}

std::string ScaleData::placeOf(std::size_t row) const
{
    std::vector<std::uint64_t> indices; // innermost first
    std::uint64_t rest = row;
    for (auto extent = shape.rbegin(); extent != shape.rend(); ++extent) {
        if (*extent > 1)
            indices.push_back(rest % *extent);
        rest /= std::max<std::uint64_t>(*extent, 1);
    }
    if (indices.empty())
        return std::to_string(row);
    return fmt::format("{}", fmt::join(indices.rbegin(), indices.rend(), ", "));
}

} // namespace kernscope
