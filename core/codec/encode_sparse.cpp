// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codec/encoder.h"

#include "core/codec/byte_counts.h"
#include "core/codec/encode_kernels.h"
#include "core/codec/quantize.h"
#include "core/numeric/convert.h"
#include "core/numeric/half.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <optional>

#include <fmt/format.h>

namespace kernscope::codec {

namespace {

constexpr std::size_t kPart = 4096; ///< values worked on at a time

/// Mask and survivors of the elements that `keep(position, half)` wants.
template <class Keep>
EncodedWeight sparseWeight(std::span<const std::uint16_t> halves, const Shape &shape, Keep keep)
{
    EncodedWeight weight;
    weight.shape = shape;
    EncodedPart mask = makePart(PartRole::Mask, ElementType::Uint1, shape);
    std::vector<std::uint16_t> survivors;
    for (std::size_t i = 0; i < halves.size(); ++i) {
        if (!keep(i, halves[i]))
            continue;
        mask.bytes[i / 8] |= static_cast<std::byte>(1u << (i % 8));
        survivors.push_back(halves[i]);
    }
    EncodedPart data = makePart(PartRole::NonzeroData, ElementType::Fp16, {survivors.size()});
    if (!survivors.empty())
        std::memcpy(data.bytes.data(), survivors.data(), data.bytes.size());
    weight.parts.push_back(std::move(mask)); // a list of initial values would copy them
    weight.parts.push_back(std::move(data));
    return weight;
}

/// About how many values are kept, and a little more, from a part of them evenly picked.
std::size_t expectedSurvivors(std::span<const float> values, float threshold)
{
    constexpr std::size_t kRuns = 64;
    constexpr std::size_t kRun = 256;
    if (values.size() < 4 * kRuns * kRun)
        return values.size();
    std::size_t kept = 0;
    for (std::size_t run = 0; run < kRuns; ++run) {
        const auto part = values.subspan(values.size() / kRuns * run, kRun);
        kept += static_cast<std::size_t>(
            std::count_if(part.begin(), part.end(), [threshold](float value) {
                return value != 0 && !(std::abs(value) < threshold);
            }));
    }
    const double share = static_cast<double>(kept) / (kRuns * kRun) * 1.05 + 0.01;
    return static_cast<std::size_t>(share * static_cast<double>(values.size()));
}

constexpr std::uint16_t magnitudeOf(std::uint16_t half)
{
    return half & 0x7fffu;
}

/// Fetches the room behind `bytes`, as far as it is reserved, while something else is computed: it
/// would be read before it is written.
void bringNear(const std::vector<std::byte> &bytes, std::size_t count)
{
    constexpr std::size_t kLine = 64;
    const std::size_t end = std::min(bytes.size() + count, bytes.capacity());
    for (std::size_t at = bytes.size(); at < end; at += kLine)
        __builtin_prefetch(bytes.data() + at, 1);
}

/// Mask and survivors of the values whose magnitude is at least `threshold`; `each` sees the
/// survivors as they come.
template <class Each>
EncodedWeight keptWeight(std::span<const float> values, const Shape &shape, float threshold,
                         Each each)
{
    EncodedWeight weight;
    weight.shape = shape;
    EncodedPart mask = makePart(PartRole::Mask, ElementType::Uint1, shape);
    EncodedPart data;
    data.role = PartRole::NonzeroData;
    data.type = ElementType::Fp16;
    data.bytes.reserve(2 * expectedSurvivors(values, threshold));
    // A part at a time, so that what is kept stays in a cache until it has its place.
    std::array<std::uint16_t, kPart + 32> kept;
    std::size_t before = 0; // survivors of the part before: about as many as of this one
    for (std::size_t at = 0; at < values.size(); at += kPart) {
        const auto part = values.subspan(at, std::min(kPart, values.size() - at));
        bringNear(data.bytes, 2 * before);
        const std::size_t count =
            keepLarge(part, threshold, std::span(mask.bytes).subspan(at / 8), kept);
        before = count;
        const auto survivors = std::span<const std::uint16_t>(kept).first(count);
        each(survivors);
        const auto bytes = std::as_bytes(survivors);
        data.bytes.insert(data.bytes.end(), bytes.begin(), bytes.end());
    }
    data.shape = {data.bytes.size() / 2};
    weight.parts.push_back(std::move(mask));
    weight.parts.push_back(std::move(data));
    return weight;
}

/// Which magnitudes of fp16 stay: all from `least` on, and the first `ties` of those just below.
struct Cut {
    std::uint32_t least = 0x8000;
    std::uint64_t ties = 0;
};

/// Moves a cut down as long as it takes in whole magnitudes, but not below `floor`;
/// `countOf(magnitude)` values have one.
template <class CountOf>
Cut lowered(Cut cut, std::uint32_t floor, CountOf countOf)
{
    while (cut.least > floor && cut.ties >= countOf(cut.least - 1))
        cut.ties -= countOf(--cut.least);
    return cut;
}

/// Magnitudes between which, in all likelihood, the cut lies; 0 and 0 where that cannot be told.
struct Bracket {
    std::uint16_t low = 0;  ///< what is below goes
    std::uint16_t high = 0; ///< what is not below stays
};

/// From runs of values, evenly spread: few enough to cost little beside the whole.
Bracket bracketOf(std::span<const float> values, double density)
{
    constexpr std::size_t kRun = 64;
    constexpr std::size_t kEvery = 64 * kRun;
    std::vector<std::uint16_t> sample(values.size() / kEvery * kRun);
    std::vector<std::uint32_t> histogram(0x8000);
    for (std::size_t run = 0; run < values.size() / kEvery; ++run)
        convertFloatToHalf(values.subspan(run * kEvery, kRun),
                           std::span(sample).subspan(run * kRun, kRun));
    for (std::uint16_t &half : sample)
        ++histogram[half = magnitudeOf(half)];
    const auto edge = [&](double wanted) {
        const Cut cut = lowered({0x8000, static_cast<std::uint64_t>(wanted)}, 1,
                                [&](std::uint32_t magnitude) { return histogram[magnitude]; });
        return static_cast<std::uint16_t>(std::min(cut.least, 0x7c00u));
    };
    // Four standard deviations to either side, by what the runs differ: channels may differ much.
    const auto size = static_cast<double>(sample.size());
    const std::uint16_t middle = edge(density * size);
    double squares = 0;
    for (std::size_t at = 0; at < sample.size(); at += kRun) {
        const auto run = std::span(sample).subspan(at, kRun);
        const auto above = std::count_if(run.begin(), run.end(),
                                         [middle](std::uint16_t half) { return half >= middle; });
        const double off = static_cast<double>(above) - density * kRun;
        squares += off * off;
    }
    const double margin = 4 * std::sqrt(squares) + 16;
    if (density * size <= margin || density * size + margin >= size)
        return {};
    const std::uint16_t low = std::max<std::uint16_t>(edge(density * size + margin), 2);
    return {low, std::max(edge(density * size - margin), low)};
}

/// Takes survivors out of a sparse weight; `numbers` counts them from 0 and ascends.
void dropSurvivors(EncodedWeight &weight, std::span<const std::uint64_t> numbers)
{
    auto &mask = weight.parts[0].bytes;
    auto &data = weight.parts[1].bytes;
    std::uint64_t before = 0; // survivors of the bytes up to `at`
    std::size_t next = 0;
    for (std::size_t at = 0; at < mask.size() && next < numbers.size(); at += 8) {
        const auto bytes = std::span(mask).subspan(at, std::min<std::size_t>(8, mask.size() - at));
        std::uint64_t word = 0;
        for (std::size_t i = 0; i < bytes.size(); ++i)
            word |= std::to_integer<std::uint64_t>(bytes[i]) << (8 * i);
        const ByteCounts counts = countsOf(word);
        for (; next < numbers.size() && numbers[next] < before + counts.all; ++next) {
            // The byte of that survivor, then its bit among those that were set at first.
            const std::uint64_t number = numbers[next] - before;
            unsigned byte = 0;
            for (unsigned i = 1; i < 8; ++i)
                byte += (counts.before >> (8 * i) & 0xff) <= number ? 1 : 0;
            auto left = static_cast<unsigned>(word >> (8 * byte) & 0xff);
            for (std::uint64_t skip = counts.before >> (8 * byte) & 0xff; skip < number; ++skip)
                left &= left - 1;
            bytes[byte] &= ~static_cast<std::byte>(left & (0u - left));
        }
        before += counts.all;
    }
    std::size_t to = numbers.empty() ? data.size() : 2 * numbers[0];
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        const std::size_t from = 2 * (numbers[i] + 1);
        const std::size_t end = i + 1 < numbers.size() ? 2 * numbers[i + 1] : data.size();
        std::memmove(data.data() + to, data.data() + from, end - from);
        to += end - from;
    }
    data.resize(to);
    weight.parts[1].shape = {data.size() / 2};
}

/// The same result as by a histogram of all values, but by one pass: what is not below the bracket
/// is kept at first, and then what the cut leaves out of it is dropped. Nothing where the bracket
/// does not hold the cut.
std::optional<EncodedWeight> keptByBracket(std::span<const float> values, const Shape &shape,
                                           std::uint64_t wanted, const Bracket &bracket)
{
    std::vector<std::uint64_t> numbers; // survivors within the bracket
    std::vector<std::uint16_t> magnitudes;
    std::vector<std::uint64_t> histogram(bracket.high, 0);
    std::array<std::uint32_t, kPart> found;
    std::uint64_t survivors = 0;
    // Rounds to what is below the bracket: everything that rounds into it is kept.
    const float threshold = halfToFloat(static_cast<std::uint16_t>(bracket.low - 1));
    EncodedWeight weight =
        keptWeight(values, shape, threshold, [&](std::span<const std::uint16_t> part) {
            const std::size_t many = findSmall(part, bracket.high, found);
            for (const std::uint32_t index : std::span(found).first(many)) {
                numbers.push_back(survivors + index);
                magnitudes.push_back(magnitudeOf(part[index]));
                ++histogram[magnitudes.back()];
            }
            survivors += part.size();
        });
    const std::uint64_t certain = survivors - numbers.size();
    if (certain > wanted)
        return std::nullopt;
    Cut cut = lowered({bracket.high, wanted - certain}, bracket.low,
                      [&](std::uint32_t magnitude) { return histogram[magnitude]; });
    if (cut.least == bracket.low)
        return std::nullopt;
    std::size_t dropped = 0;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        const bool tie = magnitudes[i] + 1u == cut.least && cut.ties > 0;
        cut.ties -= tie ? 1 : 0;
        if (magnitudes[i] < cut.least && !tie)
            numbers[dropped++] = numbers[i];
    }
    dropSurvivors(weight, std::span(numbers).first(dropped));
    return weight;
}

} // namespace

Result<EncodedWeight> encodeSparse(std::span<const float> values, const Shape &shape,
                                   float threshold)
{
    if (auto checked = checkValues(values, shape); !checked)
        return tl::unexpected(checked.error());
    if (std::isnan(threshold))
        return tl::unexpected(
            badArgument("threshold", "a number", "nan", "The threshold is not a number"));
    return keptWeight(values, shape, threshold, [](std::span<const std::uint16_t>) {});
}

Result<EncodedWeight> encodeSparseDensity(std::span<const float> values, const Shape &shape,
                                          double density)
{
    if (auto checked = checkValues(values, shape); !checked)
        return tl::unexpected(checked.error());
    if (!(density >= 0 && density <= 1))
        return tl::unexpected(badArgument("density", "0 to 1", fmt::format("{}", density),
                                          "The density is not a share"));
    const auto wanted =
        static_cast<std::uint64_t>(std::llround(density * static_cast<double>(values.size())));
    if (wanted >= values.size())
        return keptWeight(values, shape, 0, [](std::span<const std::uint16_t>) {});
    constexpr std::size_t kManyValues = std::size_t{1} << 20;
    if (values.size() >= kManyValues) {
        const Bracket bracket = bracketOf(values, density);
        if (bracket.high != 0) {
            if (auto weight = keptByBracket(values, shape, wanted, bracket))
                return std::move(*weight);
        }
    }
    std::vector<std::uint16_t> halves(values.size());
    convertFloatToHalf(values, halves);
    // fp16 magnitudes are in the order of their bits: a histogram finds the smallest one kept.
    std::vector<std::uint64_t> histogram(0x8000);
    for (const std::uint16_t half : halves)
        ++histogram[magnitudeOf(half)];
    Cut cut =
        lowered({0x8000, wanted}, 1, [&](std::uint32_t magnitude) { return histogram[magnitude]; });
    return sparseWeight(halves, shape, [&](std::size_t, std::uint16_t half) {
        const std::uint32_t magnitude = magnitudeOf(half);
        if (magnitude >= cut.least)
            return true;
        if (magnitude == 0 || magnitude + 1 != cut.least || cut.ties == 0)
            return false;
        --cut.ties;
        return true;
    });
}

Result<EncodedWeight> encodeSparsePattern(std::span<const float> values, const Shape &shape,
                                          const SparsePattern &pattern)
{
    if (auto checked = checkValues(values, shape); !checked)
        return tl::unexpected(checked.error());
    if (pattern.of == 0 || pattern.keep > pattern.of)
        return tl::unexpected(badArgument("pattern", "n:m with n <= m",
                                          fmt::format("{}:{}", pattern.keep, pattern.of),
                                          "The pattern keeps more than there are"));
    if (pattern.axis >= shape.size())
        return tl::unexpected(badArgument("axis", fmt::format("below {}", shape.size()),
                                          fmt::format("{}", pattern.axis),
                                          "The shape has no such axis"));
    std::vector<std::uint16_t> halves(values.size());
    convertFloatToHalf(values, halves);
    const std::uint64_t extent = shape[pattern.axis];
    std::uint64_t inner = 1;
    for (std::size_t i = pattern.axis + 1; i < shape.size(); ++i)
        inner *= shape[i];
    std::vector<bool> kept(values.size(), false);
    std::vector<std::uint64_t> group;
    for (std::uint64_t lane = 0; !values.empty() && lane < values.size() / extent; ++lane) {
        const std::uint64_t start = lane / inner * extent * inner + lane % inner;
        for (std::uint64_t at = 0; at < extent; at += group.size()) {
            group.resize(std::min(pattern.of, extent - at));
            for (std::uint64_t i = 0; i < group.size(); ++i)
                group[i] = start + (at + i) * inner;
            std::stable_sort(group.begin(), group.end(), [&](std::uint64_t a, std::uint64_t b) {
                return magnitudeOf(halves[a]) > magnitudeOf(halves[b]);
            });
            for (std::uint64_t i = 0; i < std::min<std::uint64_t>(pattern.keep, group.size()); ++i)
                kept[group[i]] = true;
        }
    }
    return sparseWeight(halves, shape, [&](std::size_t i, std::uint16_t half) {
        return magnitudeOf(half) != 0 && kept[i];
    });
}

} // namespace kernscope::codec
