// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/diff/pair_sample.h"
#include "core/patch/edit/copy_values.h"
#include "core/report/structure_table.h"
#include "core/target/target.h"
#include "widgets/common/dock.h"
#include "widgets/common/row_table_model.h"
#include "widgets/common/task_manager.h"
#include "widgets/compare/compare_model.h"
#include "widgets/compare/pair_choices.h"

#include <QElapsedTimer>
#include <QList>

#include <functional>
#include <vector>

class QAction;
class QActionGroup;
class QComboBox;
class QLineEdit;
class QSplitter;
class QStackedWidget;
class QTableView;

namespace kernscope::ui {

class CompareHeader;
class CompareRunner;
class LimitsBar;
class PairFigures;
class PairPictures;
class StructureList;
class VerdictStrip;
struct PairPlaces;
struct PairSubject;

/// Two bundles set against each other: the weights in pairs with the differences as columns, and
/// of the selected pair both pictures, the picture of the difference, and its figures.
class CompareDock : public Dock
{
    Q_OBJECT

public:
    explicit CompareDock(Session &session, QWidget *parent = nullptr);

    /// Swap sides, differences only, limits, values, zeros, go to the largest difference (Ctrl+F8),
    /// copy values from the other bundle, compare the rest, copy, export, save the difference.
    QList<QAction *> menuActions() const { return m_actions; }

    /// A is the other bundle and B the document; both docks of a comparison should agree.
    bool swapped() const { return m_swapped; }
    void setSwapped(bool swapped);

    /// Pairs by hand of the bundles that are compared now; forgotten with them.
    const PairChoices &choices() const { return m_choices; }
    void setChoices(const PairChoices &choices);
    /// Gives these elements of the shown pair (by its numbers) the values of the other bundle.
    void copyChosen(const QList<quint64> &elements);
    /// Asks for the partner of a weight of the document.
    void askPartnerOfDocument(std::size_t weight);

    /// Pairs and their pictures; operations that differ; files, sections, tasks and registers.
    enum class Page : std::uint8_t { Values, Program, Structure };
    void showPage(Page page);
    /// The chip whose outcome stands in the table.
    const target::Target &chip() const;
    void setChip(const target::Target &chip);

    const CompareModel &model() const { return *m_model; }
    StructureList *program() const { return m_program; }
    StructureList *structure() const { return m_structure; }
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
    /// The pairs by hand changed, whatever the cause; and a person changed them.
    void choicesChanged(const kernscope::ui::PairChoices &choices);
    void pairsChosen();
    /// Another pair is shown, or where its values differ was found.
    void placesChanged(const PairPlaces &places);

protected:
    void refresh() override;
    void follow(const Place &place, QObject *origin) override;
    bool working() const override;

private:
    void buildTable(QWidget *parent);
    void buildActions();
    void buildCheckedActions();
    QList<QAction *> buildModes();
    QList<QAction *> copyActions();
    // compare_dock_pairs.cpp
    QList<QAction *> pairActions();
    void updatePairActions();
    void choose(const PairChoices &choices);
    std::vector<PairChoice> resolvedChoices() const;
    BundlePtr side(bool ofA) const;
    void choosePair(std::size_t weightA, std::size_t weightB);
    void pairRows(std::size_t dragged, std::size_t onto);
    void askPartner();
    void askPartner(std::size_t weight, bool ofA);
    void unpairRow();
    void updateCopyActions();
    void showLimits(bool shown);
    void countLimits();
    enum class Extent : std::uint8_t { Element, Channel, Codebook, Weight };
    void copyFromOther(Extent extent);
    void copyRange(std::uint64_t first, std::uint64_t count, const QString &title);
    void copyElements(const QList<quint64> &elements, const QString &title);
    void copyRuns(std::vector<patch::CopyRun> runs, const QString &title);
    void takeCopied(const BundlePtr &to, Result<std::vector<Edit>> edits, const QString &title);
    void acceptWithinLimits();
    void saveDifference();
    QWidget *buildToolRow(QWidget *parent);
    void connectParts();
    void connectRunner();
    /// Weight of the document in a row, and the way back; kNoIndex for none.
    std::size_t documentWeight(std::size_t row) const;
    /// Of the rows of a weight that was split the one whose part has the element; the shown one
    /// before others.
    std::size_t rowOfDocument(std::size_t weight, std::optional<std::uint64_t> element = {}) const;
    bool isOfDocument(std::size_t row, std::size_t weight,
                      std::optional<std::uint64_t> element) const;
    void onRows();
    void onFinished();
    void onCurrentRow(const QModelIndex &current);
    void onElement(std::uint64_t element);
    void selectRow(std::size_t row);
    void keepSelection(const std::function<void()> &change);
    void arrangeRows();
    void chooseOrder(bool worstFirst);
    void showRow(std::size_t number);
    void showOutcome();
    void goToPair(std::size_t weightA, std::size_t weightB, std::optional<quint64> element);
    void goToLargest();
    void showElement(std::uint64_t element);
    // compare_dock_structure.cpp
    void buildPages(QWidget *values);
    void showProgram();
    void findStructure();
    void goToChange(const ProgramChange &change);
    QComboBox *buildChips(QWidget *parent);
    void showChip();
    // compare_dock_shown.cpp
    void onTasksChanged();
    void cancelPair();
    PairSubject subjectOf(std::size_t row) const;
    void takeSample(const PairSubject &subject);
    void findPlaces(const PairSubject &subject, double range);
    void showPlaces(const PairPlaces &places, double range);

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
    QStackedWidget *m_pages = nullptr;
    QWidget *m_tools = nullptr; ///< of the values
    QComboBox *m_chip = nullptr;
    StructureList *m_program = nullptr, *m_structure = nullptr;
    RowTable<report::ProgramChangeFacts> *m_programModel = nullptr;
    RowTable<report::StructureFacts> *m_structureModel = nullptr;
    QList<QAction *> m_pageActions;
    QAction *m_worstAction = nullptr;
    QElapsedTimer m_arranged;         ///< since the rows were last put in order
    qint64 m_arrangeMilliseconds = 0; ///< what that took
    QAction *m_swapAction = nullptr, *m_onlyAction = nullptr, *m_againAction = nullptr;
    QAction *m_largestAction = nullptr, *m_limitsAction = nullptr, *m_saveAction = nullptr;
    QAction *m_pairAction = nullptr, *m_unpairAction = nullptr, *m_forgetPairsAction = nullptr;
    QAction *m_acceptAction = nullptr;
    QList<QAction *> m_copyActions;
    PairChoices m_choices;
    QActionGroup *m_modeGroup = nullptr;
    QList<QAction *> m_actions;
    BundlePtr m_a, m_b;                   ///< what the rows are of
    BundlePtr m_structureA, m_structureB; ///< what the rows of the structure are of
    TaskPtr m_sampling, m_locating, m_copying, m_saving, m_structuring;
    std::size_t m_row = kNoIndex;      ///< whose pair is shown
    std::size_t m_proposed = kNoIndex; ///< the row that is shown since nobody has chosen one
    std::string m_shownA, m_shownB;    ///< its names, by which it is found again
    bool m_swapped = false, m_following = false;
    bool m_cut = false; ///< what the shown pair needs was cancelled
};

} // namespace kernscope::ui
