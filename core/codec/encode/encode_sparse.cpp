// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codec/encode/form_encoder.h"
#include "core/codec/encode/sparse_builder.h"
#include "core/codec/microscaled/quantize.h"
#include "core/numeric/bitpack.h"
#include "core/numeric/convert.h"
#include "core/numeric/half.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include <fmt/format.h>

namespace kernscope::codec {

namespace {

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
        kept += static_cast<std::size_t>(std::ranges::count_if(part, [threshold](float value) {
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

/// Mask and survivors of the values whose magnitude is at least `threshold`.
EncodedWeight keptWeight(std::span<const float> values, const Shape &shape, float threshold)
{
    constexpr std::size_t kRun = SparseBuilder::kRun;
    SparseBuilder builder(shape, expectedSurvivors(values, threshold));
    for (std::size_t at = 0; at < values.size(); at += kRun)
        builder.addLarge(values.subspan(at, std::min(kRun, values.size() - at)), threshold);
    return builder.take();
}

/// Magnitudes between which, in all likelihood, the cut lies; 0 and 0 where that cannot be told.
struct CutBracket {
    std::uint16_t low = 0;  ///< what is below goes
    std::uint16_t high = 0; ///< what is not below stays
};

/// From runs of values, evenly spread: few enough to cost little beside the whole.
CutBracket bracketOf(std::span<const float> values, double density)
{
    constexpr std::size_t kRun = 64;
    constexpr std::size_t kEvery = 64 * kRun;
    std::vector<std::uint16_t> sample(values.size() / kEvery * kRun);
    std::vector<std::uint32_t> histogram(0x8000);
    for (std::size_t run = 0; run < values.size() / kEvery; ++run) {
        const float *const later =
            values.data() + std::min(run + 4, values.size() / kEvery - 1) * kEvery;
        for (std::size_t line = 0; line < kRun; line += 16)
            __builtin_prefetch(later + line);
        convertFloatToHalf(values.subspan(run * kEvery, kRun),
                           std::span(sample).subspan(run * kRun, kRun));
    }
    for (std::uint16_t &half : sample)
        ++histogram[half = magnitudeOf(half)];
    const auto edge = [&](double wanted) {
        const Cut cut = lowered({0x8000, static_cast<std::uint64_t>(wanted)}, 1,
                                [&](std::uint32_t magnitude) { return histogram[magnitude]; });
        return static_cast<std::uint16_t>(std::min(cut.least, 0x7c00u));
    };
    // Three standard deviations to either side, by what the runs differ: channels may differ much.
    const auto size = static_cast<double>(sample.size());
    const std::uint16_t middle = edge(density * size);
    double squares = 0;
    for (std::size_t at = 0; at < sample.size(); at += kRun) {
        const auto run = std::span(sample).subspan(at, kRun);
        const auto above =
            std::ranges::count_if(run, [middle](std::uint16_t half) { return half >= middle; });
        const double off = static_cast<double>(above) - density * kRun;
        squares += off * off;
    }
    const double margin = 3 * std::sqrt(squares) + 16;
    if (density * size <= margin || density * size + margin >= size)
        return {};
    const std::uint16_t low = std::max<std::uint16_t>(edge(density * size + margin), 2);
    return {low, std::max(edge(density * size - margin), low)};
}

/// A survivor whose magnitude is within the bracket.
struct NearCut {
    std::uint64_t survivor = 0; ///< its number among those that were kept
    std::uint32_t run = 0;
    std::uint16_t position = 0; ///< within the run
    std::uint16_t magnitude = 0;
};

/// Closes the gaps that survivors leave, in place.
void dropSurvivors(std::vector<std::byte> &data, std::span<const NearCut> dropped)
{
    constexpr std::size_t kStep = 32;
    std::size_t to = dropped.empty() ? data.size() : 2 * dropped[0].survivor;
    for (std::size_t i = 0; i < dropped.size(); ++i) {
        const std::size_t from = 2 * (dropped[i].survivor + 1);
        const bool last = i + 1 == dropped.size();
        const std::size_t count = (last ? data.size() : 2 * dropped[i + 1].survivor) - from;
        if (!last && from - to >= 2 * kStep && from + count + kStep <= data.size()) {
            // In whole steps: what they bring too much is overwritten next, and never a source.
            for (std::size_t at = 0; at < count; at += kStep)
                std::memcpy(data.data() + to + at, data.data() + from + at, kStep);
        } else {
            std::memmove(data.data() + to, data.data() + from, count);
        }
        to += count;
    }
    data.resize(to);
}

/// Takes out of a sparse weight what the cut leaves out of its candidates, which ascend.
void dropBelowCut(EncodedWeight &weight, std::vector<NearCut> &candidates, Cut cut)
{
    std::size_t dropped = 0;
    auto &mask = weight.parts[0].bytes;
    auto &data = weight.parts[1];
    for (const NearCut candidate : candidates) {
        const bool tie = candidate.magnitude + 1u == cut.least && cut.ties > 0;
        const bool drop = candidate.magnitude < cut.least && !tie;
        cut.ties -= tie ? 1 : 0;
        // Without branches: about every second one goes, and nothing tells which.
        mask[std::size_t{candidate.run} * (SparseBuilder::kRun / 8) + candidate.position / 8u] &=
            ~static_cast<std::byte>((drop ? 1u : 0u) << (candidate.position % 8));
        candidates[dropped] = candidate;
        dropped += drop ? 1 : 0;
    }
    dropSurvivors(data.bytes, std::span(candidates).first(dropped));
    data.shape = {data.bytes.size() / 2};
}

/// The same result as by a histogram of all values, but by one pass: what is not below the bracket
/// is kept at first, and then what the cut leaves out of it is dropped. Nothing where the bracket
/// does not hold the cut.
std::optional<EncodedWeight> keptByBracket(std::span<const float> values, const Shape &shape,
                                           std::uint64_t wanted, const CutBracket &bracket)
{
    constexpr std::size_t kRun = SparseBuilder::kRun;
    std::vector<NearCut> candidates;
    candidates.reserve(values.size() / 64);
    std::vector<std::uint64_t> histogram(bracket.high, 0);
    std::uint64_t survivors = 0;
    // Rounds to what is below the bracket: everything that rounds into it is kept.
    const float threshold = halfToFloat(static_cast<std::uint16_t>(bracket.low - 1));
    const float limit = halfToFloat(bracket.high);
    SparseBuilder builder(shape, wanted + values.size() / 64);
    for (std::size_t at = 0; at < values.size(); at += kRun) {
        const auto run = values.subspan(at, std::min(kRun, values.size() - at));
        const auto [kept, near] = builder.addLarge(run, threshold, limit);
        for (const NearValue &value : near) {
            const std::uint16_t magnitude = magnitudeOf(kept[value.survivor]);
            if (magnitude >= bracket.high) // rounded up
                continue;
            candidates.push_back({survivors + value.survivor, static_cast<std::uint32_t>(at / kRun),
                                  static_cast<std::uint16_t>(value.position), magnitude});
            ++histogram[magnitude];
        }
        survivors += kept.size();
    }
    const std::uint64_t certain = survivors - candidates.size();
    if (certain > wanted)
        return std::nullopt;
    const Cut cut = lowered({bracket.high, wanted - certain}, bracket.low,
                            [&](std::uint32_t magnitude) { return histogram[magnitude]; });
    if (cut.least == bracket.low)
        return std::nullopt;
    EncodedWeight weight = builder.take();
    dropBelowCut(weight, candidates, cut);
    return weight;
}

/// The cut that keeps `wanted` of the values, which are more than that: by a histogram of all,
/// since fp16 magnitudes are in the order of their bits.
Cut cutByHistogram(std::span<const std::uint16_t> halves, std::uint64_t wanted)
{
    std::vector<std::uint64_t> histogram(0x8000);
    for (const std::uint16_t half : halves)
        ++histogram[magnitudeOf(half)];
    return lowered({0x8000, wanted}, 1,
                   [&](std::uint32_t magnitude) { return histogram[magnitude]; });
}

/// The same by the largest value that goes: plans try a dozen densities of each of many small
/// weights, for which a histogram has far more room than they have values.
Cut cutByRank(std::span<const std::uint16_t> halves, std::uint64_t wanted)
{
    std::vector<std::uint16_t> magnitudes(halves.size());
    std::ranges::transform(halves, magnitudes.begin(), magnitudeOf);
    const auto at = magnitudes.begin() + static_cast<std::ptrdiff_t>(wanted);
    std::nth_element(magnitudes.begin(), at, magnitudes.end(), std::greater<>());
    const std::uint16_t gone = *at; // what is before it is as large, or larger
    const auto larger =
        std::count_if(magnitudes.begin(), at, [gone](std::uint16_t other) { return other > gone; });
    return {gone + 1u, wanted - static_cast<std::uint64_t>(larger)};
}

EncodedWeight keptByCut(std::span<const float> values, const Shape &shape, std::uint64_t wanted)
{
    constexpr std::size_t kFewValues = 4096;
    std::vector<std::uint16_t> halves(values.size());
    convertFloatToHalf(values, halves);
    Cut cut =
        halves.size() < kFewValues ? cutByRank(halves, wanted) : cutByHistogram(halves, wanted);
    for (std::uint16_t &half : halves) {
        const std::uint32_t magnitude = magnitudeOf(half);
        if (magnitude >= cut.least)
            continue;
        const bool tie = magnitude != 0 && magnitude + 1 == cut.least && cut.ties > 0;
        cut.ties -= tie ? 1 : 0;
        half = tie ? half : 0;
    }
    SparseBuilder builder(shape, wanted);
    builder.addNonzero(halves);
    return builder.take();
}

/// What is lost when a value goes, times its mass, as the bits of a number that is not negative:
/// they are in its order. 0 for what is stored as zero alone; NaN and infinities come first. Stored
/// in fp32 a value loses w².
std::uint64_t wideLoss(float value, float mass)
{
    if (value == 0)
        return 0;
    const double loss =
        std::isfinite(value)
            ? static_cast<double>(mass) * static_cast<double>(value) * static_cast<double>(value)
            : std::numeric_limits<double>::infinity();
    return std::max<std::uint64_t>(std::bit_cast<std::uint64_t>(loss), 1);
}

/// Stored in fp16, w² - (w - fp16(w))²: never less than a quarter of w².
std::uint64_t halfLoss(float value, float mass)
{
    const std::uint16_t half = floatToHalf(value);
    if (magnitudeOf(half) == 0)
        return 0;
    const auto stored = static_cast<double>(halfToFloat(half));
    const double loss =
        std::isfinite(stored) && std::isfinite(value)
            ? static_cast<double>(mass) * stored * (2 * static_cast<double>(value) - stored)
            : std::numeric_limits<double>::infinity();
    // What no input looks at still comes before the zeros, which are never kept.
    return std::max<std::uint64_t>(std::bit_cast<std::uint64_t>(std::max(loss, 0.0)), 1);
}

/// Which elements stay, one byte each.
class KeptElements
{
public:
    using Loss = std::uint64_t (*)(float value, float mass);
    KeptElements(std::span<const float> values, std::span<const float> masses, Loss loss)
        : m_values(values), m_masses(masses), m_loss(loss), m_kept(values.size(), 0)
    {
    }

    void keepFrom(float threshold)
    {
        for (std::size_t i = 0; i < m_values.size(); ++i)
            m_kept[i] = m_values[i] != 0 && !(std::abs(m_values[i]) < threshold) ? 1 : 0;
    }

    /// The share of them of the largest losses.
    void keepDensity(double density)
    {
        keepLargest(
            0, 1, m_values.size(),
            static_cast<std::size_t>(std::llround(density * static_cast<double>(m_values.size()))));
    }

    void keepPattern(const Shape &shape, const SparsePattern &pattern)
    {
        std::size_t inner = 1;
        for (std::size_t i = pattern.axis + 1; i < shape.size(); ++i)
            inner *= shape[i];
        const std::size_t extent = shape[pattern.axis];
        const std::size_t lanes = m_values.empty() ? 0 : m_values.size() / extent;
        for (std::size_t lane = 0; lane < lanes; ++lane) {
            const std::size_t start = lane / inner * (extent * inner) + lane % inner;
            for (std::size_t at = 0; at < extent; at += pattern.of)
                keepLargest(start + at * inner, inner,
                            std::min<std::size_t>(pattern.of, extent - at), pattern.keep);
        }
    }

    EncodedWeight takeHalves(const Shape &shape) const
    {
        SparseBuilder builder(shape, static_cast<std::size_t>(std::ranges::count(m_kept, 1)));
        std::array<std::uint16_t, SparseBuilder::kRun> halves;
        for (std::size_t at = 0; at < m_values.size(); at += halves.size()) {
            const auto part = m_values.subspan(at, std::min(halves.size(), m_values.size() - at));
            const auto some = std::span(halves).first(part.size());
            convertFloatToHalf(part, some);
            for (std::size_t i = 0; i < some.size(); ++i)
                some[i] = m_kept[at + i] != 0 ? some[i] : std::uint16_t{0};
            builder.addNonzero(some);
        }
        return builder.take();
    }

    EncodedWeight takeFloats(const Shape &shape) const
    {
        EncodedPart mask{PartRole::Mask, ElementType::Uint1, shape, {}};
        mask.bytes.resize(m_kept.size() / 8 + (m_kept.size() % 8 != 0 ? 1 : 0));
        std::vector<float> kept;
        for (std::size_t i = 0; i < m_kept.size(); ++i) {
            if (m_kept[i] == 0)
                continue;
            mask.bytes[i / 8] |= static_cast<std::byte>(1u << (i % 8));
            kept.push_back(m_values[i]);
        }
        const auto bytes = std::as_bytes(std::span<const float>(kept));
        EncodedPart data{PartRole::NonzeroData, ElementType::Fp32, {kept.size()}, {}};
        data.bytes.assign(bytes.begin(), bytes.end());
        EncodedWeight weight;
        weight.type = ElementType::Fp32;
        weight.shape = shape;
        weight.parts.push_back(std::move(mask));
        weight.parts.push_back(std::move(data));
        return weight;
    }

private:
    /// Of the elements `first`, `first + stride`, ... those of the largest losses, ties by
    /// position.
    void keepLargest(std::size_t first, std::size_t stride, std::size_t count, std::size_t wanted)
    {
        m_losses.resize(count);
        for (std::size_t i = 0; i < count; ++i) {
            const std::size_t at = first + i * stride;
            m_losses[i] = m_loss(m_values[at], m_masses.empty() ? 1.0f : m_masses[at]);
        }
        std::uint64_t least = 0;
        std::uint64_t ties = wanted;
        if (wanted < count) {
            m_order.assign(m_losses.begin(), m_losses.end());
            const auto at = m_order.begin() + static_cast<std::ptrdiff_t>(wanted);
            std::nth_element(m_order.begin(), at, m_order.end(), std::greater<>());
            least = *at;
            ties -= static_cast<std::uint64_t>(std::count_if(
                m_order.begin(), at, [least](std::uint64_t loss) { return loss > least; }));
        }
        for (std::size_t i = 0; i < count; ++i) {
            const bool tie = m_losses[i] == least && ties > 0;
            ties -= tie ? 1 : 0;
            m_kept[first + i * stride] = m_losses[i] != 0 && (m_losses[i] > least || tie) ? 1 : 0;
        }
    }

    std::span<const float> m_values;
    std::span<const float> m_masses;
    Loss m_loss;
    std::vector<std::uint8_t> m_kept;
    std::vector<std::uint64_t> m_losses;
    std::vector<std::uint64_t> m_order;
};

/// The mask of a sparse weight, checked against the values that the weight was made from.
Result<const EncodedPart *> maskOf(std::span<const float> values, const EncodedWeight &sparse)
{
    TRY(checkValues(values, sparse.shape));
    const auto *at = sparse.part(PartRole::Mask);
    if (!at || sparse.parts.size() != 2 || sparse.scaling)
        return tl::unexpected(
            badArgument("sparse", "a mask and non-zero values", "another form",
                        "Only a sparse weight has non-zero values beside a mask"));
    return at;
}

bool isKept(const EncodedPart &mask, std::uint64_t index)
{
    return ((std::to_integer<unsigned>(mask.bytes[index / 8]) >> (index % 8)) & 1u) != 0;
}

/// The kept ones of elements [first, end).
std::vector<float> survivors(std::span<const float> values, const EncodedPart &mask,
                             std::uint64_t first, std::uint64_t end)
{
    std::vector<float> kept;
    kept.reserve(countBits(mask.bytes, first, end - first));
    for (std::uint64_t i = first; i < end; ++i) {
        if (isKept(mask, i))
            kept.push_back(values[i]);
    }
    return kept;
}

Result<void> checkJointPalette(const Shape &shape, const PaletteOptions &options)
{
    if (options.vector != 1)
        return tl::unexpected(badArgument("vector", "1 where a mask leaves elements out",
                                          fmt::format("{}", options.vector),
                                          "Non-zero values are looked up one by one"));
    if (options.entryType != ElementType::Fp16)
        return tl::unexpected(badArgument("entryType", "fp16 where a mask leaves elements out",
                                          std::string(elementTypeName(options.entryType)),
                                          "Non-zero values have no scaled codebook"));
    const std::uint64_t extent = shape.empty() ? 1 : shape[0];
    if (options.groups == 0 || extent % options.groups != 0)
        return tl::unexpected(badArgument("groups", fmt::format("a divisor of {} rows", extent),
                                          fmt::format("{}", options.groups),
                                          "The codebooks do not divide the rows"));
    return {};
}

} // namespace

Result<EncodedWeight> encodeSparse(std::span<const float> values, const Shape &shape,
                                   float threshold)
{
    TRY(checkValues(values, shape));
    if (std::isnan(threshold))
        return tl::unexpected(
            badArgument("threshold", "a number", "nan", "The threshold is not a number"));
    return keptWeight(values, shape, threshold);
}

Result<EncodedWeight> encodeSparseDensity(std::span<const float> values, const Shape &shape,
                                          double density)
{
    TRY(checkDensity(values, shape, density));
    const auto wanted =
        static_cast<std::uint64_t>(std::llround(density * static_cast<double>(values.size())));
    if (wanted >= values.size())
        return keptWeight(values, shape, 0);
    constexpr std::size_t kManyValues = std::size_t{1} << 20;
    if (values.size() >= kManyValues) {
        const CutBracket bracket = bracketOf(values, density);
        if (bracket.high != 0) {
            if (auto weight = keptByBracket(values, shape, wanted, bracket))
                return std::move(*weight);
        }
    }
    return keptByCut(values, shape, wanted);
}

// Sparse weights by saliency: what is kept is what the outputs would miss most.

Result<EncodedWeight> encodeSalientDensity(std::span<const float> values, const Shape &shape,
                                           double density, std::span<const float> masses)
{
    if (masses.empty())
        return encodeSparseDensity(values, shape, density);
    TRY(checkDensity(values, shape, density));
    KeptElements kept(values, masses, halfLoss);
    kept.keepDensity(density);
    return kept.takeHalves(shape);
}

Result<EncodedWeight> encodeSalientPattern(std::span<const float> values, const Shape &shape,
                                           const SparsePattern &pattern,
                                           std::span<const float> masses)
{
    // The plain encoder checks everything; its result is needed without masses only.
    if (auto plain = encodeSparsePattern(values, shape, pattern); !plain || masses.empty())
        return plain;
    KeptElements kept(values, masses, halfLoss);
    kept.keepPattern(shape, pattern);
    return kept.takeHalves(shape);
}

// Sparse weights of fp32: what is kept is chosen, and stored, without a step through fp16.

Result<EncodedWeight> encodeWideSparse(std::span<const float> values, const Shape &shape,
                                       const FormSpec &spec, std::span<const float> masses)
{
    // Arguments are checked by the encoders of fp16.
    KeptElements kept(values, masses, wideLoss);
    if (spec.pattern) {
        TRY(encodeSparsePattern(values, shape, *spec.pattern));
        kept.keepPattern(shape, *spec.pattern);
    } else if (spec.density) {
        TRY(checkDensity(values, shape, *spec.density));
        kept.keepDensity(*spec.density);
    } else {
        const float threshold = spec.threshold.value_or(0.0f);
        TRY(encodeSparse(values.first(0), {0}, threshold));
        TRY(checkValues(values, shape));
        kept.keepFrom(threshold);
    }
    return kept.takeFloats(shape);
}

// The joint forms: survivors of a mask that are palette indices or scaled codes.

Result<EncodedWeight> encodeSparsePalette(std::span<const float> values,
                                          const EncodedWeight &sparse,
                                          const PaletteOptions &options,
                                          std::span<const float> masses)
{
    const auto mask = TRY(maskOf(values, sparse));
    TRY(checkJointPalette(sparse.shape, options));
    EncodedWeight weight;
    weight.type = sparse.type;
    weight.shape = sparse.shape;
    weight.grid.assign(sparse.shape.size(), 1);
    if (!weight.grid.empty())
        weight.grid[0] = options.groups;
    EncodedPart lut;
    std::vector<std::uint8_t> codes;
    // Axis 0 is the outermost: the survivors of a group lie together.
    const std::uint64_t length = values.size() / options.groups;
    for (std::uint64_t group = 0; group < options.groups; ++group) {
        const auto kept = survivors(values, *mask, group * length, (group + 1) * length);
        const auto weighing = masses.empty()
                                  ? std::vector<float>()
                                  : survivors(masses, *mask, group * length, (group + 1) * length);
        const auto one = TRY(
            encodePalette(kept, {kept.size()}, {options.bits, 1, 1, ElementType::Fp16}, weighing));
        weight.entries = one.entries;
        const EncodedPart &book = *one.part(PartRole::Lut);
        lut.bytes.insert(lut.bytes.end(), book.bytes.begin(), book.bytes.end());
        const std::size_t before = codes.size();
        codes.resize(before + kept.size());
        unpackCodes(one.part(PartRole::Indices)->bytes, options.bits, 0,
                    std::span(codes).subspan(before));
    }
    EncodedPart indices =
        makePart(PartRole::Indices, unsignedType(options.bits), Shape{codes.size()});
    packCodes(codes, options.bits, 0, indices.bytes);
    lut.role = PartRole::Lut;
    lut.type = ElementType::Fp16;
    lut.shape = weight.grid;
    lut.shape.insert(lut.shape.end(), {weight.entries, 1});
    weight.parts = {*mask, std::move(indices), std::move(lut)};
    return weight;
}

Result<EncodedWeight> encodeSparseBlockwise(std::span<const float> values,
                                            const EncodedWeight &sparse,
                                            const BlockwiseOptions &options,
                                            std::span<const float> masses)
{
    const auto mask = TRY(maskOf(values, sparse));
    // What is left out counts as 0, which every block's range holds anyway.
    std::vector<float> masked(values.begin(), values.end());
    for (std::uint64_t i = 0; i < masked.size(); ++i) {
        if (!isKept(*mask, i))
            masked[i] = 0;
    }
    auto weight = TRY(encodeBlockwise(masked, sparse.shape, options, masses));
    weight.type = sparse.type;
    const EncodedPart dense = *weight.part(PartRole::Data);
    std::vector<std::int64_t> codes;
    for (std::uint64_t i = 0; i < masked.size(); ++i) {
        if (isKept(*mask, i))
            codes.push_back(loadCode(dense.bytes, dense.type, i));
    }
    EncodedPart kept = makePart(PartRole::NonzeroData, dense.type, Shape{codes.size()});
    for (std::uint64_t i = 0; i < codes.size(); ++i)
        storeCode(kept, i, codes[i]);
    weight.parts.front() = std::move(kept);
    weight.parts.insert(weight.parts.begin(), *mask);
    return weight;
}

} // namespace kernscope::codec
