// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/mil/literal_integers.h"

namespace kernscope {

std::vector<std::int64_t> literalIntegers(const mil::Literal &literal)
{
    const unsigned bits = bitWidth(literal.element);
    const bool isSigned = isSignedInteger(literal.element);
    const bool usable =
        isSigned || isUnsignedInteger(literal.element) || literal.element == ElementType::Bool;
    if (!usable || bits < 8 || literal.bytes.size() / (bits / 8) < literal.count)
        return {};
    const std::size_t each = bits / 8;
    std::vector<std::int64_t> numbers;
    numbers.reserve(literal.count);
    for (std::size_t at = 0; numbers.size() < literal.count; at += each) {
        std::uint64_t number = 0;
        for (std::size_t i = each; i-- > 0;)
            number = number << 8 | std::to_integer<std::uint64_t>(literal.bytes[at + i]);
        const std::uint64_t sign = std::uint64_t(1) << (bits - 1);
        if (isSigned)
            number = (number ^ sign) - sign;
        numbers.push_back(static_cast<std::int64_t>(number));
    }
    return numbers;
}

} // namespace kernscope
