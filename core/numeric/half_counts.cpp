// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/numeric/half_counts.h"

#include <algorithm>
#include <array>

// AVX-512 only where VBMI2 has an instruction for this; else AVX2.
#define HWY_WANT_AVX3_DL
#define HWY_DISABLED_TARGETS HWY_AVX3
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/numeric/half_counts.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h, which includes this file again for each target.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace kernscope::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// How many of the values are `common`.
std::size_t countEqual(std::span<const std::uint16_t> values, std::uint16_t common)
{
    const hn::CappedTag<std::uint16_t, 32> d;
    const std::size_t lanes = hn::Lanes(d);
    const auto wanted = hn::Set(d, common);
    std::size_t at = 0, found = 0;
    for (; at + lanes <= values.size(); at += lanes)
        found += hn::CountTrue(d, hn::Eq(hn::LoadU(d, values.data() + at), wanted));
    for (; at < values.size(); ++at)
        found += values[at] == common ? 1 : 0;
    return found;
}

/// The values that are not `common`; `out` has room for all and kSpare more. Returns how many.
std::size_t gatherOthers(std::span<const std::uint16_t> values, std::uint16_t common,
                         std::uint16_t *out)
{
#if HWY_TARGET == HWY_AVX3_DL
    const hn::CappedTag<std::uint16_t, 32> d;
#else
    const hn::CappedTag<std::uint16_t, 8> d; // what one byte shuffle brings together
#endif
    const std::size_t lanes = hn::Lanes(d);
    const auto left = hn::Set(d, common);
    std::size_t at = 0, found = 0;
    for (; at + lanes <= values.size(); at += lanes) {
        const auto value = hn::LoadU(d, values.data() + at);
        const auto other = hn::Ne(value, left);
        hn::StoreU(hn::Compress(value, other), d, out + found);
        found += hn::CountTrue(d, other);
    }
    for (; at < values.size(); ++at) {
        out[found] = values[at];
        found += values[at] != common ? 1 : 0;
    }
    return found;
}

} // namespace kernscope::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kernscope {

HWY_EXPORT(countEqual);
HWY_EXPORT(gatherOthers);

namespace {

constexpr std::size_t kValues = 65536;
constexpr std::size_t kTables = 2;
constexpr std::size_t kRun = 4096;   ///< values at a time, of which one may be common
constexpr std::size_t kSample = 256; ///< of a run: tells whether one is
constexpr std::size_t kSpare = 32;   ///< room for a vector behind those of a run

} // namespace

HalfCounts::HalfCounts() : m_recent(kTables * kValues), m_counts(kValues) {}

void HalfCounts::add(std::span<const std::uint16_t> values)
{
    while (!values.empty()) {
        const auto run = values.first(std::min(kRun, values.size()));
        addRun(run);
        values = values.subspan(run.size());
    }
}

void HalfCounts::addRun(std::span<const std::uint16_t> run)
{
    const auto sample = run.first(std::min(kSample, run.size()));
    if (HWY_DYNAMIC_DISPATCH(countEqual)(sample, m_common) < sample.size() / 4) {
        m_common = run[run.size() / 2]; // perhaps it is common in the next run
        addEach(run);
        return;
    }
    std::array<std::uint16_t, kRun + kSpare> others;
    const std::size_t count = HWY_DYNAMIC_DISPATCH(gatherOthers)(run, m_common, others.data());
    m_counts[m_common] += run.size() - count;
    addEach(std::span(others).first(count));
}

void HalfCounts::addEach(std::span<const std::uint16_t> values)
{
    std::uint8_t *const recent = m_recent.data();
    std::uint64_t *const counts = m_counts.data();
    const auto count = [recent, counts](std::uint16_t value, std::size_t table) {
        if (++recent[kTables * value + table] == 0) [[unlikely]]
            counts[value] += 256;
    };
    std::size_t i = 0;
    for (; i + 4 <= values.size(); i += 4) {
        count(values[i], 0);
        count(values[i + 1], 1);
        count(values[i + 2], 0);
        count(values[i + 3], 1);
    }
    for (; i < values.size(); ++i)
        count(values[i], 0);
}

std::span<const std::uint64_t> HalfCounts::counts()
{
    for (std::size_t i = 0; i < m_recent.size(); ++i)
        m_counts[i / kTables] += m_recent[i];
    std::ranges::fill(m_recent, 0);
    return m_counts;
}

} // namespace kernscope
#endif
