// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/compare/picture_pane.h"

#include "widgets/common/cell_shape.h"
#include "widgets/common/elided_label.h"
#include "widgets/common/text_direction.h"
#include "widgets/models/theme.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QLinearGradient>
#include <QPainter>
#include <QStackedWidget>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace kernscope::ui {

namespace {

/// The scale and the swatches run from left to right in any window, and so do their words.
constexpr int kNearEnd = Qt::AlignLeft | Qt::AlignAbsolute | Qt::AlignVCenter;
constexpr int kFarEnd = Qt::AlignRight | Qt::AlignAbsolute | Qt::AlignVCenter;

} // namespace

QString PictureLegend::endText(bool negative) const
{
    const QString number = m_percent ? tr("%1 %").arg(QString::number(100 * m_range, 'g', 3))
                                     : QString::number(m_range, 'g', 3);
    return negative ? QStringLiteral("\u2212") + number : QLatin1Char('+') + number;
}

PictureLegend::PictureLegend(QWidget *parent) : QWidget(parent)
{
    setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    setAccessibleName(tr("Colours of the picture"));
}

void PictureLegend::showScale(double range, bool percent)
{
    m_range = range;
    m_percent = percent;
    setKind(Kind::Scale);
}

void PictureLegend::showMask()
{
    setKind(Kind::Mask);
}

void PictureLegend::showKept()
{
    setKind(Kind::Kept);
}

void PictureLegend::showEqual()
{
    setKind(Kind::Equal);
}

void PictureLegend::clear()
{
    setKind(Kind::None);
}

void PictureLegend::setKind(Kind kind)
{
    m_kind = kind;
    QStringList words;
    if (kind == Kind::Scale)
        words.append(tr("blue %1 to orange %2").arg(endText(true), endText(false)));
    for (const Swatch &swatch : swatches())
        words.append(swatch.text);
    setAccessibleDescription(words.join(QStringLiteral(", ")));
    setToolTip(accessibleDescription());
    update();
}

std::vector<PictureLegend::Swatch> PictureLegend::swatches() const
{
    const bool dark = theme::isDark(palette());
    std::vector<Swatch> all;
    if (m_kind == Kind::Mask) {
        all.push_back({QColor(MaskTiles::shade(1, dark)), CellShape::Square, tr("kept")});
        all.push_back({QColor(MaskTiles::shade(0, dark)), CellShape::Dot, tr("zero")});
    }
    if (m_kind == Kind::Equal)
        all.push_back({theme::diverging(0, dark), CellShape::Square, tr("no difference")});
    if (m_kind == Kind::Kept) {
        for (const KeptState state : kKeptStates)
            all.push_back({keptColor(state, dark), keptShape(state), keptText(state)});
    }
    return all;
}

QSize PictureLegend::sizeHint() const
{
    return {theme::em(this, 14), theme::em(this, 1.5)};
}

QSize PictureLegend::minimumSizeHint() const
{
    return {theme::em(this, 5), theme::em(this, 1.5)};
}

void PictureLegend::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    if (m_kind == Kind::Scale)
        paintScale(painter);
    else if (m_kind != Kind::None)
        paintSwatches(painter);
}

void PictureLegend::paintScale(QPainter &painter) const
{
    const bool dark = theme::isDark(palette());
    const QFontMetrics metrics(font());
    const QString low = endText(true), high = endText(false);
    const int gap = theme::em(this, 0.3);
    const int side = std::max(metrics.horizontalAdvance(low), metrics.horizontalAdvance(high));
    const int room = width() - 2 * (side + gap);
    painter.setPen(palette().color(QPalette::WindowText));
    const QRect bar(side + gap, height() / 4, std::min(room, theme::em(this, 10)), height() / 2);
    painter.drawText(QRect(0, 0, side, height()), kFarEnd, readFromLeft(low, layoutDirection()));
    if (bar.width() < theme::em(this, 1))
        return;
    painter.drawText(QRect(bar.right() + gap, 0, side, height()), kNearEnd,
                     readFromLeft(high, layoutDirection()));
    QLinearGradient gradient(bar.topLeft(), bar.topRight());
    for (int i = 0; i <= 16; ++i)
        gradient.setColorAt(i / 16.0, theme::diverging(i / 8.0 - 1.0, dark));
    painter.setPen(palette().color(QPalette::Mid));
    painter.setBrush(gradient);
    painter.drawRect(bar);
    const int zero = bar.center().x();
    painter.drawLine(zero, bar.top() - 2, zero, bar.bottom() + 2);
}

void PictureLegend::paintSwatches(QPainter &painter) const
{
    const QFontMetrics metrics(font());
    const int gap = theme::em(this, 0.3);
    const int side = theme::em(this, 0.9);
    const std::vector<Swatch> all = swatches();
    // Words give way to the room there is; the tooltip has them in full.
    const int most = width() / static_cast<int>(all.size()) - side - 2 * gap;
    int wanted = 0;
    for (const Swatch &swatch : all)
        wanted += side + 3 * gap + metrics.horizontalAdvance(swatch.text);
    int x = 0;
    for (const Swatch &swatch : all) {
        const QRectF box(x + 0.5, (height() - side) / 2 + 0.5, side, side);
        paintSwatch(painter, box, swatch);
        const QString text =
            wanted <= width() ? swatch.text : metrics.elidedText(swatch.text, Qt::ElideRight, most);
        painter.setPen(palette().color(QPalette::WindowText));
        const int left = x + side + gap;
        painter.drawText(QRect(left, 0, width() - left, height()), kNearEnd,
                         readFromLeft(text, layoutDirection()));
        x = left + metrics.horizontalAdvance(text) + 2 * gap;
    }
}

void PictureLegend::paintSwatch(QPainter &painter, const QRectF &box, const Swatch &swatch) const
{
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(palette().color(QPalette::Mid), 1));
    painter.setBrush(swatch.color);
    painter.drawRect(box);
    paintCellShape(painter, swatch.shape, box.center(), box.width() / 5, inkOn(swatch.color.rgb()),
                   palette().color(QPalette::PlaceholderText));
    painter.restore();
}

PicturePane::PicturePane(TaskManager &tasks, const QString &name, const QString &side,
                         QWidget *parent)
    : QWidget(parent), m_title(new ElidedLabel(Qt::ElideMiddle, this)),
      m_stack(new QStackedWidget(this)), m_view(new TileView(tasks, m_stack)),
      m_message(new QLabel(m_stack)), m_legend(new PictureLegend(this))
{
    m_title->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    m_view->setMostStretch(TileView::kFillStretch);
    m_view->setAccessibleName(name);
    m_message->setWordWrap(true);
    m_message->setAlignment(Qt::AlignCenter);
    m_message->setForegroundRole(QPalette::PlaceholderText);
    m_message->setMargin(theme::em(this, 0.5));
    m_stack->addWidget(m_view);
    m_stack->addWidget(m_message);
    auto *head = new QHBoxLayout;
    head->setSpacing(theme::em(this, 0.4));
    if (!side.isEmpty()) {
        auto *label = new QLabel(side, this);
        QFont bold = label->font();
        bold.setBold(true);
        label->setFont(bold);
        head->addWidget(label);
    }
    head->addWidget(m_title, 1);
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(theme::em(this, 0.1));
    column->addLayout(head);
    column->addWidget(m_stack, 1);
    column->addWidget(m_legend);
}

void PicturePane::setTitle(const QString &title)
{
    m_title->setWholeText(title);
}

void PicturePane::show(TileSourcePtr source, bool keepPosition)
{
    m_view->setSource(std::move(source), keepPosition);
    m_stack->setCurrentWidget(m_view);
}

void PicturePane::showMessage(const QString &text)
{
    m_view->setSource(nullptr);
    m_legend->clear();
    m_message->setText(text);
    m_stack->setCurrentWidget(m_message);
}

void PicturePane::markCell(std::optional<Cell> cell)
{
    if (m_view->currentCell() != cell)
        m_view->setCurrentCell(cell);
}

PictureRow::PictureRow(QWidget *parent) : QSplitter(Qt::Horizontal, parent)
{
    setChildrenCollapsible(false);
}

PicturePane *PictureRow::addPane(TaskManager &tasks, const QString &name, const QString &side)
{
    auto *added = new PicturePane(tasks, name, side, this);
    addWidget(added);
    m_panes.push_back(added);
    connect(added->view(), &TileView::viewStateChanged, this,
            [this, added](const ViewState &state) {
                for (const PicturePane *pane : m_panes) {
                    if (pane != added && m_linked)
                        pane->view()->setViewState(state);
                }
            });
    return added;
}

bool PictureRow::loading() const
{
    return std::any_of(m_panes.begin(), m_panes.end(),
                       [](const PicturePane *pane) { return pane->loading(); });
}

} // namespace kernscope::ui

#include "moc_picture_pane.cpp"
