// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/report/decision_table.h"
#include "widgets/chips/chip_state.h"
#include "widgets/common/dock.h"
#include "widgets/models/row_table_model.h"

#include <QStyledItemDelegate>

namespace kernscope::ui {

/// Glyph and word of an outcome on a pill of its colour, on the ground of the row: what the model
/// gives as the ground of the cell is the pill's.
class OutcomePill final : public QStyledItemDelegate
{
    Q_OBJECT

public:
    using QStyledItemDelegate::QStyledItemDelegate;

    /// Where the pill of a cell is; empty where the cell has none.
    QRect pillRect(const QStyleOptionViewItem &option, const QModelIndex &index) const;

    void paint(QPainter *painter, const QStyleOptionViewItem &option,
               const QModelIndex &index) const override;
    QSize sizeHint(const QStyleOptionViewItem &option, const QModelIndex &index) const override;
};

class PanelSection;

/// The form that the chosen weight should take on a chip: every candidate with its bytes, error
/// and speed-up, and the bundle re-encoded as a copy.
class ChooseDock final : public Dock
{
    Q_OBJECT

public:
    explicit ChooseDock(Session &session, QWidget *parent = nullptr);

    RowTableModel &model() { return *m_model; }
    QDoubleSpinBox &tolerance() { return *m_tolerance; }
    QLabel &verdict() { return *m_verdict; }
    QLabel &readings() { return *m_readings; } ///< what sources disagree about, a line each
    const std::optional<FormChoice> &choice() const { return m_choice; }
    /// Writes a copy of the bundle with the weight in that form; the message appears in the dock.
    void applyTo(const QString &path, const std::string &form);

Q_SIGNALS:
    void applied(const QString &path, const QString &fault); ///< `fault` is empty where it worked

protected:
    void refresh() override;
    void follow(const Place &place, QObject *origin) override;

private:
    void connectParts();
    void buildActions();
    void showChoice(const FormChoice &choice);
    std::string selectedForm() const;
    void askAndApply();

    ChipState &m_state;
    RowTable<report::CandidateFacts> *m_model = nullptr;
    QDoubleSpinBox *m_tolerance = nullptr;
    QLabel *m_verdict = nullptr, *m_readings = nullptr, *m_state_ = nullptr;
    PanelSection *m_contested = nullptr; ///< folded: the candidates keep their rows
    QPushButton *m_apply = nullptr;
    QTableView *m_table = nullptr;
    Job m_task{session().tasks(), this}, m_writing{session().tasks(), this};
    std::size_t m_weight = kNoIndex;
    std::optional<FormChoice> m_choice;
};

} // namespace kernscope::ui
