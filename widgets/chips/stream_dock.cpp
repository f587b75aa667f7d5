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
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLineEdit>
#include <QPainter>
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
    QVBoxLayout *column = contentColumn(content);
    column->addLayout(bar);
    auto *table = new QVBoxLayout; // the sums join the table
    table->setSpacing(0);
    table->addWidget(m_matrix, 1);
    table->addWidget(new TableFoot(m_matrix, tr("Sums of the weights shown"), content));
    column->addLayout(table, 1);
    setContent(content);
    content->setFocusProxy(m_matrix);
    buildActions();
    connectParts();
}

void StreamDock::buildActions()
{
    auto *find = findAction(this, tr("Filter Weights"), m_filter);
    auto *copy = dockAction(this, tr("Copy Cells"), QKeySequence::Copy,
                            [this] { copySelection(*m_matrix); });
    auto *save = exportAction(this, session(), tr("Export Outcomes…"), *m_model,
                              QStringLiteral("stream-or-fold"));
    auto *again =
        dockAction(this, tr("Judge the Weights Again"), {}, [this] { m_state.judgeAgain(); });
    m_actions = {find, copy, save, again};
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
        showMessage(m_state.waitingText());
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
        setColumnWidths(m_matrix->horizontalHeader(), {13, 8, 6, 6});
    }
    m_matrix->setColumnHidden(m_model->columnOf("function"), !severalFunctions(*bundle));
    if (m_weight >= bundle->weights().size())
        m_weight = this->place().weight;
    followPlace();
}

void StreamDock::follow(const Place &place, QObject *origin)
{
    if (origin == this || !m_model->table())
        return;
    if (place.weight < m_model->table()->rows())
        m_weight = place.weight;
    const int row = m_model->rowOf(m_weight);
    const std::size_t chip = m_model->table()->columnOf(m_state.assessed());
    if (row < 0 || chip == kNoIndex)
        return;
    m_selecting = true;
    const QModelIndex index = m_model->index(row, m_model->firstChip() + static_cast<int>(chip));
    if (m_matrix->currentIndex() != index) {
        chooseRow(m_matrix, index);
        m_matrix->scrollTo(index);
    }
    m_selecting = false;
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
        m_state.setAssessed(m_model->table()->target(chip));
    if (weight != kNoIndex)
        session().goToWeight(weight, this);
}

} // namespace kernscope::ui
