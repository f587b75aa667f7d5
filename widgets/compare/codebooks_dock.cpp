// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/compare/codebooks_dock.h"

#include "core/report/difference_formats.h"
#include "widgets/common/dock_tools.h"
#include "widgets/common/qt.h"
#include "widgets/compare/compare_runner.h"
#include "widgets/models/theme.h"

namespace kernscope::ui {

namespace {

/// A sign beside the word, so that a column of them is read at a glance; by EntryChange.
constexpr std::array<const char *, kEntryChanges> kChangeGlyphs{
    "=", "\u21C5", "\u2260", "\u22CF", "\u22CE", "\u2715", "\u25CB", "+"};

} // namespace

CodebookPairModel::CodebookPairModel(QObject *parent) : RowTable(report::entryTable(), parent)
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
    : Dock(session, QStringLiteral("codebooks"), tr("Codebooks"), parent),
      m_model(new CodebookPairModel(this))
{
    auto *content = new QWidget(this);
    QVBoxLayout *column = contentColumn(content);
    m_title = new QLabel(content);
    m_title->setTextFormat(Qt::RichText);
    m_title->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    column->addWidget(m_title);
    m_table =
        makeTable(content, tr("Entries of both codebooks"), m_model, {6, 8, 6, 9, 10, 8, 6, 6});
    m_table->setMinimumHeight(theme::em(this, 4));
    column->addWidget(m_table, 1);
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
    connect(&session, &Session::otherChanged, this, &CodebooksDock::scheduleRefresh);
    connect(this, &Dock::pinnedChanged, this, [this](bool pinned) {
        if (!pinned)
            setPlaces(m_latest);
    });
    showMessage(tr("Select a pair of palettes in Compare to see their codebooks entry to entry."));
}

void CodebooksDock::setPlaces(const PairPlaces &places)
{
    m_latest = places;
    // A pin holds what there is still something of.
    if (pinned() && m_places.ofNow(session()) && !m_places.sameWeights(places))
        return;
    // The places that are found later are of the same pair: its codebooks are known by then.
    const bool same = m_places.subject.a == places.subject.a &&
                      m_places.subject.b == places.subject.b &&
                      m_places.subject.sides.a == places.subject.sides.a &&
                      m_places.subject.sides.b == places.subject.sides.b &&
                      m_places.documentIsB == places.documentIsB;
    m_places = places;
    if (!same)
        scheduleRefresh();
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

#include "moc_codebooks_dock.cpp"
