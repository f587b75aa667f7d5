// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/compare/worst_places.h"
#include "widgets/compare/pair_pictures.h"
#include "widgets/models/comparison_outcome.h"
#include "widgets/models/pair_words.h"
#include "widgets/models/places_models.h"

#include <QList>
#include <QWidget>

#include <memory>

class QAction;
class QTableWidget;
class QVBoxLayout;

namespace kernscope::ui {

class ChannelPlot;
class HistogramPairPlot;
class PairChipsTable;
class PairElementTable;
class PairFactsPanel;
class PairVerdict;
class PanelSection;
class ScatterPlot;
class UlpPlot;
struct PairPlaces;

/// Everything that is known of one pair, in sections from the verdict to the chips; none is shown
/// without content.
class PairFigures : public QWidget
{
    Q_OBJECT

public:
    explicit PairFigures(QWidget *parent = nullptr);

    /// Figures of a row as far as they are known.
    void showRow(const report::PairRow &row);
    /// Null: nothing is known. `range`: a magnitude that most values keep within.
    void showBins(const std::shared_ptr<const PairBins> &bins, double range);
    /// What is known of the places that differ.
    void showPlaces(const PairPlaces &places);
    void clear();
    /// What the chips do with both weights of the row that is shown; null: not known yet.
    void showOutcome(const ComparisonOutcomePtr &outcome);
    /// The element that is picked, on both sides; and none.
    void showElement(const PairSubject &subject, const ElementReadings &readings);
    void clearElement();
    /// Marks where the two values of an element lie; nothing for none.
    void setValues(std::optional<std::pair<double, double>> values);
    /// Order of the channels; the docks that show more.
    QList<QAction *> menuActions() const { return {m_worstFirst, m_toPlaces, m_toCodebooks}; }
    /// Those of them that lead to another dock.
    QList<QAction *> linkActions() const { return {m_toPlaces, m_toCodebooks}; }
    /// Actions that stand as links at the foot.
    void addLinks(const QList<QAction *> &actions);

    UlpPlot *ulpPlot() const { return m_ulp; }
    ScatterPlot *scatterPlot() const { return m_scatter; }
    HistogramPairPlot *histogramPlot() const { return m_histogram; }
    ChannelPlot *channelPlot() const { return m_channels; }
    PairVerdict *verdict() const { return m_verdict; }
    PairFactsPanel *facts() const { return m_facts; }
    QTableWidget *table() const { return m_table; }
    PairElementTable *elementTable() const { return m_element; }
    PairChipsTable *chipsTable() const { return m_chips; }

Q_SIGNALS:
    void elementPicked(quint64 element);
    /// The dock of this id shows more of it.
    void dockWanted(const QString &id);

private:
    PanelSection *addSection(const QString &title, QWidget *body, double least, double most);
    void buildPlots();
    void buildTables();
    void fillTable(const report::PairRow &row);

    QVBoxLayout *m_column = nullptr;
    PairVerdict *m_verdict = nullptr;
    PairFactsPanel *m_facts = nullptr;
    ChannelPlot *m_channels = nullptr;
    UlpPlot *m_ulp = nullptr;
    ScatterPlot *m_scatter = nullptr;
    HistogramPairPlot *m_histogram = nullptr;
    QTableWidget *m_table = nullptr;
    PairElementTable *m_element = nullptr;
    PairChipsTable *m_chips = nullptr;
    QAction *m_worstFirst = nullptr, *m_toCodebooks = nullptr, *m_toPlaces = nullptr;
    QWidget *m_links = nullptr;
    PanelSection *m_factsSection = nullptr, *m_channelSection = nullptr, *m_ulpSection = nullptr,
                 *m_scatterSection = nullptr, *m_histogramSection = nullptr,
                 *m_elementSection = nullptr, *m_chipSection = nullptr;
    ComparisonOutcomePtr m_outcome;
    std::size_t m_weightA = kNoIndex, m_weightB = kNoIndex; ///< of the row that is shown
    std::optional<std::pair<double, double>> m_values;
};

} // namespace kernscope::ui
