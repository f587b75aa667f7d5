// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/numeric/element_type.h"

namespace kernscope::mil {

/// A whole number as written.
struct Integer {
    bool negative = false;
    std::uint64_t magnitude = 0;
};

enum class NumberFault {
    None,
    Syntax,   ///< not a number of the kind asked for
    TooLarge, ///< does not fit 64 bits, or not the element type
    Infinite  ///< a finite number that the element type, of floating point, has no place for
};

/// Decimal or 0x hexadecimal digits with an optional sign.
NumberFault parseInteger(std::string_view text, Integer &number);

/// A real number, |value| = mantissa * 2^exponent and a little more or less (`remainder`), or an
/// infinity or a NaN.
struct ExactReal {
    enum class Kind : std::uint8_t { Finite, Infinity, NaN };
    Kind kind = Kind::Finite;
    bool negative = false;
    std::uint64_t mantissa = 0;
    int exponent = 0;
    bool more = false;        ///< the exact value lies just above (hex digits cut off)
    std::string_view decimal; ///< decimal digits that mantissa is the nearest double of
};

/// C hex floats, decimals, "inf", "nan" with an optional sign, any case.
std::optional<ExactReal> parseReal(std::string_view text);

/// The same number.
ExactReal realOf(double value);

/// The bits of `number` in a floating-point type, rounded once to nearest even; overflow becomes
/// an infinity (a NaN in fp8e4m3fn, which has none).
std::uint64_t roundToFloat(const ExactReal &number, ElementType type);

/// The bits of a whole number in an integer type; TooLarge where it does not fit.
NumberFault integerBits(const Integer &number, ElementType type, std::uint64_t &bits);

/// The bits of one element of `type` as written: a number, or "true" and "false" for bool. Also
/// where that is Infinite: then those of an infinity, or of a NaN where the type has none.
NumberFault elementBits(std::string_view text, ElementType type, std::uint64_t &bits);

/// Appends elements as a weight file stores them: little-endian, sub-byte types in one bit stream,
/// least significant bit first.
class PackedElements
{
public:
    PackedElements(ElementType type, std::vector<std::byte> &bytes)
        : m_width(bitWidth(type)), m_bytes(bytes)
    {
    }

    void add(std::uint64_t bits)
    {
        if (m_width >= 8) {
            for (unsigned done = 0; done < m_width; done += 8)
                m_bytes.push_back(static_cast<std::byte>(bits >> done & 0xFF));
            return;
        }
        m_pending |= static_cast<unsigned>(bits & ((1U << m_width) - 1)) << m_pendingBits;
        m_pendingBits += m_width;
        if (m_pendingBits >= 8) {
            m_bytes.push_back(static_cast<std::byte>(m_pending & 0xFF));
            m_pending >>= 8;
            m_pendingBits -= 8;
        }
    }

    /// Writes the last, partly filled byte; its unused bits are zero.
    void finish()
    {
        if (m_pendingBits > 0)
            m_bytes.push_back(static_cast<std::byte>(m_pending));
        m_pending = 0;
        m_pendingBits = 0;
    }

private:
    unsigned m_width;
    std::vector<std::byte> &m_bytes;
    unsigned m_pending = 0;
    unsigned m_pendingBits = 0;
};

} // namespace kernscope::mil
