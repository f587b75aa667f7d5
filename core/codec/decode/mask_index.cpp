// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codec/decode/mask_index.h"

#include "core/numeric/bitpack.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/codec/decode/mask_index.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h, which includes this file again for each target.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace kernscope::codec::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// Set bits of every 64 bytes. Returns how many blocks were counted: all, or none without vectors.
std::size_t countBlocks(const std::byte *bytes, std::size_t blocks, std::uint16_t *counts)
{
    const hn::CappedTag<std::uint64_t, 8> d;
    const hn::Repartition<std::uint8_t, decltype(d)> d8;
    const auto *in = reinterpret_cast<const std::uint8_t *>(bytes);
    for (std::size_t block = 0; block < blocks; ++block, in += 64) {
        auto sum = hn::Zero(d);
        for (std::size_t at = 0; at < 64; at += hn::Lanes(d8))
            sum = hn::Add(sum, hn::SumsOf8(hn::PopulationCount(hn::LoadU(d8, in + at))));
        counts[block] = static_cast<std::uint16_t>(hn::GetLane(hn::SumOfLanes(d, sum)));
    }
    return blocks;
}

} // namespace kernscope::codec::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kernscope::codec {

HWY_EXPORT(countBlocks);

void MaskIndex::build() const
{
    static_assert(kSmall == 8 * 64);
    m_large.reserve(m_bits / kLarge + 1);
    m_small.resize(m_bits / kSmall + 1);
    const auto blocks = static_cast<std::size_t>(m_bits / kSmall);
    std::size_t block = HWY_DYNAMIC_DISPATCH(countBlocks)(m_bytes.data(), blocks, m_small.data());
    for (; block < blocks; ++block)
        m_small[block] = static_cast<std::uint16_t>(countBits(m_bytes, block * kSmall, kSmall));
    // From counts of single blocks to the counts of all before.
    std::uint64_t total = 0;
    for (std::size_t i = 0; i < m_small.size(); ++i) {
        if (i * kSmall % kLarge == 0)
            m_large.push_back(total);
        const std::uint64_t count = m_small[i];
        m_small[i] = static_cast<std::uint16_t>(total - m_large.back());
        total += count;
    }
}

std::uint64_t MaskIndex::rank(std::uint64_t bit) const
{
    if (bit == 0)
        return 0;
    std::call_once(m_built, [this] { build(); });
    const std::uint64_t start = bit / kSmall * kSmall;
    return m_large[bit / kLarge] + m_small[bit / kSmall] + countBits(m_bytes, start, bit - start);
}

} // namespace kernscope::codec
#endif
