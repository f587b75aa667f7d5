// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/common/dock_title_bar.h"

#include "widgets/common/design.h"
#include "widgets/common/line_icon.h"
#include "widgets/common/theme.h"

#include <QApplication>
#include <QDockWidget>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
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
    m_title->setFont(design::type(font(), design::Type::Heading));
    row->addWidget(m_title);
    m_note = new QLabel(this);
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

    m_pin = barButton(this, tr("Pin: stop following the selection"));
    m_pin->setCheckable(true);
    m_pin->setIcon(lineIcon(QStringLiteral("pin")));
    row->addWidget(m_pin);

    auto *floating = barButton(this, tr("Float or dock"));
    floating->setIcon(lineIcon(QStringLiteral("float")));
    connect(floating, &QToolButton::clicked, dock,
            [dock] { dock->setFloating(!dock->isFloating()); });
    row->addWidget(floating);

    auto *close = barButton(this, tr("Hide"));
    close->setIcon(lineIcon(QStringLiteral("close")));
    connect(close, &QToolButton::clicked, dock, &QDockWidget::close);
    row->addWidget(close);
}

void DockTitleBar::setNote(const QString &text)
{
    m_note->setText(text);
    m_note->setToolTip(text);
}

void DockTitleBar::setHeader(QWidget *header)
{
    auto *row = static_cast<QHBoxLayout *>(layout());
    const int at = row->indexOf(m_note);
    m_note->hide();
    row->insertWidget(at, header, 1);
}

void DockTitleBar::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    // Keys go to this dock: what its shortcut would hide.
    if (m_focused) {
        const int line = theme::em(this, 0.15);
        painter.fillRect(QRect(0, line, line, height() - 2 * line), design::accent(palette()));
    }
}

} // namespace kernscope::ui
