// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/weight/slice_axes.h"

#include <QCoreApplication>

namespace kernscope::ui {

namespace {

struct SliceWords {
    Q_DECLARE_TR_FUNCTIONS(kernscope::SliceAxes)
};

QString axisName(const QStringList &names, std::size_t axis)
{
    return axis < static_cast<std::size_t>(names.size()) ? names[static_cast<qsizetype>(axis)]
                                                         : SliceWords::tr("axis %1").arg(axis);
}

} // namespace

std::pair<TileAxis, TileAxis> sliceAxes(const SliceMap &map, const QStringList &names)
{
    TileAxis down, across;
    down.count = map.rows();
    across.count = map.cols();
    down.text = [map](std::uint64_t row) { return map.rowText(row); };
    across.text = [map](std::uint64_t col) { return map.columnText(col); };
    if (map.wrapped()) {
        down.title = SliceWords::tr("element");
        across.title = SliceWords::tr("within the line");
        return {std::move(down), std::move(across)};
    }
    if (map.shape().empty())
        return {};
    down.title = axisName(names, map.rowAxis());
    QStringList titles;
    std::uint64_t inner = 1;
    for (std::size_t axis = 0; axis < map.shape().size(); ++axis) {
        if (axis == map.rowAxis() || map.held()[axis] || map.shape()[axis] <= 1)
            continue;
        titles += axisName(names, axis);
        if (titles.size() > 1)
            inner *= map.shape()[axis];
    }
    across.title =
        titles.isEmpty() ? SliceWords::tr("one column") : titles.join(QLatin1String(", "));
    across.block = inner;
    return {std::move(down), std::move(across)};
}

} // namespace kernscope::ui
