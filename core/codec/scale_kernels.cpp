// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codec/scale_kernels.h"

#include "core/numeric/half.h"

namespace kernscope::codec {

namespace {

/// Calls `each(i, scale, offset)` with the scale and offset of each element.
template <class Each>
void forEachScaled(const ScaleRun &run, std::size_t count, Each each)
{
    std::uint64_t left = run.block - run.phase;
    std::size_t index = 0;
    for (std::size_t i = 0; i < count; ++i, --left) {
        if (left == 0) {
            ++index;
            left = run.block;
        }
        each(i, run.scales[index], run.offsets.empty() ? 0.0f : run.offsets[index]);
    }
}

float product(float value, float scale, float offset, bool roundDifference)
{
    float difference = value - offset;
    if (roundDifference)
        difference = halfToFloat(floatToHalf(difference));
    return scale * difference;
}

} // namespace

void scaleToHalf(std::span<const std::int8_t> codes, const ScaleRun &run,
                 std::span<std::uint16_t> out)
{
    forEachScaled(run, out.size(), [&](std::size_t i, float scale, float offset) {
        out[i] = floatToHalf(product(codes[i], scale, offset, run.roundDifference));
    });
}

void scaleToHalf(std::span<const std::uint8_t> codes, const ScaleRun &run,
                 std::span<std::uint16_t> out)
{
    forEachScaled(run, out.size(), [&](std::size_t i, float scale, float offset) {
        out[i] = floatToHalf(product(codes[i], scale, offset, run.roundDifference));
    });
}

void scaleFloats(std::span<float> values, const ScaleRun &run)
{
    forEachScaled(run, values.size(), [&](std::size_t i, float scale, float offset) {
        values[i] = product(values[i], scale, offset, run.roundDifference);
    });
}

} // namespace kernscope::codec
