// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/search/search_dock.h"

#include "core/base/overlaid_file.h"
#include "widgets/common/dock_tools.h"
#include "widgets/common/labels.h"
#include "widgets/common/number_field.h"
#include "widgets/common/qt.h"
#include "widgets/common/table_tools.h"
#include "widgets/models/theme.h"

namespace kernscope::ui {

namespace {

constexpr int kSearchClockMs = 80;

using search::What;

constexpr qint64 kTopUnasked = 100, kMostTop = 10'000; ///< largest magnitudes to list

} // namespace

SearchDock::SearchDock(Session &session, QWidget *parent)
    : Dock(session, u"search"_s, tr("Search"), parent),
      m_model(new SearchModel(report::hitTable, this))
{
    auto *content = new QWidget(this);
    QVBoxLayout *column = contentColumn(content);
    auto *bar = new QHBoxLayout;
    bar->setSpacing(theme::em(this, 0.25));
    m_table = new QTableView(content);
    buildBar(bar, content);
    buildTable();
    m_message = new ElidedLabel(Qt::ElideRight, content);
    laidOut(column, {bar, {m_table, 1}, m_message});
    setContent(content, m_pattern);
    buildActions();
    m_clock = new QTimer(this);
    m_clock->setInterval(kSearchClockMs);
    connect(m_clock, &QTimer::timeout, this,
            [this] { m_progress->setValue(static_cast<int>(m_task.fraction() * 1000)); });
    // The status bar may cancel the search as well; its result then never comes.
    m_task.whenCancelled([this] {
        setWorking(false);
        say(tr("Cancelled."));
    });
    showFields();
}

void SearchDock::buildBar(QBoxLayout *bar, QWidget *parent)
{
    const auto box = [parent](const QStringList &items, const QString &name) {
        auto *made = new QComboBox(parent);
        made->addItems(items);
        made->setAccessibleName(name);
        made->setToolTip(name);
        return made;
    };
    m_kind = box({tr("Bytes"), tr("Text"), tr("Integer"), tr("Value"), tr("NaN"), tr("Infinity"),
                  tr("Zero elements"), tr("Zero bytes"), tr("Largest magnitudes"),
                  tr("Codes out of range")},
                 tr("What to look for"));
    m_pattern = clearableLine(parent, tr("What to find"));
    m_tolerance = named(new QLineEdit(parent), tr("Tolerance"));
    m_tolerance->setPlaceholderText(tr("within \u00B1"));
    m_tolerance->setToolTip(tr("How far the value may be away. Empty: exactly what the weight's "
                               "type makes of the number."));
    takeNumbers(m_tolerance, {false, true, 0});
    m_tolerance->setMaximumWidth(theme::em(this, 6));
    m_width = box({tr("8 bits"), tr("16 bits"), tr("32 bits"), tr("64 bits")},
                  tr("Width of the integer"));
    m_width->setCurrentIndex(2);
    m_endian = box({tr("little-endian"), tr("big-endian")}, tr("Order of its bytes"));
    m_scope = box({tr("in the bundle"), tr("in the weight")}, tr("Where to look"));
    m_start = new QPushButton(tr("Search"), parent);
    m_progress = thinProgress(parent, tr("How far the search is"), 5);
    QSizePolicy keepsRoom = m_progress->sizePolicy();
    keepsRoom.setRetainSizeWhenHidden(true); // nothing moves when a search begins or ends
    m_progress->setSizePolicy(keepsRoom);
    m_progress->hide();
    for (QWidget *widget : std::initializer_list<QWidget *>{m_kind, m_pattern, m_tolerance, m_width,
                                                            m_endian, m_scope, m_start, m_progress})
        bar->addWidget(widget, widget == m_pattern ? 1 : 0);
    connect(m_kind, &QComboBox::currentIndexChanged, this, &SearchDock::showFields);
    connect(m_start, &QPushButton::clicked, this,
            [this] { m_task.running() ? cancel() : start(); });
}

void SearchDock::buildTable()
{
    m_table->setAccessibleName(tr("Places found"));
    m_model->setLook([](const report::HitFacts &, std::string_view key, int role) {
        return role == Qt::FontRole && key == "hex" ? QVariant(fixedFont()) : QVariant();
    });
    m_table->setModel(m_model);
    prepareTable(m_table);
    setColumnWidths(m_table->horizontalHeader(), {12, 8, 8, 6, 4.5, 4.5, 7, 18, 14, 6, 4.5, 5.5});
    growColumns(m_table, {m_model->columnOf("place"), m_model->columnOf("section"),
                          m_model->columnOf("weight"), m_model->columnOf("text")});
    connect(m_table->selectionModel(), &QItemSelectionModel::currentChanged, this,
            [this](const QModelIndex &index) {
                if (!m_filling)
                    goTo(index);
            });
    connect(m_table, &QTableView::clicked, this, &SearchDock::goTo);
    connect(m_table, &QTableView::activated, this, &SearchDock::open);
}

void SearchDock::buildActions()
{
    auto *find = dockAction(this, tr("Search Again"), QKeySequence::Find, [this] { begin(); });
    auto *copy = copyAction(this, tr("Copy Rows"), m_table);
    auto *save = exportAction(this, session(), tr("Export Places Found\u2026"), *m_model, "found");
    m_actions = {find, copy, save};
    m_table->addActions(m_actions);
}

/// The fields that the kind of search has.
void SearchDock::showFields()
{
    const int kind = m_kind->currentIndex();
    const QStringList hints{tr("ef be ?? de"),
                            tr("a text, as UTF-8"),
                            tr("-1 or 0x1f40"),
                            tr("0.25, inf or -inf"),
                            tr("every element that is not a number"),
                            tr("every element that is infinite"),
                            tr("shortest run, in elements: 1"),
                            tr("shortest run, in bytes: 64"),
                            tr("how many: 100"),
                            tr("every code without an entry in its codebook")};
    m_pattern->setPlaceholderText(hints.value(kind));
    m_pattern->setEnabled(!takesNothing(kind));
    if (!m_pattern->isEnabled())
        m_pattern->clear(); // what was typed for another kind is not looked for
    m_tolerance->setVisible(kind == Value);
    m_width->setVisible(kind == Integer);
    m_endian->setVisible(kind == Integer);
}

void SearchDock::begin()
{
    QWidget *to = m_pattern->isEnabled() ? static_cast<QWidget *>(m_pattern) : m_kind;
    to->setFocus(Qt::ShortcutFocusReason);
    m_pattern->selectAll();
}

void SearchDock::startKind(SearchKind kind)
{
    m_kind->setCurrentIndex(kind);
    m_pattern->clear();
    m_scope->setCurrentIndex(0);
    start();
}

void SearchDock::start()
{
    const BundlePtr bundle = session().bundle();
    const auto wanted = bundle ? query() : std::nullopt;
    if (!wanted)
        return;
    m_task.stop();
    say(tr("Looking\u2026"));
    setWorking(true);
    m_task.start(
        tr("Searching %1").arg(fromUtf8(bundle->name())),
        [bundle, query = *wanted, question = this->question()](Progress &progress) {
            const BundleReadLock lock(*bundle);
            progress.setTotal(search::workOf(*bundle, query));
            SearchAnswer answer{search::find(*bundle, query, &progress),
                                {},
                                question,
                                query.what == search::What::Largest};
            if (answer.found)
                answer.rows = report::hitRows(bundle, query, answer.found->hits);
            return answer;
        },
        [this, bundle](const SearchAnswer &answer) { deliver(bundle, answer); });
}

/// The columns that this kind of search has; those that no row has are hidden.
void SearchDock::showPlaces(std::vector<report::HitFacts> rows)
{
    const QScopedValueRollback guard(m_filling, true);
    m_model->setRows(std::move(rows));
    hideAbsentColumns(*m_table->horizontalHeader(), *m_model);
}

void SearchDock::deliver(const BundlePtr &bundle, const SearchAnswer &answer)
{
    const Result<search::Found> &found = answer.found;
    setWorking(false);
    if (!found)
        return say(fromUtf8(describe(found.error())));
    showPlaces(answer.rows);
    m_searched = bundle;
    const QString count = groupedNumber(found->hits.size());
    QString text = found->hits.empty() ? tr("Nothing found: %1.").arg(answer.question)
                   : found->complete   ? tr("%1 found: %2.").arg(count, answer.question)
                   : answer.ranked
                       ? tr("The %1 of largest magnitude; the next row is the next "
                            "maximum.")
                             .arg(count)
                       : tr("The first %1, there may be more: %2.").arg(count, answer.question);
    for (const Diagnostic &diagnostic : found->diagnostics)
        text += QLatin1Char(' ') + fromUtf8(diagnostic.error.message);
    say(text);
}

void SearchDock::setWorking(bool working)
{
    m_start->setText(working ? tr("Cancel") : tr("Search"));
    m_progress->setValue(0);
    m_progress->setVisible(working);
    working ? m_clock->start() : m_clock->stop();
}

void SearchDock::cancel()
{
    if (!m_task.running())
        return;
    m_task.stop();
    setWorking(false);
    say(tr("Cancelled."));
}

void SearchDock::say(const QString &text)
{
    m_message->setWholeText(text);
}

QString SearchDock::message() const
{
    return m_message->wholeText();
}

void SearchDock::refresh()
{
    const BundlePtr &bundle = session().bundle();
    if (!bundle || !m_searched || m_searched->path() != bundle->path()) {
        cancel();
        m_searched = nullptr;
        showPlaces({});
        say(tr("Enter lists every place of it; a row leads there."));
    } else if (m_searched != bundle) {
        say(tr("Found before the last change of the bytes: search again for what holds now."));
    }
    if (!bundle)
        showMessage(tr("Open a bundle to search it (Ctrl+O)."));
    else
        showContent();
}

void SearchDock::goTo(const QModelIndex &index)
{
    const BundlePtr &bundle = session().bundle();
    if (!index.isValid() || !bundle || !m_searched || m_searched->path() != bundle->path())
        return;
    const search::Hit &hit = m_model->rowAt(index.row()).hit;
    if (hit.element && hit.weight < bundle->weights().size() &&
        *hit.element < bundle->weights()[hit.weight].elements.value)
        session().goToElement(hit.weight, *hit.element, this);
    else if (!hit.element && hit.file < bundle->files().size() &&
             fitsInside(hit.bytes, ByteCount(bundle->files()[hit.file].file->size().value)))
        session().goToBytes(hit.file, hit.bytes, this);
}

void SearchDock::open(const QModelIndex &index)
{
    goTo(index);
    if (index.isValid())
        Q_EMIT raiseRequested(m_model->rowAt(index.row()).hit.element ? u"weight"_s : u"hex"_s);
}

void SearchDock::keyPressEvent(QKeyEvent *event)
{
    const bool enter = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
    // From every field: a search for NaN has no line that one could press Enter in.
    if (enter && !m_table->hasFocus())
        start();
    else if (event->key() == Qt::Key_Escape && m_task.running())
        cancel();
    else
        Dock::keyPressEvent(event);
}

QString SearchDock::question() const
{
    QString words = m_kind->currentText();
    if (const QString typed = m_pattern->text().trimmed(); !typed.isEmpty())
        words += u' ' + typed;
    if (m_tolerance->isVisibleTo(this) && !m_tolerance->text().trimmed().isEmpty())
        words += u" \u00B1 "_s + m_tolerance->text().trimmed();
    if (m_width->isVisibleTo(this))
        words += u", %1, %2"_s.arg(m_width->currentText(), m_endian->currentText());
    return words + u", "_s + m_scope->currentText();
}

/// What the fields say; else why it is nothing to look for.
tl::expected<search::Query, QString> SearchDock::typedQuery() const
{
    search::Query query;
    const QString typed = m_pattern->text().trimmed();
    const int kind = m_kind->currentIndex();
    if (kind <= Integer)
        return typedPattern();
    if (kind == Value) {
        query.what = What::Value;
        query.wide = search::wideInteger(typed.toStdString());
        const auto value = typedNumber(typed), within = typedNumber(m_tolerance->text());
        const bool exact = m_tolerance->text().trimmed().isEmpty();
        if (!value || (!exact && !within))
            return tl::unexpected(
                tr("Not a number: %1. %2")
                    .arg(value ? m_tolerance->text() : typed,
                         fromUtf8(describe(value ? within.error() : value.error()))));
        query.value = *value;
        if (!exact)
            query.tolerance = *within;
    } else if (takesNothing(kind)) {
        query.what = kind == NotANumber ? What::NotANumber
                     : kind == Infinite ? What::Infinite
                                        : What::OutOfRange;
    } else if (kind == Top) {
        const auto most = typed.isEmpty() ? Result<qint64>(kTopUnasked) : typedInteger(typed);
        if (!most || *most < 1 || *most > kMostTop)
            return tl::unexpected(tr("Not a number from 1 to %1: %2")
                                      .arg(groupedNumber(static_cast<std::uint64_t>(kMostTop)),
                                           most ? typed : fromUtf8(describe(most.error()))));
        query.what = What::Largest;
        query.most = static_cast<std::uint64_t>(*most);
    } else {
        query.what = kind == Zeros ? What::ZeroValues : What::ZeroBytes;
        const auto least =
            typed.isEmpty() ? Result<qint64>(kind == Zeros ? 1 : 64) : typedInteger(typed);
        if (!least || *least < 0)
            return tl::unexpected(
                tr("Not a length: %1").arg(least ? typed : fromUtf8(describe(least.error()))));
        query.least = static_cast<std::uint64_t>(*least);
    }
    return query;
}

/// Bytes, a text or an integer.
tl::expected<search::Query, QString> SearchDock::typedPattern() const
{
    constexpr unsigned kWidths[] = {1, 2, 4, 8};
    const int kind = m_kind->currentIndex();
    const QString typed = m_pattern->text().trimmed();
    const auto pattern = kind == Bytes  ? search::parseBytePattern(typed.toStdString())
                         : kind == Text ? search::textPattern(m_pattern->text().toStdString())
                                        : search::integerPattern(typed.toStdString(),
                                                                 kWidths[m_width->currentIndex()],
                                                                 m_endian->currentIndex() == 1);
    if (!pattern)
        return tl::unexpected(fromUtf8(describe(pattern.error())));
    search::Query query;
    query.pattern = *pattern;
    query.text = kind == Text;
    return query;
}

std::optional<search::Query> SearchDock::query()
{
    auto query = typedQuery();
    if (query && m_scope->currentIndex() == 1) {
        query->weight = session().place().weight;
        if (query->weight == kNoIndex)
            query = tl::unexpected(
                tr("Select a weight to look in first, or look in the whole bundle."));
    }
    if (query)
        return *query;
    say(query.error());
    begin();
    return std::nullopt;
}

} // namespace kernscope::ui

#include "moc_search_dock.cpp"
