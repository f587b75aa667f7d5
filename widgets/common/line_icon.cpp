// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/common/line_icon.h"

#include "widgets/common/qt.h"
#include "widgets/models/theme.h"

#include <numbers>

namespace kernscope::ui {

namespace {

constexpr qreal kBox = 24, kStroke = 1.6; // of every icon's view box

/// Reads the numbers and letters of a path one by one.
class PathReader
{
public:
    explicit PathReader(const QString &text) : m_text(text) {}

    bool atEnd()
    {
        skip();
        return m_at >= m_text.size();
    }
    bool atNumber()
    {
        skip();
        if (m_at >= m_text.size())
            return false;
        const QChar c = m_text[m_at];
        return c.isDigit() || c == u'-' || c == u'+' || c == u'.';
    }
    QChar letter() { return m_text[m_at++]; }
    /// 0 and `fault` where there is no number.
    qreal number()
    {
        if (!atNumber()) {
            fault = true;
            return 0;
        }
        qsizetype end = m_at + 1;
        bool point = m_text[m_at] == u'.';
        while (end < m_text.size() && (m_text[end].isDigit() || (!point && m_text[end] == u'.'))) {
            point |= m_text[end] == u'.';
            ++end;
        }
        bool ok = false;
        const qreal value = m_text.mid(m_at, end - m_at).toDouble(&ok);
        fault |= !ok;
        m_at = end;
        return value;
    }
    QPointF point()
    {
        const qreal x = number();
        return {x, number()};
    }

    bool fault = false;

private:
    void skip()
    {
        while (m_at < m_text.size() && (m_text[m_at].isSpace() || m_text[m_at] == u','))
            ++m_at;
    }

    const QString &m_text;
    qsizetype m_at = 0;
};

/// A circular arc from the path's end to `to` (the radii of our icons are equal).
void arcTo(QPainterPath &path, qreal radius, bool large, bool sweep, QPointF to)
{
    const QPointF from = path.currentPosition();
    const QPointF half = (to - from) / 2;
    const qreal reach = std::hypot(half.x(), half.y());
    if (reach < 1e-9)
        return;
    const qreal r = std::max(radius, reach);
    const qreal off = std::sqrt(std::max(0.0, r * r - reach * reach)) / reach;
    const qreal side = large == sweep ? -1 : 1;
    const QPointF centre = from + half + QPointF(-half.y(), half.x()) * (off * -side);
    const auto degrees = [&](QPointF p) {
        return std::atan2(-(p.y() - centre.y()), p.x() - centre.x()) * 180 / std::numbers::pi;
    };
    const qreal start = degrees(from);
    qreal span = degrees(to) - start;
    if (sweep && span > 0)
        span -= 360;
    if (!sweep && span < 0)
        span += 360;
    path.arcTo(QRectF(centre.x() - r, centre.y() - r, 2 * r, 2 * r), start, span);
}

/// One command with its numbers; false where the letter is none.
bool drawCommand(PathReader &reader, QChar command, QPainterPath &path)
{
    const QPointF base = command.isLower() ? path.currentPosition() : QPointF();
    switch (command.toUpper().toLatin1()) {
    case 'M': path.moveTo(base + reader.point()); return true;
    case 'L': path.lineTo(base + reader.point()); return true;
    case 'H': path.lineTo(base.x() + reader.number(), path.currentPosition().y()); return true;
    case 'V': path.lineTo(path.currentPosition().x(), base.y() + reader.number()); return true;
    case 'C': {
        const QPointF a = base + reader.point(), b = base + reader.point();
        path.cubicTo(a, b, base + reader.point());
        return true;
    }
    case 'A': {
        const qreal radius = reader.number();
        reader.number(); // the other radius
        reader.number(); // rotation
        const bool large = reader.number() != 0, sweep = reader.number() != 0;
        arcTo(path, radius, large, sweep, base + reader.point());
        return true;
    }
    default: return false;
    }
}

class LineIcon final : public QIconEngine
{
public:
    explicit LineIcon(QPainterPath path) : m_path(std::move(path)) {}
    QIconEngine *clone() const override { return new LineIcon(m_path); }

    void paint(QPainter *painter, const QRect &rect, QIcon::Mode mode, QIcon::State state) override
    {
        const QPalette palette = QGuiApplication::palette();
        QColor ink = palette.color(mode == QIcon::Disabled ? QPalette::Disabled : QPalette::Active,
                                   QPalette::ButtonText);
        if (mode == QIcon::Disabled)
            ink.setAlphaF(0.45F);
        else if (state == QIcon::On)
            ink = palette.color(QPalette::Link);
        const qreal side = std::min(rect.width(), rect.height());
        painter->save();
        painter->setRenderHint(QPainter::Antialiasing);
        painter->translate(rect.x() + (rect.width() - side) / 2,
                           rect.y() + (rect.height() - side) / 2);
        painter->scale(side / kBox, side / kBox);
        painter->setBrush(Qt::NoBrush);
        painter->setPen(QPen(ink, kStroke, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
        painter->drawPath(m_path);
        painter->restore();
    }

    QPixmap pixmap(const QSize &size, QIcon::Mode mode, QIcon::State state) override
    {
        QPixmap picture(size);
        picture.fill(Qt::transparent);
        QPainter painter(&picture);
        paint(&painter, QRect(QPoint(), size), mode, state);
        return picture;
    }

private:
    QPainterPath m_path;
};

} // namespace

std::optional<QPainterPath> svgPath(const QString &d)
{
    PathReader reader(d);
    QPainterPath path;
    while (!reader.atEnd() && !reader.fault) {
        const QChar command = reader.letter();
        if (command.toUpper() == u'Z') {
            path.closeSubpath();
            continue;
        }
        QChar now = command;
        do {
            if (!drawCommand(reader, now, path))
                return std::nullopt;
            // Further pairs after a move are lines.
            if (now == u'M')
                now = u'L';
            else if (now == u'm')
                now = u'l';
        } while (!reader.fault && reader.atNumber());
    }
    if (reader.fault)
        return std::nullopt;
    return path;
}

QIcon lineIcon(const QString &name)
{
    QFile file(QStringLiteral(":/icons/actions/%1.svg").arg(name));
    if (!file.open(QIODevice::ReadOnly))
        return {};
    QPainterPath whole;
    QXmlStreamReader xml(&file);
    while (!xml.atEnd()) {
        if (xml.readNext() != QXmlStreamReader::StartElement || xml.name() != u"path")
            continue;
        if (const auto path = svgPath(xml.attributes().value(QStringLiteral("d")).toString()))
            whole.addPath(*path);
    }
    return whole.isEmpty() ? QIcon() : QIcon(new LineIcon(whole));
}

} // namespace kernscope::ui
