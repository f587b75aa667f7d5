// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/target/target.h"
#include "widgets/common/dock.h"
#include "widgets/compare/compare_pages.h"
#include "widgets/compare/shown_pair.h"

#include <QElapsedTimer>

namespace kernscope::ui {

class CompareCopies;
class CompareRunner;
class HandPairs;
class LimitsBar;
class PairFigures;
class VerdictStrip;
struct PairPlaces;

/// Two bundles set against each other: the weights in pairs with the differences as columns, and
/// of the selected pair both pictures, the picture of the difference, and its figures.
class CompareDock : public Dock
{
    Q_OBJECT

public:
    explicit CompareDock(Session &session, QWidget *parent = nullptr);

    /// A is the other bundle and B the document; both docks of a comparison should agree.
    bool swapped() const { return m_swapped; }
    void setSwapped(bool swapped);

    /// Pairs by hand of the bundles that are compared now; forgotten with them.
    HandPairs &pairs() const { return *m_pairs; }
    CompareCopies &copies() const { return *m_copies; }

    using Page = ComparePages::Page;
    void showPage(Page page) { m_pages->showPage(page); }
    /// The chip whose outcome stands in the table.
    const target::Target &chip() const;
    void setChip(const target::Target &chip);

    const CompareModel &model() const { return *m_model; }
    StructureList *program() const { return m_pages->program(); }
    StructureList *structure() const { return m_pages->structure(); }
    QComboBox *chipBox() const { return m_chip; }
    QTableView *table() const { return m_table; }
    PairPictures *pictures() const { return m_pictures; }
    PairFigures *figures() const { return m_figures; }
    LimitsBar *limits() const { return m_limits; }
    VerdictStrip *verdictStrip() const { return m_strip; }
    /// As when the common position moved while the dock was on view: for what shows the figures of
    /// its pair elsewhere.
    void followHidden(const Place &place, QObject *origin);
    /// Row (by its stable number) whose pair is shown; kNoIndex for none.
    std::size_t shownRow() const { return m_row; }

Q_SIGNALS:
    void swappedChanged(bool swapped);
    /// Index in target::targets().
    void chipChosen(std::size_t chip);
    /// From a folder, else from a file: what the actions of Builds do.
    void thirdBuildWanted(bool folder);
    /// Another pair is shown, or where its values differ was found.
    void placesChanged(const PairPlaces &places);

protected:
    void refresh() override;
    void follow(const Place &place, QObject *origin) override;
    bool working() const override;

private:
    void buildParts();
    void buildActions();
    void buildCheckedActions();
    QList<QAction *> buildModes();
    QWidget *buildToolRow(QWidget *parent);
    QComboBox *buildChips(QWidget *parent);
    void connectParts();
    void connectRunner();
    void connectShownPair();
    void showLimits(bool shown);
    void countLimits();
    void saveDifference();
    /// Weight of the document in a row, and the way back; kNoIndex for none.
    std::size_t documentWeight(std::size_t row) const;
    /// Of the rows of a weight that was split the one whose part has the element; the shown one
    /// before others.
    std::size_t rowOfDocument(std::size_t weight, std::optional<std::uint64_t> element = {}) const;
    bool isOfDocument(std::size_t row, std::size_t weight,
                      std::optional<std::uint64_t> element) const;
    PairSubject subjectOf(std::size_t row) const;
    void onRows();
    void onFinished();
    void onCurrentRow(const QModelIndex &current);
    void onElement(std::uint64_t element);
    void selectRow(std::size_t row);
    void keepSelection(const std::function<void()> &change);
    void arrangeRows();
    void chooseOrder(bool worstFirst);
    void showRow(std::size_t number);
    void showProgram();
    void showOutcome();
    void showChip();
    void showPlaces(const PairPlaces &places, double range);
    void goToPair(std::size_t weightA, std::size_t weightB, std::optional<quint64> element);
    void goToLargest();
    void goToDiffering(bool forward);
    void showElement(std::uint64_t element);

    CompareModel *m_model = nullptr;
    CompareRunner *m_runner = nullptr;
    CompareHeader *m_header = nullptr;
    VerdictStrip *m_strip = nullptr;
    QLineEdit *m_filter = nullptr;
    LimitsBar *m_limits = nullptr;
    QTableView *m_table = nullptr;
    PairPictures *m_pictures = nullptr;
    PairFigures *m_figures = nullptr;
    QSplitter *m_splitter = nullptr;
    ComparePages *m_pages = nullptr;
    HandPairs *m_pairs = nullptr;
    CompareCopies *m_copies = nullptr;
    ShownPair *m_shownPair = nullptr;
    QWidget *m_tools = nullptr; ///< of the values
    QComboBox *m_chip = nullptr;
    QAction *m_worstAction = nullptr;
    QElapsedTimer m_arranged;         ///< since the rows were last put in order
    qint64 m_arrangeMilliseconds = 0; ///< what that took
    QAction *m_swapAction = nullptr, *m_onlyAction = nullptr, *m_againAction = nullptr;
    QAction *m_largestAction = nullptr, *m_limitsAction = nullptr, *m_saveAction = nullptr;
    QActionGroup *m_modeGroup = nullptr;
    BundlePtr m_a, m_b; ///< what the rows are of
    Job m_saving{session().tasks()}, m_stepping{session().tasks()};
    std::size_t m_row = kNoIndex;               ///< whose pair is shown
    std::size_t m_proposed = kNoIndex;          ///< the row shown until the user chooses one
    std::shared_ptr<const WorstPlaces> m_worst; ///< of the shown pair; null: not known
    std::string m_shownA, m_shownB;             ///< its names, by which it is found again
    bool m_swapped = false, m_following = false;
    bool m_cut = false; ///< what the shown pair needs was cancelled
};

} // namespace kernscope::ui
