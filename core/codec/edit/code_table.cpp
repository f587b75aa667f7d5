// SPDX-License-Identifier: GPL-3.0-or-later
// The nearest of the values that the codes of a context have.
#include "core/codec/edit/code_chooser.h"
#include "core/codec/kernels/place_kernels.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace kernscope::codec {

/// Without branches that the processor mispredicts: it runs once for each of millions of elements.
std::optional<CodeCandidate> CodeChooser::Table::nearest(double value) const
{
    if (values.empty())
        return std::nullopt;
    const double *const held = values.data();
    std::size_t below = 0; // how many are
    for (std::size_t rest = values.size(); rest > 1; rest -= rest / 2)
        below += rest / 2 * static_cast<std::size_t>(held[below + rest / 2 - 1] < value);
    below += static_cast<std::size_t>(held[below] < value);
    // Of equally near ones, that of the lower code.
    const std::size_t down = below - (below > 0 ? 1 : 0);
    const std::size_t up = below - (below == values.size() ? 1 : 0);
    const bool lower = goesToLower(value, values[down], values[up], codes[down] < codes[up]);
    const std::size_t taken = lower ? down : up;
    return CodeCandidate{codes[taken], values[taken]};
}

/// Numbers whose limits placeByLimits() takes.
static constexpr std::size_t kFewLimits = 64;

void CodeChooser::Table::nearestOf(std::span<const double> asked, unsigned mask,
                                   std::span<double> chosen, std::span<std::uint8_t> lowBits)
{
    constexpr std::size_t kFew = 64; // are counted sooner than halved
    std::size_t done = 0;
    if (!values.empty() && values.size() <= kFew) {
        NearestTable table{values, 0};
        for (std::size_t i = 0; i + 1 < codes.size(); ++i)
            table.lowerFirst |= std::uint64_t{codes[i] < codes[i + 1] ? 1U : 0U} << i;
        done = nearestPlaces(table, asked, lowBits, chosen);
        std::array<std::uint8_t, kFew> bits{};
        std::transform(codes.begin(), codes.end(), bits.begin(), [mask](std::int64_t code) {
            return static_cast<std::uint8_t>(static_cast<std::uint64_t>(code) & mask);
        });
        for (std::uint8_t &place : lowBits.first(done))
            place = bits[place];
    } else if (values.size() > kFew) {
        done = byIndex(asked, mask, chosen, lowBits);
    }
    for (; done < asked.size(); ++done) {
        const auto found = nearest(asked[done]);
        chosen[done] = found ? found->value : std::numeric_limits<double>::quiet_NaN();
        lowBits[done] =
            static_cast<std::uint8_t>(static_cast<std::uint64_t>(found ? found->code : 0) & mask);
    }
}

/// Returns how many were answered: all of them, or none where there is no index.
std::size_t CodeChooser::Table::byIndex(std::span<const double> asked, unsigned mask,
                                        std::span<double> chosen, std::span<std::uint8_t> lowBits)
{
    constexpr std::uint64_t kMany = 1024; // values for which making the index pays
    m_asked += asked.size();
    if (!m_indexed && m_asked >= kMany) {
        m_index = NearestIndex(values, codes);
        m_indexed = true;
    }
    if (!m_index.isUsable())
        return 0;
    m_found.resize(asked.size());
    m_index.find(asked, m_found);
    for (std::size_t i = 0; i < asked.size(); ++i) {
        chosen[i] = values[m_found[i]];
        lowBits[i] =
            static_cast<std::uint8_t>(static_cast<std::uint64_t>(codes[m_found[i]]) & mask);
    }
    return asked.size();
}

/// False where fp32 limits do not decide every value.
bool CodeChooser::Table::makeLimits(unsigned mask)
{
    constexpr std::size_t kMost = 256;
    m_limited = true;
    if (values.empty() || values.size() > kMost)
        return false;
    for (const double limit : limitsOf(values, codes)) {
        // What is fp32 is not above the limit where it is not above the fp32 number below it.
        auto rounded = static_cast<float>(limit);
        if (static_cast<double>(rounded) > limit)
            rounded = std::nextafter(rounded, -std::numeric_limits<float>::infinity());
        m_limits.push_back(rounded);
    }
    m_floats.assign(values.begin(), values.end());
    for (const std::int64_t code : codes)
        m_lowBits.push_back(static_cast<std::uint8_t>(static_cast<std::uint64_t>(code) & mask));
    const bool exact =
        std::equal(m_floats.begin(), m_floats.end(), values.begin(),
                   [](float narrow, double value) { return static_cast<double>(narrow) == value; });
    if (values.size() > kFewLimits)
        m_floatIndex = LimitIndex<float>(m_limits);
    const bool usable = exact && (values.size() <= kFewLimits || m_floatIndex.isUsable());
    if (!usable)
        m_floats.clear();
    return usable;
}

bool CodeChooser::Table::nearestOf(std::span<const float> asked, unsigned mask,
                                   std::span<float> chosen, std::span<std::uint8_t> lowBits)
{
    constexpr std::uint64_t kMany = 1024; // values for which finding the limits pays
    m_asked += asked.size();
    if (m_limited ? m_floats.empty() : m_asked < kMany || !makeLimits(mask))
        return false;
    if (values.size() <= kFewLimits) {
        placeByLimits({m_limits, m_floats, m_lowBits}, asked, lowBits, chosen);
        return true;
    }
    m_found.resize(asked.size());
    m_floatIndex.find(asked, m_found);
    for (std::size_t i = 0; i < asked.size(); ++i) {
        chosen[i] = m_floats[m_found[i]];
        lowBits[i] = m_lowBits[m_found[i]];
    }
    return true;
}

} // namespace kernscope::codec
