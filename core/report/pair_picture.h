// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/error.h"
#include "core/base/progress.h"
#include "core/bundle/bundle_fwd.h"
#include "core/compare/pair_sides.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace kernscope::report {

/// A picture of 8-bit indices, row by row from the top; index 0 to 254 from blue over white to
/// orange, 127 being zero, 255 what is not finite.
struct IndexedPicture {
    std::size_t width = 0, height = 0;
    std::vector<std::uint8_t> pixels;
};

/// Two weights and their difference under one view: output channels down, the rest across, at most
/// kMostRows x kMostColumns cells. A cell is the mean of the elements in it; of the difference B -
/// A the one of the largest magnitude, so that a single changed element shows.
struct PairPicture {
    static constexpr std::size_t kMostRows = 96, kMostColumns = 192;

    IndexedPicture a, b, difference;
    double valueRange = 0; ///< value from which on colours are full in A and B; 0: all are zero
    double differenceRange = 0; ///< and in the difference
    bool binned = false;        ///< a cell stands for more than one element
};

/// Decodes both weights once; elements are those of comparedWeight(). Errors: those of
/// diff::PairReader::make, "task.cancelled". Takes the files' locks itself, shared. Progress in
/// elements.
Result<PairPicture> pairPicture(const Bundle &a, const Bundle &b, const PairSides &sides,
                                Progress *progress = nullptr);

/// A PNG file of the picture with its colours.
std::vector<std::byte> pngOf(const IndexedPicture &picture);
/// "data:image/png;base64,…".
std::string dataUrl(std::span<const std::byte> png);

} // namespace kernscope::report
