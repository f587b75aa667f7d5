// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bundle/stored_values.h"

namespace kernscope {

bool exactInHalf(ElementType type)
{
    switch (type) {
    case ElementType::Fp16:
    case ElementType::Fp8E4M3Fn:
    case ElementType::Fp8E5M2:
    case ElementType::Fp4E2M1:
    case ElementType::Bool: return true;
    default: return !isFloatingPoint(type) && bitWidth(type) >= 1 && bitWidth(type) <= 8;
    }
}

bool exactInFloat(ElementType type)
{
    return type != ElementType::Fp64 && (isFloatingPoint(type) || bitWidth(type) <= 24);
}

bool isWideInteger(ElementType type)
{
    return bitWidth(type) == 64 && !isFloatingPoint(type);
}

const codec::Operand *plainOperand(const codec::Decoder &decoder)
{
    const codec::Encoding &encoding = decoder.encoding();
    if (encoding.mask || encoding.palette || encoding.scaling)
        return nullptr;
    const auto *operand = std::get_if<codec::Operand>(&encoding.payload);
    return operand != nullptr && operand->type == encoding.type ? operand : nullptr;
}

void decodeDoubles(const codec::Decoder &decoder, std::uint64_t first, std::span<double> out)
{
    const codec::Operand *operand = !exactInFloat(decoder.type()) ? plainOperand(decoder) : nullptr;
    if (operand != nullptr) {
        for (std::size_t i = 0; i < out.size(); ++i)
            out[i] = codec::operandValue(*operand, first + i).value_or(0);
        return;
    }
    thread_local std::vector<float> values;
    values.resize(out.size());
    decoder.decodeFloat(first, values);
    for (std::size_t i = 0; i < out.size(); ++i)
        out[i] = static_cast<double>(values[i]);
}

} // namespace kernscope
