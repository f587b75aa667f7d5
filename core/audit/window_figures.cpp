// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/audit/window.h"

#include "core/base/hash.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <map>
#include <numeric>
#include <tuple>

namespace kernscope::audit {

namespace {

std::uint64_t twice(float value)
{
    const std::uint64_t bits = std::bit_cast<std::uint32_t>(value);
    return bits << 32 | bits;
}

/// A pattern of n kept in each m along an axis of the window, or of each m all or none; `inner`:
/// elements that one step along the axis skips.
struct Pattern {
    std::uint64_t m = 0, inner = 1, extent = 1;
    std::uint64_t kept = 0; ///< of each m; 0: all or none
};

template <class Each>
void eachGroup(std::uint64_t count, const Pattern &pattern, const Each &each)
{
    std::vector<std::size_t> group;
    const std::uint64_t span = pattern.inner * pattern.extent;
    for (std::uint64_t outer = 0; outer + span <= count; outer += span) {
        for (std::uint64_t in = 0; in < pattern.inner; ++in) {
            for (std::uint64_t at = 0; at + pattern.m <= pattern.extent; at += pattern.m) {
                group.clear();
                for (std::uint64_t k = 0; k < pattern.m; ++k)
                    group.push_back(
                        static_cast<std::size_t>(outer + (at + k) * pattern.inner + in));
                if (!each(group))
                    return;
            }
        }
    }
}

/// The pattern that a mask follows, if it does. Zeros of the reference need not be kept.
std::optional<Pattern> patternOf(const std::vector<bool> &kept, std::span<const float> r,
                                 const Shape &shape, std::uint64_t firstExtent)
{
    constexpr std::uint64_t kFewestGroups = 16;
    std::optional<Pattern> blocks;
    for (const std::uint64_t m : {2U, 4U, 8U, 16U}) {
        std::uint64_t inner = 1;
        for (std::size_t axis = shape.size(); axis-- > 0; inner *= axis == 0 ? 1 : shape[axis]) {
            const std::uint64_t extent = axis == 0 ? firstExtent : shape[axis];
            if (extent < m)
                continue;
            Pattern pattern{m, inner, extent, 0};
            std::uint64_t groups = 0, some = 0;
            bool regular = m > 2, whole = true;
            const auto countOf = [&](const std::vector<std::size_t> &group) {
                return static_cast<std::uint64_t>(
                    std::ranges::count_if(group, [&](std::size_t i) { return kept[i]; }));
            };
            eachGroup(kept.size(), pattern, [&](const std::vector<std::size_t> &group) {
                pattern.kept = std::max(pattern.kept, countOf(group));
                return pattern.kept < m;
            });
            eachGroup(kept.size(), pattern, [&](const std::vector<std::size_t> &group) {
                const std::uint64_t count = countOf(group);
                ++groups;
                regular = regular &&
                          (count == pattern.kept || std::ranges::all_of(group, [&](std::size_t i) {
                               return kept[i] || r[i] == 0;
                           }));
                whole = whole && (count == 0 || count == m);
                some += count;
                return regular || whole;
            });
            if (groups < kFewestGroups || some == 0 || some == groups * m)
                continue;
            if (regular)
                return pattern;
            pattern.kept = 0;
            if (whole)
                blocks = pattern; // the largest
        }
    }
    return blocks;
}

} // namespace

void FigureCounter::add(std::uint64_t first, std::span<const float> values)
{
    constexpr float kNormal = 0x1p-14F; // the least of fp16
    constexpr std::uint64_t kShortRow = 16;
    constexpr std::size_t kLanes = std::tuple_size_v<decltype(m_hash)>;
    std::uint32_t subnormal = 0;
    for (const float value : values) {
        const float size = std::abs(value);
        subnormal += static_cast<unsigned>(size > 0) & static_cast<unsigned>(size < kNormal);
    }
    m_subnormal += subnormal;
    const std::uint64_t row = m_subject->rowElements();
    for (std::size_t i = 0; row >= kShortRow && i < values.size();) {
        const std::uint64_t column = (first + i) % row;
        const auto run = values.subspan(
            i, static_cast<std::size_t>(std::min<std::uint64_t>(row - column, values.size() - i)));
        if (column == 0) {
            m_hash = {};
            m_start = twice(run[0]);
            m_constant = true;
        }
        std::uint64_t unlike = 0;
        auto hash = m_hash; // several, which do not wait for one another
        const auto mix = [&](std::uint64_t &lane, std::uint64_t two) {
            lane = std::rotl((lane ^ two) * 0x9E3779B97F4A7C15U, 29);
            unlike |= two ^ m_start;
        };
        std::size_t k = 0;
        for (; k + 2 * kLanes <= run.size(); k += 2 * kLanes) {
            std::array<std::uint64_t, kLanes> bits;
            std::memcpy(bits.data(), &run[k], sizeof bits);
            for (std::size_t lane = 0; lane < kLanes; ++lane)
                mix(hash[lane], bits[lane]);
        }
        for (; k < run.size(); ++k)
            mix(hash[0], twice(run[k]));
        m_hash = hash;
        m_constant = m_constant && unlike == 0;
        i += run.size();
        if (column + run.size() == row && !m_constant)
            m_rows.push_back(HashSum(m_hash).value());
    }
}

StoredFigures FigureCounter::figures() const
{
    StoredFigures figures;
    figures.subnormal =
        static_cast<double>(m_subnormal) / static_cast<double>(m_subject->elements());
    std::vector<std::uint64_t> rows = m_rows;
    std::ranges::sort(rows);
    figures.equalRows =
        static_cast<std::uint64_t>(rows.end() - std::unique(rows.begin(), rows.end()));
    const codec::Encoding &encoding = m_subject->decoder.encoding();
    const codec::Operand *payload = codec::storedOperand(encoding.payload);
    if (encoding.palette || !payload || payload->order)
        return figures;
    const bool e4m3 = payload->type == ElementType::Fp8E4M3Fn;
    const unsigned bits = bitWidth(payload->type);
    if (!e4m3 && (isFloatingPoint(payload->type) || bits == 0 || 8 % bits != 0))
        return figures;
    const std::uint64_t count = elementCount(payload->shape).value_or(ElementCount()).value;
    const std::size_t whole = // a payload may run out
        std::min(static_cast<std::size_t>(count * bits / 8), payload->bytes.size());
    std::array<std::uint64_t, 256> bytes{}, codes{};
    for (const std::byte byte : payload->bytes.first(whole))
        ++bytes[std::to_integer<std::size_t>(byte)];
    const auto addCodes = [&](std::size_t byte, std::uint64_t used, std::uint64_t times) {
        for (unsigned at = 0; at < used; at += bits)
            codes[byte >> at & ((1U << bits) - 1)] += times;
    };
    for (std::size_t byte = 0; byte < bytes.size(); ++byte)
        addCodes(byte, 8, bytes[byte]);
    if (const std::uint64_t rest = count * bits % 8; rest > 0 && whole < payload->bytes.size())
        addCodes(std::to_integer<std::size_t>(payload->bytes[whole]), rest, 1);
    if (!e4m3) {
        figures.unusedCodes =
            (std::uint64_t{1} << bits) -
            static_cast<std::uint64_t>(std::ranges::count_if(codes, [](auto n) { return n > 0; }));
        return figures;
    }
    constexpr std::size_t kCodeOf240 = 0x77, kNan = 0x7F, kSign = 0x80;
    figures.over240 = 0;
    for (std::size_t code = kCodeOf240 + 1; code < kNan; ++code)
        *figures.over240 += codes[code] + codes[code | kSign];
    return figures;
}

std::vector<bool> bestKept(const std::vector<bool> &kept, std::span<const float> r,
                           const Shape &shape, std::uint64_t firstExtent)
{
    const auto pattern = patternOf(kept, r, shape, firstExtent);
    std::vector<bool> best(kept.size(), false);
    const auto largest = [&](std::size_t a, std::size_t b) {
        return std::abs(r[a]) > std::abs(r[b]);
    };
    if (pattern && pattern->kept == 0) {
        best = kept; // what is left over at the end of an axis
        std::vector<std::pair<double, std::size_t>> groups; // size, first element
        std::size_t count = 0;
        eachGroup(kept.size(), *pattern, [&](const std::vector<std::size_t> &group) {
            double size = 0;
            for (const std::size_t i : group)
                size += static_cast<double>(r[i]) * static_cast<double>(r[i]);
            groups.emplace_back(size, group.front());
            count += kept[group.front()];
            return true;
        });
        std::ranges::sort(groups, std::greater<>());
        for (std::size_t at = 0; at < groups.size(); ++at) {
            for (std::uint64_t k = 0; k < pattern->m; ++k)
                best[groups[at].second + static_cast<std::size_t>(k * pattern->inner)] = at < count;
        }
        return best;
    }
    if (pattern) {
        best = kept; // what is left over at the end of an axis
        eachGroup(kept.size(), *pattern, [&](const std::vector<std::size_t> &group) {
            std::vector<std::size_t> order = group;
            std::ranges::sort(order, largest);
            for (std::size_t i = 0; i < order.size(); ++i)
                best[order[i]] = i < pattern->kept;
            return true;
        });
        return best;
    }
    const auto count = std::ranges::count(kept, true);
    std::vector<std::size_t> order(kept.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::nth_element(order.begin(),
                     order.begin() + std::min<std::ptrdiff_t>(
                                         count, static_cast<std::ptrdiff_t>(order.size()) - 1),
                     order.end(), largest);
    for (std::ptrdiff_t i = 0; i < count; ++i)
        best[order[static_cast<std::size_t>(i)]] = true;
    return best;
}

float largestOfRow(const Subject &subject, std::uint64_t row)
{
    std::vector<float> values(subject.rowElements());
    subject.reference->read(row * subject.rowElements(), values);
    return std::abs(
        *std::ranges::max_element(values, {}, [](float value) { return std::abs(value); }));
}

float usualMagnitude(const Subject &subject)
{
    constexpr std::uint64_t kSampled = 1U << 14;
    std::vector<float> kept{0};
    for (const auto &[first, count] : sampledRuns(subject, kSampled)) {
        const Window window = load(subject, first, count, true);
        for (std::size_t i = 0; i < window.r.size(); ++i) {
            if (window.codes[i] != codec::Decoder::kNotStored)
                kept.push_back(std::abs(window.r[i]));
        }
    }
    const auto middle = kept.begin() + static_cast<std::ptrdiff_t>(kept.size() / 2);
    std::nth_element(kept.begin(), middle, kept.end());
    return *middle;
}

std::optional<double> errorOfRange(const Subject &subject)
{
    constexpr double kStep = 0.1, kRounding = 0x1p-9, kScale = 0.01, kLeast = 0x1p-24;
    constexpr std::uint64_t kChunk = 1U << 16;
    const StoredSteps &steps = subject.steps;
    if (!steps.stepped() || steps.masked)
        return std::nullopt;
    std::map<std::uint64_t, std::pair<double, double>> ranges; // by table or scale: least, largest
    double error = 0, size = 0;
    for (std::uint64_t at = 0; at < subject.elements(); at += kChunk) {
        std::vector<float> values(std::min(kChunk, subject.elements() - at));
        subject.reference->read(at, values);
        for (std::size_t i = 0; i < values.size(); ++i) {
            const std::uint64_t cell = steps.cellOf(at + i), table = subject.tableOf(at + i);
            auto value = static_cast<double>(values[i]);
            const double off = steps.nearest(value, cell, table).first - value;
            error += off * off;
            size += value * value;
            if (steps.palette && steps.scaleOf(cell) != 0)
                value = (value - steps.biasOf(cell)) / steps.scaleOf(cell);
            auto &range =
                ranges.try_emplace(steps.palette ? table : cell, value, value).first->second;
            range = {std::min(range.first, value), std::max(range.second, value)};
        }
    }
    const double middle = std::floor((steps.low + steps.high + 1) / 2);
    const bool ofRange = std::ranges::all_of(ranges, [&](const auto &entry) {
        const double least = entry.second.first, top = std::max(-least, entry.second.second),
                     range = entry.second.second - least;
        if (!steps.palette) {
            const double scale = std::abs(steps.scaleOf(entry.first)), codes = steps.high - middle,
                         all = steps.high - steps.low;
            const auto isScale = [&](double low, double high) {
                return scale >= (1 - kScale) * low - kLeast &&
                       scale <= (1 + kScale) * high + kLeast;
            };
            if (steps.symmetric)
                return isScale(top / (codes + 1), top / codes);
            const double first = // what the lowest code stands for
                (steps.low - steps.zeroOf(entry.first)) * scale + steps.biasOf(entry.first);
            return isScale(range / all, std::max(range, top) / all) &&
                   std::abs(first - (steps.biases.empty() ? std::min(least, 0.0) : least)) <= scale;
        }
        const auto &table = steps.sorted[static_cast<std::size_t>(entry.first)];
        const double step = range / static_cast<double>(table.size() - 1);
        for (std::size_t k = 0; k < table.size(); ++k) {
            const double off =
                static_cast<double>(table[k]) - least - static_cast<double>(k) * step;
            if (!(std::abs(off) <= kStep * step + kRounding * top))
                return false;
        }
        return true;
    });
    return ofRange && size > 0 ? std::optional(std::sqrt(error / size)) : std::nullopt;
}

VectorError::VectorError(const Subject &subject)
    : m_subject(&subject), m_tables(subject.decoder.codebookValues())
{
    const codec::Encoding &encoding = subject.decoder.encoding();
    const auto axis = static_cast<std::size_t>(encoding.palette->vectorAxis);
    m_entries = subject.steps.entries;
    m_width = static_cast<std::size_t>(subject.steps.vector);
    m_stride = std::accumulate(encoding.shape.begin() + static_cast<std::ptrdiff_t>(axis) + 1,
                               encoding.shape.end(), std::uint64_t{1}, std::multiplies<>());
    m_sums.resize(m_tables.size());
    m_weights.resize(m_tables.size());
}

std::size_t VectorError::nearestEntry(std::size_t from, std::span<const float> tables,
                                      double &least) const
{
    const std::size_t book = m_books[from / m_width] * static_cast<std::size_t>(m_entries);
    std::size_t best = book;
    least = HUGE_VAL;
    for (std::size_t entry = book; entry < book + m_entries; ++entry) {
        double error = 0;
        for (std::size_t lane = 0; lane < m_width && error < least; ++lane) {
            const double off = static_cast<double>(tables[entry * m_width + lane]) *
                                   static_cast<double>(m_scales[from + lane]) -
                               static_cast<double>(m_values[from + lane]);
            error += off * off;
        }
        if (error < least) {
            least = error;
            best = entry;
        }
    }
    return best;
}

void VectorError::add(const Window &window)
{
    const StoredSteps &steps = m_subject->steps;
    for (std::size_t i = 0; i < window.r.size(); ++i) {
        const auto place = m_subject->decoder.codebookOf(window.first + i);
        const std::size_t last = i + (m_width - 1) * static_cast<std::size_t>(m_stride);
        if (place.lane != 0 || last >= window.r.size())
            continue;
        double stored = 0;
        const std::size_t from = m_values.size();
        for (std::size_t at = i; at <= last; at += static_cast<std::size_t>(m_stride)) {
            m_values.push_back(window.r[at]);
            m_scales.push_back(static_cast<float>(steps.scaleOf(steps.cellOf(window.first + at))));
            const double off =
                static_cast<double>(window.d[at]) - static_cast<double>(window.r[at]);
            stored += off * off;
        }
        if (!std::isfinite(stored)) {
            m_values.resize(from);
            m_scales.resize(from);
            continue;
        }
        m_books.push_back(static_cast<std::size_t>(place.codebook));
        double least = 0;
        const std::size_t entry = nearestEntry(from, m_tables, least);
        m_error += least;
        ++m_shares.counted;
        m_shares.off += std::sqrt(stored) > 1.1 * std::sqrt(least) + 1e-6;
        for (std::size_t lane = 0; lane < m_width; ++lane) {
            const auto scale = static_cast<double>(m_scales[from + lane]);
            m_sums[entry * m_width + lane] += scale * static_cast<double>(m_values[from + lane]);
            m_weights[entry * m_width + lane] += scale * scale;
        }
    }
}

/// A table that was moved away from its vectors is told by the step that leads it back. With few
/// vectors an entry any table could be fitted to them: none is.
double VectorError::best() const
{
    constexpr std::uint64_t kEnough = 32;
    if (m_shares.counted < kEnough * m_tables.size() / m_width)
        return m_error;
    std::vector<float> tables(m_tables.begin(), m_tables.end());
    for (std::size_t i = 0; i < tables.size(); ++i) {
        if (m_weights[i] > 0)
            tables[i] = static_cast<float>(m_sums[i] / m_weights[i]);
    }
    double error = 0;
    for (std::size_t from = 0; from < m_values.size(); from += m_width) {
        double least = 0;
        nearestEntry(from, tables, least);
        error += least;
    }
    return std::min(error, m_error);
}

} // namespace kernscope::audit
