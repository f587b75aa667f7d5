// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/bundle_fwd.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kernscope {

/// Keys of the filter's terms (WeightWhere): those followed by a text, and those compared with a
/// number.
std::span<const std::string_view> whereTextKeys();
std::span<const std::string_view> whereNumberKeys();

/// What a term that begins with `word` can become, in the order in which people need it: keys
/// ("form:", "bytes>") as long as no key is whole, then the values that the weights have for it, or
/// the names of the chips. A minus in front is kept. Letters count in either case; a word that is
/// whole already has no completions. At most `most`.
std::vector<std::string> whereCompletions(std::string_view word, std::span<const Weight> weights,
                                          std::size_t most = 40);

} // namespace kernscope
