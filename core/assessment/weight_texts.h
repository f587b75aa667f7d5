// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/bundle_fwd.h"

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace kernscope {

class FormTexts;

/// What plain words of a filter (WeightWhere) are looked for in: name, function, form and the
/// operations that read the weight, a zero behind each, ASCII letters in lower case.
std::string textsOf(const Weight &weight, FormTexts &forms);

/// The texts of all weights, one behind the other. A filter asks for those of 50,000 at every key;
/// where they belong they lie all over the memory. Takes about twice what the names do. Immutable.
class WeightTexts
{
public:
    explicit WeightTexts(const BundlePtr &bundle);

    /// Made of that very snapshot: an edit that changes a form makes another one.
    bool isOf(const BundlePtr &bundle) const;
    /// textsOf a weight of the bundle.
    std::string_view of(std::size_t weight) const;

private:
    std::weak_ptr<const Bundle> m_bundle;
    std::string m_all;
    std::vector<std::size_t> m_starts; ///< by weight, and the end
};

} // namespace kernscope
