// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/patch/edit/stored_part.h"

#include <bit>
#include <variant>

namespace kernscope::patch {

namespace {

const codec::Operand *operandOf(const codec::Encoding &encoding, codec::PartRole role)
{
    const auto plain = [](const codec::OperandSource &source) {
        return std::get_if<codec::Operand>(&source);
    };
    switch (role) {
    case codec::PartRole::Mask: return encoding.mask ? &*encoding.mask : nullptr;
    case codec::PartRole::Lut: return encoding.palette ? plain(encoding.palette->lut) : nullptr;
    case codec::PartRole::Scale: return encoding.scaling ? plain(encoding.scaling->scale) : nullptr;
    case codec::PartRole::ZeroPoint:
    case codec::PartRole::Bias:
    case codec::PartRole::Offset:
        return encoding.scaling && encoding.scaling->offset ? plain(*encoding.scaling->offset)
                                                            : nullptr;
    default: return plain(encoding.payload);
    }
}

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
    const codec::Operand *operand = operandOf(encoding, role);
    if (operand == nullptr || operand->role != role)
        return std::nullopt;
    return StoredPart{operand, codeWidth(encoding, role, operand->type)};
}

} // namespace kernscope::patch
