// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/common/dock_title_bar.h"

#include "widgets/common/theme.h"

#include <QApplication>
#include <QDockWidget>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QStyle>
#include <QToolButton>

namespace kernscope::ui {

namespace {

QToolButton *barButton(QWidget *parent, const QString &name)
{
    auto *button = new QToolButton(parent);
    button->setAutoRaise(true);
    button->setFocusPolicy(Qt::TabFocus);
    button->setAccessibleName(name);
    button->setToolTip(name);
    const int side = theme::em(parent, 1.0);
    button->setIconSize(QSize(side, side));
    return button;
}

} // namespace

DockTitleBar::DockTitleBar(QDockWidget *dock) : QWidget(dock)
{
    auto *row = new QHBoxLayout(this);
    const int gap = theme::em(this, 0.2);
    row->setContentsMargins(2 * gap, gap / 2, gap, gap / 2);
    row->setSpacing(gap);

    m_title = new QLabel(dock->windowTitle(), this);
    QFont bold = m_title->font();
    bold.setBold(true);
    m_title->setFont(bold);
    m_title->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    row->addWidget(m_title, 1);
    connect(qApp, &QApplication::focusChanged, this, [this, dock](QWidget *, QWidget *now) {
        if (const bool focused = now && dock->isAncestorOf(now); focused != m_focused) {
            m_focused = focused;
            update();
        }
    });
    connect(dock, &QDockWidget::windowTitleChanged, m_title, &QLabel::setText);

    m_pin = barButton(this, tr("Pin: stop following the selection"));
    m_pin->setCheckable(true);
    m_pin->setText(QStringLiteral("\u2693"));
    m_pin->setToolButtonStyle(Qt::ToolButtonTextOnly);
    row->addWidget(m_pin);

    auto *floating = barButton(this, tr("Float or dock"));
    floating->setIcon(style()->standardIcon(QStyle::SP_TitleBarNormalButton));
    connect(floating, &QToolButton::clicked, dock,
            [dock] { dock->setFloating(!dock->isFloating()); });
    row->addWidget(floating);

    auto *close = barButton(this, tr("Hide"));
    close->setIcon(style()->standardIcon(QStyle::SP_TitleBarCloseButton));
    connect(close, &QToolButton::clicked, dock, &QDockWidget::close);
    row->addWidget(close);
}

void DockTitleBar::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.fillRect(rect(), palette().color(QPalette::Button));
    painter.setPen(palette().color(QPalette::Mid));
    painter.drawLine(rect().bottomLeft(), rect().bottomRight());
    // Keys go to this dock: what its shortcut would hide.
    if (m_focused) {
        const int line = theme::em(this, 0.15);
        painter.fillRect(QRect(0, height() - line, width(), line),
                         palette().color(QPalette::Highlight));
    }
}

} // namespace kernscope::ui
