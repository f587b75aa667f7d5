// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/bytes/byte_glyphs.h"

namespace kernscope::ui {

void ByteGlyphs::prepare(const QFont &font)
{
    const auto prepare = [&font](QStaticText &text, const QString &shown) {
        text.setText(shown);
        text.setTextFormat(Qt::PlainText);
        text.prepare({}, font);
    };
    for (std::size_t i = 0; i < m_digits.size(); ++i) {
        const bool printable = i >= 0x20 && i < 0x7f;
        prepare(m_digits[i], QString::number(i, 16).rightJustified(2, u'0'));
        prepare(m_letters[i],
                printable ? QString(QChar(static_cast<char16_t>(i))) : QStringLiteral("\u00B7"));
    }
}

} // namespace kernscope::ui
