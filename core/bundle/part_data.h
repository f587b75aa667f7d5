// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/progress.h"
#include "core/bundle/bundle_fwd.h"
#include "core/bundle/weight.h"

#include <algorithm>

namespace kernscope {

/// The codebooks of a palette weight, as values.
struct CodebookData {
    std::uint64_t codebooks = 0, entries = 0, vector = 1;
    std::vector<float> values;               ///< [codebook][entry][lane]
    std::vector<bool> changed;               ///< the same; empty: nothing differs from the disk
    std::vector<std::uint64_t> uses;         ///< [codebook][entry]; empty until counted
    ElementType type = ElementType::Unknown; ///< of the stored values
    unsigned indexBits = 0;

    /// Structure and values, without uses. On any thread, under a BundleReadLock.
    /// Errors: "codec.codebook".
    static Result<CodebookData> read(const Bundle &bundle, std::size_t weight,
                                     const codec::Decoder &decoder);
    /// For each entry of a codebook the first one before it of the same bits; kNoIndex where there
    /// is none.
    std::vector<std::size_t> duplicates(std::uint64_t codebook) const;
    /// Place in `values` of the first lane of an entry.
    std::size_t at(std::uint64_t codebook, std::uint64_t entry) const
    {
        return static_cast<std::size_t>((codebook * entries + entry) * vector);
    }
};

/// The scales of an affine, blockwise or microscaled weight and their zero points, as values.
struct ScaleData {
    std::vector<double> scales;
    std::vector<double> zeros;       ///< as many, or one for all, or none: the zero point is 0
    std::vector<double> biases;      ///< added to the product, as zeros; none where all are 0
    bool zeroPoints = false;         ///< the second operand is a zero point; else an offset
    Shape shape;                     ///< of the scales, or of several zero points of one scale
    bool exponents = false;          ///< scales are stored as powers of two alone (fp8e8m0)
    std::optional<std::size_t> axis; ///< of the weight, that a list of scales runs along

    /// Whether the weight has scales that are stored as numbers of their own.
    static bool has(const Weight &weight);
    /// On any thread, under a BundleReadLock. Errors: "task.cancelled", "scale.none".
    static Result<ScaleData> read(const Bundle &bundle, std::size_t weight, Progress &progress);
    /// Rows of a table: the scales, or the zero points where one scale has several.
    std::size_t rows() const { return scales.size() == 1 ? longest() : scales.size(); }
    double scaleOf(std::size_t row) const { return scales[scales.size() == 1 ? 0 : row]; }
    /// Which of `zeros` goes with a row; empty where none does.
    std::optional<std::size_t> zeroPlace(std::size_t row) const;
    std::optional<double> zeroOf(std::size_t row) const;
    double biasOf(std::size_t row) const { return biases[biases.size() == 1 ? 0 : row]; }
    /// e of a scale of 2^e; empty where scales are no exponents, and of the code without a value.
    std::optional<int> exponentOf(std::size_t row) const;
    /// "3", or "3, 0, 1" where the scales have several axes of more than one element.
    std::string placeOf(std::size_t row) const;

private:
    std::size_t longest() const { return std::max({scales.size(), zeros.size(), biases.size()}); }
};

/// How much of a weight its mask keeps, or of a weight without one: how much does not decode to
/// zero; in all and for each output channel.
struct MaskFigures {
    std::uint64_t kept = 0, elements = 0;
    std::uint64_t survivors = 0;         ///< values stored; masks only
    std::vector<std::uint64_t> channels; ///< kept of each; empty where there are too many to plot
    std::uint64_t perChannel = 0;        ///< elements of each channel

    /// Reads the whole weight, under a BundleReadLock. Progress in elements.
    /// Errors: those of Bundle::decoder, "task.cancelled".
    static Result<MaskFigures> compute(const Bundle &bundle, std::size_t weight,
                                       Progress &progress);
    /// Share of the elements that are kept, 0 to 1.
    double density() const
    {
        return elements == 0 ? 0 : static_cast<double>(kept) / static_cast<double>(elements);
    }
};

} // namespace kernscope
