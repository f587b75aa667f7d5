// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/patch/edit/stored_part.h"

#include <bit>

namespace kernscope::patch {

namespace {

/// Bits of one code of a part: of a palette's indices and of a mask not those of the bytes that
/// the older form declares.
unsigned codeWidth(const codec::Encoding &encoding, codec::PartRole role, ElementType type)
{
    if (role == codec::PartRole::Mask)
        return 1;
    const bool payload = role == codec::PartRole::Indices || role == codec::PartRole::Data ||
                         role == codec::PartRole::NonzeroData;
    if (payload && encoding.palette && encoding.palette->entries > 1)
        return static_cast<unsigned>(std::bit_width(encoding.palette->entries - 1));
    return bitWidth(type);
}

} // namespace

std::optional<StoredPart> storedPart(const codec::Encoding &encoding, codec::PartRole role)
{
    const codec::Operand *operand = codec::ownOperand(encoding, role);
    if (operand == nullptr)
        return std::nullopt;
    return StoredPart{operand, codeWidth(encoding, role, operand->type)};
}

} // namespace kernscope::patch
