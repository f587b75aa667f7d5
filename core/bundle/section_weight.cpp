// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bundle/section_weight.h"

#include "core/base/error_builder.h"
#include "core/bundle/bundle.h"

namespace kernscope {

Result<lanes::WeightExtents> laneGeometry(const Weight &weight)
{
    const Shape &shape = weight.shape;
    constexpr std::size_t kMostAxes = 5;
    if (shape.empty() || shape.size() > kMostAxes) {
        return ErrorBuilder("section.build")
            .field(weight.name)
            .expected("one to five axes, the output channels first")
            .found(shapeText(shape))
            .message("The weight's shape cannot be dealt to cores")
            .unexpected();
    }
    lanes::WeightExtents geometry;
    geometry.outputs = shape[0];
    if (shape.size() > 1)
        geometry.inputs = shape[1];
    if (shape.size() > 2)
        geometry.width = shape.back();
    if (shape.size() > 3)
        geometry.height = shape[shape.size() - 2];
    if (shape.size() > 4)
        geometry.depth = shape[2];
    std::uint64_t groups = 1;
    if (!weight.consumers.empty())
        groups = weight.consumers.front().geometry.groups;
    groups = weight.dealing.groups.value_or(groups);
    if (groups > 1 && geometry.outputs % groups == 0)
        geometry.groups = groups;
    return geometry;
}

lanes::Law laneLaw(const Weight &weight, const lanes::WeightExtents &geometry)
{
    const bool matmul =
        !weight.consumers.empty() && weight.sourceOp != "hwx" &&
        (weight.consumers.front().op == "linear" || weight.consumers.front().op == "matmul");
    return matmul ? lanes::Law::MatrixMultiply : lanes::lawOf(geometry);
}

std::size_t biasOf(const Bundle &bundle, std::size_t weight)
{
    const auto &weights = bundle.weights();
    for (std::size_t i = weight + 1; i < weights.size(); ++i) { // it lies right behind, if any
        if (weights[i].role == WeightRole::Weight)
            break;
        if (weights[i].role == WeightRole::Bias && weights[i].beside == weight)
            return i;
    }
    return kNoIndex;
}

Result<section::BuildWeight> sectionWeight(const Bundle &bundle, std::size_t weight,
                                           const codec::Decoder &decoder)
{
    const Weight &source = bundle.weights()[weight];
    auto geometry = TRY(laneGeometry(source));
    section::BuildWeight build;
    build.name = source.name;
    build.decoder = &decoder;
    build.geometry = geometry;
    build.law = laneLaw(source, geometry);
    const std::size_t bias = biasOf(bundle, weight);
    if (bias == kNoIndex)
        return build;
    const auto values = TRY(bundle.decoder(bias));
    if (values.elements().value == geometry.outputs) {
        build.bias.resize(geometry.outputs);
        values.decodeHalf(0, build.bias);
    }
    return build;
}

} // namespace kernscope
