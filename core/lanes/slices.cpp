// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lanes/slices.h"

#include "core/base/error_builder.h"
#include "core/base/little_endian.h"

#include <algorithm>

#include <fmt/format.h>

namespace kernscope::lanes {

namespace {

Error lengthError(std::string_view field, std::string expected, std::string found)
{
    return ErrorBuilder("lanes.length")
        .field(field)
        .expected(std::move(expected))
        .found(std::move(found))
        .message("The sizes do not fit the weight's layout");
}

/// Calls each(plane) in the order of the engines, then of the chunks.
template <class Each>
void forEachPlane(const SliceLayout &layout, Each each)
{
    for (std::uint64_t engine = 0; engine < layout.engines(); ++engine) {
        for (std::uint64_t chunk = 0; chunk < layout.chunks().size(); ++chunk) {
            if (const auto plane = layout.plane(chunk, engine))
                each(*plane);
        }
    }
}

/// Calls each(byte offset in the slice, channel, row); row 0 is the bias row where there is one.
template <class Each>
void forEachNumber(const SliceLayout &layout, const Plane &plane, Each each)
{
    for (std::uint64_t row = 0; row < layout.rows(); ++row) {
        for (std::uint64_t lane = 0; lane < plane.width; ++lane)
            each(plane.offset + 2 * (row * plane.width + lane), plane.firstChannel + lane, row);
    }
}

} // namespace

Result<void> checkHalves(const SliceLayout &layout, std::span<const std::uint16_t> weights,
                         std::span<const std::uint16_t> bias)
{
    if (weights.size() != layout.elements())
        return tl::unexpected(lengthError("weights", fmt::format("{} numbers", layout.elements()),
                                          fmt::format("{}", weights.size())));
    const std::uint64_t wanted = layout.geometry().bias ? layout.geometry().outputs : 0;
    if (bias.size() != wanted)
        return tl::unexpected(
            lengthError("bias", fmt::format("{} numbers", wanted), fmt::format("{}", bias.size())));
    return {};
}

Result<std::vector<Slice>> encodeSlices(const SliceLayout &layout,
                                        std::span<const std::uint16_t> weights,
                                        std::span<const std::uint16_t> bias)
{
    if (auto checked = checkHalves(layout, weights, bias); !checked)
        return tl::unexpected(std::move(checked.error()));
    std::vector<Slice> slices;
    for (std::uint64_t engine = 0; engine < layout.engines(); ++engine)
        slices.emplace_back(layout.sliceBytes(engine));
    const bool biased = layout.geometry().bias;
    forEachPlane(layout, [&](const Plane &plane) {
        const std::span<std::byte> slice(slices[plane.engine]);
        forEachNumber(
            layout, plane, [&](std::uint64_t at, std::uint64_t channel, std::uint64_t row) {
                const std::uint64_t step = row - (biased ? 1 : 0);
                const std::uint16_t value =
                    biased && row == 0 ? bias[channel] : weights[channel * layout.steps() + step];
                storeLittle<std::uint16_t>(slice, at, value);
            });
    });
    return slices;
}

} // namespace kernscope::lanes
