// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/weight/weight_cell_delegate.h"

#include "widgets/common/text_direction.h"
#include "widgets/common/theme.h"
#include "widgets/weight/weight_grid_model.h"

#include <QAbstractScrollArea>
#include <QApplication>
#include <QLineEdit>
#include <QMouseEvent>
#include <QPainter>

#include <utility>

namespace kernscope::ui {

namespace {

constexpr char kEditsCode[] = "kernscopeEditsCode"; ///< property of an editor

int cellMargin(const QStyle *style, const QStyleOptionViewItem &cell)
{
    return style->pixelMetric(QStyle::PM_FocusFrameHMargin, &cell, cell.widget) + 2;
}

/// The code with the mark of a change.
QString markedCode(const QModelIndex &index)
{
    const QString code = index.data(WeightGridModel::CodeRole).toString();
    return index.data(WeightGridModel::ChangedRole).toBool()
               ? theme::glyph(Token::MarkChanged) + QLatin1Char(' ') + code
               : code;
}

} // namespace

WeightCellDelegate::WeightCellDelegate(QObject *parent) : NumberDelegate(parent) {}

WeightCellDelegate::Shown WeightCellDelegate::shownTexts(const QRect &inner, const QRect &view,
                                                         const QFontMetrics &metrics,
                                                         const QString &code, const QString &value)
{
    Shown shown{code, value};
    const int codeEnd = inner.left() + metrics.horizontalAdvance(code);
    const int valueBegin = inner.right() + 1 - metrics.horizontalAdvance(value);
    if (inner.left() < view.left() || codeEnd > view.right() + 1)
        shown.code.clear();
    if (valueBegin < view.left() || inner.right() > view.right())
        shown.value = value.isEmpty() ? value : QString(QChar(0x2026));
    return shown;
}

void WeightCellDelegate::paint(QPainter *painter, const QStyleOptionViewItem &option,
                               const QModelIndex &index) const
{
    QStyleOptionViewItem cell = option;
    initStyleOption(&cell, index);
    const QString value = cell.text;
    cell.text.clear();
    const QStyle *style = cell.widget ? cell.widget->style() : QApplication::style();
    style->drawControl(QStyle::CE_ItemViewItem, &cell, painter, cell.widget);

    const bool selected = option.state & QStyle::State_Selected;
    const bool leftOut = index.data(WeightGridModel::LeftOutRole).toBool();
    const bool changed = index.data(WeightGridModel::ChangedRole).toBool();
    const QColor text = option.palette.color(QPalette::Text); // a chosen cell's ground is pale
    QColor faint = selected ? text : option.palette.color(QPalette::PlaceholderText);
    const int margin = cellMargin(style, cell);
    const QRect inner = option.rect.adjusted(margin, 0, -margin, 0);
    painter->save();
    painter->setFont(option.font);
    painter->setPen(faint);
    const auto *area = qobject_cast<const QAbstractScrollArea *>(cell.widget);
    const QRect view = area ? area->viewport()->rect() : option.rect;
    const Shown shown = shownTexts(inner, view, option.fontMetrics, markedCode(index), value);
    painter->drawText(inner, Qt::AlignLeft | Qt::AlignVCenter, shown.code);
    painter->setPen(leftOut ? faint : text);
    const QString number = leftOut ? value : shown.value; // the dot of a zero is no number
    const bool whole = number == value;
    painter->drawText(
        whole ? inner : inner & view.adjusted(margin, 0, -margin, 0),
        int((leftOut && whole ? Qt::AlignHCenter : Qt::AlignRight) | Qt::AlignVCenter),
        readFromLeft(number, option.direction));
    if (changed) {
        const int width = std::max(1, theme::em(cell.widget, 0.15));
        QPen pen(theme::color(Token::MarkChanged, theme::isDark(option.palette)), width);
        pen.setJoinStyle(Qt::MiterJoin);
        painter->setPen(pen);
        painter->drawRect(
            QRectF(option.rect)
                .adjusted(width / 2.0, width / 2.0, -width / 2.0 - 1, -width / 2.0 - 1));
    }
    painter->restore();
}

QWidget *WeightCellDelegate::createEditor(QWidget *parent, const QStyleOptionViewItem &,
                                          const QModelIndex &index) const
{
    const bool code =
        std::exchange(m_code, false) && !index.data(WeightGridModel::CodeRole).toString().isEmpty();
    QLineEdit *edit = createField(parent, index, code);
    edit->setAccessibleName(code ? tr("New stored code") : tr("New value"));
    edit->setProperty(kEditsCode, code);
    if (code)
        edit->setAlignment(Qt::AlignLeft);
    return edit;
}

void WeightCellDelegate::setEditorData(QWidget *editor, const QModelIndex &index) const
{
    const bool code = editor->property(kEditsCode).toBool();
    static_cast<QLineEdit *>(editor)->setText(
        index.data(code ? int(WeightGridModel::CodeRole) : int(Qt::EditRole)).toString());
}

void WeightCellDelegate::setModelData(QWidget *editor, QAbstractItemModel *model,
                                      const QModelIndex &index) const
{
    const bool code = editor->property(kEditsCode).toBool();
    model->setData(index, static_cast<QLineEdit *>(editor)->text(),
                   code ? int(WeightGridModel::CodeRole) : int(Qt::EditRole));
}

bool WeightCellDelegate::editorEvent(QEvent *event, QAbstractItemModel *model,
                                     const QStyleOptionViewItem &option, const QModelIndex &index)
{
    if (event->type() == QEvent::MouseButtonPress || event->type() == QEvent::MouseButtonDblClick) {
        const QStyle *style = option.widget ? option.widget->style() : QApplication::style();
        const int end = option.rect.left() + 2 * cellMargin(style, option) +
                        option.fontMetrics.horizontalAdvance(markedCode(index));
        m_code = event->type() == QEvent::MouseButtonDblClick &&
                 index.flags() & Qt::ItemIsEditable &&
                 static_cast<QMouseEvent *>(event)->position().x() < end;
    }
    return NumberDelegate::editorEvent(event, model, option, index);
}

} // namespace kernscope::ui

#include "moc_weight_cell_delegate.cpp"
