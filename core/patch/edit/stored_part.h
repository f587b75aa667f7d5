// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/form/encoding.h"

namespace kernscope::patch {

/// A part of an encoding as edits of stored codes address it.
struct StoredPart {
    const codec::Operand *operand = nullptr; ///< of the encoding
    unsigned width = 0;                      ///< bits of one code
};

/// The part of that role; nothing where the encoding has none, or several within other operands.
std::optional<StoredPart> storedPart(const codec::Encoding &encoding, codec::PartRole role);

} // namespace kernscope::patch
