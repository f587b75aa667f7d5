// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/overview/treemap_layout.h"

#include <algorithm>
#include <numeric>

namespace kernscope::ui {

namespace {

/// The worst ratio of sides in a row of areas from `least` to `most` with this sum along `side`.
double worst(double least, double most, double sum, double side)
{
    const double square = side * side, total = sum * sum;
    return std::max(square * most / total, total / (square * least));
}

/// Puts the areas as one row along the shorter side of `rest`, and takes the row off it.
void placeRow(std::span<const double> areas, QRectF &rest, std::vector<QRectF> &out)
{
    const double sum = std::accumulate(areas.begin(), areas.end(), 0.0);
    const bool upright = rest.width() >= rest.height(); // the row is a column at the left
    const double side = upright ? rest.height() : rest.width();
    const double thick = side > 0 ? sum / side : 0;
    double at = upright ? rest.top() : rest.left();
    for (const double area : areas) {
        const double length = thick > 0 ? area / thick : 0;
        out.push_back(upright ? QRectF(rest.left(), at, thick, length)
                              : QRectF(at, rest.top(), length, thick));
        at += length;
    }
    if (upright)
        rest.setLeft(rest.left() + thick);
    else
        rest.setTop(rest.top() + thick);
}

} // namespace

std::vector<QRectF> squarify(std::span<const double> sizes, const QRectF &area)
{
    std::vector<QRectF> placed;
    placed.reserve(sizes.size());
    const auto end = std::find_if(sizes.begin(), sizes.end(), [](double s) { return !(s > 0); });
    std::vector<double> areas(sizes.begin(), end);
    const double total = std::accumulate(areas.begin(), areas.end(), 0.0);
    if (total > 0 && area.width() > 0 && area.height() > 0) {
        const double scale = area.width() * area.height() / total;
        for (double &one : areas)
            one *= scale;
        QRectF rest = area;
        std::size_t first = 0;
        while (first < areas.size()) {
            const double side = std::min(rest.width(), rest.height());
            double sum = areas[first], ratio = worst(areas[first], areas[first], sum, side);
            std::size_t last = first + 1;
            for (; last < areas.size(); ++last) {
                const double more = sum + areas[last];
                const double next = worst(areas[last], areas[first], more, side);
                if (next > ratio)
                    break;
                sum = more;
                ratio = next;
            }
            placeRow(std::span(areas).subspan(first, last - first), rest, placed);
            first = last;
        }
    }
    placed.resize(sizes.size());
    return placed;
}

} // namespace kernscope::ui
