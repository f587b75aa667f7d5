// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/bundle_fwd.h"
#include "core/codec/decode/decoder.h"

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>

namespace kernscope {

class ByteAlignment;

/// Which of all elements the kept values of a masked weight are. Reads the mask when it is first
/// asked, once. For use from any thread; hold the locks of the files where edits may come in
/// between.
class KeptPlaces
{
public:
    KeptPlaces(BundlePtr bundle, std::size_t weight) : m_bundle(std::move(bundle)), m_weight(weight)
    {
    }

    /// Values kept of the elements before this one; 0 where the weight cannot be decoded.
    std::uint64_t keptBefore(std::uint64_t element) const;
    /// The element that the kept value of this number is; elements() past the last one.
    std::uint64_t elementOf(std::uint64_t kept) const;
    std::uint64_t elements() const;

private:
    const codec::Decoder *decoder() const;

    BundlePtr m_bundle;
    std::size_t m_weight;
    mutable std::once_flag m_once;
    mutable std::optional<codec::Decoder> m_decoder;
};

/// A segment of which one side has the values that a mask keeps and the other side all of them.
struct KeptSide {
    bool keptIsA = false;
    std::uint64_t bytesA = 0, bytesB = 0; ///< of one value
    std::shared_ptr<const KeptPlaces> places;

    std::uint64_t bytes(bool ofA) const { return ofA ? bytesA : bytesB; }
};
/// By index of the segment.
using KeptSides = std::map<std::size_t, KeptSide>;

/// The segments whose values can be set against each other element by element: both sides store
/// whole bytes a value, row by row, and the mask has a bit for each. Costs the tables.
KeptSides findKeptSides(const BundlePtr &a, const BundlePtr &b, const ByteAlignment &alignment);

} // namespace kernscope
