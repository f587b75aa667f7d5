// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/error.h"

#include <cstddef>
#include <span>

namespace kernscope::codec {

/// The engine's sum of products (chapter 20): tiles of four lanes, rounded to fp16 after each
/// addition inside the tile; one accumulator of fp32 class over the tiles; fp16 at the output port.
///
/// It reproduces what was measured: 4096 followed by 1024 ones gives 5116, and of sixteen
/// [+B, -B, +1] triples four survive for B of 4096 and more, all sixteen below 2048. Between 2048
/// and 4095 the text has sixteen, but this order of additions gives 4 to 28: contested, and counted
/// in `contested`. Readings: topic "reduction_tile" of contested.csv.
struct Reduction {
    static constexpr std::size_t kTile = 4;
    static constexpr float kContestedFrom = 2048;
    static constexpr float kContestedTo = 4096;

    std::uint16_t port = 0; ///< fp16 bits of the result
    float accumulator = 0;  ///< before the port
    std::uint64_t tiles = 0;
    std::uint64_t contested = 0; ///< tiles with a partial sum of magnitude 2048 to 4095

    /// Whether the result rests on a partial sum for which text and model disagree.
    bool isContested() const { return contested > 0; }
};

/// Sum of weights[i] * inputs[i], both fp16 bits and equally long. Products are exact until they
/// are added.
Reduction reduceProducts(std::span<const std::uint16_t> weights,
                         std::span<const std::uint16_t> inputs);

/// The same reduction of plain values (each times one), step by step, beside what others would make
/// of them.
struct ReductionTrace {
    struct Tile {
        float sum = 0;                ///< of its four values, rounded to fp16 after each addition
        float alignedSum = 0;         ///< by the second reading
        float alignedAccumulator = 0; ///< after this tile, by the second reading
        bool contested = false;
        float accumulator = 0; ///< after this tile
        double exact = 0;      ///< sum of all values up to here, in fp64
        float everyStep = 0;   ///< of an accumulator of fp16, up to here
    };
    /// A second reading, that no source prints and all published figures agree with, those below
    /// 4096 included: each addition of a tile aligns both numbers to the larger one with
    /// `kAlignedBits` significant bits and drops what is below; the tile is not rounded to fp16.
    struct Aligned {
        float accumulator = 0;
        std::uint16_t port = 0; ///< fp16 bits
    };
    static constexpr int kAlignedBits = 12;

    std::vector<Tile> tiles;
    Reduction whole;
    Aligned aligned;
    double exact = 0;    ///< of all values; they are fp16, so this is without any rounding
    float everyStep = 0; ///< rounded to fp16 after every addition

    /// Whether the two readings give different results.
    bool readingsDiffer() const { return aligned.port != whole.port; }
};
/// `values`: fp16 bits.
ReductionTrace traceReduction(std::span<const std::uint16_t> values);

inline constexpr std::size_t kMostReductionValues = std::size_t{1} << 20;
/// "4096", "-0.5", "1*1024" (a value and how often) as fp16 bits, 2^20 at most. Errors:
/// "reduction.value" (with the text that cannot be read).
Result<std::vector<std::uint16_t>> parseReductionValues(std::span<const std::string> texts);

} // namespace kernscope::codec
