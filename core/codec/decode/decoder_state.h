// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/codec/decode/decoder.h"
#include "core/codec/decode/grid_map.h"
#include "core/codec/decode/mask_index.h"
#include "core/codec/kernels/encode_kernels.h"
#include "core/form/order_layout.h"
#include "core/numeric/convert.h"

#include <algorithm>
#include <list>

/// Private to the codec: what a Decoder knows of one checked encoding.
namespace kernscope::codec {

/// Elements decoded at a time where a form needs a step in between: fits the first cache.
inline constexpr std::size_t kBlockElements = 1024;

/// Calls `each(position, part)` for parts of `out` of at most kBlockElements.
template <class T, class Each>
void forEachBlock(std::uint64_t first, std::span<T> out, Each each)
{
    for (std::size_t done = 0; done < out.size(); done += kBlockElements)
        each(first + done, out.subspan(done, std::min(kBlockElements, out.size() - done)));
}

struct PaletteState {
    unsigned width = 0;                 ///< bits of one index
    std::uint64_t entries = 0;          ///< K
    std::uint64_t vector = 1;           ///< V
    std::uint64_t codebooks = 0;        ///< G
    GridMap grid;                       ///< codebook of each index
    std::uint64_t inner = 1;            ///< elements that one step along the vector axis skips
    std::uint64_t axisExtent = 1;       ///< decoded extent of the vector axis
    Operand lut;                        ///< [G][K][V]
    std::vector<std::uint16_t> halves;  ///< [G][V][K]; empty where lut.bytes are that already
    std::vector<std::uint16_t> vectors; ///< [G][K][V]; vectors along the last axis only
    std::vector<float> floats;          ///< [G][V][K]; empty for an fp16 codebook
    mutable std::once_flag valuesMade;
    mutable std::vector<float> values; ///< [G][K][V]

    std::span<const std::byte> halfTable(std::uint64_t codebook, std::uint64_t lane) const;
    std::span<const float> floatTable(std::uint64_t codebook, std::uint64_t lane) const;
};

struct ScalingState {
    Scaling::Kind kind = Scaling::Kind::Affine;
    GridMap grid;
    Operand scale;
    std::optional<Operand> offset;
    bool oneScale = false;  ///< one scale for every cell of the grid
    bool oneOffset = false; ///< one offset for every cell of the grid
    bool roundDifference = false;
    bool roundData = false; ///< fp32 data of an fp16 result become fp16 first
    bool roundOffset = false;
    bool addsOffset = false; ///< as Scaling has it
    bool scalesGaps = false; ///< the same
    std::optional<Operand> bias;
    bool oneBias = false; ///< one bias for every cell of the grid
    /// Core AI's steps, each rounded to `type`. Where they come to what a program's give, as with
    /// integers whose biases are zero, they are Program's and `addsZero`.
    Scaling::Steps steps = Scaling::Steps::Program;
    ElementType type = ElementType::Unknown;
    bool addsZero = false;     ///< a bias of zero is added: -0 becomes 0
    bool roundProduct = false; ///< to fp16, before that zero is added
    bool roundScale = false;   ///< powers of two that become fp16 first: infinite, 0
    /// E4M3FN or E2M1 elements without a mask, in groups of 32 with a power of two.
    enum class MxGroups : std::uint8_t { None, Across, Down };
    MxGroups mxGroups = MxGroups::None; ///< along the last axis, or along the one before it

    /// Numbers of cells [cell, cell + out.size()) as fp32.
    void scalesOf(std::uint64_t cell, std::span<float> out) const;
    void offsetsOf(std::uint64_t cell, std::span<float> out) const;
    void biasesOf(std::uint64_t cell, std::span<float> out) const;
    /// Payload numbers under one scale, offset and bias, by `steps` that are not Program; in place.
    void step(std::span<float> values, float scale, float offset, float shift) const;
};

/// A place within the index tensor of a palette.
struct IndexPlace {
    std::uint64_t index = 0; ///< position in the (dense) index tensor
    std::uint64_t lane = 0;
    std::uint64_t run = 1; ///< decoded elements from here on with the same lane, indices rising
};

struct Decoder::State {
    Encoding encoding;
    std::uint64_t elements = 0;
    std::uint64_t indexElements = 0;          ///< elements of the index tensor (elements / V)
    std::list<std::vector<std::byte>> tables; ///< operands that other constexpr ops make
    std::optional<Decoder> payloadDecoder;    ///< a payload that another constexpr op makes
    Operand payload;
    std::uint64_t payloadElements = 0;
    std::optional<MaskIndex> mask;
    std::optional<PaletteState> palette;
    std::optional<ScalingState> scaling;

    mutable std::once_flag storedMade;
    mutable std::vector<std::byte> storedBits;
    mutable std::optional<MaskIndex> storedIndex;

    /// True where the payload's own order says which elements are stored.
    bool skipsZeros() const { return payload.order && payload.order->skipsZeros(); }
    /// Which elements such a payload stores, gathered on first use.
    const MaskIndex &storedElements() const;
    bool halfResult() const { return encoding.type == ElementType::Fp16; }

    /// Bits of a code of the payload.
    unsigned codeWidth() const { return palette ? palette->width : bitWidth(payload.type); }
    /// Codebook that serves a place of the index tensor.
    std::uint64_t codebookAt(std::uint64_t dense) const;
    /// Of indices, where each stands for several elements.
    void orderedCodes(std::uint64_t first, std::span<std::int64_t> out) const;
    void decodeHalf(std::uint64_t first, std::span<std::uint16_t> out) const;
    void decodeFloat(std::uint64_t first, std::span<float> out) const;

    IndexPlace placeOf(std::uint64_t element) const;
    /// Place of an element in the index tensor, or in the decoded one where there is no palette.
    std::uint64_t indexOf(std::uint64_t element) const
    {
        return palette ? placeOf(element).index : element;
    }
    /// Indices [first, first + out.size()) of the index tensor; 0 where the mask leaves one out.
    void indices(std::uint64_t first, std::span<std::uint8_t> out) const;
    /// Payload values [first, first + out.size()) by dense position; 0 in the gaps of a mask.
    void payloadFloats(std::uint64_t first, std::span<float> out) const;
    /// Calls `each(position, ScaleRun, count)` for stretches that cover [first, first + count).
    template <class Each>
    void forEachScaleRun(std::uint64_t first, std::size_t count, Each each) const;

    /// Numbers of the payload to values, by scales and offsets; not yet rounded to fp16. In place.
    void scaleBlock(std::uint64_t first, std::span<float> values) const;
    /// What `converts` asks for, of numbers that come out of the steps.
    void convertResult(std::span<float> values) const
    {
        if (encoding.converts)
            roundToType(encoding.type, values);
    }

private:
    /// Whether an ordered payload's halves are made by tiles.
    bool tilesHalves() const;
    /// Makes the elements of a tile that begins with `first`; returns how many, 0 where none.
    std::uint64_t tileOfHalves(std::uint64_t first, bool streamed,
                               std::span<std::uint16_t> out) const;
    void orderedHalves(std::uint64_t first, bool streamed, std::span<std::uint16_t> out) const;
    void orderedFloatsByHalves(std::uint64_t first, std::span<float> out) const;
    /// Element by element, at most kBlockElements.
    void halvesByPosition(std::uint64_t first, std::span<std::uint16_t> out) const;
    void orderedFloats(std::uint64_t first, std::span<float> out) const;
    /// Whether a long result can be stored past the caches as it is made. `first`: of out[0].
    bool streams(std::uint64_t first, std::span<const std::uint16_t> out) const;
    bool paletteStreams(std::uint64_t first, std::span<const std::uint16_t> out) const;
    bool scaleStreams(std::uint64_t first, std::span<const std::uint16_t> out) const;
    /// decodeHalf by the step of the form; `streamed`: past the caches, where it streams().
    void halves(std::uint64_t first, bool streamed, std::span<std::uint16_t> out) const;
    void paletteHalves(std::uint64_t first, bool streamed, std::span<std::uint16_t> out) const;
    void vectorLanes(std::uint64_t first, bool streamed, std::span<std::uint16_t> out) const;
    void paletteFloats(std::uint64_t first, std::span<float> out) const;
    void sparseHalves(std::uint64_t first, bool streamed, std::span<std::uint16_t> out) const;
    void scaledHalves(std::uint64_t first, bool streamed, std::span<std::uint16_t> out) const;
    /// Of scaling->mxGroups, by kernels of their own: one rounding of the exact values.
    void microscaledHalves(std::uint64_t first, bool streamed, std::span<std::uint16_t> out) const;
    bool microscaledStreams(std::uint64_t first, std::span<const std::uint16_t> out) const;
    /// Codes of one byte to the values of elements [first, first + codes.size()).
    void scaleCodes(std::uint64_t first, std::span<const std::uint8_t> codes,
                    std::span<std::uint16_t> out) const;
    void scaledRun(std::uint64_t first, const ScaleRun &run, std::span<std::uint16_t> out) const;
    /// fp32 values before the last rounding to T, at most kBlockElements of them.
    void blockFloats(std::uint64_t first, std::span<float> out) const;
    void clearGapsOf(std::uint64_t first, std::span<float> values) const;
    /// scaleBlock by steps that are not Program.
    void stepBlock(std::uint64_t first, std::span<float> values) const;
    bool byteCodes() const;
    void codeBytes(std::uint64_t first, std::span<std::uint8_t> out) const;
    std::span<const std::byte> survivorsFrom(std::uint64_t rank) const;
};

/// Whether a table is not there, or of zeros.
bool allZero(const std::optional<Operand> &table);

} // namespace kernscope::codec
