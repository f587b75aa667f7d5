// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/bundle_fwd.h"
#include "core/report/column.h"

namespace kernscope::report {

/// The files of a bundle, as `inspect` lists them in its text and in its report.
const TableOf<BundleFile> &fileTable();

} // namespace kernscope::report
