// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/bundle_fwd.h"
#include "core/bundle/weight.h"
#include "widgets/compare/picture_pane.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace kernscope::ui {

class BoxStore;

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

} // namespace kernscope::ui
