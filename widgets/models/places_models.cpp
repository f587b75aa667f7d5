// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/places_models.h"

#include <algorithm>

namespace kernscope::ui {

void ChannelModel::setPlaces(const WorstPlacesPtr &places)
{
    setRows(places ? places->worstChannels : std::vector<ChannelDifference>());
}

std::optional<std::uint64_t> ChannelModel::elementAt(int row) const
{
    return row >= 0 && row < rowCount() ? std::optional(rowAt(row).worst) : std::nullopt;
}

int ChannelModel::rowOfChannel(std::uint64_t channel) const
{
    const auto at =
        std::find_if(rows().begin(), rows().end(),
                     [channel](const ChannelDifference &row) { return row.channel == channel; });
    return at == rows().end() ? -1 : rowOf(static_cast<std::size_t>(at - rows().begin()));
}

void ElementModel::setPlaces(const WorstPlacesPtr &places, const Shape &shape, ElementType type)
{
    setRows(places ? report::elementRows(*places, shape, type)
                   : std::vector<report::ElementFacts>());
}

std::optional<std::uint64_t> ElementModel::elementAt(int row) const
{
    return row >= 0 && row < rowCount() ? std::optional(rowAt(row).pair.element) : std::nullopt;
}

int ElementModel::rowOfElement(std::uint64_t element) const
{
    const auto at =
        std::find_if(rows().begin(), rows().end(), [element](const report::ElementFacts &row) {
            return row.pair.element == element;
        });
    return at == rows().end() ? -1 : rowOf(static_cast<std::size_t>(at - rows().begin()));
}

} // namespace kernscope::ui
