// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/common/diagnostics_dock.h"

#include "core/bundle/bundle.h"
#include "core/bundle/statistics.h"
#include "widgets/common/dock_tools.h"
#include "widgets/common/labels.h"
#include "widgets/common/qt.h"
#include "widgets/models/table_text.h"
#include "widgets/models/theme.h"

namespace kernscope::ui {

void DiagnosticsModel::setRows(Source source, const Diagnostics &rows)
{
    const auto from = [source](const Entry &entry) { return entry.source == source; };
    if (rows.empty() && std::none_of(m_entries.begin(), m_entries.end(), from))
        return;
    replaceRows(false, [&] {
        m_entries.erase(std::remove_if(m_entries.begin(), m_entries.end(), from), m_entries.end());
        for (const Diagnostic &row : rows)
            m_entries.push_back({source, row});
    });
}

void DiagnosticsModel::addRow(Source source, const Diagnostic &row)
{
    replaceRows(false, [&] { m_entries.push_back({source, row}); });
}

void DiagnosticsModel::setShown(Severity severity, bool shown)
{
    bool &now = m_shown[static_cast<std::size_t>(severity)];
    if (std::exchange(now, shown) == shown)
        return;
    chooseAnew();
}

std::size_t DiagnosticsModel::countOf(Severity severity) const
{
    return static_cast<std::size_t>(
        std::count_if(m_entries.begin(), m_entries.end(), [severity](const Entry &entry) {
            return entry.diagnostic.severity == severity;
        }));
}

std::string DiagnosticsModel::originOf(std::size_t row, std::size_t) const
{
    return describe(m_entries[row].diagnostic.error);
}

QVariant DiagnosticsModel::lookOf(std::size_t row, int column, int role) const
{
    return role == Qt::DecorationRole && keyOf(column) == "severity"
               ? QVariant(severityIcon(m_entries[row].diagnostic.severity))
               : QVariant();
}

QString placeText(const Error &error)
{
    QString text = fromUtf8(error.file);
    if (error.offset)
        text += u'+' + hexNumber(error.offset->value);
    return text;
}

namespace {

constexpr int kAfterEditMs = 400; ///< edits come in bursts
constexpr std::array kSeverities{Severity::Error, Severity::Warning, Severity::Note};

} // namespace

DiagnosticsDock::DiagnosticsDock(Session &session, QWidget *parent)
    : Dock(session, u"diagnostics"_s, tr("Diagnostics"), parent),
      m_model(new DiagnosticsModel(this))
{
    setShowsFiles(false);
    auto *content = new QWidget(this);
    const int gap = theme::em(this, 0.25);
    QVBoxLayout *column = contentColumn(content);
    m_table = makeTable(content, tr("Faults found"), m_model, {6, 9, 17, 10, 30, 12, 12});
    m_table->horizontalHeader()->setStretchLastSection(true);
    // What is wrong is in view first; copies and files keep the order of the columns.
    m_table->horizontalHeader()->moveSection(m_model->columnOf("message"), 1);
    m_state = new QLabel(content);
    m_state->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    buildFilters(content);
    auto *bar = new QHBoxLayout;
    bar->setSpacing(gap);
    for (QToolButton *button : m_severities)
        bar->addWidget(button);
    bar->addWidget(m_filter, 1);
    laidOut(column, {bar, {m_table, 1}, m_state});
    setContent(content, m_table);
    buildActions();

    connect(m_table, &QTableView::activated, this, &DiagnosticsDock::open);
    connect(&session, &Session::bundleChanged, this, &DiagnosticsDock::onBundleChanged);
    connect(&session, &Session::bytesChanged, this, [this] {
        m_unchecked = true;
        if (m_checkWanted)
            m_checkSoon.start(kAfterEditMs);
    });
    m_checkSoon.setSingleShot(true);
    connect(&m_checkSoon, &QTimer::timeout, this, &DiagnosticsDock::checkPayloads);
    m_task.whenCancelled([this] { showRows(); });
    updateCounts();
}

void DiagnosticsDock::buildFilters(QWidget *parent)
{
    for (const Severity severity : kSeverities) {
        auto *button = new QToolButton(parent);
        button->setCheckable(true);
        button->setChecked(true);
        button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
        button->setIcon(severityIcon(severity));
        button->setIconSize(m_table->iconSize());
        button->setToolTip(tr("Show rows of severity: %1").arg(severityWord(severity)));
        connect(button, &QToolButton::toggled, this,
                [this, severity](bool shown) { m_model->setShown(severity, shown); });
        m_severities[static_cast<std::size_t>(severity)] = button;
    }
    m_filter = filterBox(parent, tr("Filter by code, place or message"), m_table);
    connect(m_filter, &QLineEdit::textChanged, m_model, &DiagnosticsModel::setFilter);
}

void DiagnosticsDock::buildActions()
{
    auto *find = findAction(this, tr("Filter Diagnostics"), m_filter);
    auto *copy = copyAction(this, tr("Copy Rows"), m_table);
    auto *go = dockAction(this, tr("Go to Place"), {}, [this] { open(m_table->currentIndex()); });
    auto *save = exportAction(this, session(), tr("Export Diagnostics…"), *m_model, "diagnostics");
    m_check = dockAction(this, tr("Check All Payloads"), {}, [this] {
        m_checkWanted = true;
        checkPayloads();
    });
    m_actions = {find, copy, go, save, m_check};
    m_table->addActions(m_actions);
}

std::size_t DiagnosticsDock::countOf(Severity severity) const
{
    return m_model->countOf(severity);
}

void DiagnosticsDock::onBundleChanged()
{
    m_unchecked = true;
    const BundlePtr &bundle = session().bundle();
    m_checkWanted = bundle && bundle->totals().storedBytes.value <= kMostBytesUnasked;
    // At once, though hidden: the status bar counts these rows.
    m_model->setRows(DiagnosticsModel::Source::Payloads, {});
    m_model->setRows(DiagnosticsModel::Source::Tables,
                     bundle ? bundle->diagnostics() : Diagnostics{});
    updateCounts();
    m_checkSoon.stop();
    if (m_checkWanted)
        m_checkSoon.start(0);
}

void DiagnosticsDock::addRow(const Diagnostic &diagnostic)
{
    m_model->addRow(DiagnosticsModel::Source::Other, diagnostic);
    updateCounts();
    showRows();
}

void DiagnosticsDock::refresh()
{
    const BundlePtr &bundle = session().bundle();
    m_model->setRows(DiagnosticsModel::Source::Tables,
                     bundle ? bundle->diagnostics() : Diagnostics{});
    updateCounts();
    showRows();
}

void DiagnosticsDock::showRows()
{
    m_check->setEnabled(session().bundle() != nullptr);
    if (!session().bundle() && m_model->count() == 0)
        return showMessage(tr("Open a bundle to see what is wrong with it (Ctrl+O)."));
    if (!m_task.running() && !m_unchecked && m_model->count() == 0) {
        showMessage(tr("Nothing is wrong with %1: its tables and payloads were read and are sound.")
                        .arg(fromUtf8(session().bundle()->name())));
        return;
    }
    if (!session().bundle())
        m_state->setText(tr("No bundle is open."));
    else if (m_task.running())
        m_state->setText(tr("Reading the payloads…"));
    else if (m_unchecked)
        m_state->setText(tr("The payloads have not been read: Check All Payloads reads them."));
    else
        m_state->setText(tr("Tables and payloads have been read."));
    showContent();
}

void DiagnosticsDock::checkPayloads()
{
    const BundlePtr bundle = session().bundle();
    if (!bundle)
        return;
    m_task.start(
        tr("Checking payloads"),
        [bundle](Progress &progress) {
            const BundleReadLock lock(*bundle);
            std::uint64_t elements = 0;
            for (const Weight &weight : bundle->weights())
                elements += weight.elements.value;
            progress.setTotal(elements);
            return verifyPayloads(*bundle, &progress);
        },
        [this](const Diagnostics &found) {
            m_unchecked = false;
            m_model->setRows(DiagnosticsModel::Source::Payloads, found);
            updateCounts();
            showRows();
        });
    showRows();
}

void DiagnosticsDock::updateCounts()
{
    for (const Severity severity : kSeverities) {
        QToolButton *button = m_severities[static_cast<std::size_t>(severity)];
        const QString text = severityCount(severity, m_model->countOf(severity));
        button->setText(text);
        button->setAccessibleName(text);
    }
    Q_EMIT countsChanged();
}

void DiagnosticsDock::open(const QModelIndex &index)
{
    const BundlePtr &bundle = session().bundle();
    if (!index.isValid() || !bundle)
        return;
    const Error &error = m_model->diagnosticAt(index.row()).error;
    const auto file = bundle->fileByPath(error.file);
    if (!file) {
        Q_EMIT session().statusMessage(fromUtf8(describe(error)));
        return;
    }
    const FileOffset offset = error.offset.value_or(FileOffset(0));
    session().goToBytes(*file, {offset, error.length.value_or(ByteCount(1))}, this);
    raiseHex();
}

} // namespace kernscope::ui

#include "moc_diagnostics_dock.cpp"
