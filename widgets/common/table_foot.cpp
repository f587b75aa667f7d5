// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/common/table_foot.h"

#include "widgets/common/dock_tools.h"
#include "widgets/common/text_direction.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QScrollBar>
#include <QSortFilterProxyModel>
#include <QStyledItemDelegate>
#include <QTableView>

namespace kernscope::ui {

namespace {

class LastRow final : public QSortFilterProxyModel
{
public:
    using QSortFilterProxyModel::QSortFilterProxyModel;

protected:
    bool filterAcceptsRow(int row, const QModelIndex &parent) const override
    {
        return row == sourceModel()->rowCount(parent) - 1;
    }
};

class WholeSum final : public QStyledItemDelegate
{
public:
    using QStyledItemDelegate::QStyledItemDelegate;

protected:
    void initStyleOption(QStyleOptionViewItem *option, const QModelIndex &index) const override
    {
        QStyledItemDelegate::initStyleOption(option, index);
        option->text = readFromLeft(option->text, option->direction);
    }
};

} // namespace

TableFoot::TableFoot(QTableView *table, const QString &name, QWidget *parent)
    : QWidget(parent), m_table(table), m_view(new QTableView(this)), m_corner(new QWidget(this))
{
    auto *last = new LastRow(this);
    last->setSourceModel(table->model());
    m_view->setModel(last);
    m_view->setItemDelegate(new WholeSum(m_view));
    m_view->setAccessibleName(name);
    m_view->setFocusPolicy(Qt::NoFocus);
    m_view->setSelectionMode(QAbstractItemView::NoSelection);
    m_view->setWordWrap(false);
    m_view->setShowGrid(table->showGrid());
    m_view->setTextElideMode(table->textElideMode());
    m_view->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_view->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_view->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    m_view->horizontalHeader()->hide();
    m_view->verticalHeader()->hide();
    m_view->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    coverCutNumbers(m_view);
    m_table->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    auto *row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(0);
    row->addWidget(m_view, 1);
    row->addWidget(m_corner);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    connect(table->model(), &QAbstractItemModel::modelReset, this, &TableFoot::adopt);
    connect(table->horizontalHeader(), &QHeaderView::sectionResized, this,
            [this](int column, int, int width) { alignColumn(column, width); });
    connect(table->horizontalHeader(), &QHeaderView::sectionMoved, m_view->horizontalHeader(),
            [this](int, int from, int to) { m_view->horizontalHeader()->moveSection(from, to); });
    connect(table->horizontalScrollBar(), &QScrollBar::valueChanged, m_view->horizontalScrollBar(),
            &QScrollBar::setValue);
    table->verticalScrollBar()->installEventFilter(this);
    adopt();
}

void TableFoot::adopt()
{
    const int rows = m_table->model()->rowCount();
    setVisible(rows > 0);
    // The header keeps a row hidden by its number through a reset; the sums may have had another.
    if (m_hidden >= 0)
        m_table->setRowHidden(m_hidden, false);
    m_hidden = rows - 1;
    if (rows > 0)
        m_table->setRowHidden(m_hidden, true);
    for (int column = 0; column < m_table->model()->columnCount(); ++column)
        alignColumn(column, m_table->columnWidth(column));
    align();
}

/// As wide as the table's; a column that is being hidden says so by its width first.
void TableFoot::alignColumn(int column, int width)
{
    m_view->setColumnHidden(column, width == 0);
    if (width > 0)
        m_view->setColumnWidth(column, width);
}

void TableFoot::align()
{
    const int height = m_table->verticalHeader()->defaultSectionSize();
    m_view->verticalHeader()->setDefaultSectionSize(height);
    m_view->setFixedHeight(height + 2 * m_view->frameWidth());
    const QScrollBar *bar = m_table->verticalScrollBar();
    m_corner->setFixedWidth(bar->isVisible() ? bar->width() : 0);
    m_view->horizontalScrollBar()->setValue(m_table->horizontalScrollBar()->value());
}

bool TableFoot::eventFilter(QObject *watched, QEvent *event)
{
    if (event->type() == QEvent::Show || event->type() == QEvent::Hide ||
        event->type() == QEvent::Resize)
        align();
    return QWidget::eventFilter(watched, event);
}

} // namespace kernscope::ui

#include "moc_table_foot.cpp"
