// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/part_data.h"
#include "widgets/common/dock.h"
#include "widgets/common/plot_widget.h"
#include "widgets/models/task_manager.h"
#include "widgets/models/weight_reader.h"

namespace kernscope::ui {

/// Share of kept elements of each output channel, as steps, with the mean as a dashed line.
class DensityPlot final : public PlotWidget
{
    Q_OBJECT

public:
    explicit DensityPlot(QWidget *parent = nullptr);

    /// `kept[channel]` of `perChannel` elements each. `stored`: whether a mask says so; otherwise
    /// kept means "does not decode to zero". `axis`: what the channels are ("out channel").
    void setDensity(std::vector<std::uint64_t> kept, std::uint64_t perChannel, bool stored,
                    const QString &axis = {});
    void clear() { setDensity({}, 0, true); }

    int pointCount() const override { return static_cast<int>(m_kept.size()); }
    QString pointText(int point) const override;

protected:
    void applyColors(bool dark) override;

private:
    double density(int point) const;

    std::vector<std::uint64_t> m_kept;
    std::uint64_t m_perChannel = 0;
    bool m_stored = true;
    QCPGraph *m_steps = nullptr;
    QCPItemStraightLine *m_mean = nullptr;
};

class ColorScale;
class TileView;
class WeightHeader;
struct Tile;
struct Cell;

/// The mask of the chosen weight as a picture of any size, its density per output channel, and
/// painting: keep or drop the element under the cell cursor. Of a weight without a mask: which
/// decoded values are zero.
class MaskDock final : public Dock
{
    Q_OBJECT

public:
    explicit MaskDock(Session &session, QWidget *parent = nullptr);

    TileView &picture() { return *m_picture; }
    DensityPlot &density() { return *m_density; }
    QAction *keepAction() const { return m_keep; }
    QAction *dropAction() const { return m_drop; }
    QAction *brushAction() const { return m_brush; }
    QString cellText() const
    {
        return m_cell->text();
    } ///< of the chosen cell, or what the stroke under way would change
    QLineEdit *keepValue() const { return m_keepValue; }
    QString figures() const;

protected:
    void refresh() override;
    void follow(const Place &place, QObject *origin) override;
    bool working() const override;
    void changeEvent(QEvent *event) override;

private:
    QWidget *createPainting();
    QWidget *buildParts(QWidget *content);
    void createActions();
    void connectViews();
    void showWeight(std::size_t weight, bool same);
    void readFigures();
    void showFigures(const MaskFigures &figures);
    void drawPicture(bool same);
    void moveCell(std::uint64_t row, std::uint64_t col, bool now);
    void goToMoved();
    void paintMask(bool keep);
    void updatePainting();
    void createBrush();
    void onStroke();
    void paintStroke(bool accepted);
    std::vector<std::uint64_t> strokeElements();
    std::optional<std::uint64_t> currentElement() const;
    QString describeCell(const Cell &cell, const Tile *tile, std::size_t index) const;

    std::size_t m_weight = kNoIndex;
    BundlePtr m_shown;
    WeightReaderPtr m_reader;
    Job m_task{session().tasks()};
    std::optional<std::uint64_t> m_moved;
    QTimer *m_debounce = nullptr;
    QAction *m_keep = nullptr, *m_drop = nullptr, *m_brush = nullptr;
    bool m_strokeKeeps = false;              ///< else it leaves out: the reverse of its first cell
    std::optional<codec::Decoder> m_decoder; ///< of the weight as the stroke began
    WeightHeader *m_header = nullptr;
    QLabel *m_figures = nullptr, *m_note = nullptr, *m_cell = nullptr;
    ColorScale *m_scale = nullptr;
    TileView *m_picture = nullptr;
    QWidget *m_painting = nullptr;
    QLineEdit *m_keepValue = nullptr;
    DensityPlot *m_density = nullptr;
};

} // namespace kernscope::ui
