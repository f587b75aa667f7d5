// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/common/view_state.h"
#include "widgets/models/task_manager.h"
#include "widgets/models/tile_source.h"

#include <QAbstractScrollArea>

#include <optional>

namespace kernscope::ui {

class TileLoader;

/// A cell of a picture.
struct Cell {
    std::uint64_t row = 0, col = 0;
    friend bool operator==(const Cell &, const Cell &) = default;
};

/// Shows a picture of up to 2^40 cells by tiles, from the whole of it down to single cells with
/// their values. Nothing is decoded here: tiles come from worker threads, a coarser tile or a
/// hatched ground stands in until they do.
///
/// Mouse: wheel zooms about the cursor (in a panel that scrolls only with Ctrl; Shift: moves
/// sideways), drag moves, click picks a cell, double click activates it. Keys: arrows move the cell
/// cursor, with Shift the view; + - zoom, 0 fits; Home, End, Page Up, Page Down; Enter activates.
class TileView : public QAbstractScrollArea
{
    Q_OBJECT

public:
    explicit TileView(TaskManager &tasks, QWidget *parent = nullptr);

    /// Shows another picture; `keepPosition` where it has the same cells (new bytes or colours).
    void setSource(TileSourcePtr source, bool keepPosition = false);
    const TileSourcePtr &source() const;

    /// Rulers at the left and below the picture; without titles there are none.
    void setAxes(TileAxis down, TileAxis across);
    const TileRuler &ruler(Qt::Orientation orientation) const
    {
        return orientation == Qt::Horizontal ? *m_across : *m_down;
    }

    /// How far from square cells may be for the picture to fill the view (see ViewGeometry); 1
    /// unless set, which views that share a position need.
    void setMostStretch(double most);
    /// Enough for long and flat slices, which would be a strip of square cells.
    static constexpr double kFillStretch = 16;

    /// Position and zoom; setting them emits nothing, so that views can be tied to each other.
    const ViewState &viewState() const { return m_state; }
    void setViewState(const ViewState &state);
    /// Ties both views: what moves or zooms one does so to the other.
    static void share(TileView *a, TileView *b);

    std::optional<Cell> currentCell() const { return m_current; }
    /// Moves the cell cursor and brings it into view; emits no currentCellChanged.
    void setCurrentCell(std::optional<Cell> cell);
    /// What a cell is, in words ("[3, 0, 1]: 0.25, kept"): accessible description and tooltip.
    /// `index` into the tile's values, tile null where it has not come yet.
    using Describe = std::function<QString(const Cell &, const Tile *, std::size_t index)>;
    void setDescribe(Describe describe) { m_describe = std::move(describe); }
    QString describe(const Cell &cell) const;

    /// While a brush is on, dragging with the left button paints a stroke instead of moving the
    /// picture (the middle button still moves it); Escape gives the stroke up.
    void setBrush(bool on);
    bool brush() const { return m_brush; }
    /// Whether cells are large enough to be told apart; else a press begins no stroke.
    bool brushHasRoom() const;
    static constexpr std::size_t kMostStroke = 4096; ///< cells; further ones are left out
    /// The cells of the stroke under way, each once, in the order in which they were passed.
    const std::vector<Cell> &stroke() const { return m_stroke; }

    /// True while tiles on view are still being made.
    bool loading() const;
    /// Zoom in, zoom out, fit: for tool bars and menus. Keys work while the view has the focus.
    QList<QAction *> zoomActions() const { return m_actions; }
    /// A row of small buttons for zoomActions().
    QWidget *createZoomButtons(QWidget *parent) const;

    /// Rectangle of a cell in the viewport.
    QRect cellRect(const Cell &cell) const;
    std::optional<Cell> cellAt(QPoint position) const;

public Q_SLOTS:
    void zoomIn() { zoomAboutCursor(2); }
    void zoomOut() { zoomAboutCursor(0.5); }
    void fit() { moveTo(ViewState{}); }

Q_SIGNALS:
    void viewStateChanged(const kernscope::ui::ViewState &state); ///< by the person
    void cellHovered(std::uint64_t row, std::uint64_t col);
    void hoverLeft();
    void currentCellChanged(std::uint64_t row, std::uint64_t col); ///< by mouse or keys
    void cellClicked(std::uint64_t row, std::uint64_t col);        ///< after currentCellChanged
    void cellActivated(std::uint64_t row, std::uint64_t col);      ///< double click, Enter
    void loaded();                                                 ///< every tile on view is there
    void strokeRefused();            ///< a press where the cells are too small to paint
    void strokeChanged();            ///< stroke() has other cells
    void strokeEnded(bool accepted); ///< stroke() still has its cells; false: given up

protected:
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void wheelEvent(QWheelEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void mouseReleaseEvent(QMouseEvent *event) override;
    void mouseDoubleClickEvent(QMouseEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void scrollContentsBy(int dx, int dy) override;
    bool viewportEvent(QEvent *event) override;

private:
    ViewGeometry geometryNow() const;
    void moveTo(const ViewState &state); ///< by the person: emits
    void zoomBy(double factor, QPointF anchor);
    void zoomAboutCursor(double factor);
    void pickCell(const Cell &cell);
    bool moveCursor(QKeyEvent *event);
    bool panByKey(QKeyEvent *event);
    void updateScrollBars();
    void updateRulers();
    void announceCell();
    void beginStroke(const Cell &cell);
    void extendStroke(const Cell &to);
    void endStroke(bool accepted);
    void drawStroke(QPainter &painter) const;
    void refreshWanted();

    TileLoader *m_loader = nullptr;
    TileRuler *m_down = nullptr, *m_across = nullptr;
    ViewState m_state;
    std::optional<Cell> m_current, m_hovered;
    Describe m_describe;
    QList<QAction *> m_actions;
    std::vector<Cell> m_stroke;
    bool m_brush = false, m_stroking = false;
    QPoint m_pressedAt, m_draggedTo;
    double m_mostStretch = 1;
    int m_wheelRest = 0; ///< eighths of a degree that have not made a step yet
    bool m_pressed = false, m_dragging = false, m_updatingBars = false;
};

} // namespace kernscope::ui
