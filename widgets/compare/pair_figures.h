// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/diff/pair_sample.h"
#include "widgets/compare/compare_row.h"

#include <QList>
#include <QTabWidget>

class QAction;
class QTableWidget;

namespace kernscope::ui {

class ScatterPlot;
class UlpPlot;

/// The figures of one pair: histogram of ULP, scatter of values, and all of them as a table.
class PairFigures : public QTabWidget
{
    Q_OBJECT

public:
    explicit PairFigures(QWidget *parent = nullptr);

    /// Figures of a row as far as they are known.
    void showRow(const CompareRow &row);
    void showSample(const PairSample &sample);
    void clear();
    /// Marks the point of an element where the sample has it.
    void setElement(std::optional<std::uint64_t> element);

    UlpPlot *ulpPlot() const { return m_ulp; }
    ScatterPlot *scatterPlot() const { return m_scatter; }
    QTableWidget *table() const { return m_table; }

Q_SIGNALS:
    void elementPicked(quint64 element);

private:
    void fillTable(const CompareRow &row);

    UlpPlot *m_ulp = nullptr;
    ScatterPlot *m_scatter = nullptr;
    QTableWidget *m_table = nullptr;
};

} // namespace kernscope::ui
