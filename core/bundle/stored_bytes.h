// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/bundle.h"

#include <set>
#include <utility>

namespace kernscope {

/// Sums the bytes of operands: each blob once, whatever number of operands it serves, literals at
/// their packed size. A sum that does not fit stays at the largest number.
class StoredBytes
{
public:
    void add(const OperandList &operands);
    ByteCount sum() const { return m_sum; }

private:
    std::set<std::pair<std::size_t, std::uint64_t>> m_counted;
    ByteCount m_sum;
};

} // namespace kernscope
