// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/icons.h"

#include "widgets/models/table_text.h"

#include <QCoreApplication>
#include <QGuiApplication>
#include <QIconEngine>
#include <QPainter>
#include <QPixmap>

#include <cmath>

namespace kernscope::ui {

namespace {

bool darkNow()
{
    return theme::isDark(QGuiApplication::palette());
}

/// Draws itself anew for every size, so that it is sharp at every pixel ratio.
class PaintedIcon : public QIconEngine
{
public:
    QPixmap pixmap(const QSize &size, QIcon::Mode mode, QIcon::State state) override
    {
        QPixmap picture(size);
        picture.fill(Qt::transparent);
        QPainter painter(&picture);
        painter.setRenderHint(QPainter::Antialiasing);
        paint(&painter, QRect(QPoint(), size), mode, state);
        return picture;
    }
};

class GlyphIcon final : public PaintedIcon
{
public:
    GlyphIcon(QString glyph, Token token) : m_glyph(std::move(glyph)), m_token(token) {}
    QIconEngine *clone() const override { return new GlyphIcon(m_glyph, m_token); }

    void paint(QPainter *painter, const QRect &rect, QIcon::Mode, QIcon::State) override
    {
        painter->save();
        QFont font = QGuiApplication::font();
        font.setPixelSize(std::max(1, static_cast<int>(std::lround(rect.height() * 0.85))));
        font.setBold(true);
        painter->setFont(font);
        painter->setPen(theme::color(m_token, darkNow()));
        painter->drawText(rect, Qt::AlignCenter, m_glyph);
        painter->restore();
    }

private:
    QString m_glyph;
    Token m_token;
};

class KindIcon final : public PaintedIcon
{
public:
    explicit KindIcon(SectionKind kind) : m_kind(kind) {}
    QIconEngine *clone() const override { return new KindIcon(m_kind); }

    void paint(QPainter *painter, const QRect &rect, QIcon::Mode, QIcon::State) override
    {
        const QPalette palette = QGuiApplication::palette();
        const int margin = std::max(1, rect.height() / 8);
        const QRectF swatch =
            QRectF(rect).adjusted(margin + 0.5, margin + 0.5, -margin - 0.5, -margin - 0.5);
        painter->save();
        painter->fillRect(swatch, palette.color(QPalette::Base));
        painter->setPen(QPen(palette.color(QPalette::PlaceholderText), 1));
        painter->setBrush(theme::brushOf(m_kind, darkNow()));
        painter->drawRect(swatch);
        painter->restore();
    }

private:
    SectionKind m_kind;
};

class SwatchIcon final : public PaintedIcon
{
public:
    explicit SwatchIcon(const QColor &color) : m_color(color) {}
    QIconEngine *clone() const override { return new SwatchIcon(m_color); }

    void paint(QPainter *painter, const QRect &rect, QIcon::Mode, QIcon::State) override
    {
        painter->save();
        painter->setPen(QPen(QGuiApplication::palette().color(QPalette::PlaceholderText), 1));
        painter->setBrush(m_color);
        painter->drawRect(QRectF(rect).adjusted(0.5, 0.5, -0.5, -0.5));
        painter->restore();
    }

private:
    QColor m_color;
};

struct SeverityWords {
    Q_DECLARE_TR_FUNCTIONS(kernscope::Severity)
};

Token severityToken(Severity severity)
{
    switch (severity) {
    case Severity::Error: return Token::OutRefused;
    case Severity::Warning: return Token::MarkContested;
    case Severity::Note: return Token::MarkAssumed;
    }
    return Token::MarkAssumed;
}

} // namespace

QIcon glyphIcon(const QString &glyph, Token token)
{
    return QIcon(new GlyphIcon(glyph, token));
}

QIcon kindIcon(SectionKind kind)
{
    return QIcon(new KindIcon(kind));
}

QIcon swatchIcon(const QColor &color)
{
    return QIcon(new SwatchIcon(color));
}

QIcon severityIcon(Severity severity)
{
    return glyphIcon(severityGlyph(severity), severityToken(severity));
}

QString severityGlyph(Severity severity)
{
    switch (severity) {
    case Severity::Error: return QStringLiteral("\u2715");
    case Severity::Warning: return QStringLiteral("\u25B2");
    case Severity::Note: return QStringLiteral("i");
    }
    return {};
}

QString severityCount(Severity severity, std::size_t count)
{
    const bool one = count == 1;
    QString text;
    switch (severity) {
    case Severity::Error:
        text = one ? SeverityWords::tr("%1 error") : SeverityWords::tr("%1 errors");
        break;
    case Severity::Warning:
        text = one ? SeverityWords::tr("%1 warning") : SeverityWords::tr("%1 warnings");
        break;
    case Severity::Note:
        text = one ? SeverityWords::tr("%1 note") : SeverityWords::tr("%1 notes");
        break;
    }
    return text.arg(groupedNumber(count));
}

QString severityWord(Severity severity)
{
    switch (severity) {
    case Severity::Error: return SeverityWords::tr("error");
    case Severity::Warning: return SeverityWords::tr("warning");
    case Severity::Note: return SeverityWords::tr("note");
    }
    return {};
}

} // namespace kernscope::ui
