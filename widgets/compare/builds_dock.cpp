// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/compare/builds_dock.h"

#include "core/form/form_steps.h"
#include "widgets/common/controls.h"
#include "widgets/common/dock_tools.h"
#include "widgets/common/file_dialogs.h"
#include "widgets/common/labels.h"
#include "widgets/common/panels.h"
#include "widgets/common/qt.h"
#include "widgets/common/table_tools.h"
#include "widgets/compare/compare_runner.h"
#include "widgets/models/words.h"

namespace kernscope::ui {

namespace {

const ValueTiles *tilesOf(const TileView &view)
{
    return dynamic_cast<const ValueTiles *>(view.source().get());
}

/// The same cells, whatever they hold.
bool sameCells(const BuildPictures::Side &before, const BuildPictures::Side &now)
{
    const auto weight = [](const BuildPictures::Side &side) {
        const bool there = side.bundle && side.weight < side.bundle->weights().size();
        return there ? &side.bundle->weights()[side.weight] : nullptr;
    };
    const Weight *x = weight(before), *y = weight(now);
    return x && y && before.bundle->path() == now.bundle->path() && x->name == y->name &&
           x->shape == y->shape;
}

} // namespace

BuildPictures::BuildPictures(TaskManager &tasks, QWidget *parent)
    : PictureRow(parent), m_tiles(std::make_shared<BoxStore>())
{
    for (std::size_t i = 0; i < kMostPictures; ++i) {
        const PicturePane *added =
            addPane(tasks, i == 0 ? tr("Picture of the base") : tr("Picture of build %1").arg(i));
        connect(added->view(), &TileView::currentCellChanged, this,
                [this, view = added->view()](quint64 cellRow, quint64 cellColumn) {
                    const ValueTiles *tiles = tilesOf(*view);
                    const auto element =
                        tiles ? tiles->reader().map().element(cellRow, cellColumn) : std::nullopt;
                    if (!element)
                        return;
                    setElement(element);
                    Q_EMIT elementPicked(*element);
                });
        connect(added->view(), &TileView::loaded, this, &BuildPictures::shareRange);
    }
    clear();
}

void BuildPictures::show(std::vector<Side> sides)
{
    sides.resize(std::min(sides.size(), kMostPictures));
    const bool same =
        !sides.empty() && !m_sides.empty() && sameCells(m_sides.front(), sides.front());
    const std::vector<Side> before = std::exchange(m_sides, std::move(sides));
    m_range = 0;
    m_picture += kMostPictures; // an edit leaves the weights, but not their pictures
    if (!same)
        m_element.reset();
    for (std::size_t i = 0; i < kMostPictures; ++i) {
        pane(i).setVisible(i < m_sides.size());
        if (i < m_sides.size())
            showSide(i, same && i < before.size() && sameCells(before[i], m_sides[i]));
        else
            pane(i).view()->setSource(nullptr);
    }
    markCells();
}

void BuildPictures::showSide(std::size_t number, bool keepPosition)
{
    const Side &side = m_sides[number];
    PicturePane &shown = pane(number);
    const bool there = side.bundle && side.weight < side.bundle->weights().size();
    const Weight *weight = there ? &side.bundle->weights()[side.weight] : nullptr;
    shown.setTitle(weight ? u"%1 \u00B7 %2"_s.arg(side.name, fromUtf8(formWords(weight->form)))
                          : side.name);
    if (!weight || weight->fault) {
        shown.showMessage(weight ? fromUtf8(describe(*weight->fault))
                                 : tr("This build does not have the weight."));
        return;
    }
    // Shapes that differ in extents of one have the same elements: all lie as the base does.
    const Weight &base = m_sides.front().bundle->weights()[m_sides.front().weight];
    const bool alike = base.elements == weight->elements;
    shown.show(std::make_shared<ValueTiles>(
                   std::make_shared<WeightReader>(side.bundle, side.weight,
                                                  SliceMap(alike ? base.shape : weight->shape)),
                   ValueColors::Signed, theme::isDark(palette()), m_range,
                   PicturePyramid{m_tiles, m_picture + number}),
               keepPosition);
    if (m_range > 0)
        shown.legend().showValues(ValueColors::Signed, m_range);
    else
        shown.legend().clear();
}

/// The first picture finds a range; the others are drawn in it, so that one colour is one value.
void BuildPictures::shareRange()
{
    const ValueTiles *first = m_sides.empty() ? nullptr : tilesOf(*view(0));
    if (m_range > 0 || first == nullptr || !(first->range() > 0))
        return;
    m_range = first->range();
    pane(0).legend().showValues(ValueColors::Signed, m_range, first->only());
    for (std::size_t i = 1; i < m_sides.size(); ++i)
        showSide(i, true);
    markCells();
}

void BuildPictures::setElement(std::optional<std::uint64_t> element)
{
    m_element = element;
    markCells();
}

void BuildPictures::markCells()
{
    for (PicturePane *shown : panes()) {
        const ValueTiles *tiles = tilesOf(*shown->view());
        std::optional<Cell> cell;
        if (tiles && m_element) {
            if (const auto at = tiles->reader().map().cell(*m_element))
                cell = Cell{at->first, at->second};
        }
        shown->markCell(cell);
    }
}

void BuildPictures::changeEvent(QEvent *event)
{
    PictureRow::changeEvent(event);
    if (event->type() != QEvent::PaletteChange)
        return;
    for (std::size_t i = 0; i < m_sides.size(); ++i)
        showSide(i, true);
    markCells();
}

namespace {

/// Every build against the base, with the values, and what the chips do with each. `chosen`: pairs
/// by hand of the base and the first build.
BuildMatrixPtr matrixOf(const std::vector<BundlePtr> &builds, const std::vector<PairChoice> &chosen,
                        Progress &progress)
{
    DiffOptions wanted;
    wanted.values = true;
    wanted.bytes = false;
    std::vector<const Bundle *> others;
    for (std::size_t i = 1; i < builds.size(); ++i)
        others.push_back(builds[i].get());
    std::vector<DiffOptions> options(others.size(), wanted);
    options.front().pairs = chosen;
    auto differences = compareBuilds(*builds.front(), others, options, &progress);
    if (!differences)
        return nullptr; // cancelled: there is no other error
    std::vector<report::CheckedDifference> all;
    for (std::size_t i = 1; i < builds.size(); ++i)
        all.push_back(
            {builds.front(), builds[i], std::move((*differences)[i - 1]), {}, {}, {}, {}, {}});
    return std::make_shared<const report::BuildMatrix>(report::buildMatrix(*builds.front(), all));
}

} // namespace

BuildsDock::BuildsDock(Session &session, QWidget *parent)
    : Dock(session, u"builds"_s, tr("Builds"), parent), m_model(new MatrixModel(this))
{
    buildActions();
    auto *content = new QWidget(this);
    QVBoxLayout *column = contentColumn(content);
    column->addWidget(buildTools(content));
    m_table = makeTable(content, tr("Weights of all builds"), m_model);
    QHeaderView *header = m_table->horizontalHeader();
    m_table->viewport()->installEventFilter(this);
    connect(header, &QHeaderView::sectionResized, this,
            [this, header] { m_sizedByHand |= !m_sizing && !growsByItself(header); });
    m_pictures = new BuildPictures(session.tasks(), content);
    auto *splitter = parted(Qt::Horizontal, {m_table, m_pictures});
    splitter->setSizes({theme::em(this, 50), theme::em(this, 35)}); // figures before pictures
    column->addWidget(splitter, 1);
    setContent(content, m_table);
    auto *copy = copyAction(m_table, tr("Copy Cells"), m_table);
    auto *save = exportAction(this, session, tr("Export Builds\u2026"), *m_model, "builds");
    m_actions += {copy, save};
    setCompareTask(m_actions, CompareTask::Builds);
    m_table->addActions({m_addFile, m_addFolder, m_remove, save});
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            &BuildsDock::onCurrentRow);
    connect(m_pictures, &BuildPictures::elementPicked, this, [this](quint64 element) {
        const std::size_t weight = m_model->weightAt(m_table->currentIndex().row());
        if (weight != kNoIndex && showsThese())
            this->session().goToElement(weight, element, this);
    });
    m_task.whenCancelled([this] {
        forget();
        m_again->setEnabled(true);
        showMessage(tr("The comparison was cancelled. Compare Builds Again in the Compare menu "
                       "starts it anew."));
    });
    m_opening.whenCancelled([this] {
        for (const Opening &each : std::exchange(m_waiting, {}))
            Q_EMIT this->session().statusMessage(
                tr("%1 was not opened: %2.")
                    .arg(fromUtf8(each.path.filename().string()), m_opening.endText()));
    });
    connect(&session, &Session::otherChanged, this, &BuildsDock::scheduleRefresh);
    connect(&session, &Session::bundleChanged, this, [this] {
        // Builds are of one file, also where that is opened again.
        if (const auto before = m_base; before != noteBase()) {
            m_opening.stop();
            m_waiting.clear();
            m_added.clear();
            Q_EMIT addedChanged();
        }
        scheduleRefresh();
    });
    connect(&session, &Session::bytesChanged, this, [this] {
        noteBase(); // saved as another file
        openNext(); // an edit cancelled it
    });
    noteBase();
}

const std::filesystem::path &BuildsDock::noteBase()
{
    const BundlePtr &bundle = session().bundle();
    m_base = bundle ? bundle->path() : std::filesystem::path();
    return m_base;
}

void BuildsDock::setChoices(const PairChoices &choices)
{
    if (m_choices == choices)
        return;
    m_choices = choices;
    scheduleRefresh();
}

void BuildsDock::buildActions()
{
    m_addFile = dockAction(this, tr("Add a Build File\u2026"), {}, [this] { open(false); });
    m_addFolder = dockAction(this, tr("Add a Build Folder\u2026"), {}, [this] { open(true); });
    m_remove = dockAction(this, tr("Remove the Builds That Were Added"), {}, [this] {
        m_added.clear();
        Q_EMIT addedChanged();
        scheduleRefresh();
    });
    m_again = dockAction(this, tr("Compare Builds Again"), {}, [this] { scheduleRefresh(); });
    m_again->setEnabled(false);
    m_actions = {m_addFile, m_addFolder, m_remove, m_again};
}

QWidget *BuildsDock::buildTools(QWidget *parent)
{
    auto *box = new QWidget(parent);
    auto *row = withoutMargins(new FlowLayout(box), theme::em(this, 0.3));
    m_figure = named(new QComboBox(box), tr("Figure"));
    for (int i = 0; i < kMatrixFigures; ++i)
        m_figure->addItem(matrixFigureTitle(static_cast<MatrixFigure>(i)));
    m_figure->setCurrentIndex(static_cast<int>(m_model->figure()));
    m_chip = named(new QComboBox(box), tr("Chip"));
    m_chip->setEnabled(false);
    row->addWidget(m_figure);
    row->addWidget(m_chip);
    for (QAction *action : {m_addFile, m_addFolder}) {
        auto *button = actionButton(action, box);
        row->addWidget(button);
    }
    m_note = new QLabel(box);
    row->addWidget(m_note);
    connect(m_figure, &QComboBox::currentIndexChanged, this, &BuildsDock::applyFigure);
    connect(m_chip, &QComboBox::currentIndexChanged, this, &BuildsDock::applyFigure);
    return box;
}

void BuildsDock::applyFigure()
{
    const auto figure = static_cast<MatrixFigure>(m_figure->currentIndex());
    m_chip->setEnabled(figure == MatrixFigure::Outcome);
    const std::size_t weight = m_model->weightAt(m_table->currentIndex().row());
    const QScopedValueRollback guard(m_following, true);
    keepScroll([&] {
        m_model->setFigure(figure, static_cast<std::size_t>(std::max(0, m_chip->currentIndex())));
        if (const int row = weight == kNoIndex ? -1 : m_model->rowOfWeight(weight); row >= 0)
            chooseRow(m_table, m_model->index(row, 0));
    });
}

std::vector<BundlePtr> BuildsDock::builds() const
{
    std::vector<BundlePtr> list{session().bundle()};
    if (session().other())
        list.push_back(session().other());
    list.insert(list.end(), m_added.begin(), m_added.end());
    return list;
}

void BuildsDock::refresh()
{
    m_task.stop();
    const bool any = session().bundle() != nullptr;
    m_addFile->setEnabled(any);
    m_addFolder->setEnabled(any);
    m_remove->setEnabled(!m_added.empty());
    m_again->setEnabled(false);
    if (!showsThese())
        forget();
    if (any && builds().size() > 1) {
        compare();
        return;
    }
    forget();
    showMessage(any ? tr("Open a second bundle to compare (Ctrl+Shift+O), or add builds in the "
                         "Compare menu.")
                    : tr("Open a bundle to begin (Ctrl+O)."));
}

/// Whether the rows are of builds that are there still: then they stay until the new ones are made,
/// for they name the same weights.
bool BuildsDock::showsThese() const
{
    const std::vector<BundlePtr> now = builds();
    return !m_shown.empty() && sameTables(m_shown.front(), now.front()) &&
           std::all_of(m_shown.begin(), m_shown.end(), [&now](const BundlePtr &shown) {
               return std::any_of(now.begin(), now.end(), [&shown](const BundlePtr &build) {
                   return sameTables(shown, build);
               });
           });
}

void BuildsDock::forget()
{
    m_shown.clear();
    m_pictured = kNoIndex;
    m_pictures->clear();
    const QScopedValueRollback guard(m_following, true);
    m_model->setMatrix(nullptr);
}

void BuildsDock::onCurrentRow(const QModelIndex &current)
{
    const std::size_t weight = m_model->weightAt(current.row());
    if (m_following || weight == kNoIndex || !showsThese())
        return;
    showWeight(weight);
    session().goToWeight(weight, this);
}

void BuildsDock::compare()
{
    m_note->setText(tr("comparing\u2026"));
    if (m_shown.empty())
        showMessage(tr("Comparing builds\u2026"));
    std::vector<PairChoice> chosen;
    if (session().other())
        chosen = m_choices.resolve(*session().bundle(), *session().other(), false);
    m_task.start(
        tr("Comparing builds"),
        [list = builds(), chosen](Progress &progress) {
            return std::pair(list, matrixOf(list, chosen, progress));
        },
        [this](std::pair<std::vector<BundlePtr>, BuildMatrixPtr> done) {
            if (!done.second)
                return;
            m_shown = std::move(done.first);
            showMatrix(std::move(done.second));
        });
}

void BuildsDock::showMatrix(BuildMatrixPtr matrix)
{
    if (m_chip->count() == 0) {
        const QSignalBlocker blocker(m_chip);
        for (const target::Target *chip : matrix->chips)
            m_chip->addItem(fromUtf8(chip->name));
    }
    m_note->setText(tr("%1, %2 builds")
                        .arg(countedWords(matrix->rows.size(), tr("1 weight"), tr("%1 weights")),
                             groupedNumber(matrix->builds.size())));
    const int columns = m_model->columnCount();
    m_pictured = kNoIndex; // the bytes may be others
    const auto show = [&] {
        m_following = true;
        m_model->setMatrix(std::move(matrix));
        m_following = false;
        if (m_model->columnCount() != columns) {
            m_sizedByHand = false;
            sizeColumns();
        }
        showContent();
        followPlace();
        if (!m_table->currentIndex().isValid() && m_model->rowCount() > 0)
            showWeight(m_model->rowOfWeight(m_proposed) >= 0 ? m_proposed : m_model->weightAt(0));
    };
    if (columns > 0)
        keepScroll(show);
    else
        show();
}

/// No column is so narrow that its figures are cut; what room is left shows names whole, those of
/// the weights first. Against itself the base has no figure but its bytes: it gives way.
void BuildsDock::sizeColumns()
{
    QHeaderView *header = m_table->horizontalHeader();
    const QAbstractItemView *view = m_table; // where the hint is public
    const int columns = m_model->columnCount();
    const auto least = [this](int column) {
        return theme::em(this, column == 0 ? 14 : column == 1 ? 4 : 7);
    };
    int room = m_table->viewport()->width();
    for (int i = 0; i < columns; ++i)
        room -= least(i);
    const QScopedValueRollback guard(m_sizing, true);
    for (int i = 0; i < columns; ++i) {
        const int hint =
            i == 0 ? view->sizeHintForColumn(0) + theme::em(this, 0.3) : header->sectionSizeHint(i);
        const int wanted = std::min(hint, theme::em(this, i == 1 ? 7 : 24));
        const int share = std::max(0, room) / (i == 0 ? 1 : columns - i);
        const int more = std::clamp(wanted - least(i), 0, share);
        header->resizeSection(i, least(i) + more);
        room -= more;
    }
}

bool BuildsDock::eventFilter(QObject *watched, QEvent *event)
{
    if (watched == m_table->viewport() && event->type() == QEvent::Resize && !m_sizedByHand)
        sizeColumns();
    return Dock::eventFilter(watched, event);
}

/// The rows are made anew; what was on view of them still is.
void BuildsDock::keepScroll(const std::function<void()> &change)
{
    const int down = m_table->verticalScrollBar()->value();
    const int across = m_table->horizontalScrollBar()->value();
    change();
    m_table->scrollTo(
        m_table->currentIndex()); // lays the rows out, which gives the bars their ends
    m_table->verticalScrollBar()->setValue(down);
    m_table->horizontalScrollBar()->setValue(across);
}

void BuildsDock::propose(std::size_t weight)
{
    m_proposed = weight;
    if (place().weight == kNoIndex)
        showWeight(weight);
}

void BuildsDock::showWeight(std::size_t weight)
{
    const int row = m_model->rowOfWeight(weight);
    if (row < 0 || !m_model->matrix())
        return;
    m_following = true;
    chooseRow(m_table, m_model->index(row, 0));
    m_following = false;
    if (std::exchange(m_pictured, weight) == weight)
        return;
    std::vector<BuildPictures::Side> sides;
    for (const report::BuildMatrix::Row &each : m_model->matrix()->rows) {
        if (each.weight != weight)
            continue;
        for (std::size_t i = 0; i < each.cells.size() && i < m_shown.size(); ++i)
            sides.push_back(
                {m_shown[i], each.cells[i].weight,
                 m_model->headerData(static_cast<int>(i) + 1, Qt::Horizontal, Qt::DisplayRole)
                     .toString()});
    }
    m_pictures->show(std::move(sides));
}

void BuildsDock::follow(const Place &place, QObject *origin)
{
    if (origin == this || place.weight == kNoIndex || !m_model->matrix())
        return;
    showWeight(place.weight);
    m_pictures->setElement(place.element);
}

bool BuildsDock::working() const
{
    return m_task.running() || m_opening.running() || m_pictures->loading();
}

void BuildsDock::open(bool folder)
{
    openPathDialog(folder ? OpenDialog::Lists::Folders : OpenDialog::Lists::Bundles, this,
                   folder ? tr("Add a Build Folder") : tr("Add a Build File"), {},
                   [this](const QString &path) { add(path); });
}

void BuildsDock::add(const QString &path)
{
    m_waiting.push_back({QFile::encodeName(path).toStdString(), nullptr});
    openNext();
}

/// In the order in which they were asked for: the first one waits until it is there.
void BuildsDock::openNext()
{
    if (m_waiting.empty() || m_opening.running())
        return;
    m_opening.start(
        tr("Opening a build"),
        [path = m_waiting.front().path](Progress &) { return openForReading(path).bundle; },
        [this](const Result<BundlePtr> &opened) {
            const BundlePtr before = m_waiting.front().before;
            m_waiting.pop_front();
            if (before)
                replace(before, opened);
            else if (opened)
                addBuild(*opened);
            else
                Q_EMIT session().statusMessage(fromUtf8(describe(opened.error())));
            openNext();
        });
}

void BuildsDock::addBuild(const BundlePtr &bundle)
{
    if (builds().size() >= kMostBuilds) {
        Q_EMIT session().statusMessage(
            tr("There are %1 builds already, as many as can be shown.").arg(kMostBuilds));
        return;
    }
    for (const Diagnostic &row : bundle->diagnostics()) {
        if (row.error.code.starts_with("journal."))
            Q_EMIT session().statusMessage(fromUtf8(describe(row.error)));
    }
    m_added.push_back(bundle);
    Q_EMIT addedChanged();
    scheduleRefresh();
}

void BuildsDock::reopen(const BundlePtr &bundle)
{
    m_waiting.push_back({bundle->path(), bundle});
    openNext();
}

void BuildsDock::replace(const BundlePtr &before, const Result<BundlePtr> &opened)
{
    const auto at = std::find(m_added.begin(), m_added.end(), before);
    if (at == m_added.end())
        return; // removed meanwhile
    if (opened) {
        *at = *opened;
    } else {
        m_added.erase(at);
        Q_EMIT session().statusMessage(
            tr("%1 changed on disk and was removed: %2")
                .arg(fromUtf8(before->name()), fromUtf8(describe(opened.error()))));
    }
    Q_EMIT addedChanged();
    scheduleRefresh();
}

} // namespace kernscope::ui

#include "moc_builds_dock.cpp"
