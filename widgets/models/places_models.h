// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/report/places_table.h"
#include "widgets/models/row_table_model.h"

#include <memory>
#include <optional>

namespace kernscope::ui {

using WorstPlacesPtr = std::shared_ptr<const WorstPlaces>;

/// Output channels that differ, the largest difference first.
class ChannelModel final : public RowTable<ChannelDifference>
{
public:
    explicit ChannelModel(QObject *parent = nullptr) : RowTable(report::channelTable(), parent) {}

    /// Null: no rows.
    void setPlaces(const WorstPlacesPtr &places);
    /// The element that a shown row leads to.
    std::optional<std::uint64_t> elementAt(int row) const;
    /// Shown row of a channel; -1 where it is not among them.
    int rowOfChannel(std::uint64_t channel) const;
};

/// Single elements, the largest difference first.
class ElementModel final : public RowTable<report::ElementFacts>
{
public:
    explicit ElementModel(QObject *parent = nullptr) : RowTable(report::elementTable(), parent) {}

    /// `shape` and `type` are those of A. Null: no rows.
    void setPlaces(const WorstPlacesPtr &places, const Shape &shape, ElementType type);
    /// The element of a shown row.
    std::optional<std::uint64_t> elementAt(int row) const;
    /// Shown row of an element; -1 where it is not among them.
    int rowOfElement(std::uint64_t element) const;
};

} // namespace kernscope::ui
