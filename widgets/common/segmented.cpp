// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/common/segmented.h"

#include "widgets/common/design.h"

#include <QAction>
#include <QHBoxLayout>
#include <QPainter>

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
    segment->setFocusPolicy(Qt::TabFocus);
    // Mnemonics belong to the menu; what its icon text says needs not the words about it.
    const QString word = action->iconText().remove(u'&');
    segment->setText(word);
    segment->setAccessibleName(action->text().remove(u'&'));
    connect(action, &QAction::changed, segment, [segment, word] { segment->setText(word); });
    m_row->addWidget(segment);
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
