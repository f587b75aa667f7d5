// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/network/layer_table.h"

#include "core/format/table_rows.h"

#include <utility>

namespace kernscope::network {

namespace {

std::uint32_t numberOf(std::string_view text)
{
    return static_cast<std::uint32_t>(parseInteger(text).value_or(0));
}

/// Calls `each` for the pieces of `text` between `separator`s.
template <class Each>
void split(std::string_view text, char separator, const Each &each)
{
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find(separator, at), text.size());
        if (end > at)
            each(text.substr(at, end - at));
        at = end + 1;
    }
}

/// "2", "1/10", "20*", "20*=3x3".
ShapeExtent extentOf(std::string_view text)
{
    ShapeExtent extent;
    if (const auto equals = text.find('='); equals != std::string_view::npos) {
        split(text.substr(equals + 1), 'x',
              [&](std::string_view number) { extent.fallback.push_back(numberOf(number)); });
        text = text.substr(0, equals);
    }
    if (text.ends_with('*')) {
        extent.repeated = true;
        text.remove_suffix(1);
    }
    const auto slash = text.find('/');
    if (slash != std::string_view::npos)
        extent.over = numberOf(text.substr(slash + 1));
    extent.field = numberOf(text.substr(0, slash));
    return extent;
}

} // namespace

const std::multimap<std::uint32_t, LayerField> &layerTable()
{
    static const auto table = [] {
        std::multimap<std::uint32_t, LayerField> made;
        const auto csv = tables::load("network_layers");
        for (std::size_t row = 0; csv && row < csv->rows(); ++row) {
            LayerField field;
            field.layer = csv->cell(row, "layer");
            field.name = csv->cell(row, "field");
            split(csv->cell(row, "path"), '.',
                  [&](std::string_view step) { field.path.push_back(numberOf(step)); });
            std::string_view shape = csv->cell(row, "shape");
            constexpr std::string_view kByColumns = " columns";
            field.byColumns = shape.ends_with(kByColumns);
            if (field.byColumns)
                shape.remove_suffix(kByColumns.size());
            if (shape != "?")
                split(shape, ' ',
                      [&](std::string_view extent) { field.shape.push_back(extentOf(extent)); });
            field.axis = numberOf(csv->cell(row, "axis"));
            const std::string_view when = csv->cell(row, "when");
            if (const auto equals = when.find('='); equals != std::string_view::npos)
                field.when = {numberOf(when.substr(0, equals)), numberOf(when.substr(equals + 1))};
            made.emplace(numberOf(csv->cell(row, "layer_field")), std::move(field));
        }
        return made;
    }();
    return table;
}

} // namespace kernscope::network
