// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/patch/patch_rows.h"

#include "widgets/common/elided_name.h"
#include "widgets/common/text_direction.h"
#include "widgets/common/theme.h"
#include "widgets/patch/patch_list_model.h"

#include <QApplication>
#include <QEvent>
#include <QHeaderView>
#include <QTableView>
#include <QTimer>

#include <algorithm>
#include <utility>

namespace kernscope::ui {

namespace {

constexpr int kMeasuredRows = 2000; ///< of more, all are as high as the highest of these
constexpr double kOneLine = 1.5, kTwoLines = 2.6; ///< em

/// Where the second line of an edit or a place begins; 0: nowhere.
qsizetype secondPart(const QString &text, std::string_view key)
{
    if (key == "where")
        return std::max<qsizetype>(text.lastIndexOf(QLatin1String("+0x")), 0);
    for (const char *mark : {"[", "+0x", "="}) {
        const qsizetype at = text.indexOf(QLatin1String(mark));
        if (at > 0)
            return at;
    }
    return 0;
}

/// An index or an offset is whole; what is said of it goes first.
QString shortSecond(const QString &text, const QFontMetrics &metrics, int width)
{
    if (metrics.horizontalAdvance(text) <= width)
        return text;
    const qsizetype close = text.indexOf(QLatin1Char(']')), space = text.indexOf(QLatin1Char(' '));
    const qsizetype most = close > 0 ? close + 1 : space;
    const QString place = text.left(most).trimmed() + QChar(0x2026);
    return most > 0 && metrics.horizontalAdvance(place) <= width
               ? place // what is left of a number would be another number
               : metrics.elidedText(text, Qt::ElideRight, width);
}

QStringList wrappedLines(const QString &text, const QFontMetrics &metrics, int width)
{
    qsizetype first = 0;
    // The longest beginning that fits and ends before a space.
    for (qsizetype space = text.indexOf(QLatin1Char(' ')); space > 0;
         space = text.indexOf(QLatin1Char(' '), space + 1)) {
        if (metrics.horizontalAdvance(text.left(space)) > width)
            break;
        first = space;
    }
    if (first == 0)
        return {metrics.elidedText(text, Qt::ElideRight, width)};
    return {text.left(first), metrics.elidedText(text.mid(first + 1), Qt::ElideRight, width)};
}

} // namespace

PatchRows::PatchRows(const PatchListModel &model, QTableView *table)
    : QStyledItemDelegate(table), m_model(model),
      m_table(table), m_columns{model.columnOf("edit"), model.columnOf("note"),
                                model.columnOf("where")}
{
    for (const int column : m_columns)
        table->setItemDelegateForColumn(column, this);
    table->viewport()->installEventFilter(this);
    connect(table->horizontalHeader(), &QHeaderView::sectionResized, this, &PatchRows::fitSoon);
    connect(&model, &QAbstractItemModel::modelReset, this, &PatchRows::fitSoon);
    table->verticalHeader()->setDefaultSectionSize(theme::em(table, kOneLine));
}

QStringList PatchRows::linesOf(const QString &text, std::string_view key,
                               const QFontMetrics &metrics, int width)
{
    if (metrics.horizontalAdvance(text) <= width)
        return {text};
    if (key == "note")
        return wrappedLines(text, metrics, width);
    const qsizetype at = secondPart(text, key);
    if (at == 0)
        return {elidedName(metrics, text, width)};
    return {elidedName(metrics, text.left(at), width), shortSecond(text.mid(at), metrics, width)};
}

int PatchRows::roomOf(int column) const
{
    const int margin =
        m_table->style()->pixelMetric(QStyle::PM_FocusFrameHMargin, nullptr, m_table) + 1;
    return m_table->columnWidth(column) - 2 * margin - 2; // or the style cuts again
}

void PatchRows::paint(QPainter *painter, const QStyleOptionViewItem &option,
                      const QModelIndex &index) const
{
    QStyleOptionViewItem cell = option;
    initStyleOption(&cell, index);
    QStringList lines =
        linesOf(cell.text, m_model.keyOf(index.column()), cell.fontMetrics, roomOf(index.column()));
    for (QString &line : lines)
        line = readFromLeft(line, cell.direction);
    cell.text = lines.join(QChar(QChar::LineSeparator));
    m_table->style()->drawControl(QStyle::CE_ItemViewItem, &cell, painter, m_table);
}

void PatchRows::updateEditorGeometry(QWidget *editor, const QStyleOptionViewItem &option,
                                     const QModelIndex &index) const
{
    QStyledItemDelegate::updateEditorGeometry(editor, option, index);
    const int whole = m_table->viewport()->width();
    QRect room = editor->geometry();
    const int width = std::min(std::max(room.width(), theme::em(m_table, 24)), whole);
    room.setWidth(width);
    room.moveLeft(std::clamp(room.left(), 0, whole - width));
    editor->setGeometry(room);
}

bool PatchRows::needsTwoLines(int row) const
{
    for (const int column : m_columns) {
        const QString text = m_model.index(row, column).data().toString();
        if (!m_table->isColumnHidden(column) &&
            linesOf(text, m_model.keyOf(column), m_table->fontMetrics(), roomOf(column)).size() > 1)
            return true;
    }
    return false;
}

bool PatchRows::fitRows()
{
    QHeaderView *rows = m_table->verticalHeader();
    const int low = theme::em(m_table, kOneLine), high = theme::em(m_table, kTwoLines);
    const int count = m_model.rowCount();
    bool anyHigh = false, changed = false;
    for (int row = 0; row < std::min(count, kMeasuredRows); ++row) {
        const bool two = needsTwoLines(row);
        anyHigh |= two;
        if (const int height = two ? high : low;
            count <= kMeasuredRows && rows->sectionSize(row) != height) {
            rows->resizeSection(row, height);
            changed = true;
        }
    }
    const int all = anyHigh ? high : low;
    if (count > kMeasuredRows && rows->defaultSectionSize() != all) {
        rows->setDefaultSectionSize(all);
        changed = true;
    }
    if (changed)
        m_table->doItemsLayout(); // the scroll bar has to know the new heights
    return changed;
}

void PatchRows::fitInView()
{
    m_fitting = false;
    const auto inView = [this] {
        const QRect current = m_table->visualRect(m_table->currentIndex());
        return m_table->viewport()->rect().contains(current.center());
    };
    // Rows stay where they are, but for the current one, which stays in view.
    if (const bool was = inView(); fitRows() && was && !inView())
        m_table->scrollTo(m_table->currentIndex());
}

/// Columns change one after the other, and rows once after them.
void PatchRows::fitSoon()
{
    if (std::exchange(m_fitting, true))
        return;
    QTimer::singleShot(0, this, &PatchRows::fitInView);
}

bool PatchRows::eventFilter(QObject *watched, QEvent *event)
{
    if (event->type() == QEvent::FontChange || event->type() == QEvent::Show)
        fitSoon();
    // The viewport is no editor: keys that an editor passes on to it close nothing.
    return watched != m_table->viewport() && QStyledItemDelegate::eventFilter(watched, event);
}

} // namespace kernscope::ui

#include "moc_patch_rows.cpp"
