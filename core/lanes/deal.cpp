// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lanes/deal.h"

#include "core/base/error_builder.h"
#include "core/base/quantity.h"

#include <algorithm>
#include <array>
#include <bit>

#include <fmt/format.h>

namespace kernscope::lanes {

namespace {

constexpr std::array<std::string_view, 4> kLawNames{"dense", "grouped", "depthwise", "matmul"};
constexpr std::uint64_t kMaxElements = std::uint64_t{1} << 40;

Error geometryError(std::string expected, std::string found)
{
    return ErrorBuilder("lanes.geometry")
        .field("shape")
        .expected(std::move(expected))
        .found(std::move(found))
        .message("The weight's shape cannot be dealt to the engines");
}

std::vector<Chunk> deal(std::uint64_t outputs, unsigned engines, std::uint64_t lanes)
{
    std::vector<Chunk> chunks;
    for (std::uint64_t first = 0; first < outputs;) {
        Chunk chunk;
        chunk.first = first;
        chunk.lanes = lanes;
        chunk.channels = std::min(outputs - first, engines * lanes);
        first += chunk.channels;
        chunks.push_back(chunk);
    }
    return chunks;
}

/// Widest first; what remains makes narrower chunks.
std::vector<Chunk> dealNarrowing(std::uint64_t outputs, unsigned engines, std::uint64_t cap)
{
    std::vector<Chunk> chunks;
    for (std::uint64_t first = 0; first < outputs;) {
        const std::uint64_t rest = outputs - first;
        Chunk chunk;
        chunk.first = first;
        chunk.lanes = std::max<std::uint64_t>(
            1, std::min(cap, std::bit_floor(rest / std::uint64_t{engines})));
        chunk.channels = std::min(rest, engines * chunk.lanes);
        first += chunk.channels;
        chunks.push_back(chunk);
    }
    return chunks;
}

std::uint64_t matmulLanes(const WeightExtents &geometry, const DealOptions &options)
{
    constexpr std::uint64_t kMostLanes = 16;
    constexpr std::uint64_t kFewRows = 128;
    constexpr std::uint64_t kPlaneHalfwords = 32768;
    std::uint64_t lanes = std::min(kMostLanes, geometry.outputs / 16);
    if (options.rows > kFewRows)
        lanes = std::min(lanes, kPlaneHalfwords / geometry.inputs);
    if (options.cap)
        lanes = std::min(*options.cap, geometry.outputs / 16);
    return std::max<std::uint64_t>(1, lanes);
}

} // namespace

Result<std::uint64_t> reductionOf(const WeightExtents &g)
{
    const auto text = [&g] {
        return fmt::format("[{}, {}, {}, {}, {}], {} groups", g.outputs, g.inputs, g.depth,
                           g.height, g.width, g.groups);
    };
    for (const std::uint64_t extent : {g.outputs, g.inputs, g.depth, g.height, g.width, g.groups}) {
        if (extent == 0)
            return tl::unexpected(geometryError("extents of at least 1", text()));
    }
    if (g.outputs > kMaxOutputs)
        return tl::unexpected(
            geometryError(fmt::format("at most {} output channels", kMaxOutputs), text()));
    if (g.outputs % g.groups != 0)
        return tl::unexpected(geometryError("groups that divide the output channels", text()));
    std::uint64_t steps = 1;
    for (const std::uint64_t extent : {g.inputs, g.depth, g.height, g.width}) {
        const auto product = checkedMultiply(steps, extent);
        if (!product || *product > kMaxElements / g.outputs)
            return tl::unexpected(
                geometryError(fmt::format("at most {} elements", kMaxElements), text()));
        steps = *product;
    }
    return steps;
}

std::string_view lawName(Law law)
{
    return kLawNames[static_cast<std::size_t>(law)];
}

Law lawOf(const WeightExtents &geometry)
{
    if (geometry.groups == 1)
        return Law::Dense;
    return geometry.groups == geometry.outputs && geometry.inputs == 1 ? Law::Depthwise
                                                                       : Law::Grouped;
}

Result<std::vector<Chunk>> dealChannels(const WeightExtents &geometry, Law law,
                                        const DealOptions &options)
{
    if (auto steps = reductionOf(geometry); !steps)
        return tl::unexpected(std::move(steps.error()));
    if (options.engines == 0 || (options.cap && !std::has_single_bit(*options.cap)))
        return tl::unexpected(geometryError("engines, and a cap that is a power of two", "none"));
    constexpr std::uint64_t kSmallImage = 8, kSmallImageLanes = 32, kLanes = 16;
    const bool smallImage = options.imageSide && *options.imageSide <= kSmallImage;
    switch (law) {
    case Law::Dense:
        return dealNarrowing(geometry.outputs, options.engines,
                             options.cap.value_or(smallImage ? kSmallImageLanes : kLanes));
    case Law::Grouped:
        return deal(geometry.outputs, options.engines,
                    std::max<std::uint64_t>(1, geometry.outputs / 64));
    case Law::Depthwise: return deal(geometry.outputs, options.engines, 1);
    case Law::MatrixMultiply:
        return deal(geometry.outputs, options.engines, matmulLanes(geometry, options));
    }
    return tl::unexpected(geometryError("a known law", "another"));
}

Result<std::vector<Chunk>> dealEvenly(const WeightExtents &geometry, std::uint64_t lanes,
                                      unsigned engines)
{
    if (auto steps = reductionOf(geometry); !steps)
        return tl::unexpected(std::move(steps.error()));
    if (lanes == 0 || lanes > kMaxOutputs || engines == 0)
        return tl::unexpected(geometryError("at least one lane and one core",
                                            fmt::format("{} lanes, {} cores", lanes, engines)));
    return deal(geometry.outputs, engines, lanes);
}

std::string knownException(const WeightExtents &geometry, Law law)
{
    const bool pointwise = geometry.height == 1 && geometry.width == 1 && geometry.depth == 1;
    if (law == Law::Dense && pointwise && geometry.outputs == 2048 && geometry.inputs == 1024)
        return "A 1x1 convolution of 1024 to 2048 channels is known to permute its groups of 16 "
               "columns; that permutation is not published.";
    if (law == Law::Depthwise && geometry.bias && geometry.height == 1 && geometry.width == 9)
        return "A 1x9 depthwise convolution with bias has a form of its own.";
    if (law == Law::Depthwise && !geometry.bias && pointwise && geometry.outputs == 8)
        return "A 1x1 depthwise convolution of 8 channels that pads one side has a form of its "
               "own.";
    return {};
}

} // namespace kernscope::lanes
