// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/glyph_icon.h"

#include <QIconEngine>
#include <QPainter>
#include <QPixmap>
#include <QPointer>
#include <QWidget>

namespace kernscope::app {

namespace {

class GlyphEngine : public QIconEngine
{
public:
    GlyphEngine(QString glyph, const QWidget *widget) : m_glyph(std::move(glyph)), m_widget(widget)
    {
    }

    void paint(QPainter *painter, const QRect &rect, QIcon::Mode mode, QIcon::State) override
    {
        const QPalette palette = m_widget ? m_widget->palette() : QPalette();
        const auto group = mode == QIcon::Disabled ? QPalette::Disabled : QPalette::Active;
        painter->save();
        painter->setPen(palette.color(group, QPalette::ButtonText));
        QFont font = m_widget ? m_widget->font() : QFont();
        font.setPixelSize(std::max(1, rect.height() * 4 / 5));
        painter->setFont(font);
        painter->drawText(rect, Qt::AlignCenter, m_glyph);
        painter->restore();
    }

    QPixmap pixmap(const QSize &size, QIcon::Mode mode, QIcon::State state) override
    {
        QPixmap pixmap(size);
        pixmap.fill(Qt::transparent);
        QPainter painter(&pixmap);
        paint(&painter, QRect(QPoint(), size), mode, state);
        return pixmap;
    }

    QIconEngine *clone() const override { return new GlyphEngine(m_glyph, m_widget); }

private:
    QString m_glyph;
    QPointer<const QWidget> m_widget;
};

} // namespace

QIcon glyphIcon(const QString &glyph, const QWidget *widget)
{
    return QIcon(new GlyphEngine(glyph, widget));
}

} // namespace kernscope::app
