// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/progress.h"
#include "core/bundle/bundle_fwd.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace kernscope {

class ByteAlignment;

/// Which of all elements the kept values of a masked weight are. Reads the mask when it is first
/// asked, once, and keeps a number for 512 bytes of it. For use from any thread; hold the locks of
/// the files where edits may come in between.
class KeptPlaces
{
public:
    /// The mask has a bit for each element, in their order, and a place in the files.
    KeptPlaces(BundlePtr bundle, std::size_t weight);

    /// Values kept of the elements before this one.
    std::uint64_t keptBefore(std::uint64_t element) const;
    /// The element that the kept value of this number is; elements() past the last one.
    std::uint64_t elementOf(std::uint64_t kept) const;
    std::uint64_t elements() const { return m_elements; }
    /// Reads the mask now. False where cancelled: the next who asks reads it. Advances by
    /// elements() in all.
    bool count(Progress &progress) const;
    bool counted() const { return m_counted.load(std::memory_order_acquire); }

private:
    std::span<const std::byte> mask() const;

    BundlePtr m_bundle;
    std::size_t m_weight;
    std::uint64_t m_elements;
    mutable std::atomic<bool> m_counted{false};
    mutable std::mutex m_mutex;                  ///< of the one walk
    mutable std::vector<std::uint64_t> m_before; ///< kept before each step of the mask
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
/// Reads the masks that are too large to be read when a row of theirs is first asked for. False
/// where cancelled. Hold the locks of the files. Sets the total of the progress.
bool countLargeMasks(const KeptSides &sides, Progress &progress);

} // namespace kernscope
