// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/codec/decode/decoder.h"

#include <span>
namespace kernscope::codec {

/// Bytes of one part of a weight to be replaced. `offset` counts from the start of the part.
struct PartEdit {
    PartRole role = PartRole::Data;
    std::uint64_t offset = 0;
    std::vector<std::byte> bytes;
};

/// The result of planning an edit: nothing is written, the caller lays the bytes over the file.
struct EditPlan {
    double asked = 0;
    double stored = 0;                ///< the value that the form then holds
    std::optional<std::int64_t> code; ///< index or integer that was chosen
    /// For people: "codebook entry 7". Where the value is far from the one asked for, by how much,
    /// and what the form can hold there.
    std::string note;
    bool far = false;            ///< isFarFrom(asked, stored)
    std::vector<PartEdit> parts; ///< empty where the weight holds that value already
    /// Survivors after a mask edit; set where the payload grows or shrinks, so that the caller
    /// must also change the blob's size and the program's shape.
    std::optional<ElementCount> payloadElements;
};

/// An element to be kept with a value, or left out.
struct MaskChange {
    std::uint64_t element = 0;
    std::optional<double> value; ///< nothing: left out
    double tolerance = 0;        ///< absolute
};

/// The stored element that element `index` of a part is: 0 where one stands for all.
std::uint64_t storedIndex(const Operand &operand, std::uint64_t index);

/// Whether a value is to be noticed as not the one asked for: more than a hundredth away.
bool isFarFrom(double asked, double stored);

/// Turns typed edits into byte ranges, exactly and without touching anything else. A value that the
/// form cannot hold within `tolerance` (absolute) is refused: "patch.unrepresentable", `expected`
/// naming the nearest values that it can hold. Indices out of range: "patch.index"; a part that the
/// weight does not store as such: "patch.part"; mask and survivors that disagree: "codec.mask".
///
/// Numbers stored as they are in fp16, bf16, fp32 or fp64 (dense and sparse elements, codebook
/// entries, scales) take every value of their range whatever the tolerance: the ordinary rounding,
/// at most half a step away, counts as held (0.3 becomes 0.2998 in fp16). Indices, integers and the
/// 8-bit floating-point types do not: there the tolerance decides.
///
/// A plan has nothing to write where the weight holds the value already. Its byte ranges are cut to
/// the bytes that change. It holds for the weight as the decoder saw it: make a new Decoder after a
/// plan was laid over the file.
class Editor
{
public:
    explicit Editor(const Decoder &decoder) : m_decoder(decoder) {}

    /// Where the code of a decoded element lies, as setStored() takes it.
    struct StoredPlace {
        PartRole role = PartRole::Data;
        std::uint64_t index = 0;
    };
    /// Errors: those of setElement().
    Result<StoredPlace> storedPlace(std::uint64_t element) const;

    /// One decoded element. Palette: the nearest entry of the element's codebook (vector palettes:
    /// the entry whose lane is nearest and which leaves the other lanes as they are, or refused);
    /// affine and blockwise: the nearest code; sparse: a stored element, or one that is not and
    /// whose zero is within the tolerance ("patch.masked" otherwise, with the advice to keep it);
    /// dense: the nearest value of the type.
    Result<EditPlan> setElement(std::uint64_t element, double value, double tolerance) const;

    /// Element `index` of a part as stored: an integer code, or the bits of a floating-point part.
    /// Of a payload or mask with an order of its own, the index is that of the weight's element.
    /// `beyond`: a number above INT64_MAX, of which `code` has the bits.
    Result<EditPlan> setStored(PartRole role, std::uint64_t index, std::int64_t code,
                               bool beyond = false) const;

    /// Entry `entry`, lane `lane` of codebook `codebook`, rounded to the codebook's type; of
    /// entries that are codes with a scale of their own, the nearest code.
    Result<EditPlan> setCodebookEntry(std::uint64_t codebook, std::uint64_t entry,
                                      std::uint64_t lane, double value, double tolerance) const;

    /// Scale number `index` (row-major in the scale's shape), rounded to its type, or the nearest
    /// code; of a weight without scales, that of its codebook.
    Result<EditPlan> setScale(std::uint64_t index, double value, double tolerance) const;

    /// Sets the mask bit of an element and gives it a value (payload grows by one).
    Result<EditPlan> keep(std::uint64_t element, double value, double tolerance) const;
    /// Clears the mask bit of an element (payload shrinks by one).
    Result<EditPlan> drop(std::uint64_t element) const;
    /// Several of them, each as the ones before leave the mask. One plan a change; the last has the
    /// bytes of all, and the payload keeps its length where as many elements are kept as before.
    Result<std::vector<EditPlan>> changeMask(std::span<const MaskChange> changes) const;

private:
    friend class RunEditor;
    static const Decoder::State &stateOf(const Decoder &decoder) { return *decoder.m_state; }

    Decoder m_decoder;
};

} // namespace kernscope::codec
