// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/diff/pair_figures.h"

#include "core/numeric/half.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace kernscope::diff {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double valueOf(std::uint16_t half)
{
    return static_cast<double>(halfToFloat(half));
}

/// How far two values are apart; NaN against a number is more than any number.
double apart(double a, double b)
{
    if (a == b || (std::isnan(a) && std::isnan(b)))
        return 0;
    const double distance = std::abs(a - b);
    return std::isnan(distance) ? kInfinity : distance;
}

double apart(const std::optional<ElementPair> &pair)
{
    return pair ? apart(pair->a, pair->b) : 0;
}

/// Whether two halves stand for one value.
bool sameHalf(std::uint16_t a, std::uint16_t b)
{
    const double x = valueOf(a), y = valueOf(b);
    return x == y || (std::isnan(x) && std::isnan(y));
}

/// Distance of integers of 64 bits.
std::uint64_t codeDistance(bool isSigned, std::int64_t a, std::int64_t b)
{
    const auto x = static_cast<std::uint64_t>(a), y = static_cast<std::uint64_t>(b);
    const bool less = isSigned ? a < b : x < y;
    return less ? y - x : x - y;
}

} // namespace

PairGatherer::PairGatherer(const PairReader &reader, double tolerance)
    : m_reader(&reader), m_tolerance(tolerance)
{
    m_result.ulpType = reader.a().type();
    m_result.ulpHistogram.assign(ulpBins(m_result.ulpType), 0);
}

void BaseRun::begin(std::uint64_t first, std::size_t count)
{
    m_first = first;
    m_count = count;
    m_haveHalves = m_haveDoubles = false;
}

std::span<const std::uint16_t> BaseRun::halves(const PairReader &reader, std::uint64_t &decoded)
{
    if (!m_haveHalves) {
        m_halves.resize(m_count);
        reader.readHalves(true, m_first, m_halves);
        m_haveHalves = true;
        decoded += m_count;
    }
    return m_halves;
}

std::span<const double> BaseRun::doubles(const PairReader &reader, std::uint64_t &decoded)
{
    if (!m_haveDoubles) {
        m_doubles.resize(m_count);
        reader.readDoubles(true, m_first, m_doubles);
        m_haveDoubles = true;
        decoded += m_count;
    }
    return m_doubles;
}

void PairGatherer::add(std::uint64_t first, std::uint64_t count)
{
    BaseRun base;
    for (std::uint64_t done = 0; done < count;) {
        const auto some =
            static_cast<std::size_t>(std::min<std::uint64_t>(kKernelElements, count - done));
        base.begin(first + done, some);
        add(base);
        done += some;
    }
}

void PairGatherer::add(BaseRun &base)
{
    if (m_reader->halves())
        addHalves(base);
    else
        addDoubles(base);
}

void PairGatherer::addHalves(BaseRun &base)
{
    const std::size_t count = base.count();
    const auto halvesA = base.halves(*m_reader, m_result.decoded);
    m_halvesB.resize(count);
    m_reader->readHalves(false, base.first(), m_halvesB);
    m_result.decoded += count;
    HalfFigures figures;
    if (std::memcmp(halvesA.data(), m_halvesB.data(), count * 2) == 0)
        addEqualHalves(halvesA, figures);
    else
        addHalfFigures(halvesA, m_halvesB, figures);
    m_sums.abs += figures.abs;
    m_sums.square += figures.square;
    m_sums.aa += figures.aa;
    m_sums.bb += figures.bb;
    m_sums.ab += figures.ab;
    m_sums.finite += figures.finite;
    m_sums.largest = std::max(m_sums.largest, figures.largest);
    m_sums.largestRelative =
        std::max(m_sums.largestRelative, static_cast<double>(figures.largestRelative));
    const std::uint64_t different = count - figures.equal;
    m_result.equal += figures.equal;
    m_result.zeroed += figures.zeroed;
    m_result.revived += figures.revived;
    m_result.changed += different - figures.zeroed - figures.revived;
    m_result.notFinite += figures.notFinite;
    m_result.unfaithful += different;
    if (m_result.ulpType == ElementType::Fp16) {
        m_result.maxUlp = std::max<std::uint64_t>(m_result.maxUlp, figures.maxUlp);
        for (std::size_t bin = 0; bin < figures.ulp.size(); ++bin)
            m_result.ulpHistogram[bin] += figures.ulp[bin];
    }
    if (different > 0)
        noteWorst(base.first(), halvesA, figures);
    else if (m_result.ulpType != ElementType::Fp16)
        m_result.ulpHistogram[0] += count;
}

/// What needs a look at single elements: places, and the steps of other types than fp16.
void PairGatherer::noteWorst(std::uint64_t first, std::span<const std::uint16_t> halvesA,
                             const HalfFigures &figures)
{
    const std::size_t count = halvesA.size();
    const double before = apart(m_result.worst);
    const bool farther = (figures.notFinite > 0 && before < kInfinity) || figures.largest > before;
    const bool otherType = m_result.ulpType != ElementType::Fp16;
    if (!farther && !otherType && m_result.counterexample && m_tolerance <= 0) {
        m_result.beyondTolerance += count - figures.equal;
        return;
    }
    for (std::size_t i = 0; i < count; ++i) {
        const ElementPair pair{first + i, valueOf(halvesA[i]), valueOf(m_halvesB[i])};
        const double distance = apart(pair.a, pair.b);
        m_result.beyondTolerance += distance > m_tolerance;
        if (distance > apart(m_result.worst))
            m_result.worst = pair;
        if (distance > 0 && !m_result.counterexample)
            m_result.counterexample = pair;
        if (!otherType)
            continue;
        const bool oneNan = std::isnan(pair.a) != std::isnan(pair.b);
        const std::uint64_t steps = ulpDistance(m_result.ulpType, pair.a, pair.b);
        m_result.maxUlp = std::max(m_result.maxUlp, steps);
        const std::size_t last = m_result.ulpHistogram.size() - 1;
        ++m_result.ulpHistogram[oneNan ? last
                                       : std::min<std::size_t>(
                                             last, static_cast<unsigned>(std::bit_width(steps)))];
    }
}

void PairGatherer::addDoubles(BaseRun &base)
{
    const std::size_t count = base.count();
    const std::uint64_t first = base.first();
    const auto doublesA = base.doubles(*m_reader, m_result.decoded);
    m_doublesB.resize(count);
    m_reader->readDoubles(false, first, m_doublesB);
    m_result.decoded += count;
    const bool exact = m_reader->longIntegers();
    if (exact) {
        m_codesA.resize(count);
        m_codesB.resize(count);
        m_reader->readCodes(first, m_codesA, m_codesB);
    }
    for (std::size_t i = 0; i < count; ++i) {
        const double a = doublesA[i], b = m_doublesB[i];
        const bool same =
            exact ? m_codesA[i] == m_codesB[i] : a == b || (std::isnan(a) && std::isnan(b));
        addDouble(first + i, a, b, same);
        const std::uint64_t steps =
            exact ? codeDistance(m_result.ulpType != ElementType::Uint64, m_codesA[i], m_codesB[i])
                  : ulpDistance(m_result.ulpType, a, b);
        m_result.maxUlp = std::max(m_result.maxUlp, steps);
        const std::size_t last = m_result.ulpHistogram.size() - 1;
        const bool oneNan = std::isnan(a) != std::isnan(b);
        ++m_result.ulpHistogram[oneNan ? last
                                       : std::min<std::size_t>(
                                             last, static_cast<unsigned>(std::bit_width(steps)))];
    }
}

void PairGatherer::addDouble(std::uint64_t element, double a, double b, bool same)
{
    const bool finite = std::isfinite(a) && std::isfinite(b);
    if (same)
        ++m_result.equal;
    else if (a != 0 && b == 0)
        ++m_result.zeroed;
    else if (a == 0 && b != 0)
        ++m_result.revived;
    else
        ++m_result.changed;
    m_result.notFinite += !same && !finite;
    const double distance = same ? 0 : apart(a, b);
    m_result.beyondTolerance += distance > m_tolerance;
    const ElementPair pair{element, a, b};
    if (!same && (!m_result.worst || distance > apart(m_result.worst)))
        m_result.worst = pair;
    if (!same && !sameHalf(doubleToHalf(a), doubleToHalf(b))) {
        ++m_result.unfaithful;
        if (!m_result.counterexample)
            m_result.counterexample = pair;
    }
    if (!finite)
        return;
    ++m_sums.finite;
    m_sums.abs += distance;
    m_sums.square += distance * distance;
    m_sums.aa += a * a;
    m_sums.bb += b * b;
    m_sums.ab += a * b;
    m_sums.largest = std::max(m_sums.largest, distance);
    if (a != 0)
        m_sums.largestRelative = std::max(m_sums.largestRelative, distance / std::abs(a));
}

void PairGatherer::merge(const PairGatherer &later)
{
    const ValueDifference &other = later.m_result;
    m_result.equal += other.equal;
    m_result.changed += other.changed;
    m_result.zeroed += other.zeroed;
    m_result.revived += other.revived;
    m_result.notFinite += other.notFinite;
    m_result.unfaithful += other.unfaithful;
    m_result.decoded += other.decoded;
    m_result.beyondTolerance += other.beyondTolerance;
    m_result.maxUlp = std::max(m_result.maxUlp, other.maxUlp);
    for (std::size_t bin = 0; bin < m_result.ulpHistogram.size(); ++bin)
        m_result.ulpHistogram[bin] += other.ulpHistogram[bin];
    if (other.worst && (!m_result.worst || apart(other.worst) > apart(m_result.worst)))
        m_result.worst = other.worst;
    if (!m_result.counterexample)
        m_result.counterexample = other.counterexample;
    m_sums.abs += later.m_sums.abs;
    m_sums.square += later.m_sums.square;
    m_sums.aa += later.m_sums.aa;
    m_sums.bb += later.m_sums.bb;
    m_sums.ab += later.m_sums.ab;
    m_sums.finite += later.m_sums.finite;
    m_sums.largest = std::max(m_sums.largest, later.m_sums.largest);
    m_sums.largestRelative = std::max(m_sums.largestRelative, later.m_sums.largestRelative);
}

ValueDifference PairGatherer::finish() const
{
    ValueDifference result = m_result;
    const auto finite = static_cast<double>(m_sums.finite);
    if (m_sums.finite > 0) {
        result.meanAbs = m_sums.abs / finite;
        result.rmse = std::sqrt(m_sums.square / finite);
    }
    result.maxAbs = m_sums.largest;
    result.maxRel = m_sums.largestRelative;
    const double aa = m_sums.aa, bb = m_sums.bb;
    if (result.identical())
        result.cosine = 1;
    else if (aa > 0 && bb > 0) // rounding never makes more than 1 of it
        result.cosine = std::clamp(m_sums.ab / std::sqrt(aa) / std::sqrt(bb), -1.0, 1.0);
    else
        result.cosine = aa == bb ? 1.0 : 0.0;
    result.snr = m_sums.square > 0 ? 10 * std::log10(aa / m_sums.square) : kInfinity;
    return result;
}

} // namespace kernscope::diff

namespace kernscope {

namespace {

/// Bits of a sign and a magnitude as integers in the order of the numbers; both zeros are 0.
std::int64_t ordered(std::uint64_t magnitude, bool negative)
{
    const auto order = static_cast<std::int64_t>(magnitude);
    return negative ? -order : order;
}

std::uint64_t between(std::int64_t a, std::int64_t b)
{
    return a < b ? static_cast<std::uint64_t>(b) - static_cast<std::uint64_t>(a)
                 : static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b);
}

std::int64_t orderOf(ElementType type, double value)
{
    const bool negative = std::signbit(value);
    const auto narrow = static_cast<float>(value);
    switch (type) {
    case ElementType::Fp32:
        return ordered(std::bit_cast<std::uint32_t>(narrow) & 0x7fffffffu, negative);
    case ElementType::Bf16:
        return ordered(floatToBfloat16(doubleToFloatOdd(value)) & 0x7fffu, negative);
    case ElementType::Fp64:
        return ordered(std::bit_cast<std::uint64_t>(value) & INT64_MAX, negative);
    case ElementType::Fp8E4M3Fn:
        return ordered(floatToE4m3(doubleToFloatOdd(value), Fp8Overflow::Saturate) & 0x7fu,
                       negative);
    case ElementType::Fp8E5M2:
        return ordered(floatToE5m2(doubleToFloatOdd(value)) & 0x7fu, negative);
    default: return ordered(doubleToHalf(value) & 0x7fffu, negative);
    }
}

} // namespace

std::size_t ulpBins(ElementType type)
{
    const unsigned bits = bitWidth(type);
    return bits <= 16 ? 17 : bits <= 32 ? 33 : 65;
}

std::uint32_t ulpDistance(std::uint16_t a, std::uint16_t b)
{
    return static_cast<std::uint32_t>(between(ordered(a & 0x7fffu, (a & 0x8000u) != 0),
                                              ordered(b & 0x7fffu, (b & 0x8000u) != 0)));
}

std::uint64_t ulpDistance(ElementType type, double a, double b)
{
    if (a == b || std::isnan(a) || std::isnan(b))
        return 0;
    if (isFloatingPoint(type))
        return between(orderOf(type, a), orderOf(type, b));
    const double distance = std::abs(std::nearbyint(a) - std::nearbyint(b));
    return distance < 0x1p64 ? static_cast<std::uint64_t>(distance) : UINT64_MAX;
}

ValueDifference ValueDifference::same(std::uint64_t elements, ElementType type)
{
    ValueDifference same;
    same.equal = elements;
    same.ulpType = type;
    same.ulpHistogram.assign(ulpBins(type), 0);
    same.ulpHistogram[0] = elements;
    same.snr = std::numeric_limits<double>::infinity();
    return same;
}

} // namespace kernscope
