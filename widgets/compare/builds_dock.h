// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/bundle_fwd.h"
#include "core/bundle/weight.h"
#include "widgets/common/dock.h"
#include "widgets/compare/shown_pair.h"
#include "widgets/models/matrix_model.h"

#include <deque>

namespace kernscope::ui {

/// One weight in several builds: a row of pictures with one view position and one range of colours,
/// that of the first.
class BuildPictures : public PictureRow
{
    Q_OBJECT

public:
    static constexpr std::size_t kMostPictures = 4;

    struct Side {
        BundlePtr bundle;
        std::size_t weight = kNoIndex; ///< kNoIndex: the build does not have it
        QString name = {};             ///< of the build
    };
    explicit BuildPictures(TaskManager &tasks, QWidget *parent = nullptr);

    /// The same weights as before, with other bytes or in more builds, keep position and cell.
    void show(std::vector<Side> sides);
    void clear() { show({}); }
    void setElement(std::optional<std::uint64_t> element);
    TileView *view(std::size_t side) const { return pane(side).view(); }

Q_SIGNALS:
    void elementPicked(quint64 element);

protected:
    void changeEvent(QEvent *event) override;

private:
    void showSide(std::size_t number, bool keepPosition);
    void shareRange();
    void markCells();

    std::vector<Side> m_sides;
    std::shared_ptr<BoxStore> m_tiles; ///< coarse tiles of the pictures that are shown
    std::uint64_t m_picture = 0;       ///< number of the first one in it
    std::optional<std::uint64_t> m_element;
    double m_range = 0; ///< value of the full colour; 0: not known yet
};

/// Several builds of one network at once: the document is the base, the bundle beside it the first
/// build, and any number of others. Weights down, builds across, one figure at choice; of the
/// selected weight a picture for each of the first builds.
class BuildsDock : public Dock
{
    Q_OBJECT

public:
    explicit BuildsDock(Session &session, QWidget *parent = nullptr);

    /// More builds than this make no table that anybody reads.
    static constexpr std::size_t kMostBuilds = 16;
    /// Opens a file or folder and adds it; a fault is said in the status line.
    void add(const QString &path);
    /// Adds a build that is open already.
    void addBuild(const BundlePtr &bundle);
    /// Another program changed the files of an added build: it is opened anew, or where that cannot
    /// be done removed, which is said.
    void reopen(const BundlePtr &bundle);
    /// Pairs by hand of the document and the bundle beside it.
    void setChoices(const PairChoices &choices);
    /// The weight of the base that is shown until the user chooses one; kNoIndex: the first.
    void propose(std::size_t weight);
    /// Those that were added, beside the two of the session.
    const std::vector<BundlePtr> &added() const { return m_added; }

    const MatrixModel &model() const { return *m_model; }
    QTableView *table() const { return m_table; }
    QComboBox *figure() const { return m_figure; }
    QComboBox *chip() const { return m_chip; }
    BuildPictures *pictures() const { return m_pictures; }

Q_SIGNALS:
    void addedChanged(); ///< added() holds others

protected:
    void refresh() override;
    void follow(const Place &place, QObject *origin) override;
    bool working() const override;
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    QWidget *buildTools(QWidget *parent);
    void buildActions();
    void open(bool folder);
    void openNext();
    void replace(const BundlePtr &before, const Result<BundlePtr> &opened);
    void compare();
    void showMatrix(BuildMatrixPtr matrix);
    void sizeColumns();
    void keepScroll(const std::function<void()> &change);
    void applyFigure();
    void showWeight(std::size_t weight);
    std::vector<BundlePtr> builds() const;
    bool showsThese() const;
    const std::filesystem::path &noteBase();
    void forget();
    void onCurrentRow(const QModelIndex &current);

    MatrixModel *m_model = nullptr;
    QTableView *m_table = nullptr;
    QComboBox *m_figure = nullptr, *m_chip = nullptr;
    QLabel *m_note = nullptr;
    BuildPictures *m_pictures = nullptr;
    QAction *m_addFile = nullptr, *m_addFolder = nullptr, *m_remove = nullptr;
    QAction *m_again = nullptr;
    struct Opening {
        std::filesystem::path path;
        BundlePtr before; ///< the added one whose place it takes; null: one more
    };
    std::deque<Opening> m_waiting; ///< the first is being opened
    std::vector<BundlePtr> m_added;
    std::vector<BundlePtr> m_shown; ///< what the matrix is of
    std::filesystem::path m_base;   ///< of the document to which they were added
    std::size_t m_proposed = kNoIndex;
    std::size_t m_pictured = kNoIndex; ///< weight of the pictures; kNoIndex: to be made anew
    PairChoices m_choices;
    Job m_task{session().tasks()}, m_opening{session().tasks()};
    bool m_sizing = false, m_sizedByHand = false; ///< of the columns
};

} // namespace kernscope::ui
