// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/assessment/channel_axes.h"

namespace kernscope {

codec::LayerShape layerShape(const Shape &shape, const ChannelAxes &axes)
{
    if (axes.output >= shape.size() || axes.batches > axes.output)
        return codec::layerOf(shape);
    codec::LayerShape layer{shape[axes.output], 1, 1, 1};
    for (std::size_t i = 0; i < shape.size(); ++i) {
        if (i < axes.batches)
            layer.groups *= shape[i];
        else if (i < axes.output)
            layer.outer *= shape[i];
        else if (i > axes.output)
            layer.inner *= shape[i];
    }
    // Of some rows of axis 0 the groups cannot always be told apart.
    if (axes.groups > 1 && axes.output > 0 && layer.outer % axes.groups == 0) {
        layer.groups *= axes.groups;
        layer.outer /= axes.groups;
    }
    return layer;
}

codec::FormSpec alongChannels(codec::FormSpec form, const ChannelAxes &axes)
{
    if (form.affine.axis)
        form.affine.axis = axes.output;
    form.blockwise.axis = axes.input;
    form.blockwise.channels = axes.output;
    if (form.pattern)
        form.pattern->axis = axes.input;
    return form;
}

} // namespace kernscope
