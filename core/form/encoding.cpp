// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/form/encoding.h"

#include <array>

namespace kernscope::codec {

namespace {

// In the order of PartRole.
constexpr std::array<std::string_view, 9> kRoleNames{
    "data", "indices", "lut", "mask", "nonzero_data", "scale", "zero_point", "offset", "bias"};

} // namespace

std::string_view partRoleName(PartRole role)
{
    return kRoleNames[static_cast<std::size_t>(role)];
}

std::optional<PartRole> partRoleFromName(std::string_view name)
{
    for (std::size_t i = 0; i < kRoleNames.size(); ++i) {
        if (kRoleNames[i] == name)
            return static_cast<PartRole>(i);
    }
    return std::nullopt;
}

const Operand *storedOperand(const OperandSource &source)
{
    return std::get_if<Operand>(&source);
}

ElementType sourceType(const OperandSource &source)
{
    if (const Operand *operand = storedOperand(source))
        return operand->type;
    const auto &made = std::get<std::shared_ptr<const Encoding>>(source);
    return made ? made->type : ElementType::Unknown;
}

const Shape &sourceShape(const OperandSource &source)
{
    static const Shape scalar;
    if (const Operand *operand = storedOperand(source))
        return operand->shape;
    const auto &made = std::get<std::shared_ptr<const Encoding>>(source);
    return made ? made->shape : scalar;
}

} // namespace kernscope::codec
