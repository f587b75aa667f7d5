// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/compare/compare.h"

namespace kernscope {

/// Which elements the mask of B keeps.
struct MaskCheck {
    std::uint64_t kept = 0, elements = 0;
    /// Of every `of` consecutive elements along an axis at most `keep` are kept, and somewhere as
    /// many. Only where that is half of them at most (any mask keeps 15 of 16 somewhere) and the
    /// axis divides.
    struct Pattern {
        std::uint64_t keep = 0, of = 0;
        std::size_t axis = 0;
    };
    std::vector<Pattern> patterns; ///< of 2, 4, 8 and 16 along axes 0 and 1, of channels up to 2^24
    /// Every channel along the axis is kept whole or not at all, and some are not.
    bool structuredOutputs = false, structuredInputs = false;
    std::uint64_t leastZeros = 0, mostZeros = 0; ///< of an output channel
    std::uint64_t keptChanged = 0;    ///< elements kept with a value other than that of A
    std::uint64_t droppedNonzero = 0; ///< elements left out that are not zero in A
};

/// How B picked its palette's entries.
struct PaletteCheck {
    std::uint64_t examined = 0;
    std::uint64_t notNearest = 0;     ///< another entry of the codebook is nearer to the value of A
    std::optional<ElementPair> worst; ///< of those the one that is farthest beyond the nearest
    double nearest = 0;               ///< the entry that it should have
    std::uint64_t entries = 0, usedEntries = 0; ///< over all codebooks
};

/// How B picked its integer codes.
struct CodeCheck {
    std::uint64_t examined = 0;
    /// Further from the value of A than 0.6 steps: half a step, and room for the rounding of the
    /// decoded value to fp16.
    std::uint64_t notNearest = 0;
    std::uint64_t clipped = 0; ///< of those the ones at the lowest or highest used code, outwards
    std::uint64_t codes = 0, usedCodes = 0; ///< that the type has; that occur
};

/// Whether the scales of B are the best ones for its codes: those of least squared error to A, of
/// the type that they are stored in.
struct ScaleCheck {
    std::uint64_t scales = 0;  ///< that scale at least one code other than zero
    std::uint64_t notBest = 0; ///< another one lowers the squared error by a thousandth or more
    double rmseStored = 0, rmseBest = 0; ///< over the weight: as it is, and with the best scales
    /// The one with the most to gain an element: its index, value and the best one.
    std::uint64_t worst = 0;
    double worstStored = 0, worstBest = 0, worstGain = 0;
};

/// How well B stores the values of A in its form. Parts that do not apply are empty.
struct FormCheck {
    std::optional<MaskCheck> mask;
    std::optional<PaletteCheck> palette;
    std::optional<CodeCheck> codes;
    /// Empty where a bias is added to the products, where the scales are of a type of fewer than 16
    /// bits, or more than 2^20.
    std::optional<ScaleCheck> scales;
    /// Why a palette or codes were not examined: vectors, a scaled palette, scales that are coded
    /// themselves, codes of floating point.
    std::string notExamined;
};

/// Decodes both weights once. Errors: those of diff::PairReader::make, "task.cancelled". Takes the
/// files' locks itself, shared. Progress in elements.
Result<FormCheck> checkForm(const Bundle &a, const Bundle &b, const ComparedPair &pair,
                            Progress *progress = nullptr);

} // namespace kernscope
