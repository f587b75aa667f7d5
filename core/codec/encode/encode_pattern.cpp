// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codec/encode/form_encoder.h"
#include "core/codec/encode/sparse_builder.h"
#include "core/codec/microscaled/quantize.h"
#include "core/numeric/convert.h"
#include "core/numeric/half.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace kernscope::codec {

namespace {

/// Makes the halves of whole runs of groups, and adds what is left of them.
class PatternEncoder
{
public:
    PatternEncoder(std::span<const float> values, const Shape &shape, const SparsePattern &pattern)
        : m_values(values), m_keep(pattern.keep),
          m_builder(shape, values.size() / pattern.of * pattern.keep)
    {
        for (std::size_t i = pattern.axis + 1; i < shape.size(); ++i)
            m_inner *= shape[i];
    }

    /// The next `count` groups of `of` for each index behind the axis; `of` is within its extent.
    void add(std::size_t of, std::size_t count)
    {
        const std::size_t unit = of * m_inner;
        const std::size_t atOnce = std::max<std::size_t>(SparseBuilder::kRun / unit, 1);
        for (std::size_t done = 0; done < count; done += atOnce)
            addRun(of, std::min(atOnce, count - done) * unit);
    }

    EncodedWeight take() { return m_builder.take(); }

private:
    void addRun(std::size_t of, std::size_t count)
    {
        const auto values = m_values.subspan(m_done, count);
        const std::size_t keep = std::min(m_keep, of);
        m_done += count;
        if (m_inner == 1 && hasGroupKernel(of) && m_builder.addGroups(values, of, keep))
            return;
        constexpr std::size_t kSpare = 16; // zeroInColumns wants that much behind
        if (m_halves.size() < count + kSpare)
            m_halves.resize(count + kSpare);
        const auto run = std::span(m_halves).first(count);
        if (m_inner == 1) {
            zeroInGroups(values, of, keep, run);
        } else {
            for (std::size_t at = 0; at < count; at += of * m_inner)
                zeroInColumns(values.subspan(at, of * m_inner), m_inner, keep,
                              run.subspan(at, of * m_inner));
        }
        m_builder.addNonzero(run);
    }

    std::span<const float> m_values;
    std::size_t m_keep;
    std::size_t m_inner = 1;
    std::size_t m_done = 0;
    std::vector<std::uint16_t> m_halves;
    SparseBuilder m_builder;
};

/// What is lost when a value goes, as the bits of a number that is not negative: they are in its
/// order. 0 for zeros; NaN counts as the largest.
std::uint64_t loss(float value, std::uint16_t half, float mass)
{
    if ((half & 0x7fffu) == 0)
        return 0;
    const auto stored = static_cast<double>(halfToFloat(half));
    if (!std::isfinite(stored) || !std::isfinite(value))
        return std::bit_cast<std::uint64_t>(std::numeric_limits<double>::infinity());
    // w² - (w - fp16(w))²; a value next to its fp16 number never loses less than a quarter of w².
    const double gain =
        static_cast<double>(mass) * stored * (2 * static_cast<double>(value) - stored);
    // What no input looks at still comes before the zeros, which are never kept.
    return std::max<std::uint64_t>(std::bit_cast<std::uint64_t>(std::max(gain, 0.0)), 1);
}

/// The losses of a weight, a run at a time.
class Losses
{
public:
    static constexpr std::size_t kRun = SparseBuilder::kRun;

    Losses(std::span<const float> values, std::span<const float> masses)
        : m_values(values), m_masses(masses)
    {
    }

    /// Calls `each(first, halves, losses)`; what it does to the halves is kept until it returns.
    template <class Each>
    void forEachRun(Each each) const
    {
        std::array<std::uint16_t, kRun> halves;
        std::array<std::uint64_t, kRun> losses;
        for (std::size_t at = 0; at < m_values.size(); at += kRun) {
            const auto part = m_values.subspan(at, std::min(kRun, m_values.size() - at));
            const auto some = std::span(halves).first(part.size());
            convertFloatToHalf(part, some);
            for (std::size_t i = 0; i < part.size(); ++i)
                losses[i] = loss(part[i], halves[i], m_masses[at + i]);
            each(at, some, std::span<const std::uint64_t>(losses).first(part.size()));
        }
    }

private:
    std::span<const float> m_values;
    std::span<const float> m_masses;
};

/// All losses above `least` stay, and the first `ties` of those equal to it.
struct LossCut {
    std::uint64_t least = 0;
    std::uint64_t ties = 0;
};

/// Which losses stay when `wanted` elements do: by their upper 16 bits first, then within the one
/// group of losses that the cut falls into.
LossCut cutOf(const Losses &losses, std::uint64_t wanted)
{
    constexpr unsigned kShift = 48;
    std::vector<std::uint64_t> counts(std::size_t{1} << 16);
    losses.forEachRun([&](std::size_t, auto, std::span<const std::uint64_t> run) {
        for (const std::uint64_t one : run)
            ++counts[one >> kShift];
    });
    std::size_t group = counts.size();
    while (group > 0 && wanted >= counts[group - 1])
        wanted -= counts[--group];
    if (group == 0)
        return {0, 0};
    --group;
    std::vector<std::uint64_t> within;
    within.reserve(counts[group]);
    losses.forEachRun([&](std::size_t, auto, std::span<const std::uint64_t> run) {
        for (const std::uint64_t one : run) {
            if (one >> kShift == group)
                within.push_back(one);
        }
    });
    // `wanted` is less than the group has: its number in descending order is the first to go.
    const auto at = within.begin() + static_cast<std::ptrdiff_t>(wanted);
    std::nth_element(within.begin(), at, within.end(), std::greater<>());
    const std::uint64_t least = *at;
    const auto above = static_cast<std::uint64_t>(
        std::ranges::count_if(within, [&](std::uint64_t one) { return one > least; }));
    return {least, wanted - above};
}

/// Zeroes the halves of a group, `stride` apart, but those of the `keep` largest losses.
void keepLargest(std::span<std::uint16_t> halves, std::span<const std::uint64_t> losses,
                 std::size_t keep, std::vector<std::uint32_t> &order)
{
    order.resize(halves.size());
    for (std::size_t i = 0; i < order.size(); ++i)
        order[i] = static_cast<std::uint32_t>(i);
    const auto more = [&](std::uint32_t a, std::uint32_t b) {
        return losses[a] != losses[b] ? losses[a] > losses[b] : a < b;
    };
    if (keep < order.size())
        std::nth_element(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(keep),
                         order.end(), more);
    for (std::size_t i = keep; i < order.size(); ++i)
        halves[order[i]] = 0;
}

} // namespace

Result<EncodedWeight> encodeSparsePattern(std::span<const float> values, const Shape &shape,
                                          const SparsePattern &pattern)
{
    TRY(checkValues(values, shape));
    if (pattern.of == 0 || pattern.keep > pattern.of)
        return tl::unexpected(badArgument("pattern", "n:m with n <= m",
                                          fmt::format("{}:{}", pattern.keep, pattern.of),
                                          "The pattern keeps more than there are"));
    if (pattern.axis >= shape.size())
        return tl::unexpected(badArgument("axis", fmt::format("below {}", shape.size()),
                                          fmt::format("{}", pattern.axis),
                                          "The shape has no such axis"));
    PatternEncoder encoder(values, shape, pattern);
    if (values.empty())
        return encoder.take();
    const std::uint64_t extent = shape[pattern.axis];
    const std::uint64_t whole = extent / pattern.of;
    const std::uint64_t rest = extent % pattern.of;
    std::uint64_t outer = 1;
    for (std::size_t i = 0; i < pattern.axis; ++i)
        outer *= shape[i];
    if (rest == 0) {
        encoder.add(pattern.of, whole * outer);
        return encoder.take();
    }
    for (std::uint64_t i = 0; i < outer; ++i) {
        if (whole != 0)
            encoder.add(pattern.of, whole);
        encoder.add(rest, 1);
    }
    return encoder.take();
}

// Sparse weights by saliency: what is kept is what the outputs would miss most.

Result<EncodedWeight> encodeSalientDensity(std::span<const float> values, const Shape &shape,
                                           double density, std::span<const float> masses)
{
    if (masses.empty())
        return encodeSparseDensity(values, shape, density);
    TRY(checkDensity(values, shape, density));
    const auto wanted =
        static_cast<std::uint64_t>(std::llround(density * static_cast<double>(values.size())));
    const Losses losses(values, masses);
    LossCut cut;
    if (wanted < values.size())
        cut = cutOf(losses, wanted);
    SparseBuilder builder(shape, wanted);
    losses.forEachRun(
        [&](std::size_t, std::span<std::uint16_t> halves, std::span<const std::uint64_t> run) {
            for (std::size_t i = 0; i < halves.size(); ++i) {
                const bool tie = run[i] == cut.least && cut.ties > 0;
                cut.ties -= tie ? 1 : 0;
                if (run[i] <= cut.least && !tie)
                    halves[i] = 0;
            }
            builder.addNonzero(halves);
        });
    return builder.take();
}

Result<EncodedWeight> encodeSalientPattern(std::span<const float> values, const Shape &shape,
                                           const SparsePattern &pattern,
                                           std::span<const float> masses)
{
    // The plain encoder checks everything; its result is needed without masses only.
    if (auto plain = encodeSparsePattern(values, shape, pattern); !plain || masses.empty())
        return plain;
    std::vector<std::uint16_t> halves(values.size());
    convertFloatToHalf(values, halves);
    std::size_t inner = 1;
    for (std::size_t i = pattern.axis + 1; i < shape.size(); ++i)
        inner *= shape[i];
    const std::size_t extent = shape[pattern.axis];
    const std::size_t lanes = values.empty() ? 0 : values.size() / extent;
    std::vector<std::uint16_t> group;
    std::vector<std::uint64_t> losses;
    std::vector<std::uint32_t> order;
    for (std::size_t lane = 0; lane < lanes; ++lane) {
        const std::size_t start = lane / inner * (extent * inner) + lane % inner;
        for (std::size_t at = 0; at < extent; at += group.size()) {
            group.resize(std::min<std::size_t>(pattern.of, extent - at));
            losses.resize(group.size());
            for (std::size_t i = 0; i < group.size(); ++i) {
                const std::size_t from = start + (at + i) * inner;
                group[i] = halves[from];
                losses[i] = loss(values[from], halves[from], masses[from]);
            }
            keepLargest(group, losses, pattern.keep, order);
            for (std::size_t i = 0; i < group.size(); ++i)
                halves[start + (at + i) * inner] = group[i];
        }
    }
    SparseBuilder builder(shape, values.size() / pattern.of * pattern.keep);
    builder.addNonzero(halves);
    return builder.take();
}

} // namespace kernscope::codec
