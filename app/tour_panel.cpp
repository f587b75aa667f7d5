// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/tour_panel.h"

#include "widgets/common/design.h"
#include "widgets/common/theme.h"

#include <QAccessible>
#include <QEvent>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>

namespace kernscope::app {

using namespace ui::design;

namespace {

constexpr double kPanelWidth = 24, kFrameWidth = 0.2; // in ems

} // namespace

TourPanel::TourPanel(QWidget *window) : QFrame(window)
{
    setObjectName(QStringLiteral("tourPanel"));
    setFrameShape(QFrame::NoFrame);
    setAutoFillBackground(true);
    m_title = label({}, Type::Title, this);
    m_title->setWordWrap(true);
    m_text = label({}, Type::Body, this);
    m_text->setWordWrap(true);
    m_count = label({}, Type::Small, this);
    m_back = new QPushButton(tr("&Back"), this);
    m_next = new QPushButton(tr("&Next"), this);
    m_end = new QPushButton(tr("&End the Tour"), this);
    m_back->setToolTip(tr("The step before (Left)"));
    m_next->setToolTip(tr("The next step (Right)"));
    m_end->setToolTip(tr("Leave the tour (Escape); the Help menu starts it again"));
    // Enter presses the button that has the focus, as Space does.
    for (QPushButton *button : {m_back, m_next, m_end}) {
        button->setAutoDefault(true);
        button->installEventFilter(this); // a button would take Left and Right to move the focus
    }
    connect(m_back, &QPushButton::clicked, this, &TourPanel::back);
    connect(m_next, &QPushButton::clicked, this, &TourPanel::next);
    connect(m_end, &QPushButton::clicked, this, &TourPanel::end);
    auto *buttons = new QHBoxLayout;
    buttons->addWidget(m_end);
    buttons->addStretch();
    buttons->addWidget(m_back);
    buttons->addWidget(m_next);
    auto *rows = new QVBoxLayout(this);
    const int margin = space(this, Space::Large);
    rows->setContentsMargins(margin, margin, margin, margin);
    rows->setSpacing(space(this, Space::Medium));
    rows->addWidget(m_count);
    rows->addWidget(m_title);
    rows->addWidget(m_text);
    rows->addLayout(buttons);
    setTabOrder(m_next, m_back);
    setTabOrder(m_back, m_end);
    wearPalette();
    hide();
}

void TourPanel::say(const QString &title, const QString &text, std::size_t index, std::size_t count)
{
    m_title->setText(title);
    m_text->setText(text);
    m_count->setText(tr("Tour, step %1 of %2").arg(index + 1).arg(count));
    m_back->setEnabled(index > 0);
    m_next->setText(index + 1 < count ? tr("&Next") : tr("&Finish"));
    setAccessibleName(tr("%1: %2").arg(m_count->text(), title));
    setAccessibleDescription(text);
    // A reader of the screen hears the step with the button that one presses for the next.
    m_next->setAccessibleDescription(title + QLatin1Char('\n') + text);
    if (!m_back->isEnabled() && m_back->hasFocus())
        m_next->setFocus(Qt::OtherFocusReason);
    QAccessibleEvent event(this, QAccessible::Alert);
    QAccessible::updateAccessibility(&event);
}

void TourPanel::placeBeside(const QRect &target)
{
    const QRect window = parentWidget()->rect();
    const int gap = space(this, Space::Medium);
    const int least = std::max(ui::theme::em(this, kPanelWidth), layout()->minimumSize().width());
    const int width = std::min(least, window.width());
    const int height =
        layout()->hasHeightForWidth() ? layout()->heightForWidth(width) : sizeHint().height();
    const QSize size(width, std::min(height, window.height()));
    QPoint at = window.center() - QRect({}, size).center();
    if (!target.isEmpty()) {
        // Beside first: above and below a wide panel of the window lies what it belongs to.
        const QList<QPoint> places{
            {target.right() + 1 + gap, target.top()},
            {target.left() - gap - size.width(), target.top()},
            {target.left(), target.bottom() + 1 + gap},
            {target.left(), target.top() - gap - size.height()},
        };
        at = {target.right() - gap - size.width(), target.bottom() - gap - size.height()};
        for (const QPoint place : places) {
            // Moved along the target's side into the window, never over the target.
            QRect rect(place, size);
            rect.moveLeft(
                std::clamp(rect.left(), gap, std::max(gap, window.width() - gap - size.width())));
            rect.moveTop(
                std::clamp(rect.top(), gap, std::max(gap, window.height() - gap - size.height())));
            if (!rect.intersects(target) && window.contains(rect)) {
                at = rect.topLeft();
                break;
            }
        }
    }
    at.setX(std::clamp(at.x(), 0, std::max(0, window.width() - size.width())));
    at.setY(std::clamp(at.y(), 0, std::max(0, window.height() - size.height())));
    setGeometry(QRect(at, size));
}

void TourPanel::takeFocus()
{
    m_next->setFocus(Qt::OtherFocusReason);
}

bool TourPanel::eventFilter(QObject *watched, QEvent *event)
{
    if (event->type() == QEvent::KeyPress && takesKey(static_cast<QKeyEvent *>(event)->key()))
        return true;
    return QFrame::eventFilter(watched, event);
}

void TourPanel::keyPressEvent(QKeyEvent *event)
{
    if (!takesKey(event->key()))
        QFrame::keyPressEvent(event);
}

bool TourPanel::takesKey(int key)
{
    const bool mirrored = layoutDirection() == Qt::RightToLeft;
    switch (key) {
    case Qt::Key_Escape: Q_EMIT end(); return true;
    case Qt::Key_Left:
    case Qt::Key_Right:
        if ((key == Qt::Key_Right) != mirrored)
            m_next->click();
        else
            m_back->click();
        return true;
    default: return false;
    }
}

void TourPanel::changeEvent(QEvent *event)
{
    QFrame::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && parentWidget())
        wearPalette();
}

/// A ground of its own, so that it stands out from the tables below it.
void TourPanel::wearPalette()
{
    const QPalette &of = parentWidget()->palette();
    QPalette wanted = of;
    wanted.setColor(QPalette::Window, chosenGround(of));
    wanted.setColor(QPalette::PlaceholderText, of.color(QPalette::WindowText));
    if (palette().color(QPalette::Window) != wanted.color(QPalette::Window))
        setPalette(wanted);
}

TourFrame::TourFrame(QWidget *window) : QWidget(window)
{
    setObjectName(QStringLiteral("tourFrame"));
    setAttribute(Qt::WA_TransparentForMouseEvents);
    setAttribute(Qt::WA_NoSystemBackground);
    setFocusPolicy(Qt::NoFocus);
    hide();
}

void TourFrame::surround(const QRect &target)
{
    setVisible(!target.isEmpty());
    if (target.isEmpty())
        return;
    const int width = ui::theme::em(this, kFrameWidth);
    setGeometry(target.adjusted(-width, -width, width, width).intersected(parentWidget()->rect()));
    raise();
    update();
}

void TourFrame::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const double width = ui::theme::em(this, kFrameWidth);
    painter.setPen(QPen(accent(palette()), width));
    painter.drawRoundedRect(QRectF(rect()).adjusted(width / 2, width / 2, -width / 2, -width / 2),
                            width, width);
}

} // namespace kernscope::app

#include "moc_tour_panel.cpp"
