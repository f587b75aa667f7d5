// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/assessment/layer_geometry.h"

#include "core/assessment/geometry_cycles.h"
#include "core/assessment/working_set.h"
#include "core/base/error_builder.h"

#include <algorithm>

namespace kernscope::roofline {

decision::LayerOperation arrayOperation(const Layer &layer, const Assessment &assessment)
{
    decision::LayerOperation operation = *layer.operation;
    if (assessment.outcome != decision::Outcome::Folds)
        return operation;
    const decision::LayerOperation dense;
    operation.weightBits = dense.weightBits;
    operation.floatWeight = dense.floatWeight;
    operation.kernelFormat = dense.kernelFormat;
    operation.sparse = false;
    return operation;
}

void setWeightBits(decision::LayerOperation &operation, unsigned bits)
{
    const decision::LayerOperation dense;
    operation.weightBits = bits;
    operation.sparse = false;
    operation.floatWeight = bits != 8;
    operation.kernelFormat = bits == 8 ? 1 : dense.kernelFormat;
}

Result<decision::Geometry> geometryOf(const Layer &layer, const Assessment &assessment,
                                      const target::Target &target,
                                      const decision::GeometryOptions &options)
{
    if (!layer.operation) {
        return ErrorBuilder("geometry.none")
            .field(layer.name)
            .message("The layer is no operation of the array.")
            .unexpected();
    }
    const decision::LayerOperation operation = arrayOperation(layer, assessment);
    auto geometry = decision::computeGeometry(target, operation, options);
    if (!geometry || assessment.weight.elements == 0)
        return geometry; // the latter of numbers that were typed in and are too large for bytes
    const decision::WeightForm &form = assessment.weight;
    const auto crossing = decision::crossingBytes(form, assessment.outcome);
    decision::WorkingSet &set = geometry->workingSet;
    set.weightBytes = crossing.value_or(0);
    set.inputBytes = layer.inputBytes;
    set.outputBytes = layer.outputBytes;
    set.largest =
        std::max({form.denseBytes, layer.inputBytes.value_or(0), layer.outputBytes.value_or(0)});
    set.fits = decision::staysOnChip(set.cap, crossing, form.denseBytes, layer.inputBytes,
                                     layer.outputBytes);
    // Of a transposed convolution the places between the inputs are not multiplied.
    if (layer.op == "conv_transpose" && layer.flops)
        geometry->cycles = decision::cyclesOf(target, operation, *geometry, *layer.flops / 2);
    return geometry;
}

} // namespace kernscope::roofline
