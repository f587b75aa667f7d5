// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/format/catalogue.h"

#include <string>
#include <string_view>
#include <vector>

namespace kernscope::format {

/// Where a system may keep what it compiled of a file before it was changed
/// (resources/tables/stale_caches.csv).
struct StaleCache {
    std::string kinds; ///< of bundles, as bundleKindName() has them, separated by spaces
    std::string place, what, clear, source;
    Confidence confidence = Confidence::Assumed;
};
/// The rows of a kind of bundle.
std::vector<StaleCache> staleCaches(std::string_view kind);

} // namespace kernscope::format
