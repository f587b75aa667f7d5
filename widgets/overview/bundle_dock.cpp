// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/overview/bundle_dock.h"

#include "core/bundle/stored_bytes.h"
#include "core/report/container_table.h"
#include "widgets/chips/chip_state.h"
#include "widgets/common/design.h"
#include "widgets/common/dock_tools.h"
#include "widgets/common/export_jobs.h"
#include "widgets/common/icons.h"
#include "widgets/common/table_text.h"
#include "widgets/common/theme.h"
#include "widgets/overview/filter_completer.h"
#include "widgets/overview/navigator_header.h"
#include "widgets/overview/two_line_rows.h"

#include <QAction>
#include <QEvent>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QTimer>
#include <QTreeView>
#include <QVBoxLayout>

#include <algorithm>
#include <numeric>

namespace kernscope::ui {

namespace {

constexpr int kMeasuredNames = 100; ///< for the width of the column: a key must not wait for more
constexpr double kSwatch = 0.8;     // in ems

} // namespace

BundleDock::BundleDock(Session &session, QWidget *parent)
    : Dock(session, QStringLiteral("bundle"), tr("Bundle"), parent),
      m_names(WeightNames::of(session)), m_model(new BundleTreeModel(this))
{
    auto *content = new QWidget(this);
    QVBoxLayout *column = contentColumn(content);
    buildTree(content);
    m_filter = filterBox(content, tr("Filter: name, form:sparse, zeros>0.5"), m_tree);
    new FilterCompleter(session, m_filter);
    m_fault = design::label({}, design::Type::Small, content);
    m_fault->setWordWrap(true);
    m_fault->setTextFormat(Qt::PlainText);
    m_fault->setAccessibleName(tr("Why the filter cannot be read"));
    m_fault->hide();
    m_footer = new QLabel(content);
    m_footer->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_footer->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_footer->setAccessibleName(tr("Totals"));
    column->addWidget(m_filter);
    column->addWidget(m_fault);
    column->addWidget(m_tree, 1);
    m_footer->hide(); // beside the title
    setContent(content);
    content->setFocusProxy(m_tree);
    buildActions();
    connectParts();
}

void BundleDock::buildTree(QWidget *content)
{
    m_refit = new QTimer(this);
    m_refit->setSingleShot(true);
    m_refit->setInterval(0);
    connect(m_refit, &QTimer::timeout, this, &BundleDock::fitNameColumn);
    m_tree = new QTreeView(content);
    m_tree->setAccessibleName(tr("Weights and files of the bundle"));
    m_tree->setUniformRowHeights(true);
    m_header = new NavigatorHeader(*m_model, m_tree);
    m_tree->setHeader(m_header);
    m_tree->setModel(m_model);
    prepareView(m_tree);
    putMarksInMargin(m_tree, m_model->columnOf("name"));
    m_oneLine = m_tree->itemDelegateForColumn(m_model->columnOf("name"));
    m_rows = new TwoLineRows(*m_model, m_tree);
    m_tree->setIndentation(theme::em(this, 0.8));
    m_tree->setRootIsDecorated(false); // the one row at the top stays open
    // Columns that have no room are beyond the edge as a whole: a bar would always be there.
    m_tree->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    QHeaderView *header = m_tree->header();
    m_tree->setIconSize(QSize(theme::em(this, kSwatch), theme::em(this, kSwatch)));
    header->setStretchLastSection(false);
    header->setResizeContentsPrecision(kMeasuredNames);
    // What the eye compares stands beside the name, where a narrow dock shows it.
    header->moveSection(header->visualIndex(m_model->columnOf("shape")), header->count() - 1);
    header->setSortIndicatorClearable(true);
    header->setSortIndicator(-1, Qt::AscendingOrder);
    m_tree->setSortingEnabled(true);
    setColumnWidths(header, {14, 5.6, 4.5, 5.2, 2.9, 3.7});
    m_tree->viewport()->installEventFilter(this);
    connect(header, &QHeaderView::sectionResized, this,
            [this](int, int before, int now) { onSectionResized(before, now); });
    // A figure in the second line has no cell of its own that would be drawn anew.
    connect(m_model, &QAbstractItemModel::dataChanged, m_tree, [this] {
        if (m_header->twoLines())
            m_tree->viewport()->update();
    });
}

void BundleDock::connectParts()
{
    connect(m_filter, &QLineEdit::textChanged, this, [this](const QString &words) {
        m_following = true;
        m_model->setFilter(words);
        m_following = false;
        m_filter->setToolTip(m_model->filterFault().isEmpty() ? filterHelp()
                                                              : m_model->filterFault());
        showFault();
        if (m_model->filterNeedsZeros() && !m_zerosWanted)
            m_zerosAction->trigger();
        openGroups();
        followPlace();
        updateFooter();
    });
    m_filter->setToolTip(filterHelp());
    ChipState &chips = ChipState::of(session());
    m_model->setOutcomes(
        [&chips](std::size_t weight,
                 const target::Target &target) -> std::optional<decision::Outcome> {
            const auto &table = chips.table();
            if (!table || weight >= table->rows())
                return std::nullopt;
            const std::size_t column = table->columnOf(target);
            if (column == kNoIndex)
                return std::nullopt;
            return table->verdict(weight, column).outcome;
        });
    connect(&chips, &ChipState::tableChanged, this, &BundleDock::refilter);
    connect(m_tree->selectionModel(), &QItemSelectionModel::currentChanged, this,
            &BundleDock::onCurrentChanged);
    connect(m_tree, &QTreeView::activated, this, &BundleDock::open);
    connect(&session(), &Session::bundleChanged, this, [this] { m_newBundle = true; });
    connect(&m_names, &WeightNames::namesChanged, this, [this] {
        if (m_newBundle || m_model->bundle() != session().bundle())
            return;
        takeNames();
        fitNameColumn();
    });
    connect(&session().tasks(), &TaskManager::changed, this, &BundleDock::onTasksChanged);
}

void BundleDock::buildActions()
{
    auto *find = findAction(this, tr("Filter Weights"), m_filter);
    auto *copy =
        dockAction(this, tr("Copy Rows"), QKeySequence::Copy, [this] { copySelection(*m_tree); });
    auto *hex = dockAction(this, tr("Show in Hex"), {}, [this] { showInHex(); });
    m_zerosAction = dockAction(this, tr("Count Zeros of Every Weight"), {}, [this] {
        std::vector<std::size_t> all(m_model->bundle() ? m_model->bundle()->weights().size() : 0);
        std::iota(all.begin(), all.end(), std::size_t{0});
        m_zerosWanted = true;
        countZeros(std::move(all));
    });
    auto *save = exportAction(this, session(), tr("Export Table of Weights…"), *m_model,
                              QStringLiteral("weights"));
    auto *npy = dockAction(this, tr("Export Weight…"), {}, [this] {
        const auto node = m_model->nodeAt(m_tree->currentIndex());
        if (node.kind == BundleTreeModel::Node::Kind::Weight)
            askAndExportWeight(this, session(), m_model->bundle(), node.index);
        else
            Q_EMIT session().statusMessage(tr("Select a weight to export it."));
    });
    auto *expand = dockAction(this, tr("Expand All"), {}, [this] { m_tree->expandAll(); });
    auto *collapse = dockAction(this, tr("Collapse All"), {}, [this] {
        m_tree->collapseAll();
        m_tree->expand(m_model->index(0, 0)); // it has no arrow to open it by
    });
    m_twoAction = dockAction(this, tr("Figures in a Second Line"), {}, [] {});
    m_twoAction->setCheckable(true);
    m_twoAction->setChecked(true);
    m_twoAction->setToolTip(tr("Form, ratio and zeros stand below the name where one line has no "
                               "room for them"));
    connect(m_twoAction, &QAction::toggled, this, [this] {
        m_userSized = false;
        fitNameColumn();
    });
    m_actions = {find, copy, hex, m_zerosAction, npy, save, expand, collapse, m_twoAction};
    m_tree->addActions(m_actions);
}

void BundleDock::takeNames()
{
    m_model->setShortNames(m_names.namesInFunctions());
}

void BundleDock::refresh()
{
    const BundlePtr bundle = session().bundle();
    m_following = true;
    m_totals = bundle ? bundle->totals() : Totals();
    m_bytesKnown = !bundle || weightsOfUnknownBytes(*bundle) == 0;
    if (m_newBundle) {
        m_newBundle = m_zerosWanted = false;
        m_touched.assign(bundle ? bundle->weights().size() : 0, false);
        m_model->setBundle(bundle);
        takeNames();
        openGroups();
        if (bundle)
            showBundle();
    } else {
        m_model->updateBundle(bundle);
        spanBundle(); // where the rows are new ones
        if (!m_model->hasShortNames())
            takeNames();
        if (bundle)
            countZeros(staleWeights());
    }
    m_following = false;
    updateFooter();
    if (!bundle)
        showMessage(tr("Open a bundle to begin (Ctrl+O)."));
    else
        followPlace();
}

void BundleDock::showBundle()
{
    showContent();
    fitNameColumn();
    std::uint64_t elements = 0;
    const auto &weights = m_model->bundle()->weights();
    for (const Weight &weight : weights)
        elements = checkedAdd(elements, weight.elements.value).value_or(UINT64_MAX);
    if (elements <= kMostElementsUnasked)
        m_zerosAction->trigger();
}

/// The name of the bundle takes its whole row.
void BundleDock::spanBundle()
{
    if (m_model->rowCount() > 0)
        m_tree->setFirstColumnSpanned(0, {}, true);
}

void BundleDock::openGroups()
{
    spanBundle();
    if (!m_model->filter().isEmpty()) {
        m_tree->expandAll();
        return;
    }
    for (const QModelIndex &index : m_model->groupIndexes())
        m_tree->expand(index);
}

/// The row that stands for a place; of several the most particular one.
QModelIndex BundleDock::rowOf(const Place &place) const
{
    const Bundle &bundle = *m_model->bundle();
    if (place.weight < bundle.weights().size())
        return m_model->indexOfWeight(place.weight);
    if (const QModelIndex part = m_model->indexOfPart(place.section); part.isValid())
        return part;
    if (place.file == bundle.programFile() && m_model->indexOfProgram().isValid())
        return m_model->indexOfProgram();
    if (place.file < bundle.files().size())
        return m_model->indexOfFile(place.file);
    return place == Place() ? m_model->index(0, 0) : QModelIndex();
}

void BundleDock::follow(const Place &place, QObject *origin)
{
    const BundlePtr &bundle = m_model->bundle();
    if (!bundle || origin == this)
        return;
    const QModelIndex index = rowOf(place);
    if (!index.isValid() || m_model->nodeAt(m_tree->currentIndex()) == m_model->nodeAt(index) ||
        leadsTo(m_tree->currentIndex(), place))
        return;
    m_following = true;
    chooseRow(m_tree, index);
    m_tree->scrollTo(index);
    m_following = false;
}

void BundleDock::onCurrentChanged(const QModelIndex &index)
{
    if (m_following || !index.isValid())
        return;
    const auto node = m_model->nodeAt(index);
    if (node.kind == BundleTreeModel::Node::Kind::Bundle) {
        session().goTo({}, this); // the whole: its overview
    } else if (node.kind == BundleTreeModel::Node::Kind::Weight) {
        session().goToWeight(node.index, this);
    } else if (node.kind == BundleTreeModel::Node::Kind::Part) {
        session().goToSection(node.index, this);
    } else if (node.kind == BundleTreeModel::Node::Kind::Symbol) {
        if (const auto bytes = report::symbolEntry(*m_model->bundle()->hardware(), node.index))
            session().goToBytes(0, *bytes, this);
    } else if (node.kind == BundleTreeModel::Node::Kind::File ||
               node.kind == BundleTreeModel::Node::Kind::Program) {
        const BundlePtr &bundle = m_model->bundle();
        const auto sections = bundle->sectionsOf(
            node.kind == BundleTreeModel::Node::Kind::File ? node.index : bundle->programFile());
        if (sections.first < sections.second)
            session().goToSection(sections.first, this);
    }
}

/// Whether a row leads to that place as well as the one that stands for it: it then stays chosen.
bool BundleDock::leadsTo(const QModelIndex &row, const Place &place) const
{
    const auto node = m_model->nodeAt(row);
    const BundlePtr &bundle = m_model->bundle();
    if (node.kind == BundleTreeModel::Node::Kind::Program ||
        node.kind == BundleTreeModel::Node::Kind::File)
        return place.weight == kNoIndex && !m_model->indexOfPart(place.section).isValid() &&
               place.file == (node.kind == BundleTreeModel::Node::Kind::File
                                  ? node.index
                                  : bundle->programFile());
    return node.kind == BundleTreeModel::Node::Kind::Symbol &&
           place.bytes == report::symbolEntry(*bundle->hardware(), node.index);
}

void BundleDock::open(const QModelIndex &index)
{
    const auto node = m_model->nodeAt(index);
    onCurrentChanged(index);
    if (node.kind == BundleTreeModel::Node::Kind::Weight)
        Q_EMIT raiseRequested(QStringLiteral("weight"));
    else if (node.kind == BundleTreeModel::Node::Kind::Program)
        Q_EMIT raiseRequested(QStringLiteral("program"));
    else if (m_model->isLeaf(index))
        Q_EMIT raiseRequested(QStringLiteral("hex"));
    else if (node.kind == BundleTreeModel::Node::Kind::Bundle)
        Q_EMIT raiseRequested(QStringLiteral("overview"));
}

void BundleDock::showInHex()
{
    onCurrentChanged(m_tree->currentIndex());
    Q_EMIT raiseRequested(QStringLiteral("hex"));
}

bool BundleDock::eventFilter(QObject *watched, QEvent *event)
{
    if (watched == m_tree->viewport() && event->type() == QEvent::Resize)
        fitResized();
    return Dock::eventFilter(watched, event);
}

} // namespace kernscope::ui

#include "moc_bundle_dock.cpp"
