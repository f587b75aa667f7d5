// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/error.h"
#include "core/base/find.h"
#include "core/form/encoding.h"

namespace kernscope::codec {

/// One encoded part with bytes of its own, ready for a weight file.
struct EncodedPart {
    PartRole role = PartRole::Data;
    ElementType type = ElementType::Unknown;
    Shape shape;
    std::vector<std::byte> bytes;
};

/// A weight encoded from dense values; `encoding()` views its parts.
struct EncodedWeight {
    ElementType type = ElementType::Fp16;
    Shape shape;
    std::vector<EncodedPart> parts;
    Shape grid;                   ///< palettes
    std::uint64_t entries = 0;    ///< palettes
    std::uint64_t vector = 1;     ///< palettes
    std::uint64_t vectorAxis = 0; ///< palettes
    std::optional<Scaling::Kind> scaling;
    std::uint64_t axis = 0;

    /// The part of that role; null where there is none.
    const EncodedPart *part(PartRole role) const { return findBy(parts, &EncodedPart::role, role); }
    EncodedPart *part(PartRole role) { return findBy(parts, &EncodedPart::role, role); }
    /// Spans into `parts`: valid as long as this object is neither moved nor changed.
    Encoding encoding() const;
};

/// All take row-major values of `shape`. Errors: "codec.shape", "codec.argument". `masses`: how
/// much the error of each value counts, where a codebook or scale is fitted; none: all the same.
Result<EncodedWeight> encodeDense(std::span<const float> values, const Shape &shape,
                                  ElementType type);
/// int8, uint8 or narrower codes; scales per channel of `axis`, or one for the tensor where there
/// is no axis. Symmetric: scale = max |w| / 127 and zero point 0 (128 of unsigned codes); otherwise
/// both come from the channel's range, widened to hold 0. Scales are fp16: positive, 1 for a
/// channel of zeros.
struct AffineOptions {
    ElementType codeType = ElementType::Int8;
    std::optional<std::uint64_t> axis = 0;
    bool symmetric = true;
};
Result<EncodedWeight> encodeAffine(std::span<const float> values, const Shape &shape,
                                   const AffineOptions &options,
                                   std::span<const float> masses = {});
/// 2^bits entries a codebook, `groups` codebooks along axis 0, vectors of `vector` along axis 0
/// (1, 2, 4 or 5: the mask 0x36 of chapter 25).
///
/// Single values get the codebook of least squared error over the histogram of their fp16 values,
/// exactly; vectors that of k-means++ and Lloyd's iterations with a fixed seed. An element takes
/// the nearest entry, of equally near ones the first (the lower). An empty cluster of vectors takes
/// the vector that is worst served; codebooks with more entries than values repeat the last one.
///
/// int8 and E4M3 entries are symmetric, with one fp16 scale a codebook: largest magnitude over 127
/// or 448. Values must be finite in fp16.
struct PaletteOptions {
    unsigned bits = 4; ///< 1, 2, 3, 4, 6 or 8
    std::uint64_t groups = 1;
    std::uint64_t vector = 1;
    ElementType entryType = ElementType::Fp16; ///< or Int8, Fp8E4M3Fn
};
Result<EncodedWeight> encodePalette(std::span<const float> values, const Shape &shape,
                                    const PaletteOptions &options,
                                    std::span<const float> masses = {});
/// Keeps the elements whose magnitude is at least `threshold` and not zero in fp16; and NaN.
Result<EncodedWeight> encodeSparse(std::span<const float> values, const Shape &shape,
                                   float threshold);
/// Keeps the `density` (0 to 1) share of elements of largest magnitude in fp16, ties by position;
/// fewer where fewer than that differ from zero.
Result<EncodedWeight> encodeSparseDensity(std::span<const float> values, const Shape &shape,
                                          double density);
/// Keeps the `keep` elements of largest magnitude in fp16 out of every `of` consecutive ones along
/// an axis ("2:4" keeps two of four), ties by position; a shorter run at the end of the axis is one
/// of its own. Zeros are never kept.
struct SparsePattern {
    std::uint64_t keep = 2;
    std::uint64_t of = 4;
    std::uint64_t axis = 0;
};
Result<EncodedWeight> encodeSparsePattern(std::span<const float> values, const Shape &shape,
                                          const SparsePattern &pattern);
/// Blocks of `block` elements along `axis`, one scale each, per index of the axes up to `channels`
/// (`axis` itself apart); one for all indices of the axes behind. Without an offset
/// the codes are symmetric (and must be signed); with one it is an integer of the codes' type.
struct BlockwiseOptions {
    ElementType codeType = ElementType::Int8; ///< int4, uint4, int8 or uint8
    std::uint64_t block = 32;
    std::uint64_t axis = 1;
    bool withOffset = false;
    std::uint64_t channels = 0; ///< axis of the output channels
};
/// The shape of the scales: extents of 1 where one scale is for all. `axis` is one of the shape's.
Shape blockScales(const Shape &shape, const BlockwiseOptions &options);
Result<EncodedWeight> encodeBlockwise(std::span<const float> values, const Shape &shape,
                                      const BlockwiseOptions &options,
                                      std::span<const float> masses = {});

/// The joint forms of iOS 18. `sparse` is what one of the encoders above made of `values`: its mask
/// stays, its survivors become indices of one codebook a group (single fp16 values only) ...
Result<EncodedWeight> encodeSparsePalette(std::span<const float> values,
                                          const EncodedWeight &sparse,
                                          const PaletteOptions &options,
                                          std::span<const float> masses = {});
/// ... or codes, with scales by the survivor's place in the dense weight.
Result<EncodedWeight> encodeSparseBlockwise(std::span<const float> values,
                                            const EncodedWeight &sparse,
                                            const BlockwiseOptions &options,
                                            std::span<const float> masses = {});

} // namespace kernscope::codec
