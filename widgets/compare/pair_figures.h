// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/diff/pair_bins.h"
#include "widgets/compare/compare_row.h"
#include "widgets/compare/comparison_outcome.h"
#include "widgets/compare/pair_pictures.h"

#include <QList>
#include <QTabWidget>

#include <memory>

class QAction;
class QTableWidget;

namespace kernscope::ui {

class HistogramPairPlot;
class PairChipsTable;
class PairElementTable;
class ScatterPlot;
class UlpPlot;

/// The figures of one pair: histogram of ULP, histograms and scatter of the values, all of them as
/// a table, the picked element, and what the chips do with both.
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
    /// What the chips do with both weights of the row that is shown; null: not known yet.
    void showOutcome(const ComparisonOutcomePtr &outcome);
    /// The element that is picked, on both sides; and none.
    void showElement(const PairSubject &subject, const ElementReadings &readings);
    void clearElement();
    /// Marks where the two values of an element lie; nothing for none.
    void setValues(std::optional<std::pair<double, double>> values);

    UlpPlot *ulpPlot() const { return m_ulp; }
    ScatterPlot *scatterPlot() const { return m_scatter; }
    HistogramPairPlot *histogramPlot() const { return m_histogram; }
    QTableWidget *table() const { return m_table; }
    PairElementTable *elementTable() const { return m_element; }
    PairChipsTable *chipsTable() const { return m_chips; }

Q_SIGNALS:
    void elementPicked(quint64 element);

private:
    void fillTable(const CompareRow &row);

    UlpPlot *m_ulp = nullptr;
    ScatterPlot *m_scatter = nullptr;
    HistogramPairPlot *m_histogram = nullptr;
    QTableWidget *m_table = nullptr;
    PairElementTable *m_element = nullptr;
    PairChipsTable *m_chips = nullptr;
    ComparisonOutcomePtr m_outcome;
    std::size_t m_weightA = kNoIndex, m_weightB = kNoIndex; ///< of the row that is shown
    std::optional<std::pair<double, double>> m_values;
};

} // namespace kernscope::ui
