// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/patch/plan/planner.h"

#include <bit>
#include <variant>

#include <fmt/format.h>

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

std::string storedText(const codec::Encoding &encoding, codec::PartRole role, std::uint64_t index)
{
    const codec::Operand *operand = operandOf(encoding, role);
    if (operand == nullptr)
        return {};
    const auto code = codec::operandCode(*operand, codeWidth(encoding, role, operand->type), index);
    if (!code)
        return {};
    return isFloatingPoint(operand->type) ? fmt::format("{:#x}", *code) : fmt::format("{}", *code);
}

} // namespace

std::string valueText(double value)
{
    return fmt::format("{}", static_cast<float>(value));
}

std::string partText(const Edit &edit, const WeightPlanner &planner)
{
    const codec::Encoding &encoding = planner.decoder().encoding();
    const auto index = [&edit](std::size_t i) {
        return i < edit.indices.size() ? edit.indices[i].start : 0;
    };
    if (edit.kind == Edit::Kind::Codebook && encoding.palette) {
        const auto values = planner.decoder().codebookValues();
        const std::uint64_t at =
            (index(0) * encoding.palette->entries + index(1)) * encoding.palette->vector + index(2);
        return at < values.size() ? valueText(static_cast<double>(values[at])) : std::string();
    }
    if (edit.kind == Edit::Kind::Scale) {
        const codec::Operand *scale = operandOf(encoding, codec::PartRole::Scale);
        const auto value = scale == nullptr ? std::nullopt : codec::operandValue(*scale, index(0));
        return value ? valueText(*value) : std::string();
    }
    return storedText(encoding, edit.part, index(0));
}

} // namespace kernscope::patch
