// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/common/kind_legend.h"

#include "widgets/models/icons.h"
#include "widgets/models/theme.h"

#include <QPainter>

#include <algorithm>

namespace kernscope::ui {

KindLegend::KindLegend(QWidget *parent) : QWidget(parent)
{
    QSizePolicy policy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
    setAccessibleName(tr("Kinds of sections"));
}

void KindLegend::setKinds(const std::vector<SectionKind> &kinds, bool changes)
{
    m_kinds.clear();
    m_changes = changes;
    QStringList words;
    for (const SectionKind kind : kinds) {
        if (std::find(m_kinds.begin(), m_kinds.end(), kind) != m_kinds.end())
            continue;
        m_kinds.push_back(kind);
        words += theme::sectionKindLabel(kind);
    }
    setAccessibleDescription(words.join(QStringLiteral(", ")));
    updateGeometry();
    update();
}

QString KindLegend::wordOf(int kind) const
{
    return kind < 0 ? tr("changed")
                    : theme::sectionKindLabel(m_kinds[static_cast<std::size_t>(kind)]);
}

std::vector<KindLegend::Entry> KindLegend::entries(int width) const
{
    const QFontMetrics metrics(font());
    const int row = metrics.height() + 2, icon = metrics.height(), gap = theme::em(this, 0.7);
    std::vector<Entry> placed;
    int x = 0, y = 0;
    const auto place = [&](int kind) {
        const int wide = icon + theme::em(this, 0.2) + metrics.horizontalAdvance(wordOf(kind));
        if (x > 0 && x + wide > width) {
            x = 0;
            y += row;
        }
        placed.push_back({QRect(x, y, wide, row), kind});
        x += wide + gap;
    };
    for (int kind = 0; kind < static_cast<int>(m_kinds.size()); ++kind)
        place(kind);
    if (m_changes)
        place(-1);
    return placed;
}

int KindLegend::heightForWidth(int width) const
{
    const auto placed = entries(width);
    return placed.empty() ? QFontMetrics(font()).height() + 2 : placed.back().box.bottom() + 1;
}

QSize KindLegend::sizeHint() const
{
    return {theme::em(this, 30), heightForWidth(theme::em(this, 30))};
}

QSize KindLegend::minimumSizeHint() const
{
    return {theme::em(this, 8), QFontMetrics(font()).height() + 2};
}

void KindLegend::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    const int side = QFontMetrics(font()).height();
    painter.setPen(palette().color(QPalette::WindowText));
    for (const Entry &entry : entries(width())) {
        const QRect swatch(entry.box.topLeft(), QSize(side, side));
        const QIcon icon = entry.kind < 0
                               ? glyphIcon(theme::glyph(Token::MarkChanged), Token::MarkChanged)
                               : kindIcon(m_kinds[static_cast<std::size_t>(entry.kind)]);
        icon.paint(&painter, swatch);
        painter.drawText(entry.box.adjusted(side + theme::em(this, 0.2), 0, theme::em(this, 1), 0),
                         Qt::AlignLeft | Qt::AlignVCenter, wordOf(entry.kind));
    }
}

} // namespace kernscope::ui

#include "moc_kind_legend.cpp"
