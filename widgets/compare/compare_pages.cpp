// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/compare/compare_pages.h"

#include "core/bundle/bundle.h"
#include "widgets/common/controls.h"
#include "widgets/common/dock_tools.h"
#include "widgets/common/labels.h"
#include "widgets/common/panels.h"
#include "widgets/common/qt.h"
#include "widgets/common/table_tools.h"
#include "widgets/models/words.h"

namespace kernscope::ui {

namespace {

QString sideText(const QString &side, const QString &name, const QString &bytes)
{
    return u"<b>%1</b>&nbsp; %2 &nbsp;%3"_s.arg(side, name.toHtmlEscaped(), bytes);
}

} // namespace

CompareHeader::CompareHeader(QWidget *parent) : QWidget(parent)
{
    auto *row = withoutMargins(new FlowLayout(this), theme::em(this, 0.6));
    const auto label = [this, row](const QString &name) {
        auto *made = named(new QLabel(this), name);
        made->setTextFormat(Qt::RichText);
        made->setTextInteractionFlags(Qt::TextSelectableByMouse);
        made->setSizePolicy(QSizePolicy::Maximum, QSizePolicy::Fixed);
        made->setMinimumWidth(theme::em(this, 3));
        row->addWidget(made);
        return made;
    };
    m_a = label(tr("Bundle A"));
    m_swap = new QToolButton(this);
    m_swap->setText(u"\u21C4"_s);
    m_swap->setAutoRaise(true);
    m_swap->setToolTip(tr("Swap the sides: compare A against B instead of B against A"));
    m_swap->setAccessibleName(tr("Swap sides"));
    row->addWidget(m_swap);
    m_b = label(tr("Bundle B"));
    m_third = new QToolButton(this);
    m_third->setToolTip(tr("Set another build against the same base, in Builds"));
    m_third->setAccessibleName(tr("Add a build"));
    row->addWidget(m_third);
    m_program = label(tr("Program"));
    m_program->setSizePolicy(QSizePolicy::Expanding,
                             QSizePolicy::Fixed); // the switch is at the end
    for (QLabel *words : {m_a, m_b, m_program})   // on a line with those of the buttons
        words->setMinimumHeight(m_third->sizeHint().height());
    m_progress = thinProgress(this, tr("Progress of the comparison"));
    m_progress->hide(); // lies along the lower edge: it takes no room from the names
}

void CompareHeader::setSwitch(QWidget *choice)
{
    m_switch = choice;
    layout()->addWidget(choice);
}

void CompareHeader::setBundles(const BundlePtr &a, const BundlePtr &b)
{
    if (!a || !b)
        return;
    const double bytesA = static_cast<double>(a->totalBytes().value);
    const double ratio = static_cast<double>(b->totalBytes().value) / bytesA;
    m_nameA = fromUtf8(a->name());
    m_nameB = fromUtf8(b->name());
    m_bytesA = tr("%1 B").arg(groupedNumber(a->totalBytes().value));
    m_bytesB = tr("%1 B").arg(groupedNumber(b->totalBytes().value));
    m_ratio = u" (%1)"_s.arg(ratioText(ratio));
    m_a->setToolTip(fromUtf8(a->path().string()));
    m_b->setToolTip(fromUtf8(b->path().string()));
    relabel();
}

/// Names give way to the width there is: first the kinds of the files go, then names are elided in
/// the middle; whole in the tooltip. Bytes are never cut: before that the ratio goes, then what has
/// no room begins another line.
void CompareHeader::relabel()
{
    const QFontMetrics metrics(font());
    QString bytesB = m_bytesB + m_ratio;
    const auto nameRoom = [&](const QString &third) {
        m_third->setText(third);
        const int taken = metrics.horizontalAdvance(m_bytesA + bytesB + m_program->text()) +
                          m_swap->sizeHint().width() + m_third->sizeHint().width() +
                          (m_switch ? m_switch->sizeHint().width() : 0) + theme::em(this, 9);
        return width() - taken;
    };
    const int least = theme::em(this, 8);
    QString a = m_nameA, b = m_nameB;
    QString briefA = QFileInfo(a).completeBaseName(), briefB = QFileInfo(b).completeBaseName();
    if (briefA == briefB)
        briefA = a, briefB = b;
    int room = nameRoom(tr("+ another build"));
    if (room < metrics.horizontalAdvance(briefA + briefB))
        room = nameRoom(u"+"_s);
    if (room < least) {
        bytesB = m_bytesB;
        room = nameRoom(u"+"_s);
    }
    if (room < least) // program and switch are in the next line
        room = width() - metrics.horizontalAdvance(m_bytesA + bytesB) - m_swap->sizeHint().width() -
               theme::em(this, 6);
    room = std::max(least, room);
    if (metrics.horizontalAdvance(a + b) > room)
        a = briefA, b = briefB;
    const int roomB = std::min(metrics.horizontalAdvance(b) + 1,
                               std::max(room / 2, room - metrics.horizontalAdvance(a) - 1));
    m_a->setText(sideText(u"A"_s, metrics.elidedText(a, Qt::ElideMiddle, room - roomB), m_bytesA));
    m_b->setText(sideText(u"B"_s, metrics.elidedText(b, Qt::ElideMiddle, roomB), bytesB));
}

void CompareHeader::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    const int high = std::max(2, theme::em(this, 0.25));
    m_progress->setGeometry(0, height() - high, width(), high);
    if (!m_nameA.isEmpty())
        relabel();
}

void CompareHeader::setDifference(const Difference *difference)
{
    const bool known = difference != nullptr;
    const bool none = known && !difference->program.bytesA && !difference->program.bytesB;
    m_program->setText(!known                                ? tr("program: \u2026")
                       : none                                ? tr("no program")
                       : difference->program.equal           ? tr("program: = equal")
                       : difference->program.sameComputation ? tr("program: = same")
                                                             : tr("program: \u2260 differs"));
    m_program->setToolTip(known && !none && !difference->program.equal &&
                                  difference->program.sameComputation
                              ? tr("The same operations; names, order or notation differ")
                              : QString());
    if (!m_nameA.isEmpty())
        relabel(); // the names have what these words leave, whichever of the two came first
}

void CompareHeader::setProgress(bool running, double fraction)
{
    m_progress->setVisible(running);
    m_progress->setValue(static_cast<int>(1000 * fraction));
}

namespace {

constexpr double kLastColumn = 8; // in ems, before it takes what is left

/// Where a window is narrow the column of names leaves room for those up to the verdict; where it
/// is wide the verdict has room for its longest words, and no column stands at the edge in part.
/// Until the user sets the width of either.
class NamesGiveWay final : public QObject
{
public:
    NamesGiveWay(QTableView *table, const CompareModel &model)
        : QObject(table), m_table(table), m_names(model.columnOf("weight")),
          m_verdict(model.columnOf("verdict")), m_next(model.columnOf("cosine")),
          m_usualName(table->columnWidth(m_names)), m_usualVerdict(table->columnWidth(m_verdict))
    {
        table->viewport()->installEventFilter(this);
        connect(&model, &QAbstractItemModel::modelReset, this, &NamesGiveWay::fit);
        connect(table->horizontalHeader(), &QHeaderView::sectionResized, this, [this](int column) {
            if ((column == m_names || column == m_verdict) && !m_fitting)
                m_userSized = true;
            else if (!m_fitting)
                QTimer::singleShot(0, this, &NamesGiveWay::fit);
        });
    }

protected:
    bool eventFilter(QObject *watched, QEvent *event) override
    {
        if (event->type() == QEvent::Resize || event->type() == QEvent::Show)
            fit();
        return QObject::eventFilter(watched, event);
    }

private:
    static constexpr double kLeastName = 9.5, kMostName = 26, kMostVerdict = 15; // in ems

    void fit()
    {
        if (m_userSized)
            return;
        int others = 0;
        for (int column = m_names + 1; column < m_verdict; ++column)
            others += m_table->columnWidth(column); // 0 where it is hidden
        const QScopedValueRollback guard(m_fitting, true);
        const int least = std::min(m_usualName, theme::em(m_table, kLeastName));
        const int room = m_table->viewport()->width() - others;
        const int verdict = std::clamp(room - m_usualName, m_usualVerdict,
                                       std::max(m_usualVerdict, theme::em(m_table, kMostVerdict)));
        int name = room - verdict;
        if (name >= m_usualName + m_table->columnWidth(m_next)) {
            // Whole names come before the columns behind the verdict, of longer ones what is left.
            int longest = 0;
            for (int row = 0; row < std::min(m_table->model()->rowCount(), 100); ++row)
                longest =
                    std::max(longest, m_table->fontMetrics().horizontalAdvance(
                                          m_table->model()->index(row, m_names).data().toString()));
            const int most = theme::em(m_table, kMostName);
            const int whole =
                std::clamp(longest + theme::em(m_table, 1), m_usualName, std::min(name, most));
            for (int column = m_verdict + 1; column < m_table->model()->columnCount() - 1; ++column)
                name -= m_table->columnWidth(column);
            name -= theme::em(m_table, kLastColumn);
            name = std::clamp(name, whole, most);
        }
        m_table->setColumnWidth(m_verdict, verdict);
        m_table->setColumnWidth(m_names, std::max(least, name));
    }

    QTableView *m_table;
    const int m_names, m_verdict, m_next; ///< columns
    int m_usualName, m_usualVerdict;      ///< widths that they have where there is room
    bool m_fitting = false, m_userSized = false;
};

} // namespace

ErrorBarDelegate::ErrorBarDelegate(const CompareModel &model, QObject *parent)
    : QStyledItemDelegate(parent), m_model(model)
{
    const auto forget = [this] { m_largest.reset(); };
    connect(&model, &QAbstractItemModel::dataChanged, this, forget);
    connect(&model, &QAbstractItemModel::modelReset, this, forget);
}

double ErrorBarDelegate::largest() const
{
    if (!m_largest) {
        m_largest = 0;
        for (const report::PairRow &row : m_model.rows()) {
            if (row.pair.values && std::isfinite(row.pair.values->relativeRmse))
                m_largest = std::max(*m_largest, row.pair.values->relativeRmse);
        }
    }
    return *m_largest;
}

std::optional<double> ErrorBarDelegate::share(const QModelIndex &index) const
{
    const std::size_t number = m_model.rowAt(index.row());
    if (number >= m_model.rows().size() || !m_model.rows()[number].pair.values)
        return std::nullopt;
    const ValueDifference &values = *m_model.rows()[number].pair.values;
    if (!std::isfinite(values.relativeRmse))
        return 1;
    return largest() > 0 ? values.relativeRmse / largest() : 0;
}

void ErrorBarDelegate::paint(QPainter *painter, const QStyleOptionViewItem &option,
                             const QModelIndex &index) const
{
    QStyledItemDelegate::paint(painter, option, index);
    const auto part = share(index);
    if (!part)
        return;
    const int height = std::max(3, option.rect.height() / 6);
    const QRect track(option.rect.left() + 3, option.rect.bottom() + 1 - height,
                      std::max(0, option.rect.width() - 6), height);
    painter->fillRect(track, design::track(option.palette));
    const int filled = static_cast<int>(std::lround(*part * track.width()));
    if (*part > 0)
        painter->fillRect(QRect(track.left(), track.top(), std::max(1, filled), height),
                          theme::color(Token::DiffMore, theme::isDark(option.palette)));
}

QTableView *makeCompareTable(CompareModel &model, QWidget *parent)
{
    auto *table = named(
        new QTableView(parent),
        QCoreApplication::translate("kernscope::CompareTable", "Weights of both bundles in pairs"));
    table->setModel(&model);
    table->setDragEnabled(true);
    table->setAcceptDrops(true);
    table->setDragDropMode(QAbstractItemView::DragDrop);
    table->setDefaultDropAction(Qt::LinkAction);
    table->setDragDropOverwriteMode(true);
    prepareTable(table);
    table->setMinimumHeight(theme::em(table, 4));
    table->setColumnHidden(model.columnOf("limits"), true);
    table->setItemDelegateForColumn(model.columnOf("relative_rmse"),
                                    new ErrorBarDelegate(model, table));
    setColumnWidths(table->horizontalHeader(),
                    {15,  5.6, 5.6, 6,   4.8, 6.4, 4.4, 5.2, 4.4, 6, 12,         14,
                     5.2, 5,   5.5, 5.5, 5.5, 5.5, 5,   6.2, 5.2, 5, kLastColumn});
    table->horizontalHeader()->setStretchLastSection(true);
    new NamesGiveWay(table, model);
    return table;
}

StructureList::StructureList(Session &session, RowTableModel *model, const QString &name,
                             const char *fileName, QWidget *parent)
    : QWidget(parent), m_model(model)
{
    auto *column = withoutMargins(new QVBoxLayout(this), theme::em(this, 0.3));
    m_table = makeTable(this, name, model);
    m_filter = filterBox(this, tr("Filter by any word"), m_table);
    m_filter->setFixedWidth(theme::em(this, 16));
    m_note = new QLabel(this);
    m_note->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_note->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    auto *row = new QHBoxLayout;
    row->setSpacing(theme::em(this, 0.6));
    laidOut(row, {m_filter, {m_note, 1}});
    laidOut(column, {row, {m_table, 1}});
    auto *copy = copyAction(m_table, tr("Copy Rows"), m_table);
    m_table->addActions(
        {copy, exportAction(this, session, tr("Export Table\u2026"), *model, fileName)});
    connect(m_filter, &QLineEdit::textChanged, model, &RowTableModel::setFilter);
    setFocusProxy(m_table);
}

void StructureList::setNote(const QString &text)
{
    m_note->setText(text);
}

QString StructureList::note() const
{
    return m_note->text();
}

ComparePages::ComparePages(Session &session)
    : m_session(session),
      m_programModel(new RowTable<ProgramChange>(report::programChangeTable, this)),
      m_structureModel(new RowTable<report::StructureFacts>(report::structureTable, this))
{
    m_program = new StructureList(session, m_programModel, tr("Operations that differ"),
                                  "program-changes", this);
    setColumnWidths(m_program->table()->horizontalHeader(), {6, 7, 8, 18, 16, 40});
    m_structure = new StructureList(session, m_structureModel,
                                    tr("Files, sections, tasks and registers that differ"),
                                    "structure", this);
    setColumnWidths(m_structure->table()->horizontalHeader(), {7, 18, 8, 8, 22, 7, 7, 26});
    addWidget(m_program);
    addWidget(m_structure);
    connect(m_program->table(), &QAbstractItemView::activated, this,
            [this](const QModelIndex &index) { goToChange(m_programModel->rowAt(index.row())); });
    auto *group = new QActionGroup(this);
    const auto page = [&](const QString &text, const QString &tip, Page shown) {
        auto *action = new QAction(text, group);
        action->setCheckable(true);
        action->setToolTip(tip);
        action->setChecked(shown == Page::Values);
        connect(action, &QAction::triggered, this, [this, shown] { showPage(shown); });
        m_actions << action;
    };
    page(tr("Values"), tr("Weights in pairs, their values and pictures"), Page::Values);
    page(tr("Program"), tr("Operations that differ, matched by what they compute"), Page::Program);
    page(tr("Structure"), tr("Files, sections, tasks and registers that differ"), Page::Structure);
    m_task.whenCancelled([this] {
        m_structureKnown = false;
        m_structure->setNote(
            tr("Not compared: %1. Choosing this page compares anew.").arg(m_task.endText()));
    });
}

void ComparePages::setValues(QWidget *values)
{
    insertWidget(0, values);
    setCurrentIndex(0);
}

Segmented *ComparePages::makeSwitch(QWidget *parent)
{
    auto *choice = new Segmented(tr("What is compared"), parent);
    for (QAction *action : m_actions)
        choice->add(action);
    return choice;
}

void ComparePages::showPage(Page page)
{
    setCurrentIndex(static_cast<int>(page));
    m_actions[static_cast<int>(page)]->setChecked(true);
    if (page == Page::Structure)
        findStructure();
    Q_EMIT pageShown(page);
}

void ComparePages::setBundles(BundlePtr a, BundlePtr b, std::vector<PairChoice> pairs,
                              bool documentIsB)
{
    m_a = std::move(a);
    m_b = std::move(b);
    m_pairs = std::move(pairs);
    m_documentIsB = documentIsB;
    m_structureKnown = false;
    if (currentIndex() == static_cast<int>(Page::Structure))
        findStructure();
}

void ComparePages::showProgram(const std::shared_ptr<const Difference> &files)
{
    if (!files) {
        m_programModel->setRows({});
        m_program->setNote(tr("The programs are still being compared."));
        return;
    }
    m_programModel->setRows(files->program.detail.changes);
    const ProgramDifference &program = files->program.detail;
    const std::size_t changes = program.changes.size();
    m_program->setNote(
        changes > 0 ? tr("%1; %2 of %3 operations of A are in B, constants not counted.")
                          .arg(countedWords(changes, tr("1 difference"), tr("%1 differences")),
                               groupedNumber(program.matched), groupedNumber(program.operationsA))
        : !files->program.bytesA && !files->program.bytesB ? tr("Neither side has a program.")
        : files->program.equal
            ? tr("The programs are equal: %1 operations, constants not counted.")
                  .arg(groupedNumber(program.operationsA))
            : tr("The programs differ in ways that their operations do not show."));
}

void ComparePages::findStructure()
{
    if (!m_a || !m_b || m_structureKnown)
        return;
    m_structureKnown = true;
    m_structureModel->setRows({});
    m_structure->setNote(tr("Looking for files, sections and tasks that differ\u2026"));
    m_task.start(
        tr("Comparing structures"),
        [a = m_a, b = m_b, pairs = m_pairs](Progress &progress) {
            return report::structureRows(a, b, pairs, progress);
        },
        [this](std::vector<report::StructureFacts> rows) {
            m_structure->setNote(
                rows.empty() ? tr("Files, sections and tasks are the same, byte for byte.")
                             : countedWords(rows.size(), tr("1 difference"), tr("%1 differences")));
            m_structureModel->setRows(std::move(rows));
        });
}

/// To the statement in the document's program.
void ComparePages::goToChange(const ProgramChange &change)
{
    const mil::SourceSpan &span = m_documentIsB ? change.spanB : change.spanA;
    const BundlePtr document = m_session.bundle();
    const std::string_view model = change.function;
    const std::size_t file =
        document ? document->programFileOf(model.substr(0, model.rfind('/'))) : kNoIndex;
    if (file == kNoIndex || span.length == 0) {
        Q_EMIT m_session.statusMessage(tr("The document has no such statement."));
        return;
    }
    m_session.goToBytes(file, {FileOffset(span.offset), ByteCount(span.length)}, this);
}

} // namespace kernscope::ui

#include "moc_compare_pages.cpp"
