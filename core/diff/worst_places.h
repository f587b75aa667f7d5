// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/diff/diff.h"

#include <cstdint>
#include <vector>

namespace kernscope {

/// B against A in one output channel (an index of axis 0).
struct ChannelDifference {
    std::uint64_t channel = 0;
    std::uint64_t elements = 0, different = 0;
    double maxAbs = 0; ///< infinite where an element is not finite on one side only
    double rmse = 0;   ///< over the elements finite in both
    double snr = 0;    ///< dB; infinite without an error
};

/// Where two weights are furthest apart.
struct WorstPlaces {
    std::uint64_t channels = 0, differentChannels = 0;
    std::vector<ChannelDifference> worstChannels; ///< largest maxAbs first, equal ones in order
    std::vector<ElementPair> worstElements;       ///< largest |a - b| first, equal ones in order
};

/// At most `most` of each; memory goes with that number only. Decodes both weights once. Errors:
/// those of diff::PairReader::make, "task.cancelled". Takes the files' locks itself, shared.
/// Progress in elements.
Result<WorstPlaces> findWorstPlaces(const Bundle &a, std::size_t weightA, const Bundle &b,
                                    std::size_t weightB, std::size_t most,
                                    Progress *progress = nullptr);

} // namespace kernscope
