// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/form/encoding.h"

#include <array>

namespace kernscope::codec {

namespace {

// In the order of PartRole.
constexpr std::array<std::string_view, 9> kRoleNames{
    "data", "indices", "lut", "mask", "nonzero_data", "scale", "zero_point", "offset", "bias"};

} // namespace

std::string_view partRoleName(PartRole role)
{
    return kRoleNames[static_cast<std::size_t>(role)];
}

std::optional<PartRole> partRoleFromName(std::string_view name)
{
    for (std::size_t i = 0; i < kRoleNames.size(); ++i) {
        if (kRoleNames[i] == name)
            return static_cast<PartRole>(i);
    }
    return std::nullopt;
}

} // namespace kernscope::codec
