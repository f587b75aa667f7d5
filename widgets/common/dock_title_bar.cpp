// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/common/dock_title_bar.h"

#include "widgets/common/design.h"
#include "widgets/common/elided_label.h"
#include "widgets/common/theme.h"

#include <QAction>
#include <QApplication>
#include <QDockWidget>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QToolButton>

#include <algorithm>

namespace kernscope::ui {

DockTitleBar::DockTitleBar(QDockWidget *dock, const QList<QAction *> &buttons) : QWidget(dock)
{
    auto *row = new QHBoxLayout(this);
    const int gap = theme::em(this, 0.2);
    row->setContentsMargins(2 * gap, gap / 2, gap, gap / 2);
    row->setSpacing(gap);

    m_title = new QLabel(dock->windowTitle(), this);
    m_title->setFont(design::type(font(), design::Type::Heading));
    row->addWidget(m_title);
    m_note = new ElidedLabel(Qt::ElideMiddle, this);
    m_note->setForegroundRole(QPalette::PlaceholderText);
    m_note->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    m_note->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    row->addWidget(m_note, 1);
    connect(qApp, &QApplication::focusChanged, this, [this, dock](QWidget *, QWidget *now) {
        if (const bool focused = now && dock->isAncestorOf(now); focused != m_focused) {
            m_focused = focused;
            update();
        }
    });
    connect(dock, &QDockWidget::windowTitleChanged, m_title, &QLabel::setText);

    m_buttons = new QWidget(this);
    auto *buttonRow = new QHBoxLayout(m_buttons);
    buttonRow->setContentsMargins(0, 0, 0, 0);
    buttonRow->setSpacing(gap);
    const int side = theme::em(this, 1.0);
    for (QAction *action : buttons) {
        auto *button = new QToolButton(m_buttons);
        button->setDefaultAction(action);
        button->setAutoRaise(true);
        button->setFocusPolicy(Qt::TabFocus);
        button->setAccessibleName(action->toolTip());
        button->setIconSize(QSize(side, side));
        buttonRow->addWidget(button);
    }
    // At the end of the row, also where nothing else stands in it.
    row->addWidget(m_buttons, 0, Qt::AlignRight);
}

void DockTitleBar::setNote(const QString &text)
{
    m_note->setWholeText(text);
}

void DockTitleBar::setHeader(QWidget *header)
{
    auto *row = static_cast<QHBoxLayout *>(layout());
    m_note->hide();
    row->insertWidget(row->indexOf(m_note), header, 1);
    header->show();
}

void DockTitleBar::setBare(bool bare)
{
    m_bare = bare;
    m_title->setVisible(!bare);
    const int gap = theme::em(this, 0.2), edge = bare ? 0 : gap / 2;
    layout()->setContentsMargins(2 * gap, edge, gap, edge);
}

int DockTitleBar::leastWidth(const QWidget *header) const
{
    const QMargins margins = layout()->contentsMargins();
    const int gap = layout()->spacing();
    const int head =
        header ? std::max(header->minimumSizeHint().width(), header->minimumWidth()) + gap : 0;
    return margins.left() + margins.right() + head + m_buttons->sizeHint().width();
}

void DockTitleBar::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    // Keys go to this dock: what its shortcut would hide.
    if (m_focused && !m_bare) {
        const int line = theme::em(this, 0.15);
        painter.fillRect(QRect(0, line, line, height() - 2 * line), design::accent(palette()));
    }
}

} // namespace kernscope::ui

#include "moc_dock_title_bar.cpp"
