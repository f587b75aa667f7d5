// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/bundle_fwd.h"
#include "core/report/column.h"
#include "core/search/find.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

/// What a search found, as `find` and the Search dock list it.
namespace kernscope::report {

/// One place, with its first bytes where bytes were looked for.
struct HitFacts {
    BundlePtr bundle;
    search::Hit hit;
    search::What what = search::What::Bytes;
    std::vector<std::byte> bytes; ///< at most 16
    std::string text;             ///< of a search for text: the hit and what stands around it
};
/// The places in the order of the search. Reads bytes of the files: hold the bundle's read lock.
std::vector<HitFacts> hitRows(const BundlePtr &bundle, const search::Query &query,
                              const std::vector<search::Hit> &hits);
/// The columns of either kind of search; those of the other are absent in each row.
const TableOf<HitFacts> &hitTable();

/// "zero-bytes"
std::string_view whatName(search::What what);
/// Everything of `find` but the diagnostics.
Json foundJson(std::string_view path, const Bundle &bundle, const search::Query &query,
               const search::Found &found, const std::vector<HitFacts> &rows);

} // namespace kernscope::report
