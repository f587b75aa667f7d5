// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/shapes/infer.h"
#include "core/report/json.h"

namespace kernscope::report {

/// What became of the open extents of a program: the key "shapes",
/// `{"bound":[{"input","shape"}],"values","open","inferred","unknown":[{"function",…}]}`.
Json shapesJson(const shapes::Summary &summary);

} // namespace kernscope::report
