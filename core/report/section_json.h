// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/slice_file.h"
#include "core/container/section/section.h"
#include "core/report/column.h"
#include "core/report/json.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kernscope::report {

/// The value of the key "section": header, units with their six sections, flags and records, each
/// record with its channels, bytes and slots.
Json sectionJson(const section::WeightSection &section);

/// Everything of `section list`, and of a section that was written to a file.
Json sectionListJson(const section::WeightSection &section);
Json sectionWrittenJson(const section::WeightSection &section, std::string_view output);

/// Of `section build --hwx-slices`.
const TableOf<SliceRow> &sliceTable();
/// The file that they were written to, and the laws of their sizes in words.
struct SliceFileFacts {
    std::string_view output, target, laws;
};
Json sliceFileJson(const std::vector<SliceRow> &rows, const SliceFileFacts &file);

/// A stream that a word of a record is loaded by, with its registers; table 25.4.
std::vector<section::RecordSlot> streamSlots();
const TableOf<section::RecordSlot> &streamSlotTable();

/// Table 25.4, for the words of a record that streams are loaded by:
/// `[{"name","word","enable","base_offset","relocation","source"}]`
Json sectionStreamsJson();

} // namespace kernscope::report
