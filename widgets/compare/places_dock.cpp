// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/compare/places_dock.h"

#include "core/report/difference_formats.h"
#include "widgets/common/dock_tools.h"
#include "widgets/common/labels.h"
#include "widgets/common/qt.h"
#include "widgets/compare/compare_runner.h"
#include "widgets/compare/pair_plots.h"
#include "widgets/models/words.h"

namespace kernscope::ui {

namespace {

QLabel *titleLabel(QWidget *parent)
{
    auto *label = new QLabel(parent);
    label->setTextFormat(Qt::RichText);
    label->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    return label;
}

QTableView *placesTable(QWidget *parent, const QString &name, QAbstractItemModel *model,
                        std::initializer_list<double> widths)
{
    auto *table = makeTable(parent, name, model, widths);
    table->setMinimumHeight(theme::em(parent, 4));
    return table;
}

} // namespace

bool PairPlaces::ofNow(const Session &session) const
{
    return sameTables(documentIsB ? subject.b : subject.a, session.bundle()) &&
           sameTables(documentIsB ? subject.a : subject.b, session.other());
}

PairPlacesDock::PairPlacesDock(Session &session, const QString &id, const QString &title,
                               QWidget *parent)
    : Dock(session, id, title, parent)
{
    connect(&session, &Session::otherChanged, this, &PairPlacesDock::scheduleRefresh);
    connect(this, &Dock::pinnedChanged, this, [this](bool pinned) {
        if (!pinned)
            setPlaces(m_latest);
    });
}

void PairPlacesDock::setPlaces(const PairPlaces &places)
{
    m_latest = places;
    // A pin holds what there is still something of.
    if (pinned() && m_places.ofNow(session()) && !m_places.sameWeights(places))
        return;
    const bool other = replaces(places);
    m_places = places;
    if (other)
        scheduleRefresh();
}

PlacesDock::PlacesDock(Session &session, QWidget *parent)
    : PairPlacesDock(session, u"places"_s, tr("Channels and Elements"), parent),
      m_channelModel(new ChannelModel(this)), m_elementModel(new ElementModel(this))
{
    auto *content = new QWidget(this);
    QVBoxLayout *column = contentColumn(content);
    QWidget *channels = buildChannels(content);
    m_strip = new ChannelPlot(content);
    auto *splitter = parted(Qt::Horizontal, {channels, m_strip, buildElements(content)});
    splitter->setSizes({theme::em(this, 34), theme::em(this, 24), theme::em(this, 32)});
    column->addWidget(splitter, 1);
    buildActions();
    setContent(content, m_elements);
    connect(m_strip, &PlotWidget::currentPointChanged, this, [this](int point) {
        if (point >= 0)
            goTo(m_strip->elementOf(point));
    });
    showMessage(tr("Select a pair of weights in Compare to see where they are furthest apart."));
}

QWidget *PlacesDock::buildChannels(QWidget *parent)
{
    auto *box = new QWidget(parent);
    auto *column = withoutMargins(new QVBoxLayout(box), theme::em(this, 0.2));
    m_channelTitle = titleLabel(box);
    m_channels = placesTable(box, tr("Output channels that differ"), m_channelModel,
                             {4.5, 5.5, 5.5, 4.5, 4.5, 4.5, 4.5, 5});
    laidOut(column, {m_channelTitle, {m_channels, 1}});
    goWhenChosen(m_channels, [this](int row) { return m_channelModel->elementAt(row); });
    return box;
}

QWidget *PlacesDock::buildElements(QWidget *parent)
{
    auto *box = new QWidget(parent);
    auto *column = withoutMargins(new QVBoxLayout(box), theme::em(this, 0.2));
    m_elementTitle = titleLabel(box);
    m_elements =
        placesTable(box, tr("Elements that differ most"), m_elementModel, {5.5, 6, 6, 5, 5, 4.5});
    laidOut(column, {m_elementTitle, {m_elements, 1}});
    goWhenChosen(m_elements, [this](int row) { return m_elementModel->elementAt(row); });
    return box;
}

/// Goes to the element of a row that is the only one selected, and of one that is activated.
/// Several are selected to be copied, and a table that gets the focus selects nothing.
void PlacesDock::goWhenChosen(QTableView *table,
                              const std::function<std::optional<std::uint64_t>(int)> &elementAt)
{
    connect(table, &QAbstractItemView::activated, this,
            [this, elementAt](const QModelIndex &index) { goTo(elementAt(index.row())); });
    connect(table->selectionModel(), &QItemSelectionModel::selectionChanged, this,
            [this, table, elementAt] {
                const QModelIndexList rows = table->selectionModel()->selectedRows();
                if (!m_following && rows.size() == 1)
                    goTo(elementAt(rows.front().row()));
            });
}

void PlacesDock::buildActions()
{
    m_worstFirst = new QAction(tr("Worst Channels First in the Plot"), this);
    m_worstFirst->setCheckable(true);
    m_worstFirst->setToolTip(tr("Sort the bars by their height instead of by the channel"));
    connect(m_worstFirst, &QAction::toggled, m_strip, &ChannelPlot::setWorstFirst);
    QList<QAction *> copies;
    for (QTableView *table : {m_channels, m_elements}) {
        const QString text = table == m_channels ? tr("Copy Channels") : tr("Copy Elements");
        copies << dockAction(table, text, QKeySequence::Copy, [table] { copySelection(*table); });
    }
    auto *channels =
        exportAction(this, session(), tr("Export Channels\u2026"), *m_channelModel, "channels");
    auto *elements = exportAction(this, session(), tr("Export Worst Elements\u2026"),
                                  *m_elementModel, "elements");
    m_copyChosen = new QAction(tr("Copy Chosen Elements from the Other"), this);
    m_copyChosen->setToolTip(tr("Give the elements that are chosen in the list of the worst ones "
                                "the values that they have in the other bundle"));
    connect(m_copyChosen, &QAction::triggered, this, &PlacesDock::copyChosen);
    m_copyChosen->setEnabled(session().patchingEnabled());
    connect(&session(), &Session::patchingEnabledChanged, m_copyChosen, &QAction::setEnabled);
    m_actions = QList<QAction *>{m_worstFirst, m_copyChosen} + copies +
                QList<QAction *>{channels, elements};
    setCompareTask({m_copyChosen}, CompareTask::Copy);
    setCompareTask(copies + QList<QAction *>{channels, elements}, CompareTask::Export);
    m_channels->addActions({m_worstFirst, channels});
    m_elements->addActions({m_copyChosen, elements});
    m_strip->addAction(m_worstFirst);
}

void PlacesDock::refresh()
{
    if (!m_places.ofNow(session()))
        m_places = {}; // of bundles that are open no more
    const WorstPlacesPtr places = m_places.places;
    const bool known = places && m_places.subject.comparable();
    m_channelModel->setPlaces(known ? places : nullptr);
    m_strip->setPlaces(known ? places : nullptr);
    const Weight *a = known ? &m_places.subject.a->weights()[m_places.subject.sides.a] : nullptr;
    const Weight *numbered = known ? &m_places.subject.weight() : nullptr;
    m_elementModel->setPlaces(known ? places : nullptr, numbered ? numbered->shape : Shape(),
                              a ? a->type : ElementType::Fp16);
    if (!session().bundle() || !session().other())
        return showMessage(needsPair());
    if (!known) {
        const bool chosen = m_places.subject.hasA() || m_places.subject.hasB();
        showMessage(!m_places.obstacle.isEmpty() ? m_places.obstacle
                    : chosen ? tr("Looking for the channels and elements that differ\u2026")
                             : tr("Select a pair of weights in Compare to see where they are "
                                  "furthest apart."));
        return;
    }
    if (places->worstElements.empty())
        return showMessage(tr("No element of %1 differs.").arg(fromUtf8(numbered->name)));
    m_channelTitle->setText(
        tr("<b>%1 of %2</b> output channels differ")
            .arg(groupedNumber(places->differentChannels), groupedNumber(places->channels)));
    m_channelTitle->setToolTip(fromUtf8(numbered->name));
    m_elementTitle->setText(countedWords(places->worstElements.size(),
                                         tr("<b>The one element</b> that differs"),
                                         tr("<b>The %1 elements</b> that differ most")));
    showContent();
    widenForNumbers(m_channels);
    widenForNumbers(m_elements);
    followPlace();
}

void PlacesDock::goTo(std::optional<std::uint64_t> element)
{
    const std::size_t weight = m_places.documentWeight();
    if (!element || weight == kNoIndex || !m_places.ofNow(session()))
        return;
    markElement(*element);
    session().goToElement(weight, m_places.subject.elementOn(!m_places.documentIsB, *element),
                          this);
}

void PlacesDock::copyChosen()
{
    QList<quint64> chosen;
    for (const QModelIndex &row : m_elements->selectionModel()->selectedRows()) {
        if (const auto element = m_elementModel->elementAt(row.row()))
            chosen.append(*element);
    }
    if (chosen.isEmpty())
        Q_EMIT session().statusMessage(tr("Choose elements in the list of the worst ones first."));
    else if (m_places.ofNow(session()))
        Q_EMIT copyWanted(chosen);
}

void PlacesDock::follow(const Place &place, QObject *origin)
{
    if (origin == this || !m_places.places || !place.element ||
        place.weight != m_places.documentWeight() || !m_places.subject.comparable())
        return;
    const auto element = m_places.subject.elementOf(!m_places.documentIsB, *place.element);
    if (!element)
        return; // of another part
    markElement(*element);
}

/// Marks the element and its channel where they are among those that are listed.
void PlacesDock::markElement(std::uint64_t element)
{
    const Weight &weight = m_places.subject.weight();
    const std::uint64_t outputs =
        weight.shape.empty() ? 1 : std::max<std::uint64_t>(weight.shape[0], 1);
    const std::uint64_t perChannel = std::max<std::uint64_t>(weight.elements.value / outputs, 1);
    const std::uint64_t channel = element / perChannel;
    const QScopedValueRollback guard(m_following, true);
    m_strip->setCurrentPoint(m_strip->pointOfChannel(channel));
    if (const int row = m_channelModel->rowOfChannel(channel); row >= 0)
        chooseRow(m_channels, m_channelModel->index(row, 0));
    if (const int row = m_elementModel->rowOfElement(element); row >= 0)
        chooseRow(m_elements, m_elementModel->index(row, 0));
}

namespace {

/// A sign beside the word, so that a column of them is read at a glance; by EntryChange.
constexpr std::array<const char *, kEntryChanges> kChangeGlyphs{
    "=", "\u21C5", "\u2260", "\u22CF", "\u22CE", "\u2715", "\u25CB", "+"};

} // namespace

CodebookPairModel::CodebookPairModel(QObject *parent) : RowTable(report::entryTable, parent)
{
    setLook([](const report::EntryFacts &row, std::string_view key, int role) -> QVariant {
        if (key != "change" || role != Qt::DisplayRole)
            return {};
        const EntryChange change = row.get().change;
        return QString::fromUtf8(kChangeGlyphs[static_cast<std::size_t>(change)]) + u' ' +
               cellText(report::Word{entryChangeName(change)});
    });
}

void CodebookPairModel::setMatch(CodebookMatchPtr match)
{
    // The previous rows stay in sight while the new ones come.
    const CodebookMatchPtr before = std::exchange(m_match, std::move(match));
    setRows(m_match ? report::entryRows(*m_match) : std::vector<report::EntryFacts>());
}

std::optional<std::uint64_t> CodebookPairModel::elementAt(int row) const
{
    return row >= 0 && row < rowCount() ? rowAt(row).get().element : std::nullopt;
}

CodebooksDock::CodebooksDock(Session &session, QWidget *parent)
    : PairPlacesDock(session, u"codebooks"_s, tr("Codebooks"), parent),
      m_model(new CodebookPairModel(this))
{
    auto *content = new QWidget(this);
    m_title = titleLabel(content);
    m_table =
        placesTable(content, tr("Entries of both codebooks"), m_model, {6, 8, 6, 9, 10, 8, 6, 6});
    laidOut(contentColumn(content), {m_title, {m_table, 1}});
    auto *copy = copyAction(m_table, tr("Copy Entries"), m_table);
    auto *save = exportAction(this, session, tr("Export Entries\u2026"), *m_model, "codebooks");
    m_again = dockAction(this, tr("Match Codebooks Again"), {}, [this] { scheduleRefresh(); });
    m_again->setEnabled(false);
    m_table->addActions({m_again, save});
    m_actions = {m_again, copy, save};
    setCompareTask({m_again}, CompareTask::Limits);
    setCompareTask({copy, save}, CompareTask::Export);
    setContent(content, m_table);
    connect(m_table, &QAbstractItemView::activated, this, [this](const QModelIndex &index) {
        const auto element = m_model->elementAt(index.row());
        const std::size_t weight = m_matched.documentWeight();
        if (element && weight != kNoIndex && m_matched.ofNow(this->session()))
            this->session().goToElement(
                weight, m_matched.subject.elementOn(!m_matched.documentIsB, *element), this);
    });
    m_task.whenCancelled([this] {
        m_again->setEnabled(true);
        clear(tr("The matching was cancelled. Match Codebooks Again in the Compare menu starts it "
                 "anew."));
    });
    showMessage(tr("Select a pair of palettes in Compare to see their codebooks entry to entry."));
}

/// The places that are found later are of the same pair: its codebooks are known by then.
bool CodebooksDock::replaces(const PairPlaces &places) const
{
    const PairSubject &is = m_places.subject, &will = places.subject;
    return is.a != will.a || is.b != will.b || is.sides.a != will.sides.a ||
           is.sides.b != will.sides.b || m_places.documentIsB != places.documentIsB;
}

void CodebooksDock::clear(const QString &message)
{
    m_model->setMatch(nullptr);
    m_matched = {};
    showMessage(message);
}

void CodebooksDock::refresh()
{
    m_task.stop();
    m_again->setEnabled(false);
    if (!m_places.ofNow(session())) {
        m_places = {}; // of bundles that are open no more
    } else {
        // The current bytes, also where the Compare dock is closed and tells of none.
        const BundlePtr &document = session().bundle(), &other = session().other();
        m_places.subject.a = m_places.documentIsB ? other : document;
        m_places.subject.b = m_places.documentIsB ? document : other;
    }
    const PairSubject &subject = m_places.subject;
    if (!session().bundle() || !session().other())
        clear(needsPair());
    else if (!subject.comparable())
        clear(subject.obstacle.isEmpty()
                  ? tr("Select a pair of palettes in Compare to see their codebooks entry to "
                       "entry.")
                  : subject.obstacle);
    else if (!hasCodebooks(*subject.a, *subject.b, subject.sides))
        clear(
            tr("%1 is not stored with codebooks on both sides: there are none to set side by side.")
                .arg(fromUtf8(subject.a->weights()[subject.sides.a].name)));
    else
        match();
}

void CodebooksDock::match()
{
    if (!m_matched.sameWeights(m_places))
        clear(tr("Matching codebooks\u2026"));
    m_task.start(
        tr("Matching codebooks"),
        [subject = m_places.subject](Progress &progress) {
            progress.setTotal(subject.weight().elements.value);
            return matchCodebooks(*subject.a, *subject.b, subject.sides, &progress);
        },
        [this](const Result<CodebookMatch> &match) { showMatch(match); });
}

void CodebooksDock::showMatch(const Result<CodebookMatch> &match)
{
    if (!match) {
        clear(fromUtf8(describe(match.error())));
        return;
    }
    m_title->setText(tr("<b>%1</b>: %2")
                         .arg(fromUtf8(m_places.subject.weight().name).toHtmlEscaped(),
                              fromUtf8(report::codebookCountsText(*match))));
    m_model->setMatch(std::make_shared<const CodebookMatch>(*match));
    m_matched = m_places;
    showContent();
}

} // namespace kernscope::ui

#include "moc_places_dock.cpp"
