// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codec/mask_index.h"

#include "core/numeric/bitpack.h"

#include <algorithm>

namespace kernscope::codec {

void MaskIndex::build() const
{
    m_large.reserve(m_bits / kLarge + 1);
    m_small.reserve(m_bits / kSmall + 1);
    std::uint64_t total = 0;
    std::uint64_t largeTotal = 0;
    for (std::uint64_t bit = 0; bit <= m_bits; bit += kSmall) {
        if (bit % kLarge == 0) {
            m_large.push_back(total);
            largeTotal = total;
        }
        m_small.push_back(static_cast<std::uint16_t>(total - largeTotal));
        total += countBits(m_bytes, bit, std::min(kSmall, m_bits - bit));
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
