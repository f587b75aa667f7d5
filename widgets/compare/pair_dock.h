// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/compare/worst_places.h"
#include "core/report/edit_table.h"
#include "widgets/common/dock.h"
#include "widgets/compare/pair_pictures.h"
#include "widgets/models/compare_model.h"

#include <QStringList>
#include <QTableView>
#include <QTableWidget>

namespace kernscope::ui {

/// What the inspector of a pair begins with: the verdict in a word and in a sentence, and why the
/// two are a pair.
class PairVerdict final : public QWidget
{
    Q_OBJECT

public:
    explicit PairVerdict(QWidget *parent);

    void showRow(const report::PairRow &row);
    void clear();
    QString text() const;

private:
    QLabel *m_word = nullptr, *m_sentence = nullptr, *m_reason = nullptr;
};

/// The figures of a pair in two columns; those that are not known are dashes.
class PairFactsPanel final : public QWidget
{
    Q_OBJECT

public:
    explicit PairFactsPanel(QWidget *parent);

    /// Null: none are known.
    void showValues(const ValueDifference *values);
    /// What stands beside the n-th name, in reading order of the left column, then of the right.
    QString valueAt(std::size_t n) const { return n < kFigures ? m_values[n]->text() : QString(); }

    static constexpr std::size_t kFigures = 10, kLargest = 2; ///< the largest difference is a link

Q_SIGNALS:
    void elementPicked(quint64 element);

private:
    std::array<QLabel *, kFigures> m_values{};
    std::uint64_t m_worst = 0; ///< element of the largest difference
};

/// The picked element as both builds store it: value, code, codebook entry, bytes and their place,
/// and how far the two are apart.
class PairElementTable final : public QTableView
{
    Q_OBJECT

public:
    explicit PairElementTable(QWidget *parent = nullptr);

    void showElement(const PairSubject &subject, const ElementReadings &readings);
    void clearElement();

protected:
    void resizeEvent(QResizeEvent *event) override;

private:
    void fitColumns();

    RowTable<report::PickedFact> *m_facts = nullptr;
    bool m_element = false; ///< one is shown
};

/// What every chip does with the weight of A and with that of B, and the bytes that cross: a row
/// for all chips that do the same, so that nothing is cut in a narrow panel. Copying lists every
/// chip.
class PairChipsTable final : public QTableWidget
{
    Q_OBJECT

public:
    explicit PairChipsTable(QWidget *parent = nullptr);

    /// Null: not known yet. A weight that a side lacks is kNoIndex.
    void showPair(const ComparisonOutcomePtr &outcome, std::size_t weightA, std::size_t weightB);
    /// The chips of the selected rows (of all where none is), a line each, as tab-separated text.
    QString copied() const;

    QSize sizeHint() const override;

private:
    struct Line {
        QString wordA, wordB, movedA, movedB;
        bool operator==(const Line &) const = default;
    };
    struct Group {
        Line line;
        QStringList chips, whyA, whyB; ///< a reason a chip
    };
    static Line lineOf(const ComparisonOutcome &outcome, std::size_t weightA, std::size_t weightB,
                       std::size_t chip);
    void showGroup(int row);

    std::vector<Group> m_groups;
};

class ChannelPlot;
class HistogramPairPlot;
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
    ChannelPlot *channelPlot() const { return m_channels; }
    PairVerdict *verdict() const { return m_verdict; }
    PairFactsPanel *facts() const { return m_facts; }
    QTableWidget *table() const { return m_table; }
    PairElementTable *elementTable() const { return m_element; }

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

class CompareDock;

/// The inspector of a comparison: everything that is known of the pair that the Compare dock shows,
/// in sections. It is pinned along with that dock.
class PairDock final : public Dock
{
    Q_OBJECT

public:
    explicit PairDock(Session &session, QWidget *parent = nullptr);

    /// None: those of the figures are the Compare dock's.
    QList<QAction *> menuActions() const override { return {}; }
    /// Whose figures are shown; once.
    void inspect(CompareDock &compare);

protected:
    void refresh() override;
    void follow(const Place &place, QObject *origin) override;

private:
    void setPlaces(const PairPlaces &places);

    CompareDock *m_compare = nullptr;
    QWidget *m_content = nullptr;
    bool m_chosen = false;
};

} // namespace kernscope::ui
