// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/output_place.h"

struct stat;

namespace kernscope {

/// What a file is recognised by, of what stat() says of it.
SeenFile seenFile(const struct stat &status);

} // namespace kernscope
