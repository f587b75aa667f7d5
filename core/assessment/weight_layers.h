// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/assessment/entries.h"
#include "core/assessment/weight_facts.h"
#include "core/bundle/bundle.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace kernscope {

/// The name of the layer that a consumer of a weight is: its operation's, or that of the weight.
const std::string &layerName(const Weight &weight, std::size_t consumer);

/// A weight and the layers that read it.
struct WeightLayers {
    decision::WeightForm form;
    roofline::Layer judged;           ///< the heaviest; of a weight in no layer one without extents
    std::vector<roofline::Layer> all; ///< none where it is in no layer
};

/// The layers of a bundle, one weight after the other: those of 50,000 weights would take more than
/// 100 MB at once. What layers of several weights share (shareOperations) is found at the
/// beginning. Reads the bundle, which has to outlive it, and keeps none of its bytes.
class LayerReader
{
public:
    explicit LayerReader(const Bundle &bundle);

    std::size_t weights() const { return m_bundle.weights().size(); }
    /// As weightForms gives it.
    decision::WeightForm form(std::size_t weight) const;
    /// One a consumer that is a layer, with the weight in `form`.
    std::vector<roofline::Layer> layers(std::size_t weight, const decision::WeightForm &form) const;
    /// The layers with the weight as it is stored.
    WeightLayers at(std::size_t weight) const;

private:
    /// What a layer has in place of its own figures, for it belongs to an operation of several.
    struct Shared {
        std::optional<std::uint64_t> flops, inputBytes, outputBytes;
        bool repeated = false; ///< another layer of the operation reads the same weight
    };
    using Places = std::vector<std::pair<std::size_t, std::size_t>>; ///< weight and consumer

    void findFunctions();
    Places mayShare() const;
    void findShared(const Places &places);

    const Bundle &m_bundle;
    Entries m_entries;
    bool m_several = false; ///< layers belong to several functions
    std::map<std::pair<std::size_t, std::size_t>, Shared> m_shared; ///< by weight and consumer
};

} // namespace kernscope
