// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/numeric/element_type.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace kernscope::mil {

/// Appends elements as a weight file stores them: little-endian, sub-byte types in one bit stream,
/// least significant bit first.
class PackedElements
{
public:
    PackedElements(ElementType type, std::vector<std::byte> &bytes)
        : m_width(bitWidth(type)), m_bytes(bytes)
    {
    }

    void add(std::uint64_t bits)
    {
        if (m_width >= 8) {
            for (unsigned done = 0; done < m_width; done += 8)
                m_bytes.push_back(static_cast<std::byte>(bits >> done & 0xFF));
            return;
        }
        m_pending |= static_cast<unsigned>(bits & ((1U << m_width) - 1)) << m_pendingBits;
        m_pendingBits += m_width;
        if (m_pendingBits >= 8) {
            m_bytes.push_back(static_cast<std::byte>(m_pending & 0xFF));
            m_pending >>= 8;
            m_pendingBits -= 8;
        }
    }

    /// Writes the last, partly filled byte; its unused bits are zero.
    void finish()
    {
        if (m_pendingBits > 0)
            m_bytes.push_back(static_cast<std::byte>(m_pending));
        m_pending = 0;
        m_pendingBits = 0;
    }

private:
    unsigned m_width;
    std::vector<std::byte> &m_bytes;
    unsigned m_pending = 0;
    unsigned m_pendingBits = 0;
};

} // namespace kernscope::mil
