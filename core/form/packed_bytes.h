// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/form/element_order.h"

namespace kernscope::codec {

/// What bound() gives for an operand whose bytes are packed as a whole, such as a deflated member
/// of an archive: bytes() take the place of the operand's, in order(). Lives as long as the bytes.
class UnpackedBytes
{
public:
    virtual ~UnpackedBytes() = default;
    virtual std::span<const std::byte> bytes() const = 0;
    /// Of the elements in bytes(); null where they lie row by row.
    virtual std::shared_ptr<const ElementOrder> order() const = 0;
};

/// The order of such an operand: none of its elements has a place of its own in the file.
class PackedBytes : public ElementOrder
{
public:
    void positions(std::uint64_t, std::span<std::uint64_t> out) const override
    {
        for (std::uint64_t &position : out)
            position = kAbsent;
    }
    /// True once somebody asked for the bytes.
    virtual bool isUnpacked() const = 0;
    std::string lockReason() const override { return "its bytes are packed"; }
};

} // namespace kernscope::codec
