// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/common/dock.h"
#include "widgets/models/task_manager.h"
#include "widgets/models/weight_reader.h"
#include "widgets/weight/weight_grid_view.h"

#include <array>

namespace kernscope::ui {

class ColorScale;
class SlicePicker;
class TileView;
class ValueTiles;
class WeightHeader;
struct Tile;
struct Cell;

/// The chosen weight: header, slice picker, heat map over value grid.
class WeightDock final : public Dock
{
    Q_OBJECT

public:
    explicit WeightDock(Session &session, QWidget *parent = nullptr);

    /// Without the heat map, so that the grid has all of the room, or with both; what the user
    /// chose for either case stays.
    void enlargeGrid(bool large);

    TileView &heatMap() { return *m_map; }
    WeightGridView &grid() { return *m_grid; }
    SlicePicker &slicePicker() { return *m_picker; }

protected:
    void refresh() override;
    void follow(const Place &place, QObject *origin) override;
    bool working() const override;
    void changeEvent(QEvent *event) override;

private:
    QWidget *createHeatMap(QWidget *parent);
    void part();
    void showOutcome();
    void connectViews();
    void createActions();
    void showWeight(std::size_t weight, bool sameWeight);
    void showSlice(const SliceMap &map, bool sameCells);
    void drawHeatMap(bool sameCells);
    void showElement(std::uint64_t element);
    void moveCell(std::uint64_t row, std::uint64_t col, bool now);
    void goToMoved();
    void requestEdit(std::uint64_t element, double value);
    void requestCode(std::uint64_t element, std::int64_t code);
    void requestEdits(const CellValues &values, const QString &title);
    std::vector<Edit> editsOf(const QString &typed) const;
    void preview(const QString &typed, QLabel *answer);
    void askForExpression();
    QString describeCell(const Cell &cell, const Tile *tile, std::size_t index) const;

    std::size_t m_weight = kNoIndex;
    BundlePtr m_shown;
    WeightReaderPtr m_reader;
    std::shared_ptr<const ValueTiles> m_tiles;
    std::optional<std::uint64_t> m_moved;
    TaskPtr m_preview; ///< of what is typed for the selected cells
    QTimer *m_debounce = nullptr;
    WeightHeader *m_header = nullptr;
    SlicePicker *m_picker = nullptr;
    TileView *m_map = nullptr;
    QComboBox *m_colors = nullptr;
    ColorScale *m_scale = nullptr;
    WeightGridView *m_grid = nullptr;
    QSplitter *m_pictures = nullptr; ///< heat map above, grid below
    QWidget *m_zoom = nullptr;       ///< buttons of the heat map
    QAction *m_showPicture = nullptr;
    std::array<bool, 2> m_pictureWanted{true, false}; ///< with a grid of the usual and large size
    bool m_userParted = false, m_large = false;
};

} // namespace kernscope::ui
