// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lanes/deal.h"

#include "core/format/table_rows.h"

#include <algorithm>
#include <array>
#include <bit>

#include <fmt/format.h>

namespace kernscope::lanes {

namespace {

constexpr std::array<std::string_view, 4> kLawNames{"dense", "grouped", "depthwise", "matmul"};
constexpr std::uint64_t kMaxElements = std::uint64_t{1} << 40;

tl::unexpected<Error> geometryError(std::string expected, std::string found)
{
    return refused("lanes.geometry", "shape", expected, found,
                   "The weight's shape cannot be dealt to the engines");
}

struct LaneFact {
    std::string law, name, bias, note;
    std::optional<std::uint64_t> outputs, inputs, depth, height, width; ///< of an exception
    std::uint64_t value = 0;
};

const std::vector<LaneFact> &laneFacts()
{
    static const auto rows =
        tables::loadRows<LaneFact>("lane_facts", {{"law", &LaneFact::law},
                                                  {"fact", &LaneFact::name},
                                                  {"outputs", &LaneFact::outputs},
                                                  {"inputs", &LaneFact::inputs},
                                                  {"depth", &LaneFact::depth},
                                                  {"height", &LaneFact::height},
                                                  {"width", &LaneFact::width},
                                                  {"bias", &LaneFact::bias},
                                                  {"value", &LaneFact::value},
                                                  {"note", &LaneFact::note}});
    return rows;
}

/// A number of the table; 1 where it has none, so that it can divide.
std::uint64_t laneFact(Law law, std::string_view name)
{
    for (const LaneFact &fact : laneFacts()) {
        if (fact.name == name && fact.law == lawName(law))
            return fact.value;
    }
    return 1;
}

bool excepts(const LaneFact &fact, const WeightExtents &g)
{
    const auto is = [](const std::optional<std::uint64_t> &wanted, std::uint64_t found) {
        return !wanted || *wanted == found;
    };
    return is(fact.outputs, g.outputs) && is(fact.inputs, g.inputs) && is(fact.depth, g.depth) &&
           is(fact.height, g.height) && is(fact.width, g.width) &&
           (fact.bias.empty() || (fact.bias == "yes") == g.bias);
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
    constexpr Law kLaw = Law::MatrixMultiply;
    const std::uint64_t all = geometry.outputs / laneFact(kLaw, "channels_per_lane");
    std::uint64_t lanes = std::min(laneFact(kLaw, "most_lanes"), all);
    if (options.rows > laneFact(kLaw, "few_rows"))
        lanes = std::min(lanes, laneFact(kLaw, "plane_halfwords") / geometry.inputs);
    if (options.cap)
        lanes = std::min(*options.cap, all);
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
            return geometryError("extents of at least 1", text());
    }
    if (g.outputs > kMaxOutputs)
        return geometryError(fmt::format("at most {} output channels", kMaxOutputs), text());
    if (g.outputs % g.groups != 0)
        return geometryError("groups that divide the output channels", text());
    std::uint64_t steps = 1;
    for (const std::uint64_t extent : {g.inputs, g.depth, g.height, g.width}) {
        const auto product = checkedMultiply(steps, extent);
        if (!product || *product > kMaxElements / g.outputs)
            return geometryError(fmt::format("at most {} elements", kMaxElements), text());
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
    TRY(reductionOf(geometry));
    if (options.engines == 0 || (options.cap && !std::has_single_bit(*options.cap)))
        return geometryError("engines, and a cap that is a power of two", "none");
    const bool smallImage =
        options.imageSide && *options.imageSide <= laneFact(Law::Dense, "small_image_side");
    switch (law) {
    case Law::Dense:
        return dealNarrowing(
            geometry.outputs, options.engines,
            options.cap.value_or(laneFact(law, smallImage ? "small_image_lanes" : "most_lanes")));
    case Law::Grouped:
        return deal(geometry.outputs, options.engines,
                    std::max<std::uint64_t>(1, geometry.outputs / laneFact(law, "planes")));
    case Law::Depthwise:
        return deal(geometry.outputs, options.engines, laneFact(law, "most_lanes"));
    case Law::MatrixMultiply:
        return deal(geometry.outputs, options.engines, matmulLanes(geometry, options));
    }
    return geometryError("a known law", "another");
}

Result<std::vector<Chunk>> dealEvenly(const WeightExtents &geometry, std::uint64_t lanes,
                                      unsigned engines)
{
    TRY(reductionOf(geometry));
    if (lanes == 0 || lanes > kMaxOutputs || engines == 0)
        return geometryError("at least one lane and one core",
                             fmt::format("{} lanes, {} cores", lanes, engines));
    return deal(geometry.outputs, engines, lanes);
}

std::string knownException(const WeightExtents &geometry, Law law)
{
    for (const LaneFact &fact : laneFacts()) {
        if (fact.name == "exception" && fact.law == lawName(law) && excepts(fact, geometry))
            return fact.note;
    }
    return {};
}

} // namespace kernscope::lanes
