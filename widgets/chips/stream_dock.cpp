// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/chips/stream_dock.h"

#include "widgets/chips/chip_words.h"
#include "widgets/common/dock_tools.h"
#include "widgets/common/function_words.h"
#include "widgets/common/table_foot.h"
#include "widgets/common/table_text.h"
#include "widgets/common/theme.h"

#include <QAction>
#include <QCheckBox>
#include <QEvent>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPainter>
#include <QScrollArea>
#include <QSplitter>
#include <QStyledItemDelegate>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>

namespace kernscope::ui {

namespace {

/// A chosen outcome keeps its colour, which says what it is, and gets a frame.
class OutcomeCell final : public QStyledItemDelegate
{
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    void paint(QPainter *painter, const QStyleOptionViewItem &option,
               const QModelIndex &index) const override
    {
        QStyleOptionViewItem cell = option;
        const bool framed =
            (cell.state & QStyle::State_Selected) && index.data(Qt::BackgroundRole).isValid();
        if (framed)
            cell.state &= ~(QStyle::State_Selected | QStyle::State_HasFocus);
        QStyledItemDelegate::paint(painter, cell, index);
        if (!framed)
            return;
        const int line = theme::em(cell.widget, 0.15);
        painter->save();
        QPen pen(cell.palette.color(QPalette::Text), line);
        pen.setJoinStyle(Qt::MiterJoin);
        painter->setPen(pen);
        painter->drawRect(
            QRectF(cell.rect).adjusted(line / 2.0, line / 2.0, -line / 2.0, -line / 2.0));
        painter->restore();
    }
};

} // namespace

StreamDock::StreamDock(Session &session, QWidget *parent)
    : Dock(session, QStringLiteral("stream"), tr("Stream or Fold"), parent),
      m_state(ChipState::of(session)), m_model(new StreamMatrixModel(this))
{
    m_reasons = new RowTable<decision::Reason>(report::reasonTable(), this);
    auto *content = new QWidget(this);
    m_matrix = new QTableView(content);
    m_matrix->setAccessibleName(tr("Weights by chips"));
    m_matrix->setModel(m_model);
    prepareTable(m_matrix);
    m_matrix->setItemDelegate(new OutcomeCell(m_matrix));
    putMarksBehind(m_matrix, 0);
    m_matrix->setSortingEnabled(false);
    m_matrix->setSelectionBehavior(QAbstractItemView::SelectItems);
    m_matrix->horizontalHeader()->setDefaultSectionSize(theme::em(this, 6));
    m_filter = filterBox(content, tr("Filter by weight or form"), m_matrix);
    m_onlyFaster = new QCheckBox(tr("Would get faster on M1"), content);
    m_onlyFaster->setToolTip(
        tr("Weights whose layer is bound by its bytes on the M1 and that another form would speed "
           "up there"));
    auto *bar = new QHBoxLayout;
    bar->addWidget(m_filter, 1);
    bar->addWidget(m_onlyFaster);
    m_summary = new QLabel(content);
    m_summary->setWordWrap(true);
    m_summary->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_summaryArea = new QScrollArea(content);
    m_summaryArea->setAccessibleName(tr("Answer"));
    m_summaryArea->setFrameShape(QFrame::NoFrame);
    m_summaryArea->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_summaryArea->setWidgetResizable(true);
    m_summaryArea->setWidget(m_summary);
    m_summaryArea->viewport()->installEventFilter(this);
    m_reasonTable = new QTableView(content);
    m_reasonTable->setAccessibleName(tr("Reasons"));
    m_reasonTable->setModel(m_reasons);
    prepareTable(m_reasonTable);
    setColumnWidths(m_reasonTable->horizontalHeader(), {5, 15, 4.5, 15, 14, 16, 8});
    m_reasonTable->horizontalHeader()->setStretchLastSection(true);

    const int gap = theme::em(this, 0.25);
    auto *lower = new QWidget(content);
    auto *lowerColumn = new QVBoxLayout(lower);
    lowerColumn->setContentsMargins(0, 0, 0, 0);
    lowerColumn->setSpacing(gap);
    lowerColumn->addWidget(m_summaryArea);
    lowerColumn->addWidget(m_reasonTable, 1);
    auto *parts = new QSplitter(Qt::Vertical, content);
    auto *upper = new QWidget(parts);
    auto *upperColumn = new QVBoxLayout(upper);
    upperColumn->setContentsMargins(0, 0, 0, 0);
    upperColumn->setSpacing(0);
    upperColumn->addWidget(m_matrix, 1);
    upperColumn->addWidget(new TableFoot(m_matrix, tr("Sums of the weights shown"), upper));
    parts->addWidget(upper);
    parts->addWidget(lower);
    parts->setChildrenCollapsible(false);
    QVBoxLayout *column = contentColumn(content);
    column->addLayout(bar);
    column->addWidget(parts, 1);
    setContent(content);
    content->setFocusProxy(m_matrix);
    buildActions();
    connectParts();
}

void StreamDock::buildActions()
{
    auto *find = findAction(this, tr("Filter Weights"), m_filter);
    auto *copy = dockAction(this, tr("Copy Cells"), QKeySequence::Copy, [this] {
        copySelection(m_reasonTable->hasFocus() ? *m_reasonTable : *m_matrix);
    });
    auto *save = exportAction(this, session(), tr("Export Outcomes…"), *m_model,
                              QStringLiteral("stream-or-fold"));
    m_actions = {find, copy, save};
    m_matrix->addActions(m_actions);
}

void StreamDock::connectParts()
{
    connect(m_filter, &QLineEdit::textChanged, m_model, &StreamMatrixModel::setFilter);
    connect(m_onlyFaster, &QCheckBox::toggled, m_model, &StreamMatrixModel::setOnlyFaster);
    connect(m_matrix->selectionModel(), &QItemSelectionModel::currentChanged, this,
            &StreamDock::onCurrent);
    connect(m_matrix, &QTableView::activated, this, [this](const QModelIndex &index) {
        const std::size_t weight = m_model->weightOf(index.row());
        if (weight != kNoIndex)
            session().goToWeight(weight, this);
    });
    connect(&m_state, &ChipState::tableChanged, this, &StreamDock::scheduleRefresh);
}

void StreamDock::refresh()
{
    const BundlePtr &bundle = session().bundle();
    m_model->setTable(bundle, m_state.table(), m_state.fasterOnM1());
    if (!bundle) {
        showMessage(tr("Open a bundle to see which chips stream its weights (Ctrl+O)."));
        return;
    }
    if (!m_state.table()) {
        showMessage(tr("Judging the weights…"));
        return;
    }
    if (bundle->weights().empty()) {
        showMessage(tr("This file has no weights to judge."));
        return;
    }
    showContent();
    if (!m_sized) {
        // Columns of a model that had none do not keep widths.
        m_sized = true;
        setColumnWidths(m_matrix->horizontalHeader(), {14, 8, 6, 6});
    }
    m_matrix->setColumnHidden(StreamMatrixModel::FunctionColumn, !severalFunctions(*bundle));
    if (m_chip == kNoIndex)
        m_chip = m_state.table()->columnOf(m_state.target());
    if (m_weight >= bundle->weights().size())
        m_weight = std::min(this->place().weight, bundle->weights().size() - 1);
    followPlace();
    showReasons();
}

void StreamDock::follow(const Place &place, QObject *origin)
{
    if (origin == this || !m_model->table())
        return;
    if (place.weight < m_model->table()->rows())
        m_weight = place.weight;
    const int row = m_model->rowOf(m_weight);
    if (row < 0 || m_chip == kNoIndex)
        return;
    m_selecting = true;
    const QModelIndex index =
        m_model->index(row, StreamMatrixModel::kFirstChip + static_cast<int>(m_chip));
    if (m_matrix->currentIndex() != index) {
        chooseRow(m_matrix, index);
        m_matrix->scrollTo(index);
    }
    m_selecting = false;
    showReasons();
}

void StreamDock::onCurrent(const QModelIndex &current)
{
    if (m_selecting || !current.isValid())
        return;
    const std::size_t weight = m_model->weightOf(current.row());
    const std::size_t chip = m_model->chipOf(current.column());
    if (weight != kNoIndex)
        m_weight = weight;
    if (chip != kNoIndex)
        m_chip = chip;
    showReasons();
    if (weight != kNoIndex)
        session().goToWeight(weight, this);
}

QString StreamDock::sizesText(const roofline::Assessment &assessment) const
{
    QString text;
    const decision::Decision &decision = assessment.decision;
    if (decision.bytesMoved)
        text += tr("Moves %1 a dispatch. ").arg(bytesWord(*decision.bytesMoved));
    if (const auto &speedup = assessment.speedup)
        text += tr("Measured %1 times the rate of fp16 (%2; %3). ")
                    .arg(speedupWord(*speedup), fromUtf8(speedup->condition),
                         confidenceWord(speedup->confidence));
    else if (!assessment.measured.empty())
        text += tr("Published figures do not hold here: %1. ")
                    .arg(failedConditions(assessment.measured).join(QStringLiteral("; ")));
    if (assessment.predictedSpeedup)
        text += tr("Predicted %1 times. ").arg(*assessment.predictedSpeedup, 0, 'f', 2);
    const auto &memory = decision.memory;
    text +=
        tr("A core holds %1%2 of %3 (%4, %5)")
            .arg(bytesWord(memory.demand), memory.replicated ? tr(", a copy on each,") : QString(),
                 memory.cap ? bytesWord(*memory.cap) : tr("an unknown cap"),
                 fromUtf8(target::halOffsetText(memory.offset)),
                 fromUtf8(target::halLayoutName(memory.layout)));
    if (memory.sublayers)
        text += tr(": %1 part(s). ").arg(groupedNumber(*memory.sublayers));
    if (memory.otherDemand)
        text += tr("\u2260 Contested: %1 where each core holds its share. ")
                    .arg(bytesWord(*memory.otherDemand));
    if (memory.atMost)
        text += tr("At most so much: how its cores share it is not known. ");
    return text;
}

/// As high as its text, four lines at most: the table below needs the room, and the text scrolls.
void StreamDock::fitSummary()
{
    constexpr int kLines = 4;
    const int line = m_summary->fontMetrics().lineSpacing();
    const int whole = m_summary->heightForWidth(m_summaryArea->viewport()->width());
    m_summaryArea->setFixedHeight(std::clamp(whole, line, kLines * line));
}

bool StreamDock::eventFilter(QObject *object, QEvent *event)
{
    if (object == m_summaryArea->viewport() && event->type() == QEvent::Resize)
        fitSummary();
    return Dock::eventFilter(object, event);
}

void StreamDock::showReasons()
{
    const auto &table = m_model->table();
    if (!table || m_weight >= table->rows() || m_chip >= table->columns()) {
        m_summary->setText(tr("Select a cell to see its reasons."));
        fitSummary();
        m_reasons->setRows({});
        return;
    }
    const roofline::Assessment assessment = table->assessment(m_weight, m_chip);
    const decision::Verdict &verdict = *assessment.decision.verdict;
    QString text =
        QStringLiteral("<b>%1</b> %2 <b>%3</b>: <b>%4</b> (%5). ")
            .arg(fromUtf8(session().bundle()->weights()[m_weight].findableName()).toHtmlEscaped(),
                 tr("on"), fromUtf8(verdict.target->name), outcomeLabel(verdict.outcome),
                 fromUtf8(verdict.basis).toHtmlEscaped());
    text += sizesText(assessment).toHtmlEscaped();
    if (!verdict.note.empty())
        text += QStringLiteral("<br>") + fromUtf8(verdict.note).toHtmlEscaped();
    if (!verdict.nearestChange.empty())
        text += QStringLiteral("<br><b>%1</b> %2")
                    .arg(tr("Nearest change:"), fromUtf8(verdict.nearestChange).toHtmlEscaped());
    for (const std::string &line : verdict.disagreements)
        text += QStringLiteral("<br>%1 %2")
                    .arg(theme::glyph(Token::MarkContested), fromUtf8(line).toHtmlEscaped());
    const int sums = m_model->rowCount() - 1;
    const int column = StreamMatrixModel::kFirstChip + static_cast<int>(m_chip);
    text += QStringLiteral("<br>%1").arg(
        tr("All shown weights on %1: %2 a dispatch.")
            .arg(fromUtf8(verdict.target->name),
                 m_model->index(sums, column).data(Qt::ToolTipRole).toString())
            .toHtmlEscaped());
    m_summary->setText(text);
    fitSummary();
    m_reasons->setRows(verdict.reasons);
}

} // namespace kernscope::ui
