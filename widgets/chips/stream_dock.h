// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/report/reason_table.h"
#include "widgets/chips/chip_state.h"
#include "widgets/chips/stream_matrix_model.h"
#include "widgets/common/dock.h"
#include "widgets/common/row_table_model.h"

#include <QList>

class QCheckBox;
class QLabel;
class QScrollArea;
class QLineEdit;
class QTableView;

namespace kernscope::ui {

/// Stream or fold: every weight on every chip, and of the selected cell the reasons, one line a
/// gate with its offset, value and source, and the nearest change that would flip it.
class StreamDock final : public Dock
{
    Q_OBJECT

public:
    explicit StreamDock(Session &session, QWidget *parent = nullptr);

    QList<QAction *> menuActions() const { return m_actions; }
    StreamMatrixModel &model() { return *m_model; }
    RowTableModel &reasons() { return *m_reasons; }
    QTableView &matrix() { return *m_matrix; }
    QCheckBox &onlyFaster() { return *m_onlyFaster; }
    QLabel &summary() { return *m_summary; }

protected:
    void refresh() override;
    void follow(const Place &place, QObject *origin) override;
    bool working() const override { return m_state.working(); }
    bool eventFilter(QObject *object, QEvent *event) override;

private:
    void buildActions();
    void connectParts();
    void onCurrent(const QModelIndex &current);
    void showReasons();
    void fitSummary();
    QString sizesText(const roofline::Assessment &assessment) const;

    ChipState &m_state;
    StreamMatrixModel *m_model = nullptr;
    RowTable<decision::Reason> *m_reasons = nullptr;
    QTableView *m_matrix = nullptr, *m_reasonTable = nullptr;
    QLineEdit *m_filter = nullptr;
    QCheckBox *m_onlyFaster = nullptr;
    QLabel *m_summary = nullptr;
    QScrollArea *m_summaryArea = nullptr;
    QList<QAction *> m_actions;
    std::size_t m_weight = kNoIndex, m_chip = kNoIndex;
    bool m_selecting = false, m_sized = false;
};

} // namespace kernscope::ui
