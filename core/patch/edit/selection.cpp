// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/patch/edit/selection.h"

#include "core/base/error_builder.h"

#include <fmt/format.h>

namespace kernscope::patch {

namespace {

tl::unexpected<Error> indexError(std::string expected, std::string found)
{
    return ErrorBuilder("patch.index")
        .expected(std::move(expected))
        .found(std::move(found))
        .message("The weight has no such element")
        .unexpected();
}

} // namespace

ElementSelection ElementSelection::whole(std::uint64_t elements)
{
    ElementSelection selection;
    selection.m_axes.push_back({0, elements, 1, 0});
    selection.m_elements = elements;
    return selection;
}

Result<ElementSelection> ElementSelection::make(std::span<const IndexRange> indices,
                                                const Shape &shape)
{
    const auto elements = elementCount(shape);
    if (!elements || elements->value == 0)
        return indexError("a weight with elements", shapeText(shape));
    const bool flat = indices.size() == 1;
    if (!flat && indices.size() > shape.size()) {
        return indexError(fmt::format("1 or {} indices for {}", shape.size(), shapeText(shape)),
                          fmt::format("{} indices", indices.size()));
    }
    const Shape extents = flat ? Shape{elements->value} : shape;
    ElementSelection selection;
    selection.m_elements = 1;
    std::uint64_t stride = elements->value;
    for (std::size_t axis = 0; axis < extents.size(); ++axis) {
        const std::uint64_t extent = extents[axis];
        stride /= extent;
        IndexRange range;
        range.all = axis >= indices.size() || indices[axis].all;
        if (!range.all)
            range = indices[axis];
        const bool open = range.all || range.stop == IndexRange::kToEnd;
        const std::uint64_t stop = range.single && !range.all ? range.start + 1
                                   : open                     ? extent
                                                              : range.stop;
        if (range.start >= stop || stop > extent) {
            return indexError(fmt::format("0 to {} on axis {}", extent - 1, axis),
                              range.single ? fmt::format("{}", range.start)
                                           : fmt::format("{}:{}", range.start, stop));
        }
        selection.m_axes.push_back({range.start, stop - range.start, stride, 0});
        selection.m_elements *= stop - range.start;
    }
    return selection;
}

ElementSelection::Run ElementSelection::next()
{
    if (m_done)
        return {};
    Run run;
    for (const Axis &axis : m_axes)
        run.first += (axis.start + axis.at) * axis.stride;
    run.count = m_axes.back().count;
    m_done = true;
    for (std::size_t i = m_axes.size() - 1; i-- > 0;) {
        Axis &axis = m_axes[i];
        if (++axis.at < axis.count) {
            m_done = false;
            break;
        }
        axis.at = 0;
    }
    return run;
}

} // namespace kernscope::patch
