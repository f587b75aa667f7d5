// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/common/share_bar.h"

#include "widgets/common/design.h"

#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>
#include <utility>

namespace kernscope::ui {

namespace {

constexpr double kLeastPart = 2; ///< pixels: a small part is seen as well

} // namespace

ShareBar::ShareBar(double height, QWidget *parent) : QWidget(parent), m_height(height)
{
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void ShareBar::setParts(std::vector<Part> parts)
{
    m_parts = std::move(parts);
    QStringList words;
    for (const Part &part : m_parts)
        words += part.words;
    setAccessibleName(words.join(QStringLiteral("; ")));
    update();
}

std::vector<double> ShareBar::edges() const
{
    std::vector<double> at{0};
    for (const Part &part : m_parts) {
        const double wanted =
            std::max(std::clamp(part.share, 0.0, 1.0) * width(), part.share > 0 ? kLeastPart : 0.0);
        at.push_back(std::min(at.back() + wanted, static_cast<double>(width())));
    }
    return at;
}

int ShareBar::partAt(int x) const
{
    const std::vector<double> at = edges();
    const auto behind = std::upper_bound(at.begin(), at.end(), x);
    return behind == at.begin() || behind == at.end() ? -1
                                                      : static_cast<int>(behind - at.begin()) - 1;
}

QSize ShareBar::sizeHint() const
{
    return {theme::em(this, 8), theme::em(this, m_height)};
}

QSize ShareBar::minimumSizeHint() const
{
    return {theme::em(this, 2), theme::em(this, m_height)};
}

void ShareBar::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.fillRect(rect(), design::track(palette()));
    const bool dark = theme::isDark(palette());
    const std::vector<double> at = edges();
    for (std::size_t i = 0; i < m_parts.size(); ++i) {
        // A pixel between the parts: neighbours of one form are told apart as well.
        const double gap = i + 1 < m_parts.size() && at[i + 1] - at[i] > 2 * kLeastPart ? 1 : 0;
        const QRectF place(at[i], 0, at[i + 1] - at[i] - gap, height());
        painter.fillRect(place, theme::color(m_parts[i].token, dark));
        if (m_parts[i].label.isEmpty() ||
            fontMetrics().horizontalAdvance(m_parts[i].label) >= place.width())
            continue;
        painter.setPen(theme::textOn(m_parts[i].token, dark));
        painter.drawText(place, Qt::AlignCenter, m_parts[i].label);
    }
}

bool ShareBar::event(QEvent *event)
{
    if (event->type() == QEvent::ToolTip) {
        auto *help = static_cast<QHelpEvent *>(event);
        const int part = partAt(help->pos().x());
        if (part >= 0)
            QToolTip::showText(help->globalPos(), m_parts[static_cast<std::size_t>(part)].words,
                               this);
        else
            QToolTip::hideText();
        return true;
    }
    return QWidget::event(event);
}

} // namespace kernscope::ui

#include "moc_share_bar.cpp"
