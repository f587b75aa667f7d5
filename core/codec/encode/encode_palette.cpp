// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codec/edit/element_candidates.h"
#include "core/codec/encode/form_encoder.h"
#include "core/codec/encode/kmeans.h"
#include "core/codec/kernels/encode_kernels.h"
#include "core/codec/microscaled/quantize.h"
#include "core/numeric/bitpack.h"
#include "core/numeric/convert.h"
#include "core/numeric/half.h"
#include "core/numeric/half_counts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include <fmt/format.h>

namespace kernscope::codec {

/// fp16 values of a run in ascending order with the sum of their masses (none: 1 each); -0 counts
/// as +0. Without those of mass 0, infinities and NaN.
std::vector<MassedValue> histogramOf(std::span<const float> values,
                                     std::span<const float> masses = {});
/// Squared error of those values against the nearest of ascending entries, by mass.
double massedError(std::span<const MassedValue> values, std::span<const float> entries);

/// Finds the nearest entry of an ascending codebook for any number of finite values; of two equally
/// near ones the lower, of equal ones the first.
class NearestEntry
{
public:
    /// With `many` lookups to come a table of all fp16 numbers pays.
    NearestEntry(std::span<const float> entries, bool many);

    /// Index of the entry for each value, rounded to fp16 first.
    void assign(std::span<const float> values, std::span<std::uint8_t> indices) const;

private:
    std::uint8_t search(std::uint16_t half) const;
    void findBounds();

    std::span<const float> m_entries;
    std::vector<std::uint8_t> m_table; ///< by fp16 bits; empty where searching is cheaper
    /// Largest numbers (halfOrder) that each entry but the last is nearest to; empty where the
    /// table is quicker, or an entry has none.
    std::vector<std::int16_t> m_bounds;
};

namespace {

constexpr std::size_t kHalves = 0x10000;
constexpr std::size_t kSortBlock = 4096;
/// Below this many values sorting them is cheaper than a pass over all fp16 numbers.
constexpr std::size_t kFew = 16384;

/// Calls `each(halves)` for the values as fp16, a block at a time.
template <class Each>
void forEachHalfBlock(std::span<const float> values, Each each)
{
    std::array<std::uint16_t, kSortBlock> halves;
    for (std::size_t at = 0; at < values.size(); at += kSortBlock) {
        const auto part = values.subspan(at, std::min(kSortBlock, values.size() - at));
        const auto some = std::span(halves).first(part.size());
        convertFloatToHalf(part, some);
        each(at, some);
    }
}

/// A finite fp16 number, by a key in the order of the values, and where it lies in its run.
struct KeyedHalf {
    std::uint16_t key = 0; ///< halfOrder + 0x8000
    std::uint16_t half = 0;
    std::uint32_t place = 0;
};

/// The finite values as fp16, ascending, equal ones in the order of their places; -0 is +0. For
/// runs of fewer than kFew.
std::vector<KeyedHalf> sortedHalves(std::span<const float> values)
{
    std::vector<KeyedHalf> sorted;
    sorted.reserve(values.size());
    forEachHalfBlock(values, [&](std::size_t at, std::span<const std::uint16_t> halves) {
        for (std::size_t i = 0; i < halves.size(); ++i) {
            const std::uint16_t half = halves[i] == 0x8000u ? std::uint16_t{0} : halves[i];
            if ((half & kHalfInfinity) == kHalfInfinity)
                continue;
            const auto key = static_cast<std::uint16_t>(halfOrder(half) + 0x8000);
            sorted.push_back({key, half, static_cast<std::uint32_t>(at + i)});
        }
    });
    std::ranges::stable_sort(sorted, {}, &KeyedHalf::key);
    return sorted;
}

/// histogramOf() few values.
std::vector<MassedValue> sortedHistogram(std::span<const float> values,
                                         std::span<const float> masses)
{
    std::vector<MassedValue> histogram;
    std::uint16_t last = 0;
    for (const KeyedHalf &one : sortedHalves(values)) {
        const double mass = masses.empty() ? 1.0 : static_cast<double>(masses[one.place]);
        if (!(mass > 0))
            continue;
        if (histogram.empty() || one.key != last)
            histogram.push_back({halfToFloat(one.half), 0});
        last = one.key;
        histogram.back().mass += mass;
    }
    return histogram;
}

/// Whether all values are finite in fp16.
bool fitHalf(std::span<const float> values)
{
    bool special = false;
    forEachHalfBlock(values, [&](std::size_t, std::span<const std::uint16_t> halves) {
        for (const std::uint16_t half : halves)
            special |= (half & kHalfInfinity) == kHalfInfinity;
    });
    return !special;
}

Result<void> checkOptions(const Shape &shape, const PaletteOptions &options)
{
    if (unsignedType(options.bits) == ElementType::Unknown)
        return tl::unexpected(badArgument("bits", "1, 2, 3, 4, 6 or 8",
                                          fmt::format("{}", options.bits),
                                          "Palettes have no such index width"));
    if (!isPaletteVector(options.vector))
        return tl::unexpected(badArgument("vector", "1, 2, 4 or 5 (mask 0x36)",
                                          fmt::format("{}", options.vector),
                                          "Palettes have no such vector size"));
    if (options.entryType != ElementType::Fp16 && options.entryType != ElementType::Int8 &&
        options.entryType != ElementType::Fp8E4M3Fn)
        return tl::unexpected(badArgument("entryType", "fp16, int8 or fp8e4m3fn",
                                          std::string(elementTypeName(options.entryType)),
                                          "Codebooks have no such entries"));
    const auto rows = checkedMultiply(options.groups, options.vector);
    const std::uint64_t extent = shape.empty() ? 1 : shape[0];
    if (!rows || *rows == 0 || extent % *rows != 0)
        return tl::unexpected(badArgument(
            "groups", fmt::format("groups of whole vectors that divide {} rows", extent),
            fmt::format("{} groups, vectors of {}", options.groups, options.vector),
            "The codebooks do not divide the rows"));
    return {};
}

/// Where the codebooks of a weight are collected.
struct Books {
    ElementType entryType = ElementType::Fp16;
    EncodedPart lut;
    EncodedPart scale; ///< one a codebook; not used for fp16 entries

    /// Stores codebook `group` and makes `entries` what it decodes to.
    void store(std::uint64_t group, std::span<float> entries)
    {
        const std::uint64_t first = group * entries.size();
        if (entryType == ElementType::Fp16) {
            std::vector<std::uint16_t> halves(entries.size());
            convertFloatToHalf(entries, halves);
            std::memcpy(lut.bytes.data() + 2 * first, halves.data(), 2 * halves.size());
            convertHalfToFloat(halves, entries);
            return;
        }
        const bool integers = entryType == ElementType::Int8;
        const QuantGrid grid = symmetricGrid(entries, integers ? 127.0 : 448.0, 0);
        storeCode(scale, group, floatToHalf(grid.scale));
        for (std::size_t i = 0; i < entries.size(); ++i) {
            const auto steps = static_cast<double>(entries[i]) / static_cast<double>(grid.scale);
            const std::int64_t code =
                integers ? grid.codeOf(entries[i], -127, 127) : nearestCode(entryType, steps);
            storeCode(lut, first + i, code);
            entries[i] = halfToFloat(
                doubleToHalf(codeValue(entryType, code) * static_cast<double>(grid.scale)));
        }
    }
};

Error notFinite()
{
    return badArgument("values", "numbers that fp16 can hold",
                       "infinities, NaN or numbers beyond 65504",
                       "A palette cannot be fitted to these values");
}

/// Codebook entries for a group of single values, as stored.
Result<std::vector<float>> scalarEntries(std::span<const float> values,
                                         std::span<const float> masses, Books &books,
                                         std::uint64_t group, std::size_t size)
{
    const std::vector<MassedValue> histogram = histogramOf(values);
    double finite = 0;
    for (const MassedValue &one : histogram)
        finite += one.mass;
    if (finite != static_cast<double>(values.size()))
        return tl::unexpected(notFinite());
    const auto stored = [&](std::vector<float> entries) {
        // Entries beyond the distinct values repeat the last one; no index names them.
        entries.resize(size, entries.empty() ? 0.0f : entries.back());
        books.store(group, entries);
        return entries;
    };
    const auto massed = masses.empty() ? std::vector<MassedValue>() : histogramOf(values, masses);
    if (massed.empty()) // also where all masses are 0
        return stored(optimalCentres(histogram, size));
    std::vector<float> fitted = stored(optimalHalfCentres(massed, size));
    if (books.entryType == ElementType::Fp16)
        return fitted; // nothing is better
    const std::vector<float> plain = stored(optimalCentres(histogram, size));
    if (massedError(massed, plain) <= massedError(massed, fitted))
        return plain;
    return stored(std::move(fitted));
}

/// One group of single values: its codes, from number `first` of the packed indices on, and
/// codebook number `group`, of `size` entries.
Result<void> encodeScalarGroup(std::span<const float> values, std::span<const float> masses,
                               EncodedPart &indices, std::uint64_t first, Books &books,
                               std::uint64_t group, std::size_t size)
{
    constexpr std::size_t kBlock = 8192;
    const auto entries = TRY(scalarEntries(values, masses, books, group, size));
    const NearestEntry nearest(entries, values.size() > kBlock);
    std::array<std::uint8_t, kBlock> codes;
    for (std::size_t at = 0; at < values.size(); at += kBlock) {
        const auto part = values.subspan(at, std::min(kBlock, values.size() - at));
        const auto some = std::span(codes).first(part.size());
        nearest.assign(part, some);
        packCodes(some, bitWidth(indices.type), first + at, indices.bytes);
    }
    return {};
}

/// Rows of `inner` values as vectors along axis 0.
std::vector<float> vectorsOf(std::span<const float> values, std::size_t vector, std::size_t inner)
{
    std::vector<float> points(values.size());
    for (std::size_t from = 0; from < values.size(); from += vector * inner) {
        for (std::size_t lane = 0; lane < vector; ++lane) {
            const float *const row = values.data() + from + lane * inner;
            for (std::size_t i = 0; i < inner; ++i)
                points[from + i * vector + lane] = row[i];
        }
    }
    return points;
}

/// Numbers of the nearest centres; returns the error that counts by masses (none: by value).
double assignVectors(std::span<const float> points, std::span<const float> masses,
                     std::span<const float> centres, std::size_t vector,
                     std::span<std::uint8_t> indices)
{
    constexpr std::size_t kBlock = 4096;
    std::vector<std::uint32_t> nearest(kBlock);
    std::vector<double> distances(kBlock);
    double error = 0;
    for (std::size_t at = 0; at < indices.size(); at += kBlock) {
        const auto some = indices.subspan(at, std::min(kBlock, indices.size() - at));
        const auto part = [&](std::span<const float> numbers) {
            return numbers.empty() ? numbers : numbers.subspan(at * vector, some.size() * vector);
        };
        nearestCentres(PointColumns(part(points), part(masses), vector), centres, nearest,
                       distances);
        for (std::size_t i = 0; i < some.size(); ++i) {
            some[i] = static_cast<std::uint8_t>(nearest[i]);
            error += distances[i];
        }
    }
    return error;
}

/// One group of vectors along axis 0: rows * V rows of `inner` values.
void encodeVectorGroup(std::span<const float> values, std::span<const float> masses,
                       std::size_t vector, std::size_t inner, std::span<std::uint8_t> indices,
                       Books &books, std::uint64_t group, std::size_t size)
{
    const std::vector<float> points = vectorsOf(values, vector, inner);
    std::vector<float> best = vectorCentres(points, vector, size);
    const std::vector<float> plain = best;
    books.store(group, best);
    if (masses.empty()) {
        assignVectors(points, {}, best, vector, indices);
        return;
    }
    const std::vector<float> weights = vectorsOf(masses, vector, inner);
    double least = assignVectors(points, weights, best, vector, indices);
    std::vector<std::uint8_t> tried(indices.size());
    best = plain;
    for (const bool again : {true, false}) {
        const auto centres = massedVectorCentres(points, weights, vector, size,
                                                 again ? plain : std::vector<float>());
        auto stored = centres;
        books.store(group, stored);
        const double error = assignVectors(points, weights, stored, vector, tried);
        if (error < least) {
            least = error;
            best = centres;
            std::copy(tried.begin(), tried.end(), indices.begin());
        }
    }
    books.store(group, best);
}

/// The weight without its parts: its grid of codebooks, their entries and the length of a vector.
EncodedWeight emptyPalette(const Shape &shape, const PaletteOptions &options)
{
    EncodedWeight weight;
    weight.shape = shape;
    weight.grid.assign(shape.size(), 1);
    if (!shape.empty())
        weight.grid[0] = options.groups;
    weight.entries = std::uint64_t{1} << options.bits;
    weight.vector = options.vector;
    return weight;
}

} // namespace

std::vector<MassedValue> histogramOf(std::span<const float> values, std::span<const float> masses)
{
    if (values.size() < kFew)
        return sortedHistogram(values, masses);
    std::vector<double> sums(kHalves);
    HalfCounts counts;
    forEachHalfBlock(values, [&](std::size_t at, std::span<const std::uint16_t> halves) {
        if (masses.empty())
            return counts.add(halves);
        for (std::size_t i = 0; i < halves.size(); ++i)
            sums[halves[i]] += static_cast<double>(masses[at + i]);
    });
    if (masses.empty())
        std::ranges::copy(counts.counts(), sums.begin());
    sums[0] += std::exchange(sums[0x8000], 0.0);
    std::vector<MassedValue> histogram;
    const auto add = [&](std::uint32_t half) {
        if (sums[half] > 0)
            histogram.push_back({halfToFloat(static_cast<std::uint16_t>(half)), sums[half]});
    };
    for (std::uint32_t half = 0xfbff; half > 0x8000; --half)
        add(half);
    for (std::uint32_t half = 0; half < kHalfInfinity; ++half)
        add(half);
    return histogram;
}

double massedError(std::span<const MassedValue> values, std::span<const float> entries)
{
    double error = 0;
    std::size_t nearest = 0;
    for (const MassedValue &one : values) {
        const auto off = [&](std::size_t entry) {
            return std::abs(static_cast<double>(one.value) - static_cast<double>(entries[entry]));
        };
        // Both ascend: the nearest entry never moves back.
        while (nearest + 1 < entries.size() && off(nearest + 1) <= off(nearest))
            ++nearest;
        error += one.mass * off(nearest) * off(nearest);
    }
    return error;
}

NearestEntry::NearestEntry(std::span<const float> entries, bool many) : m_entries(entries)
{
    if (!many)
        return;
    m_table.resize(kHalves);
    for (std::size_t half = 0; half < kHalves; ++half) {
        if ((half & kHalfInfinity) != kHalfInfinity)
            m_table[half] = search(static_cast<std::uint16_t>(half));
    }
    findBounds();
}

void NearestEntry::findBounds()
{
    constexpr std::size_t kMostEntries = 16; // more comparisons take longer than a lookup
    if (m_entries.size() > kMostEntries)
        return;
    const auto entryAt = [&](int order) {
        const auto bits = static_cast<std::uint16_t>(order);
        return m_table[order < 0 ? bits ^ 0x7fffu : bits];
    };
    constexpr int kLargest = kHalfInfinity - 1;
    for (int order = -kLargest - 1; order < kLargest; ++order) {
        const int step = entryAt(order + 1) - entryAt(order);
        if (step == 1)
            m_bounds.push_back(static_cast<std::int16_t>(order));
        else if (step != 0)
            break;
    }
    if (m_bounds.size() + 1 != m_entries.size() || entryAt(-kLargest - 1) != 0)
        m_bounds.clear();
}

std::uint8_t NearestEntry::search(std::uint16_t half) const
{
    const float value = halfToFloat(half);
    const auto above = std::lower_bound(m_entries.begin(), m_entries.end(), value);
    auto nearest = above;
    if (above == m_entries.end() ||
        (above != m_entries.begin() && value - *(above - 1) <= *above - value))
        nearest = above - 1;
    // Of equal entries, the first.
    nearest = std::lower_bound(m_entries.begin(), m_entries.end(), *nearest);
    return static_cast<std::uint8_t>(nearest - m_entries.begin());
}

void NearestEntry::assign(std::span<const float> values, std::span<std::uint8_t> indices) const
{
    forEachHalfBlock(values, [&](std::size_t at, std::span<const std::uint16_t> halves) {
        const auto some = indices.subspan(at, halves.size());
        if (!m_bounds.empty()) {
            countBelow(halves, m_bounds, some);
        } else if (!m_table.empty()) {
            std::transform(halves.begin(), halves.end(), some.begin(),
                           [this](std::uint16_t half) { return m_table[half]; });
        } else {
            std::transform(halves.begin(), halves.end(), some.begin(),
                           [this](std::uint16_t half) { return search(half); });
        }
    });
}

Result<EncodedWeight> encodePalette(std::span<const float> values, const Shape &shape,
                                    const PaletteOptions &options, std::span<const float> masses)
{
    TRY(checkValues(values, shape));
    TRY(checkOptions(shape, options));
    const std::uint64_t vector = options.vector;
    Shape indexShape = shape;
    if (vector > 1)
        indexShape[0] /= vector;
    const std::uint64_t inner =
        shape.empty() || shape[0] == 0 ? 1 : std::max<std::uint64_t>(1, values.size() / shape[0]);
    EncodedWeight weight = emptyPalette(shape, options);
    const std::uint64_t entries = weight.entries;
    Shape lutShape = weight.grid;
    lutShape.push_back(entries);
    lutShape.push_back(vector);
    Books books{options.entryType, makePart(PartRole::Lut, options.entryType, lutShape),
                makePart(PartRole::Scale, ElementType::Fp16, weight.grid)};
    EncodedPart indices = makePart(PartRole::Indices, unsignedType(options.bits), indexShape);
    const std::size_t groupValues = values.size() / options.groups;
    std::vector<std::uint8_t> codes(vector == 1 ? 0 : groupValues / vector);
    if (vector > 1 && !fitHalf(values))
        return tl::unexpected(notFinite());
    for (std::uint64_t g = 0; g < options.groups && groupValues > 0; ++g) {
        const auto group = values.subspan(g * groupValues, groupValues);
        const auto weights = masses.empty() ? masses : masses.subspan(g * groupValues, groupValues);
        const std::uint64_t first = g * (groupValues / vector);
        if (vector > 1) {
            encodeVectorGroup(group, weights, vector, inner, codes, books, g, entries);
            packCodes(codes, options.bits, first, indices.bytes);
        } else if (auto done = encodeScalarGroup(group, weights, indices, first, books, g, entries);
                   !done) {
            return tl::unexpected(done.error());
        }
    }
    weight.parts.push_back(std::move(indices));
    weight.parts.push_back(std::move(books.lut));
    if (options.entryType != ElementType::Fp16) {
        weight.scaling = Scaling::Kind::Blockwise;
        weight.parts.push_back(std::move(books.scale));
    }
    return weight;
}

} // namespace kernscope::codec
