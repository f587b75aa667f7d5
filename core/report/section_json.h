// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/container/section/section.h"
#include "core/report/json.h"

namespace kernscope::report {

/// The value of the key "section": header, units with their six sections, flags and records, each
/// record with its channels, bytes and slots.
Json sectionJson(const section::Section &section);

/// Table 25.4, for the words of a record that streams are loaded by:
/// `[{"name","word","enable","base_offset","relocation","source"}]`
Json sectionStreamsJson();

} // namespace kernscope::report
