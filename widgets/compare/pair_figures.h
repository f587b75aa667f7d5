// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/diff/pair_bins.h"
#include "widgets/compare/compare_row.h"

#include <QList>
#include <QTabWidget>

#include <memory>

class QAction;
class QTableWidget;

namespace kernscope::ui {

class HistogramPairPlot;
class ScatterPlot;
class UlpPlot;

/// The figures of one pair: histogram of ULP, histograms and scatter of the values, and all of them
/// as a table.
class PairFigures : public QTabWidget
{
    Q_OBJECT

public:
    explicit PairFigures(QWidget *parent = nullptr);

    /// Figures of a row as far as they are known.
    void showRow(const CompareRow &row);
    /// Null: nothing is known. `range`: a magnitude that most values keep within.
    void showBins(const std::shared_ptr<const PairBins> &bins, double range);
    void clear();
    /// Marks where the two values of an element lie; nothing for none.
    void setValues(std::optional<std::pair<double, double>> values);

    UlpPlot *ulpPlot() const { return m_ulp; }
    ScatterPlot *scatterPlot() const { return m_scatter; }
    HistogramPairPlot *histogramPlot() const { return m_histogram; }
    QTableWidget *table() const { return m_table; }

Q_SIGNALS:
    void elementPicked(quint64 element);

private:
    void fillTable(const CompareRow &row);

    UlpPlot *m_ulp = nullptr;
    ScatterPlot *m_scatter = nullptr;
    HistogramPairPlot *m_histogram = nullptr;
    QTableWidget *m_table = nullptr;
    std::optional<std::pair<double, double>> m_values;
};

} // namespace kernscope::ui
