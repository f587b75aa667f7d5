// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/weight/weight_grid_view.h"

#include "core/codec/edit/editor.h"
#include "widgets/common/dock_tools.h"
#include "widgets/common/labels.h"
#include "widgets/common/qt.h"
#include "widgets/common/table_tools.h"
#include "widgets/models/words.h"
#include "widgets/patch/typed_edits.h"

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

constexpr double kLeastWidth = 16, kCellMargins = 0.7; // in ems

/// Rows and columns of one size, which show whole numbers.
void prepareGrid(QTableView *table)
{
    table->setTabKeyNavigation(false);
    table->setWordWrap(false);
    table->setHorizontalScrollMode(QAbstractItemView::ScrollPerItem); // whole columns
    table->setCornerButtonEnabled(false);
    table->horizontalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    table->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    table->verticalHeader()->setMinimumSectionSize(1);
    table->verticalHeader()->setDefaultSectionSize(
        std::max(theme::em(table, 1.22), table->fontMetrics().height() + 1));
    table->verticalHeader()->setDefaultAlignment(Qt::AlignCenter);
    table->verticalHeader()->setHighlightSections(false);
    table->horizontalHeader()->setHighlightSections(false);
    keepOneChoice(table);
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

WeightGridView::WeightGridView(TaskManager &tasks, QWidget *parent)
    : QWidget(parent), m_model(new WeightGridModel(tasks, this)), m_table(new QTableView(this)),
      m_answer(new ElidedLabel(Qt::ElideRight, this))
{
    auto *delegate = new WeightCellDelegate(m_table);
    m_table->setItemDelegate(delegate);
    m_table->setModel(m_model);
    m_table->setAccessibleName(tr("Values of the slice"));
    prepareGrid(m_table);
    m_table->installEventFilter(this);
    m_table->viewport()->installEventFilter(this);
    m_answer->setTextInteractionFlags(Qt::TextSelectableByMouse);
    // What the cell holds stands in the line of the scroll bar: a line of its own would cost a row.
    m_table->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOn);
    m_table->addScrollBarWidget(m_answer, Qt::AlignLeft);
    // That line follows the width of the table: it must not hold the table as wide as it once was.
    m_table->setMinimumWidth(theme::em(this, kLeastWidth));
    say({});

    laidOut(withoutMargins(new QVBoxLayout(this), 2), {{m_table, 1}, createPages()});
    setFocusProxy(m_table);

    connect(m_table, &QTableView::doubleClicked, this, [this] {
        if (!m_editable)
            Q_EMIT lockedTyping();
    });
    connect(m_table->selectionModel(), &QItemSelectionModel::currentChanged, this,
            &WeightGridView::onCurrentChanged);
    connect(m_table, &QAbstractItemView::clicked, this, [this](const QModelIndex &index) {
        if (m_model->elementAt(index))
            Q_EMIT cellClicked(m_model->firstRow() + static_cast<unsigned>(index.row()),
                               m_model->firstCol() + static_cast<unsigned>(index.column()));
    });
    connect(m_model, &WeightGridModel::editRequested, this, &WeightGridView::editRequested);
    connect(m_model, &WeightGridModel::codeRequested, this, &WeightGridView::codeRequested);
    connect(delegate, &WeightCellDelegate::typed, this, &WeightGridView::answerTo);
    // What was typed and given up has no answer any more.
    connect(delegate, &QAbstractItemDelegate::closeEditor, this,
            [this] { say(m_table->currentIndex().data(Qt::AccessibleTextRole).toString()); });
    // Values that arrive are no move of the cursor, least of all of one that the focus put there.
    connect(m_model, &WeightGridModel::loaded, this,
            [this] { say(m_table->currentIndex().data(Qt::AccessibleTextRole).toString()); });
    connect(m_model, &QAbstractItemModel::modelReset, this, &WeightGridView::updatePages);
}

/// Of a weight with more cells than a table can lay out: which are here, and the way to others.
QWidget *WeightGridView::createPages()
{
    m_pages = new QWidget(this);
    m_page = new QLabel(m_pages);
    auto *layout = withoutMargins(new QHBoxLayout(m_pages));
    layout->addWidget(m_page, 1);
    const QStringList names{tr("Rows before"), tr("Rows after"), tr("Columns before"),
                            tr("Columns after")};
    const QList<Qt::ArrowType> arrows{Qt::UpArrow, Qt::DownArrow, Qt::LeftArrow, Qt::RightArrow};
    for (qsizetype i = 0; i < names.size(); ++i) {
        auto *turn = new QToolButton(m_pages);
        turn->setArrowType(arrows[i]);
        turn->setAutoRaise(true);
        turn->setToolTip(names[i]);
        turn->setAccessibleName(names[i]);
        connect(turn, &QToolButton::clicked, this, [this, i] { turnPage(i < 2, i % 2 == 1); });
        layout->addWidget(turn);
        m_turns.append(turn);
    }
    m_pages->hide();
    return m_pages;
}

void WeightGridView::turnPage(bool rows, bool forward)
{
    const std::uint64_t first = rows ? m_model->firstRow() : m_model->firstCol();
    const auto count =
        static_cast<std::uint64_t>(rows ? m_model->rowCount() : m_model->columnCount());
    const std::uint64_t to = forward ? first + count : first - std::min<std::uint64_t>(first, 1);
    m_moving = true;
    m_model->reveal(rows ? to : m_model->firstRow(), rows ? m_model->firstCol() : to);
    const QModelIndex at =
        m_model->indexOf(rows ? to : m_model->firstRow(), rows ? m_model->firstCol() : to);
    if (at.isValid())
        m_table->scrollTo(at, forward ? QAbstractItemView::PositionAtTop
                                      : QAbstractItemView::PositionAtBottom);
    m_moving = false;
}

void WeightGridView::updatePages()
{
    m_pages->setVisible(m_model->windowed());
    if (!m_model->windowed())
        return;
    const SliceMap &map = m_model->reader()->map();
    const std::uint64_t endRow =
        m_model->firstRow() + static_cast<std::uint64_t>(m_model->rowCount());
    const std::uint64_t endCol =
        m_model->firstCol() + static_cast<std::uint64_t>(m_model->columnCount());
    m_page->setText(tr("rows %1 to %2 of %3, columns %4 to %5 of %6")
                        .arg(groupedNumber(m_model->firstRow()), groupedNumber(endRow - 1),
                             groupedNumber(map.rows()), groupedNumber(m_model->firstCol()),
                             groupedNumber(endCol - 1), groupedNumber(map.cols())));
    m_turns[0]->setEnabled(m_model->firstRow() > 0);
    m_turns[1]->setEnabled(endRow < map.rows());
    m_turns[2]->setEnabled(m_model->firstCol() > 0);
    m_turns[3]->setEnabled(endCol < map.cols());
}

void WeightGridView::setReader(WeightReaderPtr reader, bool sameCells)
{
    m_moving = true;
    m_model->setReader(std::move(reader), sameCells);
    fitColumns();
    m_moving = false;
    if (!sameCells) {
        // Where the weight before was scrolled to means nothing in this one.
        m_table->horizontalScrollBar()->setValue(0);
        m_table->verticalScrollBar()->setValue(0);
        say({});
    }
}

/// The mark of a change, the code and the longest value stand side by side. As many columns as
/// there is room for share it, so that the edge of the view cuts none of them.
void WeightGridView::fitColumns()
{
    const QString widest =
        theme::glyph(Token::MarkChanged) + QLatin1Char(' ') + m_model->widestCode();
    const int least = m_table->fontMetrics().horizontalAdvance(widest + u" -8.8888e-08"_s) +
                      theme::em(this, kCellMargins);
    const int room = m_table->viewport()->width();
    const int shown = room / least;
    const int width = shown > 0 && shown <= m_model->columnCount() ? room / shown : least;
    if (m_table->horizontalHeader()->defaultSectionSize() != width)
        m_table->horizontalHeader()->setDefaultSectionSize(width);
}

void WeightGridView::setEditable(bool editable)
{
    m_editable = editable;
    m_model->setEditable(editable);
}

void WeightGridView::showCell(std::uint64_t row, std::uint64_t col)
{
    m_moving = true;
    m_model->reveal(row, col);
    const QModelIndex index = m_model->indexOf(row, col);
    if (index.isValid() && index != m_table->currentIndex()) {
        revealRow(m_table, index);
    }
    m_moving = false;
    say(index.data(Qt::AccessibleTextRole).toString());
}

void WeightGridView::showNoCell()
{
    m_moving = true;
    m_table->selectionModel()->clear();
    m_moving = false;
    say({});
}

void WeightGridView::onCurrentChanged(const QModelIndex &now)
{
    say(now.data(Qt::AccessibleTextRole).toString());
    if (!m_moving && now.isValid() && m_table->hasFocus() && m_model->elementAt(now))
        Q_EMIT cellMoved(m_model->firstRow() + static_cast<unsigned>(now.row()),
                         m_model->firstCol() + static_cast<unsigned>(now.column()));
}

void WeightGridView::editCode()
{
    const QModelIndex at = m_table->currentIndex();
    if (!m_editable)
        Q_EMIT lockedTyping();
    if (!m_editable || !at.isValid())
        return;
    static_cast<WeightCellDelegate *>(m_table->itemDelegate())->editCode();
    m_table->edit(at);
}

void WeightGridView::answerTo(const QModelIndex &index, const QString &text, bool code)
{
    const auto element = m_model->elementAt(index);
    const WeightReaderPtr &reader = m_model->reader();
    const EditAnswer answer = answerToTyped(text, code, [&]() -> Result<EditAnswer> {
        const double value = typedNumber(text).value_or(0);
        if (!element || !reader)
            return EditAnswer{};
        if (!code && index.data(WeightGridModel::LeftOutRole).toBool())
            return EditAnswer{
                tr("The mask leaves this element out: Enter keeps it with %1, one value more is "
                   "stored")
                    .arg(valueText(value))};
        const BundleReadLock lock(*reader->bundle());
        // The cell is on view, so its decoder was made long ago.
        const codec::Decoder *decoder = reader->decoder();
        if (!decoder)
            return EditAnswer{};
        const codec::Editor editor(*decoder);
        const auto place = editor.storedPlace(*element);
        return (!code ? editor.setElement(*element, value, std::numeric_limits<double>::infinity())
                : place
                    ? editor.setStored(place->role, place->index, typedInteger(text).value_or(0))
                    : tl::unexpected(place.error()))
            .map([&](const codec::EditPlan &plan) { return answerOf(plan, !code); });
    });
    say(answer.text, answer.far);
}

void WeightGridView::say(const QString &text, bool warns)
{
    m_answer->setWholeText(text);
    showAnswer(m_answer, warns);
    m_answer->setAccessibleName(tr("Answer of the codec"));
    m_answer->setAccessibleDescription(text);
}

QString WeightGridView::answer() const
{
    return m_answer->wholeText();
}

void WeightGridView::copySelection() const
{
    // The cell at which the keyboard is need not be selected.
    const QString text = m_table->selectionModel()->hasSelection()
                             ? selectionAsTsv(*m_table->selectionModel())
                             : m_table->currentIndex().data(CopyRole).toString();
    if (!text.isEmpty())
        QApplication::clipboard()->setText(text);
}

void WeightGridView::paste()
{
    if (!m_editable) {
        Q_EMIT lockedTyping();
        return;
    }
    const QModelIndex first = m_table->currentIndex();
    if (!first.isValid())
        return;
    QString why;
    const CellValues values = clipboardValues(first, why);
    if (why.isEmpty() && values.isEmpty())
        why = tr("the clipboard holds no numbers");
    if (why.isEmpty())
        Q_EMIT valuesEntered(values, tr("Paste"));
    else
        Q_EMIT pasteRefused(tr("Nothing is pasted: %1").arg(why));
}

CellValues WeightGridView::clipboardValues(const QModelIndex &first, QString &why) const
{
    constexpr qsizetype kShownLetters = 40; // of what is no number
    CellValues values;
    const QStringList lines = QApplication::clipboard()->text().split(u'\n');
    for (qsizetype row = 0; row < lines.size(); ++row) {
        const QStringList cells = lines[row].split(u'\t');
        for (qsizetype col = 0; col < cells.size(); ++col) {
            // A copied cell is its code, a blank and its value; one that is left out is a dot.
            const QStringList words = cells[col].simplified().split(u' ', Qt::SkipEmptyParts);
            if (words.isEmpty() || words.last() == u"\u00B7"_s)
                continue;
            const auto value = typedNumber(words.last());
            const auto element = m_model->elementAt(m_model->index(
                first.row() + static_cast<int>(row), first.column() + static_cast<int>(col)));
            const auto refuse = [&](const QString &text) {
                why = tr("line %1, column %2: %3").arg(row + 1).arg(col + 1).arg(text);
                return CellValues();
            };
            if (!value || !std::isfinite(*value) || words.size() > 2)
                return refuse(
                    tr("\"%1\" is not a finite number")
                        .arg(fromUtf8(words.join(u' ').left(kShownLetters).toStdString())));
            if (!element)
                return refuse(tr("beyond the cells that are shown"));
            values.append({*element, *value});
        }
    }
    return values;
}

std::vector<std::vector<std::uint64_t>> WeightGridView::selectedElements() const
{
    std::vector<std::vector<std::uint64_t>> rectangles;
    for (const QItemSelectionRange &range : m_table->selectionModel()->selection()) {
        std::vector<std::uint64_t> elements;
        for (const QModelIndex &index : range.indexes()) {
            if (const auto element = m_model->elementAt(index))
                elements.push_back(*element);
        }
        if (!elements.empty())
            rectangles.push_back(std::move(elements));
    }
    return rectangles;
}

bool WeightGridView::eventFilter(QObject *watched, QEvent *event)
{
    constexpr int kAnswerPercent = 70; // of the line that it shares with the scroll bar
    if (watched == m_table && event->type() == QEvent::Resize)
        m_answer->setFixedWidth(m_table->width() * kAnswerPercent / 100);
    if (watched == m_table->viewport() && event->type() == QEvent::Resize)
        fitColumns();
    if (watched == m_table && event->type() == QEvent::FocusIn &&
        !m_table->currentIndex().isValid()) {
        // The view picks its first cell by itself then: the person did not choose it.
        m_moving = true;
        QTimer::singleShot(0, this, [this] { m_moving = false; });
    }
    if (watched == m_table && event->type() == QEvent::KeyPress) {
        const auto *press = static_cast<QKeyEvent *>(event);
        // Otherwise the first key typed would only pick a cell, and be lost.
        if (!m_table->currentIndex().isValid() && !press->text().isEmpty())
            chooseRow(m_table, m_model->index(0, 0));
        const QModelIndex at = m_table->currentIndex();
        const bool typed = !press->text().isEmpty() && press->text().front().isPrint() &&
                           !(press->modifiers() & (Qt::ControlModifier | Qt::AltModifier));
        if ((typed || press->key() == Qt::Key_F2) && !m_editable) {
            Q_EMIT lockedTyping();
            return true;
        }
        const bool enter = press->key() == Qt::Key_Return || press->key() == Qt::Key_Enter;
        // An open editor passes Enter on to the table while it hands over its value.
        if (enter && at.isValid() && !m_table->isPersistentEditorOpen(at)) {
            if (m_model->flags(at) & Qt::ItemIsEditable)
                m_table->edit(at);
            else if (m_model->elementAt(at))
                Q_EMIT cellClicked(m_model->firstRow() + static_cast<unsigned>(at.row()),
                                   m_model->firstCol() + static_cast<unsigned>(at.column()));
            return true;
        }
    }
    return QWidget::eventFilter(watched, event);
}

} // namespace kernscope::ui

#include "moc_weight_grid_view.cpp"
