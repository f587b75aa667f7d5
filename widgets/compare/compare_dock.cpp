// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/compare/compare_dock.h"

#include "widgets/common/controls.h"
#include "widgets/common/dock_tools.h"
#include "widgets/common/file_dialogs.h"
#include "widgets/common/labels.h"
#include "widgets/common/panels.h"
#include "widgets/common/qt.h"
#include "widgets/compare/compare_copies.h"
#include "widgets/compare/compare_runner.h"
#include "widgets/compare/hand_pairs.h"
#include "widgets/compare/pair_dock.h"
#include "widgets/compare/places_dock.h"
#include "widgets/compare/verdict_strip.h"

namespace kernscope::ui {

CompareDock::CompareDock(Session &session, QWidget *parent)
    : Dock(session, u"compare"_s, tr("Compare"), parent), m_model(new CompareModel(this)),
      m_runner(new CompareRunner(session.tasks(), *m_model, this))
{
    auto *content = new QWidget(this);
    QVBoxLayout *column = contentColumn(content);
    m_header = new CompareHeader(content);
    column->addWidget(m_header);
    m_strip = new VerdictStrip(content);
    column->addWidget(m_strip);

    buildParts();
    buildActions();
    m_figures->addLinks({m_copies->weightAction(), m_saveAction});
    m_tools = buildToolRow(content);
    column->addWidget(m_tools);
    m_limits = new LimitsBar(content);
    m_limits->hide();
    laidOut(column, {m_limits, {m_pages, 1}});
    setContent(content, m_table);
    connectParts();
}

void CompareDock::buildParts()
{
    m_splitter = new QSplitter(Qt::Vertical);
    m_splitter->setChildrenCollapsible(false);
    m_table = makeCompareTable(*m_model, m_splitter);
    m_pictures = new PairPictures(session().tasks(), m_splitter);
    m_pictures->setPyramids(WeightPyramids::of(session()));
    m_splitter->setSizes({theme::em(this, 16.6), theme::em(this, 23.4)});
    m_splitter->setStretchFactor(0, 2);
    m_splitter->setStretchFactor(1, 3);
    m_figures = new PairFigures(this);
    m_figures->hide();                     // until an inspector shows it
    m_pages = new ComparePages(session()); // comes after the tools, also for the keyboard
    m_pages->setValues(m_splitter);
    m_header->setSwitch(m_pages->makeSwitch(m_header));
    auto *third = new QMenu(m_header->thirdButton());
    third->addAction(tr("A &File\u2026"), this, [this] { Q_EMIT thirdBuildWanted(false); });
    third->addAction(tr("A F&older\u2026"), this, [this] { Q_EMIT thirdBuildWanted(true); });
    m_header->thirdButton()->setMenu(third);
    m_header->thirdButton()->setPopupMode(QToolButton::InstantPopup);
    m_pairs = new HandPairs(session(), *m_model, this);
    m_copies = new CompareCopies(
        session(), *m_model, [this] { return m_pictures->element(); }, this);
    m_shownPair = new ShownPair(session().tasks(), this);
}

void CompareDock::buildCheckedActions()
{
    m_onlyAction = new QAction(tr("Differences Only"), this);
    m_onlyAction->setCheckable(true);
    m_onlyAction->setToolTip(tr("Leave out the weights that are the same in both"));
    // Short, so that the row of tools stays one row in a window of 1280 pixels.
    m_onlyAction->setIconText(tr("Differing"));
    m_worstAction = new QAction(tr("Worst First"), this);
    m_worstAction->setCheckable(true);
    m_worstAction->setChecked(true);
    m_worstAction->setToolTip(tr("Pairs that cannot be compared, weights of one side and the "
                                 "largest differences at the top; off: the order of A. A column "
                                 "whose header is clicked goes before either"));
    m_limitsAction = new QAction(tr("Limits"), this);
    m_limitsAction->setCheckable(true);
    m_limitsAction->setToolTip(tr("Hold every pair against limits, and say which keep them"));
    connect(m_limitsAction, &QAction::toggled, this, &CompareDock::showLimits);
}

QList<QAction *> CompareDock::buildModes()
{
    m_modeGroup = new QActionGroup(this);
    const auto mode = [this](const QString &text, const QString &label, const QString &tip,
                             PictureMode value) {
        auto *action = new QAction(text, m_modeGroup);
        action->setCheckable(true);
        action->setToolTip(tip);
        action->setData(static_cast<int>(value));
        action->setChecked(value == m_pictures->mode());
        action->setIconText(label);
        return action;
    };
    auto *values = mode(tr("Heat Maps"), tr("Heat Maps"), tr("Show values and their differences"),
                        PictureMode::Values);
    auto *relative =
        mode(tr("Relative Difference"), tr("Relative"),
             tr("Show values, and their differences over the value in A"), PictureMode::Relative);
    auto *zeros =
        mode(tr("Zeros and Mask"), tr("Mask"), tr("Show what each side keeps"), PictureMode::Zeros);
    return {values, relative, zeros};
}

void CompareDock::buildActions()
{
    m_swapAction = dockAction(this, tr("Swap Sides"), {}, [this] { setSwapped(!m_swapped); });
    buildCheckedActions();
    const QList<QAction *> modes = buildModes();
    m_largestAction = dockAction(this, tr("Go to Largest Difference"),
                                 QKeySequence(Qt::CTRL | Qt::Key_F8), [this] { goToLargest(); });
    // From the other docks of a comparison as well, as long as this one is in view.
    m_largestAction->setShortcutContext(Qt::WindowShortcut);
    QList<QAction *> steps{
        dockAction(this, tr("Next Differing Value"), Qt::Key_F8, [this] { goToDiffering(true); }),
        dockAction(this, tr("Previous Differing Value"), Qt::SHIFT | Qt::Key_F8,
                   [this] { goToDiffering(false); })};
    steps << m_largestAction;
    m_largestAction->setToolTip(
        tr("Move to the element of this pair that differs most; again: to the next one"));
    m_againAction = dockAction(this, tr("Compare the Rest"), {},
                               [this] { m_runner->start(m_a, m_b, m_pairs->resolved(m_a, m_b)); });
    m_againAction->setToolTip(tr("Go on with the weights that a cancelled comparison left out"));
    auto *copy = copyAction(m_table, tr("Copy Rows"), m_table);
    auto *save =
        exportAction(this, this->session(), tr("Export Comparison\u2026"), *m_model, "comparison");
    m_saveAction =
        dockAction(this, tr("Save the Difference\u2026"), {}, [this] { saveDifference(); });
    m_saveAction->setToolTip(tr("As changes for another copy of A, or as a report"));
    const QList<QAction *> pairing = m_pairs->actions(), copies = m_copies->actions();
    m_actions = m_pages->actions() +
                QList<QAction *>{m_swapAction, m_worstAction, m_onlyAction, m_limitsAction} +
                modes + steps + pairing + copies +
                QList<QAction *>{m_againAction, copy, save, m_saveAction};
    m_actions += m_figures->menuActions();
    setCompareTask(pairing, CompareTask::Pairing);
    setCompareTask(steps + m_figures->linkActions(), CompareTask::GoTo);
    setCompareTask(copies, CompareTask::Copy);
    setCompareTask({m_limitsAction, m_againAction}, CompareTask::Limits);
    setCompareTask({copy, save, m_saveAction}, CompareTask::Export);
    m_table->addActions({m_swapAction, m_worstAction, m_onlyAction, m_limitsAction});
    m_table->addActions(steps);
    m_table->addActions(pairing);
    m_table->addActions(copies);
    m_table->addActions({m_againAction, save, m_saveAction});
}

/// While pairs are compared: the worst so far rise to the top. With many rows that takes its time,
/// which is to be a small part of all.
void CompareDock::arrangeRows()
{
    constexpr qint64 kPause = 250, kShare = 20;
    if (!m_model->ordersBySeverity() ||
        (m_arranged.isValid() &&
         m_arranged.elapsed() < std::max(kPause, kShare * m_arrangeMilliseconds)))
        return;
    m_arranged.start();
    keepSelection([this] { m_model->arrange(); });
    m_arrangeMilliseconds = m_arranged.restart();
}

/// A click on a header chose a column: this one goes back from it.
void CompareDock::chooseOrder(bool worstFirst)
{
    keepSelection([&] {
        m_model->setWorstFirst(worstFirst);
        m_table->horizontalHeader()->setSortIndicator(-1, Qt::AscendingOrder);
    });
}

void CompareDock::showLimits(bool shown)
{
    m_limits->setVisible(shown);
    m_table->setColumnHidden(m_model->columnOf("limits"), !shown);
    keepSelection([&] { m_model->setLimits(shown ? m_limits->limits() : ValueLimits()); });
    countLimits();
    m_copies->updateActions();
}

void CompareDock::countLimits()
{
    std::size_t hold = 0, exceed = 0, waiting = 0;
    for (const report::PairRow &row : m_model->rows())
        ++(!row.holds ? waiting : *row.holds ? hold : exceed);
    m_limits->setCounts(hold, exceed, waiting);
}

void CompareDock::saveDifference()
{
    if (!m_a || !m_b)
        return;
    const QString path =
        askSavePath(this, tr("Save the Difference"), u"changes.kpatch"_s, differenceKinds());
    if (path.isEmpty())
        return;
    DiffLimits limits;
    limits.values = m_model->limits();
    m_saving.start(
        tr("Writing down the difference"),
        [a = m_a, b = m_b, limits, chosen = m_pairs->resolved(m_a, m_b), path](Progress &progress) {
            return differenceDocument(a, b, limits, chosen, path, progress);
        },
        [this, path](const Result<std::string> &text) {
            QString fault;
            if (!text)
                fault = fromUtf8(describe(text.error()));
            else
                fault = writeTextFile(path, QString::fromStdString(*text));
            Q_EMIT session().statusMessage(fault.isEmpty() ? tr("Saved %1").arg(path) : fault);
        });
}

/// Wraps where the dock is narrow, so that it never widens the window.
QWidget *CompareDock::buildToolRow(QWidget *parent)
{
    auto *box = new QWidget(parent);
    auto *row = withoutMargins(new FlowLayout(box), theme::em(this, 0.3));
    m_filter = filterBox(box, tr("Filter by name, form or verdict"), m_table);
    m_filter->setMinimumWidth(theme::em(this, 8));
    row->addWidget(m_filter);
    for (QAction *action : {m_worstAction, m_onlyAction, m_limitsAction})
        row->addWidget(actionCheck(action, box));
    auto *modes = new Segmented(tr("What the pictures show"), box);
    for (QAction *action : m_modeGroup->actions())
        modes->add(action);
    row->addWidget(modes);
    row->addWidget(buildChips(box));
    row->addWidget(m_pictures->viewDifference()->createZoomButtons(box));
    return box;
}

void CompareDock::connectParts()
{
    connect(&session(), &Session::otherChanged, this, &CompareDock::scheduleRefresh);
    // Pairs by hand belong to two files: the window, which keeps them, sets them again.
    for (const auto changed : {&Session::bundleChanged, &Session::otherChanged})
        connect(&session(), changed, this, [this] { m_pairs->setChoices({}); });
    connect(m_pairs, &HandPairs::choicesChanged, this, &CompareDock::scheduleRefresh);
    connect(m_pairs, &HandPairs::pairMade, this,
            [this](const std::string &nameA, const std::string &nameB) {
                m_shownA = nameA;
                m_shownB = nameB;
            });
    connect(m_pages, &ComparePages::pageShown, this, [this](Page page) {
        m_tools->setVisible(page == Page::Values);
        m_limits->setVisible(page == Page::Values && m_limitsAction->isChecked());
    });
    connect(m_header->swapButton(), &QToolButton::clicked, m_swapAction, &QAction::trigger);
    connect(m_filter, &QLineEdit::textChanged, this,
            [this](const QString &text) { keepSelection([&] { m_model->setFilter(text); }); });
    connect(m_onlyAction, &QAction::toggled, this,
            [this](bool only) { keepSelection([&] { m_model->setDifferencesOnly(only); }); });
    connect(m_modeGroup, &QActionGroup::triggered, this, [this](const QAction *action) {
        m_pictures->setMode(static_cast<PictureMode>(action->data().toInt()));
    });
    connect(m_worstAction, &QAction::triggered, this, &CompareDock::chooseOrder);
    // Ticked where it holds: not under the order of a column.
    connect(m_table->horizontalHeader(), &QHeaderView::sortIndicatorChanged, this,
            [this](int column) { m_worstAction->setChecked(column < 0 && m_model->worstFirst()); });
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
        m_copies->updateActions();
    });
    connectShownPair();
    connectRunner();
}

void CompareDock::connectShownPair()
{
    connect(m_shownPair, &ShownPair::sampled, this,
            [this](const PairSubject &subject, const Result<PairSample> &sample) {
                PairSubject shown = subject;
                if (!sample)
                    shown.obstacle = fromUtf8(describe(sample.error()));
                m_pictures->show(shown, sample ? *sample : PairSample::none());
                const Place &now = place();
                if (documentWeight(m_row) == now.weight && now.element)
                    m_pictures->setElement(shown.elementOf(!m_swapped, *now.element));
                if (!sample)
                    showPlaces({shown, m_swapped, nullptr, shown.obstacle}, 1);
            });
    connect(m_shownPair, &ShownPair::found, this,
            [this](const PairSubject &subject, const Result<WorstPlaces> &found, double range) {
                PairPlaces places{subject, m_swapped, nullptr, {}};
                if (found)
                    places.places = std::make_shared<const WorstPlaces>(*found);
                else
                    places.obstacle = fromUtf8(describe(found.error()));
                showPlaces(places, range);
            });
    connect(m_shownPair, &ShownPair::cut, this, [this](PairSubject subject, bool pictures) {
        m_cut = true;
        const QString why = tr("This was cancelled. Select the pair again to see it.");
        if (pictures) {
            subject.obstacle = why;
            m_pictures->show(subject, PairSample::none());
        }
        showPlaces({subject, m_swapped, nullptr, why}, 1);
    });
}

/// What the files say: the program, and the header.
void CompareDock::showProgram()
{
    const auto files = m_runner->files();
    m_header->setDifference(files.get());
    m_pages->showProgram(files);
}

/// What a comparison that runs shows of itself.
void CompareDock::connectRunner()
{
    connect(m_runner, &CompareRunner::summedUp, this, &CompareDock::showOutcome);
    connect(m_runner, &CompareRunner::rowsReady, this, &CompareDock::onRows);
    connect(m_runner, &CompareRunner::filesCompared, this, &CompareDock::showProgram);
    connect(m_runner, &CompareRunner::pairCompared, this, [this](std::size_t row) {
        if (row == m_row)
            m_figures->showRow(m_model->rows()[row]);
        countLimits();
    });
    const auto progress = [this] {
        m_header->setProgress(m_runner->running(), m_runner->fraction());
        m_againAction->setEnabled(m_runner->stopped());
    };
    connect(m_runner, &CompareRunner::progressed, this, progress);
    connect(m_runner, &CompareRunner::finished, this, [this, progress] {
        onFinished();
        progress();
    });
    progress();
}

QComboBox *CompareDock::buildChips(QWidget *parent)
{
    // Long names of single chips must not make the row wrap.
    m_chip = narrowChooser(parent, tr("Chip of the column of outcomes"), 12);
    m_chip->setToolTip(tr("The chip whose outcome stands in the table"));
    for (const target::Target &chip : target::targets()) {
        // "M1 base (T8103); A14": the first of its chips.
        const QString silicon =
            fromUtf8(chip.silicon).section(QLatin1Char(';'), 0, 0).section(u" ("_s, 0, 0);
        m_chip->addItem(silicon.isEmpty() ? fromUtf8(chip.name)
                                          : u"%1 \u00B7 %2"_s.arg(fromUtf8(chip.name), silicon));
    }
    setChip(target::defaultTarget());
    connect(m_chip, &QComboBox::currentIndexChanged, this, [this] {
        showChip();
        Q_EMIT chipChosen(chip().index);
    });
    return m_chip;
}

const target::Target &CompareDock::chip() const
{
    const auto all = target::targets();
    const int at = m_chip->currentIndex();
    return at < 0 ? target::defaultTarget() : all[static_cast<std::size_t>(at)];
}

void CompareDock::setChip(const target::Target &chip)
{
    {
        const QSignalBlocker blocker(m_chip);
        m_chip->setCurrentIndex(static_cast<int>(chip.index));
    }
    showChip();
}

void CompareDock::showChip()
{
    keepSelection([this] { m_model->setOutcomes(m_runner->outcome().get(), chip()); });
}

void CompareDock::setSwapped(bool swapped)
{
    if (std::exchange(m_swapped, swapped) == swapped)
        return;
    m_pairs->setDocumentIsB(swapped);
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
    m_shownPair->cancel(); // the rows that come show theirs again
    m_copies->setBundles(m_a, m_b, m_swapped);
    m_pages->setBundles(m_a, m_b, m_pairs->resolved(m_a, m_b), m_swapped);
    m_runner->start(m_a, m_b, m_pairs->resolved(m_a, m_b));
    showOutcome();
    if (!ready)
        return showMessage(
            document ? tr("Choose the other side of the comparison, or drop a bundle here.")
                     : tr("Open a bundle to begin (Ctrl+O)."));
    m_header->setBundles(a, b);
    showProgram();
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

/// Every pair is compared: until the user chooses one, the first of the order is shown.
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
    const QScopedValueRollback guard(m_following, true);
    chooseRow(m_table, m_model->index(shown, 0));
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
    m_shownPair->cancel();
    m_pairs->setRow(number);
    m_copies->setSubject(subjectOf(number));
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
        m_shownPair->look(subject);
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
    const auto found = std::ranges::find_if(rows, [&](const report::PairRow &row) {
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
    const auto &largest = m_model->rows()[m_row].pair.values->worst;
    if (!largest) {
        Q_EMIT session().statusMessage(tr("The two weights have the same values."));
        return;
    }
    // Pressed again it goes on to the next largest, as far as they are known.
    std::uint64_t next = largest->element;
    if (m_worst) {
        const auto &all = m_worst->worstElements;
        const auto at = std::ranges::find_if(
            all, [this](const auto &each) { return m_pictures->element() == each.element; });
        if (at != all.end() && at + 1 != all.end())
            next = (at + 1)->element;
    }
    showElement(next);
}

/// By place, through the shown pair and on through the pairs below it, or above.
void CompareDock::goToDiffering(bool forward)
{
    struct Found {
        std::size_t row = kNoIndex;
        std::uint64_t element = 0;
    };
    std::vector<std::pair<std::size_t, PairSubject>> pairs;
    const int step = forward ? 1 : -1;
    for (int at = m_model->shownRow(m_row); at >= 0 && at < m_model->rowCount(); at += step) {
        if (PairSubject subject = subjectOf(m_model->rowAt(at)); subject.comparable())
            pairs.emplace_back(m_model->rowAt(at), std::move(subject));
    }
    const auto from = subjectOf(m_row).comparable() ? m_pictures->element() : std::nullopt;
    m_stepping.start(
        tr("Looking for the next value that differs"),
        [pairs = std::move(pairs), shown = m_row, from, forward](Progress &progress) {
            for (const auto &[row, subject] : pairs) {
                const auto element =
                    nextDifference(*subject.a, *subject.b, subject.sides,
                                   row == shown ? from : std::nullopt, forward, progress);
                if (element && *element)
                    return Found{row, **element};
            }
            return Found();
        },
        [this, a = m_a, b = m_b](const Found &found) {
            if (a != m_a || b != m_b)
                return;
            if (found.row == kNoIndex) {
                Q_EMIT session().statusMessage(tr("There is no further value that differs."));
                return;
            }
            const ComparedPair &pair = m_model->rows()[found.row].pair;
            goToPair(pair.a, pair.b, found.element);
        });
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

PairSubject CompareDock::subjectOf(std::size_t number) const
{
    if (number >= m_model->rows().size())
        return {};
    const report::PairRow &row = m_model->rows()[number];
    PairSubject subject{m_a, m_b, row.pair, {}};
    if (row.state == report::PairState::NoValues || row.state == report::PairState::OneSided)
        subject.obstacle = verdictSentence(row);
    return subject;
}

void CompareDock::showPlaces(const PairPlaces &places, double range)
{
    m_worst = places.places;
    std::shared_ptr<const PairBins> bins;
    if (places.places && places.places->bins) // shared with what holds it
        bins = {places.places, &*places.places->bins};
    if (places.places) {
        const auto &worst = places.places->worstElements;
        m_pictures->setLargestDifference(
            worst.empty() ? 0 : static_cast<double>(std::abs(worst.front().b - worst.front().a)));
    }
    m_figures->showBins(bins, range);
    m_figures->showPlaces(places);
    Q_EMIT placesChanged(places);
}

bool CompareDock::working() const
{
    const bool saving = m_saving.running() || m_stepping.running();
    return m_runner->running() || m_shownPair->working() || m_copies->working() || saving ||
           m_pages->working() || m_pictures->loading();
}

} // namespace kernscope::ui

#include "moc_compare_dock.cpp"
