// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/error.h"
#include "core/base/progress.h"
#include "core/form/encoding.h"

namespace kernscope::codec {

/// Decodes any run of elements of one weight. Immutable and safe to share between threads; it
/// holds spans, so the bytes must outlive it. Making one checks every shape and length and costs
/// what the tables (codebooks, scales) cost; the rank directory of a mask is made on first use.
class Decoder
{
public:
    /// Errors, with `field` naming the operand: "codec.type", "codec.shape", "codec.length",
    /// "codec.codebook" (K is not 2^width), "codec.scale" (extents do not divide).
    static Result<Decoder> make(Encoding encoding);

    const Encoding &encoding() const;
    ElementCount elements() const; ///< decoded elements
    ElementType type() const;      ///< decoded type

    /// Canonical fp16 bits of elements [first, first + out.size()), by the form's own arithmetic
    /// and resources/formats/forms.md: rounded once to T, then to nearest even to fp16.
    /// The range must lie in the tensor.
    void decodeHalf(std::uint64_t first, std::span<std::uint16_t> out) const;

    /// The same elements as fp32: exact for every T of 24 or fewer significant bits.
    void decodeFloat(std::uint64_t first, std::span<float> out) const;

    /// Whether the element is stored at all (false: a zero made by the mask). O(1).
    bool stored(std::uint64_t element) const;

    /// The stored code of each element: index for palettes, integer for affine and blockwise, bits
    /// for floating-point payloads; `kNotStored` where the mask leaves the element out or the
    /// payload has run out.
    static constexpr std::int64_t kNotStored = INT64_MIN;
    void codes(std::uint64_t first, std::span<std::int64_t> out) const;

    /// Set bits of the mask among its first `n` elements (n where there is no mask). The first
    /// call walks the mask once; later ones are O(1).
    std::uint64_t rank(std::uint64_t n) const;
    /// Elements in the payload: equals rank(all) in a sound weight.
    ElementCount payloadElements() const;

    /// Checks that need the whole payload: mask population against survivors, set padding bits,
    /// non-finite scales. Errors and warnings; empty where all is sound. Codes: "codec.mask",
    /// "codec.mask_tail", "codec.scale_nonfinite"; `field` names the operand. Progress advances by
    /// elements() in all (its total is the caller's to set); cancelled: what was found.
    Diagnostics verify(Progress *progress = nullptr) const;

    /// Index of the codebook that serves an element, and the lane (0 .. V-1) within its vector.
    struct CodebookPlace {
        std::uint64_t codebook = 0;
        std::uint64_t lane = 0;
    };
    CodebookPlace codebookOf(std::uint64_t element) const;

    /// How often each (codebook, entry) is used: counts[codebook * entries + entry].
    /// Empty where there is no palette. Progress advances by the elements of the index tensor,
    /// elements() / V in all; cancelled: what was counted.
    std::vector<std::uint64_t> codebookUse(Progress *progress = nullptr) const;
    /// Decoded codebook values: [codebook][entry][lane] as fp32. Empty where there is no palette.
    std::span<const float> codebookValues() const;

    struct State;

private:
    explicit Decoder(std::shared_ptr<const State> state) : m_state(std::move(state)) {}
    std::shared_ptr<const State> m_state;
    friend class Editor;
    friend class DecoderMaker;
};

} // namespace kernscope::codec
