// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/bundle_fwd.h"
#include "core/report/column.h"

#include <vector>

namespace kernscope::report {

/// A section of a file of a bundle. Neither is owned.
struct SectionFacts {
    const Bundle *bundle = nullptr;
    const kernscope::Section *section = nullptr;
};
std::vector<SectionFacts> sectionRows(const Bundle &bundle);
/// Every byte of every file once, as `inspect` and the Layout dock list it.
const TableOf<SectionFacts> &sectionTable();

/// The files of a bundle, as `inspect` lists them in its text and in its report.
const TableOf<BundleFile> &fileTable();

} // namespace kernscope::report
