// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/report/json.h"
#include "widgets/common/dock.h"
#include "widgets/models/row_table_model.h"
#include "widgets/models/task_manager.h"

#include <QTimer>

#include <array>

namespace kernscope::ui {

/// Faults that were found, a row each: what is wrong, how grave it is, and where.
class DiagnosticsModel final : public DeclaredTable<Diagnostic, const Diagnostic &>
{
    Q_OBJECT

public:
    /// Where rows come from; each source is replaced as a whole.
    enum class Source : std::uint8_t {
        Tables,   ///< found while the bundle was opened
        Payloads, ///< found by reading every payload
        Other,    ///< added one by one: what could not be opened
    };

    explicit DiagnosticsModel(QObject *parent = nullptr)
        : DeclaredTable(report::diagnosticTable, parent)
    {
    }

    void setRows(Source source, const Diagnostics &rows);
    void addRow(Source source, const Diagnostic &row);

    /// Keeps rows of these severities.
    void setShown(Severity severity, bool shown);
    bool shown(Severity severity) const { return m_shown[static_cast<std::size_t>(severity)]; }

    std::size_t countOf(Severity severity) const; ///< of all rows, filtered away or not
    std::size_t count() const { return m_entries.size(); }
    const Diagnostic &diagnosticAt(int row) const { return m_entries[sourceRow(row)].diagnostic; }

protected:
    std::size_t rowTotal() const override { return m_entries.size(); }
    const Diagnostic &factsOf(std::size_t row) const override { return m_entries[row].diagnostic; }
    std::string originOf(std::size_t row, std::size_t declared) const override;
    QVariant lookOf(std::size_t row, int column, int role) const override;
    bool admits(std::size_t row) const override
    {
        return shown(m_entries[row].diagnostic.severity);
    }

private:
    struct Entry {
        Source source = Source::Tables;
        Diagnostic diagnostic;
    };

    std::vector<Entry> m_entries;
    std::array<bool, 3> m_shown{true, true, true};
};

/// "weights/weight.bin+0x40": where a fault lies.
QString placeText(const Error &error);

/// What is wrong with the bundle: faults of its tables at once, those of its payloads as soon as
/// they have been read in the background, and what could not be opened at all.
class DiagnosticsDock final : public Dock
{
    Q_OBJECT

public:
    explicit DiagnosticsDock(Session &session, QWidget *parent = nullptr);

    /// Payloads of at most this many stored bytes are checked without being asked.
    static constexpr std::uint64_t kMostBytesUnasked = 256u << 20;

    /// Errors, warnings and notes known now, for the status bar.
    std::size_t countOf(Severity severity) const;

public Q_SLOTS:
    /// Adds a fault that is not the bundle's own, such as why a file could not be opened.
    void addRow(const kernscope::Diagnostic &diagnostic);

Q_SIGNALS:
    void countsChanged();

protected:
    void refresh() override;
    bool working() const override { return m_task.running() || m_checkSoon.isActive(); }

private:
    void buildFilters(QWidget *parent);
    void buildActions();
    void checkPayloads();
    void open(const QModelIndex &index);
    void showRows();
    void updateCounts();
    void onBundleChanged();

    DiagnosticsModel *m_model = nullptr;
    std::array<QToolButton *, 3> m_severities{};
    QLineEdit *m_filter = nullptr;
    QTableView *m_table = nullptr;
    QLabel *m_state = nullptr;
    QAction *m_check = nullptr;
    Job m_task{session().tasks()};
    QTimer m_checkSoon{this};
    bool m_unchecked = true;    ///< the payloads as they are now have not been read
    bool m_checkWanted = false; ///< by the user or because it costs little
};

} // namespace kernscope::ui
