// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/overview/bundle_dock.h"

#include "core/bundle/stored_bytes.h"
#include "core/form/form_steps.h"
#include "core/report/container_table.h"
#include "widgets/chips/chip_state.h"
#include "widgets/common/dock_tools.h"
#include "widgets/common/export_jobs.h"
#include "widgets/common/labels.h"
#include "widgets/common/qt.h"
#include "widgets/common/table_tools.h"
#include "widgets/models/theme.h"

namespace kernscope::ui {

/// Completes the last term of a filter (WeightWhere): its key first, then what the bundle has for
/// it. One list below the box; Down goes into it, Enter takes the marked one, Escape closes it.
class FilterCompleter final : public QCompleter
{
    Q_OBJECT

public:
    FilterCompleter(Session &session, QLineEdit *box);

    QStringList splitPath(const QString &path) const override;
    QString pathFromIndex(const QModelIndex &index) const override;
    QStringList offered() const; ///< for the current text

private:
    Session &m_session;
    QLineEdit *m_box;
    QStringListModel *m_words;
};

namespace {

/// Where the last term begins.
qsizetype lastTerm(const QString &text)
{
    return text.lastIndexOf(QLatin1Char(' ')) + 1;
}

constexpr int kMeasuredNames = 100; ///< for the width of the column: a key must not wait for more
constexpr double kSwatch = 0.8;     // in ems

constexpr double kNameWidth = 24, kLeastName = 8; // in ems
constexpr double kMostForm = 9;                   // a longer form is cut, so that names have room
constexpr double kTitleRoom = 0.9;
constexpr double kLikelyWidth = 27;    // of short names with all figures beside them
constexpr double kLeastForm = 4;       // below it a name, which also takes room beside its number
constexpr int kFirstFigures = 2;       ///< columns that stand beside the name even where it is cut
constexpr std::size_t kMeasured = 100; ///< weights or files: a key must not wait for more
constexpr std::size_t kFigures = 32;   ///< weights whose figures are written out to be measured

} // namespace

FilterCompleter::FilterCompleter(Session &session, QLineEdit *box)
    : QCompleter(box), m_session(session), m_box(box), m_words(new QStringListModel(this))
{
    setModel(m_words);
    setCompletionMode(QCompleter::UnfilteredPopupCompletion);
    setCaseSensitivity(Qt::CaseInsensitive);
    // Before the box's own connection, which is made by setCompleter(): the list is the new one.
    connect(box, &QLineEdit::textEdited, this, [this] { m_words->setStringList(offered()); });
    box->setCompleter(this);
}

QStringList FilterCompleter::offered() const
{
    QStringList words;
    if (!m_session.bundle() || m_box->cursorPosition() < m_box->text().size())
        return words;
    const QString text = m_box->text();
    for (const std::string &word :
         whereCompletions(text.mid(lastTerm(text)).toStdString(), m_session.bundle()->weights()))
        words += fromUtf8(word);
    return words;
}

QStringList FilterCompleter::splitPath(const QString &path) const
{
    return {path.mid(lastTerm(path))};
}

QString FilterCompleter::pathFromIndex(const QModelIndex &index) const
{
    const QString text = m_box->text();
    return text.left(lastTerm(text)) + index.data().toString();
}

BundleDock::BundleDock(Session &session, QWidget *parent)
    : Dock(session, u"bundle"_s, tr("Bundle"), parent), m_names(WeightNames::of(session)),
      m_model(new BundleTreeModel(this))
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
    setContent(content, m_tree);
    buildActions();
    connectParts();
}

void BundleDock::buildTree(QWidget *content)
{
    m_refit = new QTimer(this);
    m_refit->setSingleShot(true);
    m_refit->setInterval(0);
    connect(m_refit, &QTimer::timeout, this, &BundleDock::fitNameColumn);
    m_tree = named(new QTreeView(content), tr("Weights and files of the bundle"));
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
    for (const char *last : {"bits_per_weight", "shape", "why_dense"})
        header->moveSection(header->visualIndex(m_model->columnOf(last)), header->count() - 1);
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
}

void BundleDock::buildActions()
{
    auto *find = findAction(this, tr("Filter Weights"), m_filter);
    auto *copy = copyAction(this, tr("Copy Rows"), m_tree);
    auto *hex = dockAction(this, tr("Show in Hex"), {}, [this] { showInHex(); });
    m_zerosAction = dockAction(this, tr("Count Zeros of Every Weight"), {}, [this] {
        std::vector<std::size_t> all(m_model->bundle() ? m_model->bundle()->weights().size() : 0);
        std::iota(all.begin(), all.end(), std::size_t{0});
        m_zerosWanted = true;
        countZeros(std::move(all));
    });
    auto *save = exportAction(this, session(), tr("Export Table of Weights…"), *m_model, "weights");
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
    const QScopedValueRollback guard(m_following, true);
    revealRow(m_tree, index);
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
        Q_EMIT raiseRequested(u"weight"_s);
    else if (node.kind == BundleTreeModel::Node::Kind::Program)
        Q_EMIT raiseRequested(u"program"_s);
    else if (m_model->isLeaf(index))
        raiseHex();
    else if (node.kind == BundleTreeModel::Node::Kind::Bundle)
        Q_EMIT raiseRequested(u"overview"_s);
}

void BundleDock::showInHex()
{
    onCurrentChanged(m_tree->currentIndex());
    raiseHex();
}

bool BundleDock::eventFilter(QObject *watched, QEvent *event)
{
    if (watched == m_tree->viewport() && event->type() == QEvent::Resize)
        fitResized();
    return Dock::eventFilter(watched, event);
}

/// All figures stand beside the names where they fit whole beside names that are short. Where they
/// do not, form, ratio and zeros have a second line. Until the user sets a width.
void BundleDock::fitNameColumn()
{
    m_fitAgain = m_fitting; // a scroll bar came or went, by the widths that are set below
    if (m_userSized || m_fitting)
        return;
    m_fitting = true;
    const int room = m_tree->viewport()->width();
    setTwoLines(wantsTwoLines());
    if (m_header->twoLines())
        fitTwoLines();
    else
        fitOneLine();
    m_fitting = false;
    if (m_fitAgain && room != m_tree->viewport()->width())
        fitNameColumn();
}

bool BundleDock::wantsTwoLines() const
{
    return m_twoAction->isChecked() && !columnsChosen() && !fitsOneLine();
}

/// Between two workspaces a dock is as wide as the window for a moment, and rows of other lines are
/// laid out anew, however many there are: they change once the dock has its place.
void BundleDock::fitResized()
{
    if (!m_userSized && !m_fitting && wantsTwoLines() != m_header->twoLines())
        m_refit->start();
    else
        fitNameColumn();
}

/// Form and bytes stand beside the names; further figures where they fit whole beside short names.
void BundleDock::fitOneLine()
{
    QHeaderView *header = m_header;
    for (const char *key : {"form", "stored_bytes", "bits_per_weight", "ratio", "zero_fraction"}) {
        const int column = m_model->columnOf(key);
        const int cells = static_cast<QAbstractItemView *>(m_tree)->sizeHintForColumn(column);
        header->resizeSection(
            column, std::min(std::max(cells, figureWidth(key)), theme::em(this, kMostForm)));
    }
    const int names = m_model->columnOf("name");
    const int room = m_tree->viewport()->width(), least = theme::em(this, kLeastName);
    const int wanted = std::min(static_cast<QAbstractItemView *>(m_tree)->sizeHintForColumn(names),
                                theme::em(this, kNameWidth));
    // Names that are short leave room for all figures: not less than a name has at least, or the
    // edge cuts the last of them. A bundle without weights has no further ones to show.
    const int wide = std::max(least, std::min(wanted, shortNamesWidth()));
    const bool weights = m_model->bundle() && !m_model->bundle()->weights().empty();
    const int most = weights ? header->count() : kFirstFigures + 1;
    int name = room;
    for (int visual = 1; visual < most; ++visual) {
        const int left = name - header->sectionSize(header->logicalIndex(visual));
        if (left < (visual <= kFirstFigures ? std::min(wanted, least) : wide))
            break;
        name = left;
    }
    header->resizeSection(names, std::max(least, name));
}

/// The figures have what they need, the names the rest.
void BundleDock::fitTwoLines()
{
    const int bytes = m_model->columnOf("stored_bytes"), names = m_model->columnOf("name");
    const int figures = static_cast<QAbstractItemView *>(m_tree)->sizeHintForColumn(bytes);
    m_header->resizeSection(bytes, figures);
    m_header->resizeSection(
        names, std::max(theme::em(this, kLeastForm), m_tree->viewport()->width() - figures));
}

/// Whether form, bytes, ratio and zeros fit whole beside short names. A bundle without weights has
/// nothing for a second line. Before there is one, as most bundles will want it: its rows then come
/// with the lines that they keep.
bool BundleDock::fitsOneLine() const
{
    if (!m_model->bundle())
        return m_tree->viewport()->width() >= theme::em(this, kLikelyWidth);
    if (m_model->bundle()->weights().empty())
        return true;
    const int names = std::max(theme::em(this, kLeastName), shortNamesWidth());
    int wanted = std::min(names, theme::em(this, kNameWidth));
    for (const char *key : {"form", "stored_bytes", "ratio", "zero_fraction"})
        wanted += std::min(figureWidth(key), theme::em(this, kMostForm));
    return wanted <= m_tree->viewport()->width();
}

/// Whether the user has hidden a column that the second line would show: columns then stay columns.
bool BundleDock::columnsChosen() const
{
    const QVariantList own = m_header->property(kAbsentColumns).toList();
    for (int column = 0; column < m_header->count(); ++column) {
        if (m_header->isSectionHidden(column) && !own.contains(column))
            return true;
    }
    return false;
}

void BundleDock::setTwoLines(bool two)
{
    if (two == m_header->twoLines())
        return;
    const int names = m_model->columnOf("name"), bytes = m_model->columnOf("stored_bytes");
    QVariantList below;
    for (int column = 0; column < m_header->count(); ++column) {
        if (column == names || column == bytes)
            continue;
        m_header->setSectionHidden(column, two);
        if (two)
            below << column;
    }
    m_header->setProperty(kAbsentColumns, below); // not what the user hides
    m_tree->setItemDelegateForColumn(names, two ? m_rows : m_oneLine);
    m_tree->setItemDelegateForColumn(bytes, two ? m_rows : nullptr);
    m_header->setTwoLines(two);
    m_tree->doItemsLayout();
    m_tree->scrollTo(m_tree->currentIndex());
}

void BundleDock::onSectionResized(int before, int now)
{
    if (growsByItself(m_header)) {
        fitNameColumn();
    } else if (!m_fitting && m_header->twoLines() && before == 0 && now > 0) {
        // A column that the user wants to see: all of them are columns then.
        QTimer::singleShot(0, this, [this] { m_twoAction->setChecked(false); });
    } else if (!m_fitting && !m_userSized && before > 0 && now > 0) {
        m_userSized = true;
        if (!m_header->twoLines())
            m_tree->setHorizontalScrollBarPolicy(Qt::ScrollBarAsNeeded);
    }
}

/// Of the first weights.
int BundleDock::shortNamesWidth() const
{
    const std::size_t weights = m_model->bundle() ? m_model->bundle()->weights().size() : 0;
    int widest = 0;
    for (std::size_t i = 0; i < std::min(weights, kMeasured); ++i) {
        const QModelIndex index = m_model->indexOfWeight(i, m_model->columnOf("name"));
        if (index.isValid())
            widest = std::max(widest, m_tree->fontMetrics().horizontalAdvance(
                                          index.data(kShortNameRole).toString()));
    }
    // Levels of the tree and margins.
    return widest + 2 * m_tree->indentation() + theme::em(this, 1.5);
}

/// A column of figures as wide as what it holds and its title.
int BundleDock::figureWidth(const char *key) const
{
    const int column = m_model->columnOf(key);
    // The arrow of the order has its room only while it is there: names need it more.
    const int title = fontMetrics().horizontalAdvance(
                          m_model->headerData(column, Qt::Horizontal, Qt::DisplayRole).toString()) +
                      theme::em(this, kTitleRoom);
    // In two lines the cells of the bytes hold more than the bytes. As the style has it: a margin
    // on both sides of a text, and of an icon.
    const int margins = 2 * (m_tree->style()->pixelMetric(QStyle::PM_FocusFrameHMargin) + 1);
    int cells = 0;
    const std::size_t weights = m_model->bundle() ? m_model->bundle()->weights().size() : 0;
    for (std::size_t i = 0; i < std::min(weights, kFigures); ++i) {
        const QModelIndex index = m_model->indexOfWeight(i, column);
        if (!index.isValid())
            continue;
        const int icon = index.data(Qt::DecorationRole).isValid()
                             ? m_tree->iconSize().width() + 2 * margins
                             : margins;
        cells = std::max(cells, icon + m_tree->fontMetrics().horizontalAdvance(
                                           index.data(Qt::DisplayRole).toString()));
    }
    for (const QModelIndex &group : m_model->groupIndexes()) {
        if (group.parent().isValid()) // "13 weights"; the bundle takes its row for its name
            cells = std::max(cells, m_tree->fontMetrics().horizontalAdvance(
                                        group.siblingAtColumn(column).data().toString()));
    }
    cells += cells > 0 ? theme::em(this, kTitleRoom) - margins / 2 : 0;
    return std::max({cells, filesWidth(column), title});
}

/// Of the first files, which the view does not measure while their group is closed: opening it must
/// neither cut what they say nor move the columns.
int BundleDock::filesWidth(int column) const
{
    const std::size_t files = m_model->bundle() ? m_model->bundle()->files().size() : 0;
    int widest = 0;
    for (std::size_t i = 0; i < std::min(files, kMeasured); ++i) {
        const QModelIndex index = m_model->indexOfFile(i, column);
        if (index.isValid())
            widest = std::max(widest, m_tree->fontMetrics().horizontalAdvance(
                                          index.data(Qt::DisplayRole).toString()));
    }
    return widest > 0 ? widest + theme::em(this, kTitleRoom) : 0;
}

QString BundleDock::filterHelp()
{
    return tr("Terms, which must all hold; a minus turns one round:\n"
              "conv_1 \u2013 letters of the name, form, function or operation\n"
              "form:sparse \u2013 also name, function, op, type, source\n"
              "bytes>1M \u2013 also elements, ratio, zeros, axes\n"
              "folds:M1 \u2013 also streams, dense, rejected, with any chip");
}

/// Zeros were counted, or chips judged: what the filter asks of them may be known now.
void BundleDock::refilter()
{
    if (m_model->filter().isEmpty() || !m_model->bundle())
        return;
    m_following = true;
    m_model->refilter();
    m_following = false;
    openGroups();
    followPlace();
    updateFooter();
}

/// Under the box, as soon as a term is typed that cannot be read; the rows stay meanwhile.
void BundleDock::showFault()
{
    // A term that is only begun is no fault yet.
    const QString typed = m_filter->text();
    const bool begun = !typed.isEmpty() && u":<>="_s.contains(typed.back());
    const QString fault = begun ? QString() : m_model->filterFault();
    m_fault->setVisible(!fault.isEmpty());
    m_fault->setText(fault.isEmpty() ? QString()
                                     : severityGlyph(Severity::Error) + QLatin1Char(' ') + fault);
}

void BundleDock::updateFooter()
{
    const BundlePtr &bundle = m_model->bundle();
    if (!bundle) {
        m_footer->clear();
        return;
    }
    const Totals &totals = m_totals;
    const std::size_t shown = m_model->shownWeights();
    const QString count =
        shown == totals.weights
            ? totals.weights == 1 ? tr("1 weight")
                                  : tr("%1 weights").arg(groupedNumber(totals.weights))
            : tr("%1 of %2 weights").arg(groupedNumber(shown), groupedNumber(totals.weights));
    const bool known = m_bytesKnown;
    const QString text =
        known ? tr("%1 · %2 B stored · %3 of fp16")
                    .arg(count, groupedNumber(totals.storedBytes.value), ratioText(totals.ratio))
              : tr("%1 · stored bytes unknown").arg(count);
    m_footer->setText(text);
    // The title has room for the figures; the tooltip of the footer has all.
    const QString figures =
        shown == totals.weights && known
            ? tr("%1 B \u00B7 %2")
                  .arg(groupedNumber(totals.storedBytes.value), ratioText(totals.ratio))
            : count;
    setNote(m_model->filterFault().isEmpty() ? figures : tr("the filter cannot be read"));
    QStringList forms{text};
    for (const auto &[form, number] : totals.forms)
        forms += tr("%1: %2").arg(fromUtf8(formWords(form)), groupedNumber(number));
    m_footer->setToolTip(forms.join(u'\n'));
}

/// Weights whose bytes differ from the disk, or did when their zeros were last counted; and those
/// with literals, whose bytes are in the program's text; and those that an edit kept from being
/// counted.
std::vector<std::size_t> BundleDock::staleWeights()
{
    const Bundle &bundle = *m_model->bundle();
    m_touched.resize(bundle.weights().size(), false);
    std::vector<std::size_t> stale;
    for (std::size_t i = 0; i < m_touched.size(); ++i) {
        const OperandList &operands = bundle.weights()[i].operands();
        const bool literal =
            std::any_of(operands.begin(), operands.end(),
                        [](const codec::Operand &operand) { return operand.place->isLiteral(); });
        const bool changed = m_model->isChanged(i);
        const bool known = m_model->zeroFraction(i).has_value();
        const bool waits = m_zerosWanted && !known && !bundle.weights()[i].fault;
        if (waits || (known && (changed || literal || m_touched[i])))
            stale.push_back(i);
        m_touched[i] = changed;
    }
    return stale;
}

void BundleDock::countZeros(std::vector<std::size_t> weights)
{
    m_zerosTask.stop();
    if (weights.empty())
        return;
    using Shares = std::vector<std::pair<std::size_t, double>>;
    const BundlePtr bundle = m_model->bundle();
    m_zerosTask.start(
        tr("Counting zeros"),
        [bundle, weights = std::move(weights)](Progress &progress) {
            const BundleReadLock lock(*bundle);
            std::uint64_t elements = 0;
            for (const std::size_t weight : weights)
                elements += bundle->weights()[weight].elements.value;
            progress.setTotal(elements);
            Shares shares;
            for (const std::size_t weight : weights) {
                if (progress.cancelled())
                    break;
                const auto figures = computeStatistics(*bundle, weight, {}, &progress);
                if (figures)
                    shares.emplace_back(weight, figures->zeroFraction());
            }
            return shares;
        },
        [this](const Shares &shares) {
            m_model->setZeroFractions(shares);
            refilter();
        });
}

} // namespace kernscope::ui

#include "bundle_dock.moc"
#include "moc_bundle_dock.cpp"
