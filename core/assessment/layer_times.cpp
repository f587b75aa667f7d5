// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/assessment/layer_times.h"

#include <algorithm>
#include <utility>

namespace kernscope::roofline {

void LayerTimes::add(const Layer &layer, std::optional<double> timeS, std::string refusal)
{
    m_times.push_back({kept(layer), timeS, std::move(refusal)});
}

const Layer *LayerTimes::kept(const Layer &layer)
{
    // From the last one on: the layers of a function follow each other.
    const auto at = std::find_if(m_kept.rbegin(), m_kept.rend(), [&layer](const Layer &known) {
        return known.model == layer.model && known.runs == layer.runs;
    });
    if (at != m_kept.rend())
        return &*at;
    Layer &added = m_kept.emplace_back();
    added.model = layer.model;
    added.runs = layer.runs;
    return &added;
}

} // namespace kernscope::roofline
