// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/quantity.h"
#include "core/format/record_fields.h"

namespace kernscope::anec {

/// The field of the header of an .anec file that holds a byte ("aperture 3: tiles of 16 KiB
/// (uint32)"); nothing behind the header's fields.
std::optional<format::PlacedField> fieldAt(FileOffset offset);

} // namespace kernscope::anec
