// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/format/legality.h"
#include "core/report/json.h"
#include "core/target/target.h"

namespace kernscope::report {

/// Everything of `formats`: the numberings on a chip, and what its descriptor version (0: not
/// known) makes of them.
Json formatsJson(const target::Target &target, const format::FormatUse &use);

} // namespace kernscope::report
