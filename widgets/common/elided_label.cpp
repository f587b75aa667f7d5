// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/common/elided_label.h"

#include "widgets/models/table_text.h"

#include <QEvent>
#include <QTextDocument>

namespace kernscope::ui {

ElidedLabel::ElidedLabel(Qt::TextElideMode mode, QWidget *parent) : QLabel(parent), m_mode(mode)
{
    setTextFormat(Qt::PlainText);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
}

void ElidedLabel::setWholeText(const QString &wanted)
{
    const QString text = shown(wanted); // paths and names come here by many ways
    if (m_whole == text)
        return;
    m_whole = text;
    setToolTip(text);
    setAccessibleName(text);
    updateGeometry();
    elide();
}

QSize ElidedLabel::minimumSizeHint() const
{
    return {fontMetrics().averageCharWidth() * 4, fontMetrics().height()};
}

QSize ElidedLabel::sizeHint() const
{
    return {fontMetrics().horizontalAdvance(m_whole) + fontMetrics().averageCharWidth(),
            fontMetrics().height()};
}

void ElidedLabel::resizeEvent(QResizeEvent *event)
{
    QLabel::resizeEvent(event);
    elide();
}

void ElidedLabel::changeEvent(QEvent *event)
{
    QLabel::changeEvent(event);
    if (event->type() == QEvent::FontChange)
        elide();
}

void ElidedLabel::elide()
{
    setText(fontMetrics().elidedText(m_whole, m_mode, width()));
}

} // namespace kernscope::ui

#include "moc_elided_label.cpp"
