// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/common/segmented.h"

#include "widgets/common/design.h"

#include <QAction>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QPainter>

#include <algorithm>
#include <utility>

namespace kernscope::ui {

namespace {

constexpr qreal kRound = 4;

class Segment final : public QToolButton
{
public:
    using QToolButton::QToolButton;

    QSize sizeHint() const override
    {
        const QFontMetrics bold(design::type(font(), design::Type::Heading));
        return {bold.horizontalAdvance(text()) + 2 * design::space(this, design::Space::Medium),
                bold.height() + 2 * design::space(this, design::Space::Small)};
    }

protected:
    void paintEvent(QPaintEvent *) override
    {
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        const QRectF box = QRectF(rect()).adjusted(1.5, 1.5, -1.5, -1.5);
        if (isChecked() || hasFocus()) {
            painter.setPen(hasFocus() ? design::accent(palette()) : design::hairline(palette()));
            painter.setBrush(isChecked() ? QBrush(palette().color(QPalette::Base)) : Qt::NoBrush);
            painter.drawRoundedRect(box, kRound, kRound);
        }
        painter.setFont(isChecked() ? design::type(font(), design::Type::Heading) : font());
        painter.setPen(!isEnabled()  ? palette().color(QPalette::Disabled, QPalette::ButtonText)
                       : isChecked() ? design::accent(palette())
                                     : palette().color(QPalette::ButtonText));
        painter.drawText(rect(), Qt::AlignCenter, text());
    }
};

} // namespace

Segmented::Segmented(const QString &name, QWidget *parent)
    : QWidget(parent), m_row(new QHBoxLayout(this))
{
    setAccessibleName(name);
    m_row->setContentsMargins(1, 1, 1, 1);
    m_row->setSpacing(0);
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
}

void Segmented::add(QAction *action)
{
    auto *segment = new Segment(this);
    segment->setDefaultAction(action);
    segment->installEventFilter(this);
    m_segments += segment;
    // Mnemonics belong to the menu; what its icon text says needs not the words about it.
    const QString word = action->iconText().remove(u'&');
    segment->setText(word);
    segment->setAccessibleName(action->text().remove(u'&'));
    connect(action, &QAction::changed, segment, [this, segment, word] {
        segment->setText(word);
        takeTab();
    });
    m_row->addWidget(segment);
    takeTab();
}

/// Tab comes to the chosen word, or to the first where none is.
void Segmented::takeTab()
{
    const auto chosen = std::find_if(m_segments.begin(), m_segments.end(),
                                     [](const QToolButton *one) { return one->isChecked(); });
    QToolButton *stop = chosen == m_segments.end() ? m_segments.front() : *chosen;
    for (QToolButton *segment : std::as_const(m_segments))
        segment->setFocusPolicy(segment == stop ? Qt::TabFocus : Qt::NoFocus);
}

bool Segmented::eventFilter(QObject *watched, QEvent *event)
{
    const auto at = m_segments.indexOf(static_cast<QToolButton *>(watched));
    if (event->type() != QEvent::KeyPress || at < 0)
        return QWidget::eventFilter(watched, event);
    const qsizetype last = m_segments.size() - 1;
    const int forth = layoutDirection() == Qt::RightToLeft ? -1 : 1;
    switch (static_cast<QKeyEvent *>(event)->key()) {
    case Qt::Key_Left: choose(at - forth, -forth); return true;
    case Qt::Key_Right: choose(at + forth, forth); return true;
    case Qt::Key_Up: choose(at - 1, -1); return true;
    case Qt::Key_Down: choose(at + 1, 1); return true;
    case Qt::Key_Home: choose(0, 1); return true;
    case Qt::Key_End: choose(last, -1); return true;
    default: return QWidget::eventFilter(watched, event);
    }
}

/// The word there, or the next one that can be chosen. The keyboard stays in the switch, wherever
/// choosing it leads.
void Segmented::choose(qsizetype at, int step)
{
    while (at >= 0 && at < m_segments.size() && !m_segments[at]->isEnabled())
        at += step;
    if (at < 0 || at >= m_segments.size())
        return;
    m_segments[at]->defaultAction()->trigger();
    m_segments[at]->setFocus(Qt::OtherFocusReason);
}

void Segmented::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(design::track(palette()));
    painter.drawRoundedRect(QRectF(rect()), kRound + 1, kRound + 1);
}

} // namespace kernscope::ui

#include "moc_segmented.cpp"
