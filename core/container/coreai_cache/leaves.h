// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/error.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

/// The texts of a compiled folder, a value at a time.
namespace kernscope::coreai_cache {

/// What a text may hold, so that a small file cannot ask for much memory.
inline constexpr std::size_t kMostLeaves = 20000, kMostPath = 1024, kMostLevels = 64,
                             kMostJson = std::size_t(1) << 20; ///< bytes

/// A number, text or truth value of a JSON text or a property list.
struct Leaf {
    std::string path; ///< "Package Version/7.0.63/ANERegionsHash/h17c", members of arrays by number
    std::string value;
};

/// Errors: "coreai_cache.json", with the offset.
Result<std::vector<Leaf>> jsonLeaves(std::string_view text, const std::string &file);
/// A property list as XML or binary ("bplist00", whose dates are seconds and whose data are
/// hexadecimal digits). Values that are JSON themselves, as the compiler's descriptor is, are given
/// by their own leaves. Errors: "coreai_cache.plist", with the offset.
Result<std::vector<Leaf>> plistLeaves(std::string_view text, const std::string &file);

} // namespace kernscope::coreai_cache
