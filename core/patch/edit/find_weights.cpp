// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/patch/edit/find_weights.h"

#include "core/base/error_builder.h"
#include "core/base/pattern.h"
#include "core/bundle/bundle.h"
#include "core/patch/edit/find_weight.h"

#include <set>

namespace kernscope::patch {

Result<std::vector<std::size_t>> findWeights(const Bundle &bundle,
                                             std::span<const std::string> names)
{
    std::set<std::size_t> found;
    for (const std::string &name : names) {
        auto one = findWeight(bundle, name);
        if (one) {
            found.insert(*one);
            continue;
        }
        bool any = false;
        const bool pattern = isPattern(name);
        for (std::size_t i = 0; pattern && i < bundle.weights().size(); ++i) {
            const Weight &weight = bundle.weights()[i];
            if (!matchesPattern(name, weight.name) && !matchesPattern(name, weight.address()))
                continue;
            found.insert(i);
            any = true;
        }
        if (!any) {
            ErrorBuilder error(std::move(one.error()));
            if (pattern)
                error.message("No weight of the bundle has a name like this pattern");
            return error.unexpected();
        }
    }
    return std::vector<std::size_t>(found.begin(), found.end());
}

} // namespace kernscope::patch
