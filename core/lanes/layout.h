// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/form/storage_form.h"
#include "core/lanes/deal.h"

namespace kernscope::lanes {

/// How planes are padded; slices always are to 64 bytes.
struct SliceForm {
    unsigned engines = kEngines;
    std::uint64_t planeAlignment = 1; ///< 64 where every plane is padded (grouped, sparse)
};
/// The form of a container's slices under that law.
SliceForm containerForm(Law law, unsigned engines = kEngines);

/// Where an fp16 number lies: byte offset in the slice of an engine.
struct LanePlace {
    std::uint64_t engine = 0;
    std::uint64_t offset = 0;
    friend bool operator==(const LanePlace &, const LanePlace &) = default;
};

/// One chunk of one engine: `rows` rows of `width` numbers, the lanes fastest.
struct Plane {
    std::uint64_t chunk = 0, engine = 0;
    std::uint64_t firstChannel = 0;
    std::uint64_t width = 0;  ///< channels
    std::uint64_t offset = 0; ///< bytes from the start of the slice
    std::uint64_t bytes = 0;  ///< with its padding
};

/// Byte places of a dense fp16 weight [O, I, D, H, W] in the slices of the engines:
/// halfword `row x width + lane` of a plane, row = (bias) + ((i x D + d) x H + h) x W + w.
class SliceLayout
{
public:
    /// Errors: "lanes.geometry", "lanes.partial": an incomplete plane of several lanes, because no
    /// container with one is published.
    static Result<SliceLayout> make(const WeightExtents &geometry, std::vector<Chunk> chunks,
                                    const SliceForm &form);
    /// By the law of a container.
    static Result<SliceLayout> make(const WeightExtents &geometry, Law law,
                                    const DealOptions &options = {});

    const WeightExtents &geometry() const { return m_geometry; }
    const SliceForm &form() const { return m_form; }
    const std::vector<Chunk> &chunks() const { return m_chunks; }
    std::uint64_t steps() const { return m_steps; } ///< rows of a plane without the bias row
    std::uint64_t rows() const { return m_steps + (m_geometry.bias ? 1 : 0); }
    std::uint64_t elements() const { return m_steps * m_geometry.outputs; }

    /// Engines that have any channel: the first ones.
    std::uint64_t engines() const { return m_sliceBytes.size(); }
    std::uint64_t sliceBytes(std::uint64_t engine) const { return m_sliceBytes[engine]; }
    std::uint64_t usedBytes(std::uint64_t engine) const; ///< without the padding at its end
    /// Of all slices, padding included.
    std::uint64_t totalBytes() const;
    /// Nothing where the engine has no channel of that chunk.
    std::optional<Plane> plane(std::uint64_t chunk, std::uint64_t engine) const;

    /// The chunk that holds an output channel, which must exist.
    std::uint64_t chunkOf(std::uint64_t channel) const;
    /// Step `step` of an output channel; both must exist.
    LanePlace placeOf(std::uint64_t channel, std::uint64_t step) const;
    /// Only where there are biases.
    LanePlace biasPlace(std::uint64_t channel) const { return rowPlace(channel, 0); }

    /// What a byte of a slice belongs to: row 0 is that of the biases where there are any. Nothing
    /// in padding and past the slice.
    struct Number {
        std::uint64_t channel = 0, row = 0;
        friend bool operator==(const Number &, const Number &) = default;
    };
    std::optional<Number> numberAt(const LanePlace &place) const;

private:
    LanePlace rowPlace(std::uint64_t channel, std::uint64_t row) const;

    WeightExtents m_geometry;
    SliceForm m_form;
    std::vector<Chunk> m_chunks;
    std::vector<std::uint64_t> m_offsets; ///< of each chunk's planes in a slice
    std::uint64_t m_steps = 0;
    std::vector<std::uint64_t> m_sliceBytes;
};

// The sizes of slices, and what is known of forms whose order of bytes is not published.

/// A slice's size as a case of the rule: bytes = round_up(2 x lanes x rows, 64).
struct SizeCase {
    std::uint64_t lanes = 1;
    std::uint64_t fewestRows = 1, mostRows = 1; ///< reduction steps plus a bias row, one plane
    std::vector<std::string> examples;          ///< "1x1 with 24 input channels and bias"
};
/// Cases of one plane with 1, 2, 4 … 32 lanes that give that size; empty for a size that is no
/// multiple of 64.
std::vector<SizeCase> casesOfSliceSize(std::uint64_t bytes);
/// In words, with a few examples: why a stride such as 0xC0 or 0x40 is no constant of a format.
std::string explainSliceSize(std::uint64_t bytes);
/// The sum that gives the size of one engine's slice.
std::string explainSliceSize(const SliceLayout &layout, std::uint64_t engine);

struct SizeCheck {
    std::uint64_t smallest = 0, largest = 0; ///< bytes of the slice by the law
    std::uint64_t found = 0;
    bool holds = false;
    std::string law;   ///< the sum in words
    std::string order; ///< "order assumed", "order unknown": never certain
};
/// Checks the size of one engine's slice, of a form whose size is known but whose order of bytes
/// is not:
///   Dense    fp16, version 17 on: size as on H13; order assumed to be the same
///   Affine   int8: one byte an element and one fp16 scale a channel
///   Palette  packed indices of `paletteBits`, one fp16 codebook a slice padded to 64 bytes
///   Sparse   the numbers that are not zero (anything from none to all), a bit an element, about
///            one block of 64 bytes
/// Errors: "lanes.geometry", also for any other form.
Result<SizeCheck> checkSliceSize(const SliceLayout &layout, std::uint64_t engine, FormNode form,
                                 std::uint64_t found, unsigned paletteBits = 0);

using Slice = std::vector<std::byte>;
using SliceSpans = std::span<const std::span<const std::byte>>;

} // namespace kernscope::lanes
