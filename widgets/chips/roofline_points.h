// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/report/placement_table.h"
#include "widgets/chips/chip_state.h"
#include "widgets/models/row_table_model.h"

namespace kernscope::ui {

/// What of the plane a roofline shows: both ends of both axes.
struct RooflineView {
    double left = 0, right = 0, low = 0, high = 0;
};

/// The layers of a bundle as points over arithmetic intensity and rate, ordered by intensity:
/// which of them coincide, what they say, and the rate of the whole program.
class RooflinePoints
{
public:
    /// Points whose figures are equal: drawn once.
    struct Spot {
        std::vector<int> points; ///< rising
        double key = 0, level = 0;
        double logKey = 0, logLevel = 0;
        double longestS = 0; ///< of its layers
    };
    /// A place with a name: its first point, and how many layers lie within reach.
    struct Named {
        int point = 0;
        std::size_t layers = 1;
    };
    /// An arrow from where layers would lie dense to a spot.
    struct Arrow {
        double key = 0, level = 0;
        std::size_t spot = 0;
        auto operator<=>(const Arrow &) const = default;
    };

    /// `bundle` is kept for the names of its layers; null where there are none.
    void set(BundlePtr bundle, roofline::Roofs roofs, std::vector<ChipLayer> layers,
             const roofline::ProgramTime &program);

    const BundlePtr &bundle() const { return m_bundle; }
    const roofline::Roofs &roofs() const { return m_roofs; }
    int count() const { return static_cast<int>(m_order.size()); }
    const ChipLayer &layerOf(int point) const;
    const roofline::Placement &placementOf(int point) const { return *layerOf(point).figures; }
    int ofWeight(std::size_t weight) const; ///< -1: it has none
    double keyOf(int point) const;
    double levelOf(int point) const;
    int nearestKey(double key) const; ///< -1: there are no points
    /// Both axes with room around the points, the ridge and the line of the program.
    RooflineView extent() const;
    /// 0 to 3: a decade of time a step, from the longest down.
    int sizeClass(double timeS) const;
    /// FLOP/s of the program while one dispatch takes the time that it takes at least, where that
    /// is what the program waits for.
    std::optional<double> floorRate() const { return m_floorRate; }

    /// The points that lie where `point` lies, itself among them, rising.
    std::vector<int> coinciding(int point) const;
    const std::vector<Spot> &spots() const { return m_spots; } ///< in the order of first points
    /// At most `most` each, those whose layers take longest.
    std::vector<Named> named(std::size_t most) const;
    std::vector<Arrow> arrows(std::size_t most) const;
    std::vector<std::size_t> aboveRoofs(std::size_t most) const; ///< spots past a measured roof

    /// Of the roofs that the points are held against, and that they pass.
    std::set<std::string> roofNames() const;

    QString label(int point) const;
    /// With the arithmetic written in full.
    QString text(int point) const;
    int columnCount() const { return m_columns.count(); }
    QVariant header(int column, int role) const { return m_columns.header(column, role); }
    QVariant cell(int point, int column, int role) const;

private:
    void findSpots();
    void findFloor();
    std::vector<std::size_t> spotsAround(std::size_t spot) const;
    std::vector<std::size_t> longestSpots(std::vector<std::size_t> spots, std::size_t most) const;
    QString runText(const roofline::Placement &placed, const roofline::LayerRun &run) const;
    QString timeText(const roofline::Placement &placed) const;
    QString neighboursText(int point) const;

    WindowColumns<report::PlacedLayer> m_columns{report::placementTable};
    BundlePtr m_bundle;
    roofline::Roofs m_roofs;
    roofline::ProgramTime m_program;
    std::vector<ChipLayer> m_layers;
    std::vector<std::size_t> m_order; ///< point -> layer, by intensity
    std::vector<Spot> m_spots;
    std::vector<std::size_t> m_spotOf; ///< point -> spot
    std::optional<double> m_floorRate;
    double m_longestS = 0;
};

} // namespace kernscope::ui
