// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/common/dock_tools.h"

#include "widgets/common/dock.h"
#include "widgets/common/file_dialogs.h"
#include "widgets/common/labels.h"
#include "widgets/common/number_field.h"
#include "widgets/common/qt.h"
#include "widgets/common/table_tools.h"
#include "widgets/models/short_names.h"
#include "widgets/models/theme.h"

namespace kernscope::ui {

namespace {

/// Property of a header while a column is made wide enough for a number.
constexpr char kGrowing[] = "kernscopeGrowing";

class FilterBox final : public QLineEdit
{
public:
    FilterBox(QWidget *parent, QWidget *next) : QLineEdit(parent), m_next(next) {}

protected:
    void keyPressEvent(QKeyEvent *event) override
    {
        if (event->key() == Qt::Key_Escape && !text().isEmpty())
            clear();
        else if (event->key() == Qt::Key_Escape || event->key() == Qt::Key_Down)
            m_next->setFocus(Qt::TabFocusReason);
        else
            QLineEdit::keyPressEvent(event);
    }

private:
    QWidget *m_next;
};

/// Not by the hand of the user.
void growSection(QHeaderView &header, int column, int width)
{
    header.setProperty(kGrowing, true);
    header.resizeSection(column, width);
    header.setProperty(kGrowing, false);
}

/// A number is never cut: its column grows once the view is painted.
void growColumn(const QStyleOptionViewItem &cell, int column)
{
    QHeaderView *header = columnHeader(qobject_cast<const QAbstractItemView *>(cell.widget));
    if (!header)
        return;
    const int missing = cell.fontMetrics.horizontalAdvance(cell.text) + cell.fontMetrics.height() -
                        cell.rect.width();
    const int width = header->sectionSize(column) + std::max(missing, 1);
    QTimer::singleShot(0, header, [header, column, width] {
        if (header->sectionSize(column) < width &&
            header->sectionResizeMode(column) == QHeaderView::Interactive)
            growSection(*header, column, width);
    });
}

class NearEnd : public NumberDelegate
{
public:
    using NumberDelegate::NumberDelegate;

    void paint(QPainter *painter, const QStyleOptionViewItem &option,
               const QModelIndex &index) const override
    {
        QStyleOptionViewItem cell = option;
        initStyleOption(&cell, index);
        const QStyle *style = cell.widget ? cell.widget->style() : QApplication::style();
        const QRect room = style->subElementRect(QStyle::SE_ItemViewItemText, &cell, cell.widget);
        const int margin = style->pixelMetric(QStyle::PM_FocusFrameHMargin, &cell, cell.widget) + 1;
        const int width = room.width() - 2 * margin;
        // The style cuts by parts of a pixel.
        if (cell.fontMetrics.horizontalAdvance(cell.text) >= width) {
            if (cell.displayAlignment & Qt::AlignRight)
                growColumn(cell, index.column());
            // What a name shares with its like goes first, then letters: those might be all that
            // tells two names apart. A little less than the room, or the style cuts again.
            cell.text = fittingName(cell.fontMetrics, cell.text,
                                    index.data(kShortNameRole).toString(), width - 2);
        }
        cell.text = readFromLeft(cell.text, cell.direction);
        style->drawControl(QStyle::CE_ItemViewItem, &cell, painter, cell.widget);
    }
};

/// Marks stand in the margin that a tree leaves before its names: they take no room from them.
class MarkInMargin final : public NearEnd
{
public:
    using NearEnd::NearEnd;

    void paint(QPainter *painter, const QStyleOptionViewItem &option,
               const QModelIndex &index) const override
    {
        NearEnd::paint(painter, option, index);
        paintMarginMark(painter, option, index, option.rect);
    }

protected:
    void initStyleOption(QStyleOptionViewItem *option, const QModelIndex &index) const override
    {
        QStyledItemDelegate::initStyleOption(option, index);
        option->features &= ~QStyleOptionViewItem::HasDecoration;
        option->icon = QIcon();
    }
};

class MarkBehind final : public NearEnd
{
public:
    using NearEnd::NearEnd;

    /// With room for a mark, there or not: columns do not change with it.
    QSize sizeHint(const QStyleOptionViewItem &option, const QModelIndex &index) const override
    {
        QStyleOptionViewItem cell = option;
        initStyleOption(&cell, index);
        cell.features |= QStyleOptionViewItem::HasDecoration;
        cell.decorationSize = option.decorationSize;
        const QStyle *style = cell.widget ? cell.widget->style() : QApplication::style();
        return style->sizeFromContents(QStyle::CT_ItemViewItem, &cell, QSize(), cell.widget);
    }

protected:
    void initStyleOption(QStyleOptionViewItem *option, const QModelIndex &index) const override
    {
        QStyledItemDelegate::initStyleOption(option, index);
        option->decorationPosition = QStyleOptionViewItem::Right;
    }
};

/// Covers a column of numbers that an edge of the view cuts: a part of a number reads as another.
/// Stands above the viewport, so that what cells paint does not depend on where the view is.
class EdgeCover final : public QWidget
{
public:
    explicit EdgeCover(QAbstractItemView *view)
        : QWidget(view), m_view(view), m_header(columnHeader(view))
    {
        setAttribute(Qt::WA_TransparentForMouseEvents);
        setFocusPolicy(Qt::NoFocus);
        view->viewport()->installEventFilter(this);
        for (const QScrollBar *bar : {view->horizontalScrollBar(), view->verticalScrollBar()})
            connect(bar, &QScrollBar::valueChanged, this, &EdgeCover::cover);
        // Amid a change of the layout sections have other widths than behind it.
        connect(m_header, &QHeaderView::sectionResized, this, &EdgeCover::cover,
                Qt::QueuedConnection);
        connect(m_header, &QHeaderView::geometriesChanged, this, &EdgeCover::cover,
                Qt::QueuedConnection);
        hide();
    }

protected:
    bool eventFilter(QObject *watched, QEvent *event) override
    {
        if (event->type() == QEvent::Resize || event->type() == QEvent::Show)
            cover();
        return QWidget::eventFilter(watched, event);
    }

    void paintEvent(QPaintEvent *) override
    {
        QPainter painter(this);
        painter.fillRect(rect(), palette().color(QPalette::Window));
        painter.setPen(palette().color(QPalette::PlaceholderText));
        for (const QRect &part : mask()) // no dots: they would read as a value that is cut
            painter.drawText(part, Qt::AlignCenter,
                             QString(QChar(part.left() > 0 ? 0x203A : 0x2039)));
    }

private:
    void cover()
    {
        if (!m_view->isVisible()) // or being destroyed: its header tells of that as well
            return;
        const QWidget *seen = m_view->viewport();
        QRegion cut;
        for (const int x : {0, seen->width() - 1}) {
            const int column = m_header->logicalIndexAt(x);
            if (column < 0)
                continue;
            const int left = m_header->sectionViewportPosition(column);
            const QRect whole(left, 0, m_header->sectionSize(column), seen->height());
            if (!seen->rect().contains(whole) && cutsNumber(whole, x))
                cut += whole & seen->rect();
        }
        setGeometry(seen->geometry());
        setMask(cut);
        setVisible(!cut.isEmpty());
    }

    /// Whether any row that is in view has a number in this column that is seen in part.
    bool cutsNumber(const QRect &column, int x) const
    {
        const QFontMetrics metrics = m_view->fontMetrics();
        // A column that is just narrower than its margin still shows all of its text.
        const int margin = metrics.averageCharWidth() / 2, room = m_view->viewport()->width();
        for (QModelIndex at = m_view->indexAt(QPoint(x, 0)); at.isValid();
             at = m_view->indexAt(QPoint(x, m_view->visualRect(at).bottom() + 1))) {
            const QString text = at.data().toString();
            const int right = column.right() - margin;
            if (!text.isEmpty() && at.data(Qt::TextAlignmentRole).toInt() & Qt::AlignRight &&
                (right >= room || right < metrics.horizontalAdvance(text)))
                return true;
        }
        return false;
    }

    QAbstractItemView *m_view;
    QHeaderView *m_header;
};

class ColumnGrower final : public QObject
{
public:
    ColumnGrower(QAbstractItemView *view, std::initializer_list<int> columns)
        : QObject(view), m_view(view), m_header(columnHeader(view)), m_columns(columns)
    {
        for (const int column : m_columns)
            m_least.push_back(m_header->sectionSize(column));
        view->viewport()->installEventFilter(this);
        connect(m_header, &QHeaderView::sectionResized, this,
                [this](int column, int before, int now) {
                    // A column that is hidden or shown, or grows for a number, is not sized by
                    // hand: it leaves or takes room.
                    const bool number = growsByItself(m_header);
                    const auto own = std::find(m_columns.begin(), m_columns.end(), column);
                    if (number && own != m_columns.end())
                        m_least[static_cast<std::size_t>(own - m_columns.begin())] = now;
                    if (before == 0 || now == 0 || number)
                        QTimer::singleShot(0, this, &ColumnGrower::growWhereFree);
                    else
                        m_userSized |= !m_growing;
                });
    }

protected:
    bool eventFilter(QObject *watched, QEvent *event) override
    {
        if (event->type() == QEvent::Resize || event->type() == QEvent::Show)
            growWhereFree();
        return QObject::eventFilter(watched, event);
    }

private:
    void growWhereFree()
    {
        if (m_userSized)
            return;
        // Wider columns bring or take away a scroll bar, which comes back here.
        m_again = true;
        for (int turn = 0; !m_growing && m_again && turn < 3; ++turn)
            grow();
    }

    void grow()
    {
        m_again = false;
        const QScopedValueRollback guard(m_growing, true);
        int rest = m_view->viewport()->width() - m_header->length(), shown = 0;
        for (std::size_t i = 0; i < m_columns.size(); ++i) {
            if (m_header->isSectionHidden(m_columns[i]))
                continue;
            rest += m_header->sectionSize(m_columns[i]) - m_least[i];
            ++shown;
        }
        const int more = std::max(0, rest) / std::max(shown, 1);
        for (std::size_t i = 0; i < m_columns.size(); ++i) {
            if (!m_header->isSectionHidden(m_columns[i]))
                m_header->resizeSection(m_columns[i], m_least[i] + more);
        }
    }

    QAbstractItemView *m_view;
    QHeaderView *m_header;
    std::vector<int> m_columns, m_least;
    bool m_growing = false, m_again = false, m_userSized = false;
};

/// At once where the dock that `scope` lies in has read what it shows, else once it was raised and
/// has: a table behind a tab has no rows.
void whenFilled(QWidget *scope, std::function<void()> then)
{
    Dock *dock = nullptr;
    for (QWidget *widget = scope; widget; widget = widget->parentWidget()) {
        if (auto *found = qobject_cast<Dock *>(widget))
            dock = found; // the outermost: a dock may be a part of another one
    }
    if (!dock || (dock->onView() && !dock->busy())) {
        then();
        return;
    }
    auto *waiting = new QObject(scope);
    // Not amid the refresh that says so: a dialog may follow.
    QObject::connect(
        dock, &Dock::filled, waiting,
        [waiting, then = std::move(then)] {
            waiting->deleteLater();
            then();
        },
        static_cast<Qt::ConnectionType>(Qt::QueuedConnection | Qt::SingleShotConnection));
    dock->show();
    dock->raise();
    // Closed meanwhile: nothing waits for it any more.
    QObject::connect(dock, &QDockWidget::visibilityChanged, waiting, [waiting, dock] {
        if (dock->isHidden())
            waiting->deleteLater();
    });
}

} // namespace

QHeaderView *columnHeader(const QAbstractItemView *view)
{
    if (const auto *table = qobject_cast<const QTableView *>(view))
        return table->horizontalHeader();
    const auto *tree = qobject_cast<const QTreeView *>(view);
    return tree ? tree->header() : nullptr;
}

bool growsByItself(const QHeaderView *header)
{
    return header->property(kGrowing).toBool();
}

void coverCutNumbers(QAbstractItemView *view)
{
    if (columnHeader(view))
        new EdgeCover(view);
}

QVBoxLayout *contentColumn(QWidget *content)
{
    auto *column = new QVBoxLayout(content);
    const int gap = theme::em(content, 0.25);
    column->setContentsMargins(gap, gap, gap, gap);
    column->setSpacing(gap);
    return column;
}

QAction *dockAction(QWidget *scope, const QString &text, const QKeySequence &shortcut,
                    std::function<void()> triggered)
{
    auto *action = new QAction(text, scope);
    action->setShortcut(shortcut);
    action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
    scope->addAction(action);
    QObject::connect(action, &QAction::triggered, scope, [call = std::move(triggered)] { call(); });
    return action;
}

QLineEdit *filterBox(QWidget *parent, const QString &placeholder, QWidget *next)
{
    auto *box = new FilterBox(parent, next);
    box->setPlaceholderText(placeholder);
    box->setAccessibleName(placeholder);
    box->setClearButtonEnabled(true);
    // It stands above what it filters, and is made after it. A dock that is not built yet orders
    // its parts by itself.
    if (box->window() == next->window())
        QWidget::setTabOrder(box, next);
    return box;
}

void prepareView(QAbstractItemView *view)
{
    view->setSelectionBehavior(QAbstractItemView::SelectRows);
    view->setSelectionMode(QAbstractItemView::ExtendedSelection);
    view->setEditTriggers(QAbstractItemView::NoEditTriggers);
    view->setTextElideMode(Qt::ElideMiddle);
    view->setItemDelegate(new NearEnd(view));
    coverCutNumbers(view);
    view->setAlternatingRowColors(true);
    view->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    view->setContextMenuPolicy(Qt::ActionsContextMenu);
    const int side = theme::em(view, 0.95);
    view->setIconSize(QSize(side, side));
    keepOneChoice(view);
}

void prepareTable(QTableView *table)
{
    prepareView(table);
    table->setShowGrid(false);
    table->setWordWrap(false);
    table->setCornerButtonEnabled(false);
    table->setTabKeyNavigation(false);
    QHeaderView *rows = table->verticalHeader();
    rows->hide();
    rows->setSectionResizeMode(QHeaderView::Fixed);
    rows->setMinimumSectionSize(1);
    rows->setDefaultSectionSize(theme::em(table, 1.35));
    QHeaderView *columns = table->horizontalHeader();
    columns->setHighlightSections(false);
    columns->setSortIndicatorClearable(true);
    columns->setSortIndicator(-1, Qt::AscendingOrder);
    table->setSortingEnabled(true);
}

QTableView *makeTable(QWidget *parent, const QString &name, QAbstractItemModel *model,
                      std::initializer_list<double> ems)
{
    auto *table = named(new QTableView(parent), name);
    table->setModel(model);
    prepareTable(table);
    setColumnWidths(table->horizontalHeader(), ems);
    return table;
}

void putMarksInMargin(QTreeView *view, int column)
{
    view->setItemDelegateForColumn(column, new MarkInMargin(view));
}

void putMarksBehind(QAbstractItemView *view, int column)
{
    view->setItemDelegateForColumn(column, new MarkBehind(view));
}

void setColumnWidths(QHeaderView *header, std::initializer_list<double> ems)
{
    // Beside what the text needs.
    const int margins = 2 * header->style()->pixelMetric(QStyle::PM_FocusFrameHMargin) - 4;
    int column = 0;
    for (const double width : ems)
        header->resizeSection(column++, theme::em(header, width) + margins);
}

void growColumns(QAbstractItemView *view, std::initializer_list<int> columns)
{
    new ColumnGrower(view, columns);
}

void fitColumns(QTableView *table)
{
    const QAbstractItemView *view = table; // where the hint is public
    const int margins = theme::em(table, 0.9);
    for (int column = 0; column < table->model()->columnCount(); ++column) {
        const QString title =
            table->model()->headerData(column, Qt::Horizontal, Qt::DisplayRole).toString();
        table->setColumnWidth(column,
                              std::max(view->sizeHintForColumn(column),
                                       table->fontMetrics().horizontalAdvance(title) + margins));
    }
}

void widenForNumbers(QTableView *table, const QList<int> &columns)
{
    QHeaderView *header = table->horizontalHeader();
    const QAbstractItemView *view = table; // where the hint is public
    const int most = theme::em(table, 16);
    for (int column = 0; column < header->count(); ++column) {
        if (header->isSectionHidden(column) || (!columns.isEmpty() && !columns.contains(column)))
            continue;
        const int needed = std::min(view->sizeHintForColumn(column), most);
        if (needed > header->sectionSize(column))
            growSection(*header, column, needed);
    }
}

void chooseRow(QAbstractItemView *view, const QModelIndex &index)
{
    auto how = QItemSelectionModel::SelectionFlags(QItemSelectionModel::ClearAndSelect);
    if (view->selectionBehavior() == QAbstractItemView::SelectRows)
        how |= QItemSelectionModel::Rows;
    view->selectionModel()->setCurrentIndex(index, how);
}

void revealRow(QAbstractItemView *view, const QModelIndex &index)
{
    chooseRow(view, index);
    view->scrollTo(index);
}

void copySelection(const QAbstractItemView &view)
{
    if (view.selectionModel() && view.selectionModel()->hasSelection())
        QGuiApplication::clipboard()->setText(selectionAsTsv(*view.selectionModel()));
}

QAction *copyAction(QWidget *scope, const QString &text, const QAbstractItemView *view)
{
    return dockAction(scope, text, QKeySequence::Copy, [view] { copySelection(*view); });
}

QAction *findAction(QWidget *scope, const QString &text, QLineEdit *filter)
{
    return dockAction(scope, text, QKeySequence::Find, [filter] {
        filter->setFocus(Qt::ShortcutFocusReason);
        filter->selectAll();
    });
}

QString exportTable(QWidget *parent, const QAbstractItemModel &model, const QString &baseName)
{
    if (model.rowCount() == 0)
        return Words::tr("Nothing is exported: the table has no rows.");
    const QString path =
        askSavePath(parent, Words::tr("Export Table"), baseName + u".csv"_s,
                    Words::tr("Comma-separated values (*.csv);;Tab-separated values (*.tsv);;"
                              "Markdown (*.md);;JSON (*.json)"));
    if (path.isEmpty())
        return {};
    const auto format = tableFormatOf(path);
    return format ? writeTextFile(path, tableAs(model, *format))
                  : Words::tr("Nothing is exported: a table is written as .csv, .tsv, .md or "
                              ".json, by the ending of the name.");
}

QAction *exportAction(QWidget *scope, Session &session, const QString &text,
                      const QAbstractItemModel &model, const char *baseName)
{
    return dockAction(scope, text, {}, [scope, &session, &model, baseName] {
        whenFilled(scope, [scope, &session, &model, baseName] {
            const QString fault = exportTable(scope, model, QString::fromLatin1(baseName));
            if (!fault.isEmpty())
                Q_EMIT session.statusMessage(fault);
        });
    });
}

} // namespace kernscope::ui
