// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/error.h"

/// How a weight is cut into slices, one an engine (resources/formats/kernel-bytes.md). Lanes are
/// the output channels that one engine makes at a time; they interleave in memory.
namespace kernscope::lanes {

inline constexpr unsigned kEngines = 16; ///< from H13 on, whatever a target's suffix says

/// Shape of a weight [outputs, inputs, depth, height, width]; `inputs` are those of one group.
struct WeightExtents {
    std::uint64_t outputs = 1, inputs = 1, depth = 1, height = 1, width = 1;
    std::uint64_t groups = 1;
    bool bias = false; ///< a row of biases goes ahead of the rows of each plane
    friend bool operator==(const WeightExtents &, const WeightExtents &) = default;
};
/// Steps of the reduction: inputs x depth x height x width. Errors: "lanes.geometry" (an extent of
/// 0, more than kMaxOutputs outputs, a product past 2^40, groups that do not divide the outputs).
Result<std::uint64_t> reductionOf(const WeightExtents &geometry);
inline constexpr std::uint64_t kMaxOutputs = std::uint64_t{1} << 20;

enum class Law : std::uint8_t { Dense, Grouped, Depthwise, MatrixMultiply };
std::string_view lawName(Law law); ///< "dense", "grouped", "depthwise", "matmul"
/// Dense, grouped or depthwise, by the groups.
Law lawOf(const WeightExtents &geometry);

/// A run of output channels: engine e, lane l has channel `first + e x lanes + l`.
struct Chunk {
    std::uint64_t first = 0;
    std::uint64_t lanes = 1;
    std::uint64_t channels = 0; ///< at most engines x lanes; fewer in a last chunk only

    /// Channels that engine `engine` has of this chunk.
    std::uint64_t channelsOf(std::uint64_t engine) const
    {
        const std::uint64_t before = engine * lanes;
        return before >= channels ? 0 : (channels - before < lanes ? channels - before : lanes);
    }
    friend bool operator==(const Chunk &, const Chunk &) = default;
};

struct DealOptions {
    unsigned engines = kEngines;
    /// Most lanes of a chunk. From the task's group-size field where there is one; else 32 for an
    /// image of at most 8 pixels a side and 16 above it (dense law). A power of two.
    std::optional<std::uint64_t> cap;
    std::optional<std::uint64_t> imageSide; ///< larger one of the image's sides
    std::uint64_t rows = 1; ///< matrix multiply: rows of the activation; above 128 they narrow it
};

/// Deals the output channels to the engines. Dense: chunks of engines x lanes channels, lanes the
/// largest power of two at or below what remains / engines and the cap; grouped: outputs / 64 lanes
/// throughout; depthwise: one lane; matrix multiply: min(16, outputs / 16) lanes throughout, above
/// 128 rows also at most 32768 / inputs. Errors: "lanes.geometry".
Result<std::vector<Chunk>> dealChannels(const WeightExtents &geometry, Law law,
                                        const DealOptions &options = {});
/// The same with one number of lanes throughout (the groups of a weight section).
Result<std::vector<Chunk>> dealEvenly(const WeightExtents &geometry, std::uint64_t lanes,
                                      unsigned engines = kEngines);

/// What is known to break the law for this geometry; empty where nothing is.
std::string knownException(const WeightExtents &geometry, Law law);

} // namespace kernscope::lanes
