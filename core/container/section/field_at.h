// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/container/section/section.h"
#include "core/format/record_fields.h"

namespace kernscope::section {

/// The field of a weight section's tables that holds a byte: of the header, of a unit, of an
/// output-channel group's record ("w core 2, record 1: address slot: bias (uint32)"). Nothing where
/// no table names one (names, payloads, padding).
std::optional<format::PlacedField> fieldAt(const WeightSection &section, FileOffset offset);

} // namespace kernscope::section
