// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/palette_list.h"

#include "widgets/common/design.h"
#include "widgets/models/theme.h"

#include <QPainter>
#include <QStyledItemDelegate>

#include <algorithm>

namespace kernscope::app {

namespace {

constexpr int kMostShown = 14;

class HitDelegate final : public QStyledItemDelegate
{
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    QSize sizeHint(const QStyleOptionViewItem &option, const QModelIndex &) const override
    {
        return {0, static_cast<int>(option.fontMetrics.height() * 1.6)};
    }

    void paint(QPainter *painter, const QStyleOptionViewItem &option,
               const QModelIndex &index) const override
    {
        const bool chosen = option.state & QStyle::State_Selected;
        if (chosen)
            painter->fillRect(option.rect, ui::design::chosenGround(option.palette));
        const int gap = option.fontMetrics.height() / 2;
        const QRect room = option.rect.adjusted(gap, 0, -gap, 0);
        const QString note = index.data(PaletteModel::NoteRole).toString();
        const int most = room.width() / 2;
        const QString cut = option.fontMetrics.elidedText(note, Qt::ElideMiddle, most);
        const int noted = option.fontMetrics.horizontalAdvance(cut);
        painter->setPen(option.palette.color(QPalette::Text));
        painter->drawText(room.adjusted(0, 0, -noted - gap, 0), Qt::AlignLeft | Qt::AlignVCenter,
                          option.fontMetrics.elidedText(index.data().toString(), Qt::ElideMiddle,
                                                        room.width() - noted - gap));
        painter->setPen(option.palette.color(QPalette::PlaceholderText));
        painter->drawText(room, Qt::AlignRight | Qt::AlignVCenter, cut);
    }
};

} // namespace

void PaletteModel::setItems(QList<PaletteIndex::Item> items)
{
    beginResetModel();
    m_items = std::move(items);
    endResetModel();
}

int PaletteModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_items.size());
}

QVariant PaletteModel::data(const QModelIndex &at, int role) const
{
    if (!at.isValid() || at.row() >= rowCount())
        return {};
    const PaletteIndex::Item &item = m_items[at.row()];
    QString note = paletteKindWord(item.kind);
    if (!item.note.isEmpty())
        note = item.note + QStringLiteral("  \u00B7  ") + note;
    switch (role) {
    case Qt::DisplayRole: return item.text;
    case NoteRole: return note;
    case Qt::ToolTipRole:
    case Qt::AccessibleTextRole: return item.text + QStringLiteral(", ") + note;
    default: return {};
    }
}

PaletteList::PaletteList(QWidget *window) : QListView(window), m_model(new PaletteModel(this))
{
    setModel(m_model);
    setItemDelegate(new HitDelegate(this));
    setAccessibleName(tr("What was found"));
    setFocusPolicy(Qt::NoFocus);
    setUniformItemSizes(true);
    setEditTriggers(NoEditTriggers);
    setAutoFillBackground(true);
    setMouseTracking(true);
    hide();
    connect(this, &QListView::clicked, this,
            [this](const QModelIndex &index) { Q_EMIT picked(index.row()); });
}

void PaletteList::showBelow(const QWidget &box, QList<PaletteIndex::Item> items)
{
    m_model->setItems(std::move(items));
    setCurrentIndex({});
    const int rows = std::min(m_model->rowCount(), kMostShown);
    if (rows == 0) {
        hide();
        return;
    }
    const QWidget *window = parentWidget();
    const int width = std::min(window->width(), std::max(box.width(), ui::theme::em(this, 32)));
    const QPoint corner = box.mapTo(window, QPoint(box.width(), box.height() + 2));
    setGeometry(std::max(0, corner.x() - width), corner.y(), width,
                rows * sizeHintForRow(0) + 2 * frameWidth());
    raise();
    show();
}

void PaletteList::step(int by)
{
    const int rows = m_model->rowCount();
    if (rows == 0)
        return;
    const int now = chosen() < 0 ? (by > 0 ? -1 : rows) : chosen();
    setCurrentIndex(m_model->index(std::clamp(now + by, 0, rows - 1), 0));
}

} // namespace kernscope::app

#include "moc_palette_list.cpp"
