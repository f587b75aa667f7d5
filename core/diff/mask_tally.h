// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/diff/form_check.h"

#include <cstdint>
#include <span>
#include <vector>

namespace kernscope::diff {

/// Gathers a MaskCheck from runs of elements in their order.
class MaskTally
{
public:
    /// Of the whole weight; axis 0 counts output channels, axis 1 input channels.
    explicit MaskTally(const Shape &shape);

    /// `codes`: codec::Decoder::kNotStored where the mask leaves an element out.
    void add(std::span<const double> a, std::span<const double> b,
             std::span<const std::int64_t> codes);
    MaskCheck finish() const;

private:
    /// Most elements kept in a group so far. Along axis 1 the groups of one output channel are open
    /// at a time, along axis 0 those of `of` channels.
    struct Groups {
        std::uint64_t of = 0;
        std::size_t axis = 0;
        std::vector<std::uint8_t> open; ///< elements kept so far, by the group's place
        std::uint64_t most = 0;
    };
    void keep(std::uint64_t outer, std::uint64_t inner);
    void closeOuter(std::uint64_t outer);

    std::uint64_t m_outer = 1, m_channels = 1, m_rest = 1; ///< extents: axis 0, axis 1, the others
    std::uint64_t m_atOuter = 0, m_atInner = 0;
    std::vector<std::uint64_t> m_keptOfOutput, m_keptOfInput;
    std::vector<Groups> m_groups;
    MaskCheck m_check;
};

} // namespace kernscope::diff
