// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

/// Private to the reader of networks: rows of resources/tables/network_layers.csv.
namespace kernscope::network {

/// An extent of a weight's shape: a field of the layer, maybe over another one.
struct ShapeExtent {
    std::uint32_t field = 0;
    std::uint32_t over = 0; ///< field to divide by; 0: none. A value of 0 divides by 1.
    bool repeated = false;  ///< every value of the field is an extent
    std::vector<std::uint64_t> fallback; ///< where the field is empty
};

struct LayerField {
    std::string layer;               ///< "convolution"
    std::vector<std::uint32_t> path; ///< fields from the layer's message to the WeightParams
    std::string name;                ///< "weights"; "@": a network within the layer
    std::vector<ShapeExtent> shape;  ///< empty: not known
    bool byColumns = false;          ///< the values of the matrix lie column by column
    std::size_t axis = 0;
    /// Applies only where this flag of the layer has this value.
    std::optional<std::pair<std::uint32_t, std::uint64_t>> when;

    bool isNetwork() const { return name == "@"; }
};

/// By the layer's field number.
const std::multimap<std::uint32_t, LayerField> &layerTable();

} // namespace kernscope::network
