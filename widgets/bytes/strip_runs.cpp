// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/bytes/strip_runs.h"

#include "core/bundle/bundle.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace kernscope::ui {

namespace {

constexpr std::size_t kSectionKinds = static_cast<std::size_t>(SectionKind::Unknown) + 1;

/// stripSectionAt for a place that is not before section `from`, and most likely near it: the
/// sections between are passed in steps that double, so that little memory is touched.
std::size_t sectionFrom(std::span<const Section> sections, std::size_t from, std::uint64_t offset)
{
    std::size_t step = 1;
    while (from + step < sections.size() && sections[from + step].range.offset.value <= offset) {
        from += step;
        step *= 2;
    }
    const std::size_t end = std::min(from + step, sections.size());
    return from + stripSectionAt(sections.subspan(from, end - from), offset);
}

/// The kind that most of the bytes [from, to) have, by looking at a few evenly spread ones: each
/// look costs a binary search, so a pixel over a million sections costs what one over two does.
/// `section` is that of `from`.
SectionKind mostOf(std::span<const Section> sections, std::size_t section, double from, double to)
{
    constexpr int kLooks = 9;
    std::array<int, kSectionKinds> counts{};
    for (int i = 0; i < kLooks; ++i) {
        const double at = from + (to - from) * (i + 0.5) / kLooks;
        section = sectionFrom(sections, section, static_cast<std::uint64_t>(at));
        ++counts[static_cast<std::size_t>(sections[section].kind)];
    }
    return static_cast<SectionKind>(std::max_element(counts.begin(), counts.end()) -
                                    counts.begin());
}

} // namespace

double StripScale::fitBytesPerPixel() const
{
    return std::max(kLeastBytesPerPixel, static_cast<double>(m_size) / m_width);
}

void StripScale::setSize(std::uint64_t bytes)
{
    m_size = bytes;
    fit();
}

void StripScale::setWidth(double pixels)
{
    const bool whole = fitted();
    m_width = std::max(1.0, pixels);
    if (whole)
        fit();
    else
        clamp();
}

void StripScale::fit()
{
    m_begin = 0;
    m_bytesPerPixel = fitBytesPerPixel();
}

void StripScale::zoom(double factor, double pixel)
{
    const double fixed = byteAt(pixel);
    m_bytesPerPixel = std::clamp(m_bytesPerPixel / factor, kLeastBytesPerPixel, fitBytesPerPixel());
    m_begin = fixed - pixel * m_bytesPerPixel;
    clamp();
}

void StripScale::setBytesPerPixel(double bytesPerPixel)
{
    zoom(m_bytesPerPixel / std::max(bytesPerPixel, kLeastBytesPerPixel), m_width / 2);
}

void StripScale::setBegin(double offset)
{
    m_begin = offset;
    clamp();
}

void StripScale::reveal(double first, double endOffset)
{
    if (first >= begin() && endOffset <= end())
        return;
    const double shown = m_width * m_bytesPerPixel;
    if (endOffset - first > shown)
        setBegin(first - shown / 20);
    else
        setBegin((first + endOffset - shown) / 2);
}

void StripScale::clamp()
{
    m_bytesPerPixel = std::clamp(m_bytesPerPixel, kLeastBytesPerPixel, fitBytesPerPixel());
    const double last = static_cast<double>(m_size) - m_width * m_bytesPerPixel;
    m_begin = std::clamp(m_begin, 0.0, std::max(0.0, last));
}

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
    std::size_t at = stripSectionAt(sections, static_cast<std::uint64_t>(scale.byteAt(x)));
    while (x < right) {
        const double from = scale.byteAt(x);
        at = sectionFrom(sections, at, static_cast<std::uint64_t>(from));
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
        const SectionKind kind = mostOf(sections, at, from, std::min(scale.byteAt(stop), end));
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
