// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bundle/section_weight.h"

#include "core/base/text.h"
#include "core/bundle/bundle.h"
#include "core/descriptor/register_map.h"

#include <fmt/format.h>

namespace kernscope {

Result<lanes::WeightExtents> laneGeometry(const Weight &weight)
{
    const Shape &shape = weight.shape;
    constexpr std::size_t kMostAxes = 5;
    if (shape.empty() || shape.size() > kMostAxes) {
        return refused("section.build", weight.name, "one to five axes, the output channels first",
                       shapeText(shape), "The weight's shape cannot be dealt to cores");
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

namespace {

Result<lanes::SliceLayout> sliceLayout(const Bundle &bundle, std::size_t weight, bool biased,
                                       const SliceOptions &options)
{
    auto geometry = TRY(laneGeometry(bundle.weights()[weight]));
    geometry.bias = biased;
    lanes::DealOptions deal;
    if (options.imageSide != 0)
        deal.imageSide = options.imageSide;
    if (options.lanes != 0)
        deal.cap = options.lanes;
    // A container of the same weight: its own lanes, so that the bytes come out the same.
    const auto &lanes = bundle.weights()[weight].dealing.lanes;
    if (options.lanes == 0 && !lanes.empty() && bundle.kind() == BundleKind::Hwx)
        deal.cap = lanes.front();
    return lanes::SliceLayout::make(geometry, laneLaw(bundle.weights()[weight], geometry), deal);
}

Result<void> addSlices(const Bundle &bundle, std::size_t weight, const SliceOptions &options,
                       lanes::SparseForm form, SliceFile &file)
{
    const auto decoder = TRY(bundle.decoder(weight));
    std::vector<std::uint16_t> values(decoder.elements().value), bias;
    decoder.decodeHalf(0, values);
    const std::size_t beside = biasOf(bundle, weight);
    if (beside != kNoIndex) {
        const auto offsets = TRY(bundle.decoder(beside));
        bias.resize(offsets.elements().value);
        offsets.decodeHalf(0, bias);
    }
    const auto layout = TRY(sliceLayout(bundle, weight, !bias.empty(), options));
    const auto slices = TRY(options.leaveZeros ? lanes::encodeSparse(form, layout, values, bias)
                                               : lanes::encodeSlices(layout, values, bias));
    const std::string &name = bundle.weights()[weight].name;
    for (std::size_t lane = 0; lane < slices.size(); ++lane) {
        const lanes::Slice &slice = slices[lane];
        file.rows.push_back({name, lane, file.bytes.size(), slice.size()});
        file.bytes.insert(file.bytes.end(), slice.begin(), slice.end());
    }
    if (!options.leaveZeros)
        file.laws += fmt::format("{}: {}\n", printable(name), lanes::explainSliceSize(layout, 0));
    return {};
}

} // namespace

std::string slicedTargets()
{
    std::string names;
    for (const descriptor::Version &version : descriptor::versions()) {
        if (lanes::sparseFormOf(version.generation))
            names += (names.empty() ? "" : " or ") + std::string(version.generation);
    }
    return names;
}

Result<lanes::SparseForm> sliceForm(std::string_view target)
{
    const descriptor::Version *version = descriptor::versionOfTarget(target);
    const auto form = version != nullptr ? lanes::sparseFormOf(version->generation) : std::nullopt;
    if (form)
        return *form;
    return refused("section.build", "--target", slicedTargets(), std::string(target),
                   "The order of slices of other targets is not published");
}

Result<SliceFile> buildSlices(const Bundle &bundle, const std::vector<std::size_t> &weights,
                              const SliceOptions &options, lanes::SparseForm form)
{
    SliceFile file;
    for (const std::size_t weight : weights) {
        TRY(addSlices(bundle, weight, options, form, file));
    }
    return file;
}

} // namespace kernscope
