// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/error.h"

#include <cstddef>
#include <memory>
#include <span>

namespace kernscope::codec {

/// Where the elements of an operand lie when its bytes are not packed row by row: the slices of a
/// hardware container, the records of a weight section. Immutable, safe to share between threads.
class ElementOrder
{
public:
    virtual ~ElementOrder() = default;

    /// An element that is not stored: a zero made by the form.
    static constexpr std::uint64_t kAbsent = UINT64_MAX;

    /// Bit positions in the operand's bytes of elements [first, first + out.size()) of the tensor.
    virtual void positions(std::uint64_t first, std::span<std::uint64_t> out) const = 0;
    /// True where elements narrower than a byte are packed highest bit first: position 0 then is
    /// the highest bit of the first byte, and an element's first bit is its highest.
    virtual bool highestFirst() const { return false; }
    /// Elements of the tensor.
    virtual std::uint64_t elements() const = 0;
    /// Bytes that the operand must have.
    virtual std::uint64_t extent() const = 0;
    /// Further bit positions that hold the same element; an edit changes them all.
    virtual std::vector<std::uint64_t> copies(std::uint64_t element) const
    {
        static_cast<void>(element);
        return {};
    }
    /// The element that a bit of the operand's bytes is of, in its own place or a copy; nothing
    /// where it is of none (padding, masks, other operands). Of an order that must be bound first:
    /// nothing until then. Costs a search, not a walk.
    virtual std::optional<std::uint64_t> elementAt(std::uint64_t bit) const
    {
        static_cast<void>(bit);
        return std::nullopt;
    }
    /// The codebook that serves an element of palette indices.
    virtual std::uint64_t table(std::uint64_t element) const
    {
        static_cast<void>(element);
        return 0;
    }
    /// Codebooks that table() answers with: at most this many.
    virtual std::uint64_t tables() const { return 1; }
    /// True where which elements are stored depends on the bytes (zeros are left out): an edit
    /// may then neither make a zero nor unmake one.
    virtual bool skipsZeros() const { return false; }
    /// The order over given bytes; null where it does not depend on them. Errors: bytes that are
    /// no such form.
    virtual Result<std::shared_ptr<const ElementOrder>>
    bound(std::span<const std::byte> bytes) const
    {
        static_cast<void>(bytes);
        return std::shared_ptr<const ElementOrder>();
    }
    /// Where the bits lie that say which elements are stored, one an element in the tensor's order
    /// (set: stored), for a form that leaves zeros out (skipsZeros()); null for every other. That
    /// of a bound order is bound as well.
    virtual std::shared_ptr<const ElementOrder> mask() const { return nullptr; }
    /// Why an edit of this operand is refused altogether; empty where it is not.
    virtual std::string lockReason() const { return {}; }
};

} // namespace kernscope::codec
