// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/hardware/list_splitter.h"

#include <algorithm>

namespace kernscope::ui {

namespace {

constexpr int kBesideWidths = 3; ///< of the list, before the rest stands beside it

} // namespace

ListSplitter::ListSplitter(QWidget *parent) : QSplitter(Qt::Vertical, parent)
{
    setChildrenCollapsible(false);
    connect(this, &QSplitter::splitterMoved, this, [this] { m_byHand = true; });
}

void ListSplitter::setListNeeds(int width, int height)
{
    m_width = width;
    m_height = height;
    arrange();
}

void ListSplitter::resizeEvent(QResizeEvent *event)
{
    QSplitter::resizeEvent(event);
    arrange();
}

void ListSplitter::arrange()
{
    if (m_width <= 0 || count() < 2 || size().isEmpty())
        return;
    const auto side = width() >= kBesideWidths * m_width ? Qt::Horizontal : Qt::Vertical;
    if (m_byHand && side == orientation())
        return;
    m_byHand = false;
    setOrientation(side);
    const int all = side == Qt::Horizontal ? width() : height();
    const int list = std::min(side == Qt::Horizontal ? m_width : m_height, all / 2);
    setSizes({list, std::max(1, all - list - handleWidth())});
}

} // namespace kernscope::ui

#include "moc_list_splitter.cpp"
