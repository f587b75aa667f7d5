// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/bundle_fwd.h"
#include "core/report/column.h"

/// What the document of a weight says of its parts and of who uses it.
namespace kernscope::report {

/// Its operands: role, type, shape and place in the files.
Json partsJson(const Bundle &bundle, const Weight &weight);
/// Figures of its storage form, by key.
Json detailJson(const Weight &weight);
/// The operations that read it, with their geometry.
Json consumersJson(const Weight &weight);

} // namespace kernscope::report
