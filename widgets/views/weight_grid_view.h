// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/models/weight_grid_model.h"

#include <QWidget>

class QLabel;
class QTableView;

namespace kernscope::ui {

/// The value grid with the line that answers while one types. Ctrl+C copies the selection.
class WeightGridView : public QWidget
{
    Q_OBJECT

public:
    explicit WeightGridView(TaskManager &tasks, QWidget *parent = nullptr);

    WeightGridModel &model() { return *m_model; }
    QTableView &table() { return *m_table; }
    /// See WeightGridModel::setReader. Columns keep their widths.
    void setReader(WeightReaderPtr reader, bool sameCells = false);
    void setEditable(bool editable);

    /// Selects a cell of the slice and scrolls to it; emits nothing.
    void showCell(std::uint64_t row, std::uint64_t col);
    void showNoCell();
    QString answer() const; ///< the line under the grid

Q_SIGNALS:
    void cellMoved(std::uint64_t row, std::uint64_t col);   ///< cell cursor, by the person
    void cellClicked(std::uint64_t row, std::uint64_t col); ///< mouse or Enter
    void editRequested(quint64 element, double value);

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void onCurrentChanged(const QModelIndex &now);
    void answerTo(const QModelIndex &index, const QString &text);
    void copySelection() const;
    void say(const QString &text);

    WeightGridModel *m_model = nullptr;
    QTableView *m_table = nullptr;
    QLabel *m_answer = nullptr;
    bool m_moving = false;
};

} // namespace kernscope::ui
