// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/bundle_fwd.h"
#include "core/bundle/kinds.h"
#include "widgets/bytes/strip_scale.h"

#include <span>
#include <vector>

namespace kernscope::ui {

/// A stretch of pixel columns of a strip in one colour.
struct StripRun {
    double left = 0, right = 0; ///< pixels
    SectionKind kind = SectionKind::Unknown;
    std::size_t section = 0; ///< number within the file of the (first) section shown
    bool merged = false;     ///< sections thinner than a pixel; `kind` takes most of their bytes
};

/// What a strip paints: sections of a pixel and more as themselves, thinner ones merged by the kind
/// that takes most of each pixel. `sections` are those of one file, in order, covering it. The cost
/// grows with the pixels and the logarithm of the sections, not with the sections.
/// `column` is the width of a device pixel in the scale's pixels.
std::vector<StripRun> stripRuns(std::span<const Section> sections, const StripScale &scale,
                                double column);

/// Number (within `sections`) of the one that holds a byte; the last one past the end.
std::size_t stripSectionAt(std::span<const Section> sections, std::uint64_t offset);

} // namespace kernscope::ui
