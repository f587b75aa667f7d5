// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/theme.h"

#include "core/bundle/kinds.h"
#include "widgets/models/table_text.h"

#include <QGuiApplication>
#include <QIconEngine>
#include <QPainter>
#include <QPixmap>

#include <algorithm>
#include <cmath>

namespace kernscope::ui::theme {

namespace {

struct TokenRow {
    const char *name;
    QRgb light, dark;
    const char *glyph;
};

// window.md, "Tokens". Dark values of the parts are the light ones, lighter by a fifth.
constexpr std::array<TokenRow, static_cast<std::size_t>(Token::Count)> kTokens{{
    {"kind.header", 0xFF5B6B7B, 0xFF9AA8B5, ""},
    {"kind.metadata", 0xFF8A94A0, 0xFF77828E, ""},
    {"kind.program", 0xFF4C5FA8, 0xFF8FA0E0, ""},
    {"kind.data", 0xFF0072B2, 0xFF3392CC, ""},
    {"kind.indices", 0xFF56B4E9, 0xFF78C3ED, ""},
    {"kind.codebook", 0xFFCC79A7, 0xFFD694B9, ""},
    {"kind.mask", 0xFFE69F00, 0xFFEBB233, ""},
    {"kind.values", 0xFF009E73, 0xFF33B18F, ""},
    {"kind.scale", 0xFFB8860B, 0xFFC69E3C, ""},
    {"kind.padding", 0xFFE4E7EA, 0xFF2B3036, ""},
    {"kind.unknown", 0xFFF3E9D8, 0xFF3A3426, ""},
    {"out.streams", 0xFF0072B2, 0xFF4DA6DC, "\u25B6"},
    {"out.folds", 0xFFD55E00, 0xFFF08C42, "\u25BD"},
    {"out.dense", 0xFF8A94A0, 0xFFA6AFB9, "\u25A0"},
    {"out.refused", 0xFF5B2A2A, 0xFFB97B7B, "\u2715"},
    {"out.unknown", 0xFFFFFFFF, 0xFF20242A, "?"},
    {"diff.less", 0xFF2166AC, 0xFF5AA0E0, ""},
    {"diff.more", 0xFFD6604D, 0xFFF09070, ""},
    {"diff.equal", 0xFFF7F7F7, 0xFF20242A, ""},
    {"mark.changed", 0xFFD55E00, 0xFFF08C42, "\u25CF"},
    {"mark.contested", 0xFFB8860B, 0xFFD9AE4A, "\u2260"},
    {"mark.assumed", 0xFF8A94A0, 0xFFA6AFB9, "~"},
}};

const TokenRow &row(Token token)
{
    return kTokens[static_cast<std::size_t>(token)];
}

double linear(double channel)
{
    return channel <= 0.03928 ? channel / 12.92 : std::pow((channel + 0.055) / 1.055, 2.4);
}

double luminance(const QColor &color)
{
    return 0.2126 * linear(color.redF()) + 0.7152 * linear(color.greenF()) +
           0.0722 * linear(color.blueF());
}

} // namespace

QColor mix(const QColor &a, const QColor &b, double t)
{
    const auto channel = [t](int x, int y) {
        return static_cast<int>(std::lround(x + (y - x) * t));
    };
    return QColor(channel(a.red(), b.red()), channel(a.green(), b.green()),
                  channel(a.blue(), b.blue()));
}

QString tokenName(Token token)
{
    return QString::fromLatin1(row(token).name);
}

QColor color(Token token, bool dark)
{
    return QColor::fromRgb(dark ? row(token).dark : row(token).light);
}

double contrast(const QColor &a, const QColor &b)
{
    const double la = luminance(a), lb = luminance(b);
    return (std::max(la, lb) + 0.05) / (std::min(la, lb) + 0.05);
}

QColor textOn(Token token, bool dark)
{
    const QColor ground = color(token, dark);
    const QColor ink(0x10, 0x14, 0x18), paper(Qt::white);
    return contrast(ink, ground) >= contrast(paper, ground) ? ink : paper;
}

QString glyph(Token token)
{
    return QString::fromUtf8(row(token).glyph);
}

Token tokenOf(SectionKind kind)
{
    switch (kind) {
    case SectionKind::Header: return Token::KindHeader;
    case SectionKind::Metadata:
    case SectionKind::Manifest: return Token::KindMetadata;
    case SectionKind::Program: return Token::KindProgram;
    case SectionKind::Data: return Token::KindData;
    case SectionKind::Indices: return Token::KindIndices;
    case SectionKind::Codebook: return Token::KindCodebook;
    case SectionKind::Mask: return Token::KindMask;
    case SectionKind::Values: return Token::KindValues;
    case SectionKind::Scale:
    case SectionKind::ZeroPoint: return Token::KindScale;
    case SectionKind::Padding: return Token::KindPadding;
    case SectionKind::Unknown: return Token::KindUnknown;
    }
    return Token::KindUnknown;
}

QBrush brushOf(SectionKind kind, bool dark)
{
    const QColor ground = color(tokenOf(kind), dark);
    if (kind == SectionKind::Padding)
        return QBrush(dark ? QColor(0x78, 0x83, 0x8F) : ground.darker(140), Qt::BDiagPattern);
    if (kind == SectionKind::Unknown)
        return QBrush(dark ? QColor(0x9A, 0x8A, 0x60) : ground.darker(150), Qt::Dense6Pattern);
    if (kind == SectionKind::ZeroPoint)
        return QBrush(ground, Qt::Dense2Pattern);
    return QBrush(ground);
}

QString sectionKindLabel(SectionKind kind)
{
    const auto tr = [](const char *text) {
        return QCoreApplication::translate("kernscope::SectionKind", text);
    };
    switch (kind) {
    case SectionKind::Header: return tr("header");
    case SectionKind::Metadata: return tr("metadata");
    case SectionKind::Program: return tr("program");
    case SectionKind::Data: return tr("data");
    case SectionKind::Indices: return tr("indices");
    case SectionKind::Codebook: return tr("codebook");
    case SectionKind::Mask: return tr("mask");
    case SectionKind::Values: return tr("values");
    case SectionKind::Scale: return tr("scale");
    case SectionKind::ZeroPoint: return tr("zero point");
    case SectionKind::Manifest: return tr("manifest");
    case SectionKind::Padding: return tr("padding");
    case SectionKind::Unknown: return tr("unknown");
    }
    return tr("unknown");
}

QColor sequential(double value)
{
    // Stops of the published cividis map: monotone in lightness for every kind of colour vision.
    static const std::array<QColor, 9> kStops{
        QColor(0, 32, 76),     QColor(0, 52, 110),    QColor(57, 72, 107),
        QColor(87, 93, 109),   QColor(112, 113, 115), QColor(138, 134, 120),
        QColor(165, 156, 116), QColor(208, 190, 97),  QColor(253, 231, 55)};
    const double x = std::clamp(std::isnan(value) ? 0.0 : value, 0.0, 1.0) *
                     static_cast<double>(kStops.size() - 1);
    const auto i = std::min(static_cast<std::size_t>(x), kStops.size() - 2);
    return mix(kStops[i], kStops[i + 1], x - static_cast<double>(i));
}

QColor diverging(double value, bool dark)
{
    const double v = std::clamp(std::isnan(value) ? 0.0 : value, -1.0, 1.0);
    const QColor middle = color(Token::DiffEqual, dark);
    return mix(middle, color(v < 0 ? Token::DiffLess : Token::DiffMore, dark), std::abs(v));
}

QPalette palette(bool dark)
{
    QPalette p;
    const QColor window(dark ? 0xFF20242A : 0xFFFCFDFD), base(dark ? 0xFF1B1F24 : 0xFFFFFFFF);
    const QColor text(dark ? 0xFFE4E8EC : 0xFF16191D), accent(dark ? 0xFF2F6FA8 : 0xFF0A5C94);
    // Readable on the pale ground of a chosen row as well (4.5).
    const QColor faint(dark ? 0xFFA5AFB9 : 0xFF5C656E);
    p.setColor(QPalette::Window, window);
    p.setColor(QPalette::WindowText, text);
    p.setColor(QPalette::Base, base);
    p.setColor(QPalette::AlternateBase, dark ? base.lighter(112) : base.darker(102));
    p.setColor(QPalette::Text, text);
    p.setColor(QPalette::Button, dark ? window.lighter(125) : QColor(0xFFF3F5F7));
    p.setColor(QPalette::ButtonText, text);
    p.setColor(QPalette::BrightText, Qt::white);
    p.setColor(QPalette::ToolTipBase, dark ? window.lighter(130) : QColor(0xFFFFFFF0));
    p.setColor(QPalette::ToolTipText, text);
    p.setColor(QPalette::PlaceholderText, faint);
    p.setColor(QPalette::Highlight, accent);
    p.setColor(QPalette::HighlightedText, Qt::white);
    p.setColor(QPalette::Link, dark ? QColor(0xFF6DB3EC) : accent);
    p.setColor(QPalette::Light, window.lighter(dark ? 140 : 105));
    p.setColor(QPalette::Midlight, window.lighter(dark ? 120 : 102));
    p.setColor(QPalette::Mid, dark ? window.lighter(170) : window.darker(120));
    p.setColor(QPalette::Dark, window.darker(dark ? 160 : 145));
    p.setColor(QPalette::Shadow, Qt::black);
    for (const auto role : {QPalette::Text, QPalette::WindowText, QPalette::ButtonText})
        p.setColor(QPalette::Disabled, role, faint);
    return p;
}

bool isDark(const QPalette &palette)
{
    return palette.color(QPalette::Window).lightness() < 128;
}

} // namespace kernscope::ui::theme

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
    case Severity::Error: text = one ? Words::tr("%1 error") : Words::tr("%1 errors"); break;
    case Severity::Warning: text = one ? Words::tr("%1 warning") : Words::tr("%1 warnings"); break;
    case Severity::Note: text = one ? Words::tr("%1 note") : Words::tr("%1 notes"); break;
    }
    return text.arg(groupedNumber(count));
}

QString severityWord(Severity severity)
{
    switch (severity) {
    case Severity::Error: return Words::tr("error");
    case Severity::Warning: return Words::tr("warning");
    case Severity::Note: return Words::tr("note");
    }
    return {};
}

} // namespace kernscope::ui
