// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/report/column.h"
#include "core/report/encode_json.h"

#include <string_view>
#include <vector>

/// Weights in their new form, as `encode` lists them. Rows point into the bundles.
namespace kernscope::report {

/// A weight before, or after.
struct EncodedSide {
    std::string_view name; ///< "before", "after"
    const Bundle *bundle = nullptr;
    const Weight *weight = nullptr;
};
/// Of the only weight that was encoded.
std::vector<EncodedSide> encodedSides(const Bundle &bundle, const EncodedBundle &encoded);
const TableOf<EncodedSide> &encodedSideTable();

/// One of several weights.
struct EncodedFacts {
    const Weight *before = nullptr, *after = nullptr;
    const EncodedOne *one = nullptr;
};
std::vector<EncodedFacts> encodedFacts(const Bundle &bundle, const EncodedBundle &encoded);
const TableOf<EncodedFacts> &encodedTable();

} // namespace kernscope::report
