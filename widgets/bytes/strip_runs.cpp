// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/bytes/strip_runs.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace kernscope::ui {

namespace {

constexpr std::size_t kSectionKinds = static_cast<std::size_t>(SectionKind::Unknown) + 1;

/// The kind that most of the bytes [from, to) have, by looking at a few evenly spread ones: each
/// look costs a binary search, so a pixel over a million sections costs what one over two does.
SectionKind mostOf(std::span<const Section> sections, double from, double to)
{
    constexpr int kLooks = 9;
    std::array<int, kSectionKinds> counts{};
    for (int i = 0; i < kLooks; ++i) {
        const double at = from + (to - from) * (i + 0.5) / kLooks;
        const auto section = stripSectionAt(sections, static_cast<std::uint64_t>(at));
        ++counts[static_cast<std::size_t>(sections[section].kind)];
    }
    return static_cast<SectionKind>(std::max_element(counts.begin(), counts.end()) -
                                    counts.begin());
}

} // namespace

std::size_t stripSectionAt(std::span<const Section> sections, std::uint64_t offset)
{
    const auto after = std::upper_bound(
        sections.begin(), sections.end(), offset,
        [](std::uint64_t o, const Section &section) { return o < section.range.offset.value; });
    return after == sections.begin() ? 0 : static_cast<std::size_t>(after - sections.begin()) - 1;
}

std::vector<StripRun> stripRuns(std::span<const Section> sections, const StripScale &scale,
                                double column)
{
    std::vector<StripRun> runs;
    if (sections.empty() || scale.size() == 0)
        return runs;
    const double end = std::min(scale.end(), static_cast<double>(scale.size()));
    const double right = scale.pixelOf(end);
    double x = 0;
    while (x < right) {
        const double from = scale.byteAt(x);
        const std::size_t at = stripSectionAt(sections, static_cast<std::uint64_t>(from));
        const Section &section = sections[at];
        const double sectionEnd = scale.pixelOf(static_cast<double>(section.range.end()));
        if (sectionEnd - x >= column || at + 1 == sections.size()) {
            const double stop = std::min(sectionEnd, right);
            runs.push_back({x, std::max(stop, x + column), section.kind, at, false});
            x = std::max(stop, x + column);
            continue;
        }
        // The rest of this device pixel, so that what follows begins at a pixel's edge.
        const double stop = (std::floor(x / column + 1e-9) + 1) * column;
        const SectionKind kind = mostOf(sections, from, std::min(scale.byteAt(stop), end));
        StripRun *last = runs.empty() ? nullptr : &runs.back();
        if (last && last->merged && last->kind == kind && last->right >= x - 1e-9)
            last->right = stop;
        else
            runs.push_back({x, stop, kind, at, true});
        x = stop;
    }
    return runs;
}

} // namespace kernscope::ui
