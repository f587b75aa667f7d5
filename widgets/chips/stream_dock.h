// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/chips/chip_state.h"
#include "widgets/chips/stream_matrix_model.h"
#include "widgets/common/dock.h"

#include <QList>

class QCheckBox;
class QLineEdit;
class QTableView;

namespace kernscope::ui {

/// Stream or fold: every weight on every chip. The assessment of the selected cell is the dock of
/// that name.
class StreamDock final : public Dock
{
    Q_OBJECT

public:
    explicit StreamDock(Session &session, QWidget *parent = nullptr);

    QList<QAction *> menuActions() const { return m_actions; }
    StreamMatrixModel &model() { return *m_model; }
    QTableView &matrix() { return *m_matrix; }
    QCheckBox &onlyFaster() { return *m_onlyFaster; }

protected:
    void refresh() override;
    void follow(const Place &place, QObject *origin) override;
    bool working() const override { return m_state.working(); }
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void buildActions();
    int leastChipWidth(int room) const;
    void fitChips();
    void fitFunctions();
    void measureNames();
    void fitNames();
    void connectParts();
    void onCurrent(const QModelIndex &current);

    ChipState &m_state;
    StreamMatrixModel *m_model = nullptr;
    QTableView *m_matrix = nullptr;
    QLineEdit *m_filter = nullptr;
    QCheckBox *m_onlyFaster = nullptr;
    QList<QAction *> m_actions;
    std::size_t m_weight = kNoIndex;
    bool m_selecting = false, m_sized = false, m_fitting = false, m_chipsSetByHand = false,
         m_namesSetByHand = false;
    int m_widestName = 0; ///< pixels that the longest name needs
};

} // namespace kernscope::ui
