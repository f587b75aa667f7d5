// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/bundle_fwd.h"
#include "core/bundle/weight.h"

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

} // namespace kernscope
