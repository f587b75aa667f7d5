// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bundle/bundle.h"
#include "widgets/bytes/section_strip.h"
#include "widgets/bytes/strip_runs.h"
#include "widgets/common/elided_name.h"
#include "widgets/common/table_text.h"
#include "widgets/common/theme.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

// How the strip of sections is painted; how it behaves is in section_strip.cpp.
namespace kernscope::ui {

namespace {

/// A step of 1, 2, 4 or 8 times a power of 16: round numbers in hexadecimal.
double rulerStep(double least)
{
    double step = 1;
    while (step < least)
        step *= 2;
    return step;
}

bool solid(SectionKind kind)
{
    return kind != SectionKind::Padding && kind != SectionKind::Unknown &&
           kind != SectionKind::ZeroPoint;
}

} // namespace

void SectionStrip::paintEvent(QPaintEvent *)
{
    QPainter painter(viewport());
    painter.fillRect(viewport()->rect(), palette().color(QPalette::Base));
    if (!m_bundle)
        return;
    const QRect strip = band();
    if (m_scale.size() == 0) {
        painter.setPen(palette().color(QPalette::PlaceholderText));
        painter.drawText(viewport()->rect(), Qt::AlignCenter, tr("The file is empty."));
        return;
    }
    paintRuns(painter, strip);
    if (!m_bare)
        paintRuler(painter, strip);
    paintChanges(painter, strip);
    paintCurrent(painter, strip);
}

void SectionStrip::paintRuns(QPainter &painter, const QRect &band) const
{
    const bool dark = theme::isDark(palette());
    const double column = 1.0 / devicePixelRatioF();
    const auto shown = sections();
    for (const StripRun &run : stripRuns(shown, m_scale, column)) {
        const QRectF box(run.left, band.top(), run.right - run.left, band.height());
        painter.fillRect(box, theme::brushOf(run.kind, dark));
        if (run.merged) {
            // Many thin sections: a stroke below says that there is more to see.
            const double height = std::max(2.0, band.height() * 0.06);
            painter.fillRect(QRectF(box.left(), band.bottom() + 1 - height, box.width(), height),
                             palette().color(QPalette::Text));
            continue;
        }
        if (box.width() >= 4)
            painter.fillRect(QRectF(box.left(), box.top(), column, box.height()),
                             palette().color(QPalette::Base));
        if (solid(run.kind) && !m_bare)
            paintLabel(painter, box, shown[run.section]);
    }
}

void SectionStrip::paintLabel(QPainter &painter, const QRectF &box, const Section &section) const
{
    const int margin = theme::em(this, 0.3);
    const QRectF inside = box.adjusted(margin, 0, -margin, 0);
    if (inside.width() < theme::em(this, 2.2))
        return;
    const QFontMetrics metrics(font());
    const bool roomy = box.height() >= 2 * metrics.height();
    painter.setPen(theme::textOn(theme::tokenOf(section.kind), theme::isDark(palette())));
    const auto line = [&](const QString &text, Qt::Alignment alignment) {
        painter.drawText(inside, static_cast<int>(alignment),
                         elidedName(metrics, text, static_cast<int>(inside.width())));
    };
    const QString kind = theme::sectionKindLabel(section.kind);
    const std::string_view owner = m_bundle->ownerOf(section);
    if (roomy && !owner.empty()) {
        const QRectF half = inside.adjusted(0, 0, 0, -inside.height() / 2);
        painter.drawText(half, static_cast<int>(Qt::AlignLeft | Qt::AlignBottom),
                         elidedName(metrics, fromUtf8(owner), static_cast<int>(half.width())));
        painter.drawText(half.translated(0, half.height()),
                         static_cast<int>(Qt::AlignLeft | Qt::AlignTop),
                         metrics.elidedText(kind, Qt::ElideRight, static_cast<int>(half.width())));
        return;
    }
    line(owner.empty() ? fromUtf8(m_bundle->nameOf(section)) : kind,
         Qt::AlignVCenter | Qt::AlignLeft);
}

void SectionStrip::paintChanges(QPainter &painter, const QRect &band) const
{
    const double dot = theme::em(this, 0.4);
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme::color(Token::MarkChanged, theme::isDark(palette())));
    const auto first =
        std::partition_point(m_changes.begin(), m_changes.end(), [this](const ByteRange &r) {
            return static_cast<double>(r.end()) <= m_scale.begin();
        });
    auto at = first;
    while (at != m_changes.end() && static_cast<double>(at->offset.value) < m_scale.end()) {
        const double left = m_scale.pixelOf(static_cast<double>(at->offset.value));
        const double right = m_scale.pixelOf(static_cast<double>(at->end()));
        painter.drawRect(
            QRectF(left, band.top() - dot * 0.3, std::max(2.0, right - left), dot * 0.3));
        painter.drawEllipse(
            QPointF((left + std::max(right, left + 2)) / 2, band.top() - dot * 0.3 - dot / 2),
            dot / 2, dot / 2);
        // Changes that would fall on the same dot are skipped by a search, not one by one.
        const double next = m_scale.byteAt(std::max(right, left + dot / 2));
        at = std::partition_point(std::next(at), m_changes.end(), [next](const ByteRange &r) {
            return static_cast<double>(r.offset.value) < next;
        });
    }
    painter.restore();
}

void SectionStrip::paintCurrent(QPainter &painter, const QRect &band) const
{
    if (m_current == kNoIndex)
        return;
    const ByteRange range = m_bundle->sections()[m_current].range;
    double left = m_scale.pixelOf(static_cast<double>(range.offset.value));
    double right = m_scale.pixelOf(static_cast<double>(range.end()));
    if (right < 0 || left > m_scale.width())
        return;
    const double least = theme::em(this, 0.4);
    if (right - left < least) {
        left = (left + right - least) / 2;
        right = left + least;
    }
    left = std::max(left, -4.0);
    right = std::min(right, m_scale.width() + 4);
    const double pen = std::max(2.0, theme::em(this, 0.12) * 1.0);
    const QRectF box(left + pen / 2, band.top() - 1 + pen / 2, right - left - pen,
                     band.height() + 2 - pen);
    painter.setBrush(Qt::NoBrush);
    // Light inside dark, so that the outline is seen on every kind's colour.
    painter.setPen(QPen(palette().color(QPalette::Text), pen));
    painter.drawRect(box);
    painter.setPen(QPen(palette().color(QPalette::Base), pen / 2));
    painter.drawRect(box.adjusted(pen * 0.75, pen * 0.75, -pen * 0.75, -pen * 0.75));
    if (hasFocus()) {
        painter.setPen(QPen(palette().color(QPalette::Highlight), pen));
        painter.drawLine(QPointF(left, band.bottom() + pen), QPointF(right, band.bottom() + pen));
    }
}

void SectionStrip::paintRuler(QPainter &painter, const QRect &band) const
{
    const QFontMetrics metrics(font());
    const int digits = static_cast<int>(QString::number(m_scale.size(), 16).size());
    const double room = metrics.horizontalAdvance(hexNumber(m_scale.size(), digits)) * 1.5;
    const double step = rulerStep(std::max(1.0, room * m_scale.bytesPerPixel()));
    const double end = std::min(m_scale.end(), static_cast<double>(m_scale.size()));
    painter.setPen(palette().color(QPalette::PlaceholderText));
    const int top = band.bottom() + theme::em(this, 0.15);
    for (double at = std::floor(m_scale.begin() / step) * step; at < end; at += step) {
        const double x = m_scale.pixelOf(at);
        if (x < -room)
            continue;
        painter.drawLine(QPointF(x, top), QPointF(x, top + theme::em(this, 0.3)));
        painter.drawText(QPointF(x + theme::em(this, 0.2), top + metrics.ascent()),
                         hexNumber(static_cast<std::uint64_t>(at)));
    }
}

} // namespace kernscope::ui
