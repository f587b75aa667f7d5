// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/common/panels.h"

#include "widgets/common/labels.h"
#include "widgets/common/qt.h"
#include "widgets/models/theme.h"

namespace kernscope::ui {

FlowLayout::FlowLayout(QWidget *parent) : QLayout(parent) {}

FlowLayout::~FlowLayout()
{
    qDeleteAll(m_items);
}

QLayoutItem *FlowLayout::takeAt(int index)
{
    return index >= 0 && index < m_items.size() ? m_items.takeAt(index) : nullptr;
}

int FlowLayout::heightForWidth(int width) const
{
    return arrange(QRect(0, 0, width, 0), false);
}

QSize FlowLayout::sizeHint() const
{
    int width = 0, height = 0;
    for (const QLayoutItem *item : m_items) {
        if (item->isEmpty())
            continue;
        width += item->sizeHint().width() + spacing();
        height = std::max(height, item->sizeHint().height());
    }
    return {width, height};
}

QSize FlowLayout::minimumSize() const
{
    QSize size;
    for (const QLayoutItem *item : m_items) {
        if (!item->isEmpty())
            size = size.expandedTo(item->minimumSize());
    }
    return size;
}

void FlowLayout::setGeometry(const QRect &area)
{
    QLayout::setGeometry(area);
    arrange(area, true);
}

int FlowLayout::arrange(const QRect &area, bool place) const
{
    int y = area.top(), used = 0, height = 0;
    QList<QLayoutItem *> line;
    const auto endLine = [&] {
        int x = area.left(), rest = area.width() - used;
        for (QLayoutItem *item : std::as_const(line)) {
            const bool grows = item->expandingDirections() & Qt::Horizontal;
            const QSize size = item->sizeHint() + QSize(grows ? std::exchange(rest, 0) : 0, 0);
            if (place)
                item->setGeometry(QRect(QPoint(x, y), size));
            x += size.width() + spacing();
        }
        line.clear();
        used = 0;
    };
    for (QLayoutItem *item : m_items) {
        if (item->isEmpty())
            continue;
        const QSize size = item->sizeHint();
        const int wanted = used + (line.isEmpty() ? 0 : spacing()) + size.width();
        if (!line.isEmpty() && wanted > area.width()) {
            endLine();
            y += std::exchange(height, 0) + spacing();
        }
        used += (line.isEmpty() ? 0 : spacing()) + size.width();
        line += item;
        height = std::max(height, size.height());
    }
    endLine();
    return y + height - area.top();
}

ShrinkArea::ShrinkArea(QWidget *content, QWidget *parent) : QScrollArea(parent)
{
    setFrameShape(QFrame::NoFrame);
    setFocusPolicy(Qt::NoFocus);
    setWidget(content);
    content->setAutoFillBackground(false);
    viewport()->setAutoFillBackground(false);
    fit();
}

QSize ShrinkArea::sizeHint() const
{
    return widget()->sizeHint();
}

QSize ShrinkArea::minimumSizeHint() const
{
    return QSize(0, 0);
}

int ShrinkArea::leastHeight(int width) const
{
    const QLayout *layout = widget()->layout();
    if (layout && layout->hasHeightForWidth())
        return layout->minimumHeightForWidth(width);
    return widget()->hasHeightForWidth() ? widget()->heightForWidth(width)
                                         : widget()->minimumSizeHint().height();
}

void ShrinkArea::fit()
{
    const QSize room = maximumViewportSize();
    const int leastWidth = widget()->minimumSizeHint().width();
    // Each bar takes room from the other direction.
    const int high = room.height() -
                     (leastWidth > room.width() ? horizontalScrollBar()->sizeHint().height() : 0);
    int width = std::max(room.width(), leastWidth);
    if (leastHeight(width) > high)
        width = std::max(room.width() - verticalScrollBar()->sizeHint().width(), leastWidth);
    widget()->resize(width, std::max(high, leastHeight(width)));
}

void ShrinkArea::resizeEvent(QResizeEvent *event)
{
    fit();
    QScrollArea::resizeEvent(event);
}

bool ShrinkArea::eventFilter(QObject *watched, QEvent *event)
{
    const bool taken = QScrollArea::eventFilter(watched, event);
    if (watched == widget() && event->type() == QEvent::LayoutRequest) {
        fit();
        // What the request itself lays out anew may need more or less room than before.
        QTimer::singleShot(0, this, &ShrinkArea::fit);
    }
    return taken;
}

PanelSection::PanelSection(const QString &title, QWidget *content, QWidget *parent)
    : QWidget(parent), m_heading(new QToolButton(this)),
      m_note(new ElidedLabel(Qt::ElideRight, this)), m_content(content)
{
    using design::Space;
    content->setParent(this);
    m_heading->setAutoRaise(true);
    m_heading->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_heading->setArrowType(Qt::DownArrow);
    m_heading->setIconSize(
        QSize(design::space(this, Space::Medium), design::space(this, Space::Medium)));
    m_heading->setFont(design::type(font(), design::Type::Heading));
    m_heading->setToolTip(tr("Fold or unfold"));
    setTitle(title);
    m_note->setFont(design::type(font(), design::Type::Small));
    m_note->setForegroundRole(QPalette::PlaceholderText);
    m_note->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    m_note->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    auto *head = new QHBoxLayout;
    head->setSpacing(design::space(this, Space::Small));
    laidOut(head, {m_heading, {m_note, 1}});
    auto *column = new QVBoxLayout(this);
    const int gap = design::space(this, Space::Small);
    column->setContentsMargins(0, gap, 0, gap);
    column->setSpacing(design::space(this, Space::Hair));
    laidOut(column, {head, {content, 1}});
    connect(m_heading, &QToolButton::clicked, this, [this] { setFolded(!m_folded); });
}

void PanelSection::setTitle(const QString &title)
{
    m_heading->setText(title);
    m_heading->setAccessibleName(title);
}

void PanelSection::setNote(const QString &text)
{
    m_note->setWholeText(text);
}

void PanelSection::setFolded(bool folded)
{
    m_folded = folded;
    m_heading->setArrowType(folded ? Qt::RightArrow : Qt::DownArrow);
    m_content->setVisible(!folded);
}

void PanelSection::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.fillRect(QRect(0, height() - 1, width(), 1), design::hairline(palette()));
}

CardFrame::CardFrame(const QString &title, QWidget *parent)
    : QWidget(parent), m_value(design::label({}, design::Type::Figure, this)),
      m_note(giveWay(design::label({}, design::Type::Small, this)))
{
    using design::Space;
    auto *column = new QVBoxLayout(this);
    const int side = design::space(this, Space::Medium), end = design::space(this, Space::Small);
    column->setContentsMargins(side, end, side, end);
    column->setSpacing(0);
    laidOut(column, {giveWay(design::label(title, design::Type::Small, this)), m_value, m_note});
}

void CardFrame::say(const QString &value, const QString &note)
{
    m_value->setText(value);
    m_note->setText(note);
}

QString CardFrame::text() const
{
    return m_value->text() + QLatin1Char('\n') + m_note->text();
}

void CardFrame::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(design::hairline(palette()), 1));
    painter.setBrush(palette().color(QPalette::Base));
    const double round = theme::em(this, 0.4);
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), round, round);
}

} // namespace kernscope::ui

#include "moc_panels.cpp"
