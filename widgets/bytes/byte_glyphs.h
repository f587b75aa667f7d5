// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFont>
#include <QStaticText>

#include <array>
#include <cstddef>

namespace kernscope::ui {

/// Every byte as two digits and as a letter, laid out once for a font: views draw thousands of
/// them.
class ByteGlyphs
{
public:
    void prepare(const QFont &font);

    /// `value` is that of a byte, 0 to 255.
    const QStaticText &digits(std::size_t value) const { return m_digits[value]; }
    /// The ASCII letter; a middle dot where there is none.
    const QStaticText &letter(std::size_t value) const { return m_letters[value]; }

private:
    std::array<QStaticText, 256> m_digits, m_letters;
};

} // namespace kernscope::ui
