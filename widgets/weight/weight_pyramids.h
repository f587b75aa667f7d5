// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/bundle_fwd.h"
#include "core/bundle/weight.h"
#include "widgets/common/box_pyramid.h"
#include "widgets/models/slice_map.h"

#include <QObject>

namespace kernscope::ui {

class Session;

/// The session's coarse tiles: one pyramid for each slice of a weight and what is drawn of it, so
/// that its views share them. An edit or another bundle begins anew; tasks that still run for the
/// old bytes fill the old one, which no view uses any more.
class WeightPyramids final : public QObject
{
    Q_OBJECT

public:
    enum class Kind : std::uint8_t {
        Values,             ///< the decoded values
        Kept,               ///< 1 where a cell is kept, else 0
        Difference,         ///< of the values of two weights
        RelativeDifference, ///< that over the size of the first
    };
    /// A slice of a weight.
    struct Slice {
        const Bundle *bundle = nullptr; ///< compared only
        std::size_t weight = kNoIndex;
        SliceMap map = {};
        friend bool operator==(const Slice &, const Slice &) = default;
    };

    static WeightPyramids &of(Session &session);
    PicturePyramid pyramid(const Bundle *bundle, std::size_t weight, const SliceMap &map,
                           Kind kind);
    /// Of two slices with the same cells.
    PicturePyramid pyramidOfPair(const Slice &a, const Slice &b, Kind kind);
    const BoxStore &store() const { return *m_store; }

private:
    explicit WeightPyramids(Session &session);

    struct Picture {
        Slice a, b; ///< of a single weight no b
        Kind kind = Kind::Values;
        std::uint64_t number = 0;
    };
    std::shared_ptr<BoxStore> m_store;
    std::vector<Picture> m_pictures; ///< of the bytes of now
    std::uint64_t m_next = 1;
};

} // namespace kernscope::ui
