// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/common/table_tools.h"

#include "widgets/common/dock_tools.h"
#include "widgets/common/labels.h"
#include "widgets/common/qt.h"
#include "widgets/models/fact_tree_model.h"

namespace kernscope::ui {

namespace {

/// Qt moves the current cell alone where Ctrl is held: the selection follows. It stays in sight.
class OneChoice final : public QObject
{
public:
    explicit OneChoice(QAbstractItemView *view) : QObject(view), m_view(view)
    {
        view->installEventFilter(this);
        view->viewport()->installEventFilter(this);
    }

protected:
    bool eventFilter(QObject *, QEvent *event) override
    {
        if (event->type() == QEvent::Resize)
            keepInSight(*static_cast<QResizeEvent *>(event));
        const auto *press = static_cast<QKeyEvent *>(event);
        if (m_moving || event->type() != QEvent::KeyPress ||
            !(press->modifiers() & Qt::ControlModifier) || !moves(press->key()) ||
            m_view->selectionMode() != QAbstractItemView::ExtendedSelection)
            return false;
        const QModelIndex from = opposite();
        m_moving = true;
        static_cast<QObject *>(m_view)->event(event);
        m_moving = false;
        const QModelIndex now = m_view->currentIndex();
        if (press->modifiers() & Qt::ShiftModifier && from.isValid() &&
            from.parent() == now.parent()) {
            auto how = QItemSelectionModel::SelectionFlags(QItemSelectionModel::ClearAndSelect);
            if (m_view->selectionBehavior() == QAbstractItemView::SelectRows)
                how |= QItemSelectionModel::Rows;
            const auto [top, bottom] = std::minmax({from.row(), now.row()});
            const auto [left, right] = std::minmax({from.column(), now.column()});
            m_view->selectionModel()->select({now.sibling(top, left), now.sibling(bottom, right)},
                                             how);
        } else if (now.isValid()) {
            chooseRow(m_view, now);
        }
        return true;
    }

private:
    /// The current row that was in sight stays so where the view loses rows.
    void keepInSight(const QResizeEvent &event)
    {
        const QRect row = m_view->visualRect(m_view->currentIndex());
        if (row.isEmpty() || row.top() < 0 || row.bottom() >= event.oldSize().height() ||
            event.size().height() >= event.oldSize().height())
            return;
        QTimer::singleShot(0, this, [this] {
            const int across = m_view->horizontalScrollBar()->value();
            m_view->scrollTo(m_view->currentIndex());
            m_view->horizontalScrollBar()->setValue(across);
        });
    }
    static bool moves(int key)
    {
        return key == Qt::Key_Home || key == Qt::Key_End || key == Qt::Key_Up ||
               key == Qt::Key_Down || key == Qt::Key_Left || key == Qt::Key_Right ||
               key == Qt::Key_PageUp || key == Qt::Key_PageDown;
    }
    /// The corner of the selection that Shift holds: the one that the current cell is not at.
    QModelIndex opposite() const
    {
        const QModelIndex now = m_view->currentIndex();
        for (const QItemSelectionRange &range : m_view->selectionModel()->selection()) {
            const bool rows = m_view->selectionBehavior() == QAbstractItemView::SelectRows;
            if (range.contains(now))
                return now.sibling(now.row() == range.top() ? range.bottom() : range.top(),
                                   rows                           ? now.column()
                                   : now.column() == range.left() ? range.right()
                                                                  : range.left());
        }
        return now;
    }

    QAbstractItemView *m_view;
    bool m_moving = false;
};

/// What a view says while it has no row.
class EmptyNote final : public QLabel
{
public:
    EmptyNote(QAbstractItemView *view, const QString &text)
        : QLabel(text, view->viewport()), m_view(view)
    {
        setAlignment(Qt::AlignCenter);
        setWordWrap(true);
        setForegroundRole(QPalette::PlaceholderText);
        setMargin(theme::em(view, 0.8));
        setAttribute(Qt::WA_TransparentForMouseEvents);
        view->viewport()->installEventFilter(this);
        // Queued: others hide rows then.
        connect(view->model(), &QAbstractItemModel::modelReset, this, &EmptyNote::look,
                Qt::QueuedConnection);
        look();
    }

protected:
    bool eventFilter(QObject *watched, QEvent *event) override
    {
        if (event->type() == QEvent::Resize || event->type() == QEvent::Show)
            setGeometry(m_view->viewport()->rect());
        return QLabel::eventFilter(watched, event);
    }

private:
    /// Rows that are hidden, such as those of a foot, are none.
    void look()
    {
        const auto *table = qobject_cast<const QTableView *>(m_view);
        int row = m_view->model()->rowCount() - 1;
        while (row >= 0 && table && table->isRowHidden(row))
            --row;
        setVisible(row < 0);
    }

    QAbstractItemView *m_view;
};

} // namespace

void sayWhenEmpty(QAbstractItemView *view, const QString &text)
{
    new EmptyNote(view, text);
}

void keepOneChoice(QAbstractItemView *view)
{
    new OneChoice(view);
}

void finishEditing()
{
    QWidget *editor = QApplication::focusWidget();
    QWidget *viewport = editor ? editor->parentWidget() : nullptr;
    auto *view = viewport ? qobject_cast<QAbstractItemView *>(viewport->parentWidget()) : nullptr;
    if (view && view->viewport() == viewport)
        view->setFocus();
}

QTreeView *factView(QWidget *parent, FactTreeModel *model, const QString &accessibleName)
{
    auto *view = named(new QTreeView(parent), accessibleName);
    view->setModel(model);
    prepareView(view);
    view->setUniformRowHeights(true);
    view->setExpandsOnDoubleClick(false);
    view->header()->setStretchLastSection(true);
    view->header()->setSectionsMovable(false);
    return view;
}

QTreeView *factTable(QWidget *parent, FactTreeModel *model, const QString &accessibleName)
{
    QTreeView *view = factView(parent, model, accessibleName);
    view->setRootIsDecorated(false);
    view->setItemsExpandable(false);
    view->header()->setSortIndicator(-1, Qt::AscendingOrder);
    view->setSortingEnabled(true);
    view->header()->setSortIndicatorClearable(true);
    return view;
}

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
    laidOut(withoutMargins(new QHBoxLayout(this), 0), {{m_view, 1}, m_corner});
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

#include "moc_table_tools.cpp"
