// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/common/dock.h"
#include "widgets/models/task_manager.h"

#include <QList>
#include <QTimer>

#include <array>

namespace kernscope::ui {

class DiagnosticsModel;

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
