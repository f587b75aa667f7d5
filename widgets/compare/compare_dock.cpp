// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/compare/compare_dock.h"

#include "widgets/common/dock_tools.h"
#include "widgets/common/flow_layout.h"
#include "widgets/common/table_text.h"
#include "widgets/common/theme.h"
#include "widgets/compare/compare_header.h"
#include "widgets/compare/compare_runner.h"
#include "widgets/compare/limits_bar.h"
#include "widgets/compare/pair_figures.h"
#include "widgets/compare/pair_pictures.h"
#include "widgets/compare/places_dock.h"
#include "widgets/compare/same_tables.h"
#include "widgets/compare/verdict_strip.h"
#include "widgets/weight/weight_pyramids.h"

#include <QAction>
#include <QActionGroup>
#include <QHeaderView>
#include <QLineEdit>
#include <QSplitter>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace kernscope::ui {

CompareDock::CompareDock(Session &session, QWidget *parent)
    : Dock(session, QStringLiteral("compare"), tr("Compare"), parent),
      m_model(new CompareModel(this)), m_runner(new CompareRunner(session.tasks(), *m_model, this))
{
    auto *content = new QWidget(this);
    QVBoxLayout *column = contentColumn(content);
    m_header = new CompareHeader(content);
    column->addWidget(m_header);
    m_strip = new VerdictStrip(content);
    column->addWidget(m_strip);

    m_splitter = new QSplitter(Qt::Vertical);
    m_splitter->setChildrenCollapsible(false);
    buildTable(m_splitter);
    m_pictures = new PairPictures(session.tasks(), m_splitter);
    m_pictures->setPyramids(WeightPyramids::of(session));
    m_figures = new PairFigures(this);
    m_figures->hide(); // until an inspector shows it
    m_splitter->setSizes({theme::em(this, 15.4), theme::em(this, 24.6)});
    m_splitter->setStretchFactor(0, 2);
    m_splitter->setStretchFactor(1, 3);
    buildPages(m_splitter);
    buildActions();
    m_figures->addLinks({m_copyActions[static_cast<int>(Extent::Weight)], m_saveAction});
    m_tools = buildToolRow(content);
    column->addWidget(m_tools);
    m_limits = new LimitsBar(content);
    m_limits->hide();
    column->addWidget(m_limits);
    column->addWidget(m_pages, 1);
    setContent(content);
    content->setFocusProxy(m_table);
    connectParts();
}

/// Wraps where the dock is narrow, so that it never widens the window.
QWidget *CompareDock::buildToolRow(QWidget *parent)
{
    auto *box = new QWidget(parent);
    auto *row = new FlowLayout(box);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(theme::em(this, 0.3));
    m_filter = filterBox(box, tr("Filter by name, form or verdict"), m_table);
    m_filter->setFixedWidth(theme::em(this, 8));
    row->addWidget(m_filter);
    const auto button = [box, row](QAction *action) {
        auto *made = new QToolButton(box);
        made->setDefaultAction(action);
        made->setAccessibleName(action->text());
        made->setToolButtonStyle(Qt::ToolButtonTextOnly);
        made->setFocusPolicy(Qt::TabFocus);
        row->addWidget(made);
    };
    button(m_worstAction);
    button(m_onlyAction);
    button(m_limitsAction);
    button(m_largestAction);
    for (QAction *action : m_modeGroup->actions())
        button(action);
    row->addWidget(buildChips(box));
    row->addWidget(m_pictures->viewDifference()->createZoomButtons(box));
    return box;
}

void CompareDock::connectParts()
{
    connect(&session(), &Session::otherChanged, this, &CompareDock::scheduleRefresh);
    // Pairs by hand belong to two files: the window, which keeps them, sets them again.
    for (const auto changed : {&Session::bundleChanged, &Session::otherChanged})
        connect(&session(), changed, this, [this] { setChoices({}); });
    connect(m_header->swapButton(), &QToolButton::clicked, m_swapAction, &QAction::trigger);
    connect(m_filter, &QLineEdit::textChanged, this,
            [this](const QString &text) { keepSelection([&] { m_model->setFilter(text); }); });
    connect(m_onlyAction, &QAction::toggled, this,
            [this](bool only) { keepSelection([&] { m_model->setDifferencesOnly(only); }); });
    connect(m_modeGroup, &QActionGroup::triggered, this, [this](const QAction *action) {
        m_pictures->setMode(static_cast<PictureMode>(action->data().toInt()));
    });
    connect(m_worstAction, &QAction::toggled, this, &CompareDock::chooseOrder);
    connect(m_runner, &CompareRunner::pairsTold, this, &CompareDock::arrangeRows);
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            &CompareDock::onCurrentRow);
    connect(m_table, &QAbstractItemView::clicked, this, &CompareDock::onCurrentRow);
    connect(m_table, &QAbstractItemView::activated, this, &CompareDock::onCurrentRow);
    connect(m_pictures, &PairPictures::elementPicked, this, [this](quint64 element) {
        // Until the sample of another pair is there the pictures are those of the pair before.
        if (m_pictures->subject().sameWeights(subjectOf(m_row)))
            onElement(element);
    });
    connect(m_pictures, &PairPictures::elementRead, this, [this](const ElementReadings &readings) {
        m_figures->showElement(m_pictures->subject(), readings);
    });
    connect(m_pictures, &PairPictures::elementLeft, m_figures, &PairFigures::clearElement);
    connect(m_strip, &VerdictStrip::placeWanted, this, &CompareDock::goToPair);
    connect(m_figures, &PairFigures::elementPicked, this,
            [this](quint64 element) { showElement(element); });
    connect(m_limits, &LimitsBar::limitsChanged, this, [this] {
        keepSelection([this] { m_model->setLimits(m_limits->limits()); });
        countLimits();
        updateCopyActions();
    });
    connect(&session(), &Session::patchingEnabledChanged, this, &CompareDock::updateCopyActions);
    connectRunner();
}

void CompareDock::setSwapped(bool swapped)
{
    if (m_swapped == swapped)
        return;
    m_swapped = swapped;
    scheduleRefresh();
    Q_EMIT swappedChanged(swapped);
}

void CompareDock::refresh()
{
    const BundlePtr document = session().bundle(), other = session().other();
    const BundlePtr a = m_swapped ? other : document, b = m_swapped ? document : other;
    const bool ready = a && b;
    if (!ready || !sameTables(m_a, a) || !sameTables(m_b, b)) {
        // Rows of other bundles must not be picked any more.
        m_model->setRows({});
        showRow(kNoIndex);
    }
    m_a = ready ? a : nullptr;
    m_b = ready ? b : nullptr;
    cancelPair(); // the rows that come show theirs again
    m_structureA = m_structureB = nullptr;
    m_runner->start(m_a, m_b, resolvedChoices());
    showOutcome();
    if (!ready) {
        showMessage(document ? tr("Open a second bundle to compare (Ctrl+Shift+O).")
                             : tr("Open a bundle to begin (Ctrl+O)."));
        return;
    }
    m_header->setBundles(a, b);
    showProgram();
    if (m_pages->currentIndex() == static_cast<int>(Page::Structure))
        findStructure();
    showContent();
}

/// The rows of a new comparison, or of the same one after an edit or a swap: stays with the pair
/// that was shown, else selects the pair of the common position.
void CompareDock::onRows()
{
    m_table->setColumnHidden(m_model->columnOf("function"), !severalFunctions(m_model->rows()));
    std::size_t row = m_model->rowOfNames(m_shownA, m_shownB);
    if (row == kNoIndex && !(m_shownA.empty() && m_shownB.empty()))
        row = m_model->rowOfNames(m_shownB, m_shownA);
    // A pair that was chosen without a weight of the document is no place: it stays.
    const bool placeless = row != kNoIndex && documentWeight(row) == kNoIndex;
    if (const std::size_t there = rowOfDocument(place().weight, place().element);
        there != kNoIndex && !placeless && !isOfDocument(row, place().weight, place().element))
        row = there;
    m_proposed = row == kNoIndex ? m_model->rowAt(0) : kNoIndex;
    if (row == kNoIndex)
        row = m_proposed;
    selectRow(row);
    showRow(row);
}

/// Every pair is compared: where nobody has chosen one, the first of the order is shown.
void CompareDock::onFinished()
{
    keepSelection([this] { m_model->updateOrder(); });
    countLimits();
    if (m_proposed == kNoIndex || m_proposed != m_row || place().weight != kNoIndex)
        return;
    const std::size_t first = m_model->rowAt(0);
    if (first == m_row)
        return;
    selectRow(first);
    showRow(first);
    m_proposed = first;
}

std::size_t CompareDock::rowOfDocument(std::size_t weight,
                                       std::optional<std::uint64_t> element) const
{
    if (isOfDocument(m_row, weight, element))
        return m_row;
    for (std::size_t row = 0; row < m_model->rows().size(); ++row) {
        if (isOfDocument(row, weight, element))
            return row;
    }
    return kNoIndex;
}

bool CompareDock::isOfDocument(std::size_t row, std::size_t weight,
                               std::optional<std::uint64_t> element) const
{
    if (weight == kNoIndex || documentWeight(row) != weight)
        return false;
    return !element || !m_model->rows()[row].pair.slice ||
           subjectOf(row).elementOf(!m_swapped, *element).has_value();
}

std::size_t CompareDock::documentWeight(std::size_t row) const
{
    if (row >= m_model->rows().size())
        return kNoIndex;
    const ComparedPair &pair = m_model->rows()[row].pair;
    return m_swapped ? pair.b : pair.a;
}

void CompareDock::keepSelection(const std::function<void()> &change)
{
    const std::size_t row = m_row;
    m_following = true;
    change();
    m_following = false;
    selectRow(row);
}

/// Marks a row without telling anybody else.
void CompareDock::selectRow(std::size_t row)
{
    const int shown = m_model->shownRow(row);
    if (shown < 0 || m_table->currentIndex().row() == shown)
        return;
    m_following = true;
    chooseRow(m_table, m_model->index(shown, 0));
    m_following = false;
}

void CompareDock::onCurrentRow(const QModelIndex &current)
{
    if (m_following)
        return;
    const std::size_t row = m_model->rowAt(current.row());
    if (row == kNoIndex)
        return;
    if (row != m_row || m_cut)
        showRow(row);
    if (const std::size_t weight = documentWeight(row); weight != kNoIndex)
        session().goToWeight(weight, this);
}

void CompareDock::follow(const Place &place, QObject *origin)
{
    if (origin == this)
        return;
    const std::size_t row = rowOfDocument(place.weight, place.element);
    if (row == kNoIndex)
        return;
    selectRow(row);
    if (row != m_row)
        showRow(row);
    m_pictures->setElement(place.element ? subjectOf(row).elementOf(!m_swapped, *place.element)
                                         : std::nullopt);
    if (!place.element)
        m_figures->setValues(std::nullopt);
}

void CompareDock::followHidden(const Place &place, QObject *origin)
{
    if (!pinned())
        follow(place, origin);
}

void CompareDock::showRow(std::size_t number)
{
    m_row = number;
    m_cut = false;
    updateCopyActions();
    updatePairActions();
    cancelPair();
    if (number >= m_model->rows().size()) {
        m_pictures->clear();
        m_figures->clear();
        Q_EMIT placesChanged({});
        return;
    }
    const report::PairRow &row = m_model->rows()[number];
    m_shownA = row.nameA;
    m_shownB = row.nameB;
    const PairSubject subject = subjectOf(number);
    m_figures->showRow(row);
    m_figures->setValues(std::nullopt);
    showPlaces({subject, m_swapped, nullptr, subject.obstacle}, 1);
    if (subject.comparable()) {
        takeSample(subject);
        return;
    }
    m_pictures->show(subject, PairSample::none());
}

void CompareDock::showOutcome()
{
    m_strip->setOutcome(m_runner->outcome());
    m_figures->showOutcome(m_runner->outcome());
    if (m_runner->outcome())
        showChip(); // until then what was known of the same pairs
}

/// The row of two weights, also where the filter leaves it out, and an element of it.
void CompareDock::goToPair(std::size_t weightA, std::size_t weightB, std::optional<quint64> element)
{
    const auto &rows = m_model->rows();
    const auto found = std::find_if(rows.begin(), rows.end(), [&](const report::PairRow &row) {
        return row.pair.a == weightA && row.pair.b == weightB;
    });
    if (found == rows.end())
        return;
    const auto row = static_cast<std::size_t>(found - rows.begin());
    selectRow(row);
    if (row != m_row)
        showRow(row);
    if (element)
        showElement(*element);
    else if (const std::size_t weight = documentWeight(row); weight != kNoIndex)
        session().goToWeight(weight, this);
}

void CompareDock::goToLargest()
{
    if (m_row >= m_model->rows().size() || !m_model->rows()[m_row].pair.values)
        return;
    if (const auto &worst = m_model->rows()[m_row].pair.values->worst)
        showElement(worst->element);
    else
        Q_EMIT session().statusMessage(tr("The two weights have the same values."));
}

/// Goes to an element that was not picked in a picture.
void CompareDock::showElement(std::uint64_t element)
{
    m_pictures->setElement(element);
    onElement(element);
}

void CompareDock::onElement(std::uint64_t element)
{
    if (const std::size_t weight = documentWeight(m_row); weight != kNoIndex)
        session().goToElement(weight, subjectOf(m_row).elementOn(!m_swapped, element), this);
}

bool CompareDock::working() const
{
    const bool sampling = m_sampling && !m_sampling->progress().cancelled();
    const bool locating = m_locating && !m_locating->progress().cancelled();
    const bool copying = m_copying && !m_copying->progress().cancelled();
    const bool saving = m_saving && !m_saving->progress().cancelled();
    const bool structuring = m_structuring && !m_structuring->progress().cancelled();
    return m_runner->running() || sampling || locating || copying || saving || structuring ||
           m_pictures->loading();
}

} // namespace kernscope::ui

#include "moc_compare_dock.cpp"
