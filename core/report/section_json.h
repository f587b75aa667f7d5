// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/weight.h"
#include "core/container/hwx/kernels.h"
#include "core/container/section/section.h"
#include "core/report/json.h"

namespace kernscope::report {

/// Everything of `section list`, and of a section that was written to a file.
Json sectionListJson(const section::WeightSection &section);
Json sectionWrittenJson(const section::WeightSection &section, std::string_view output);

/// A stream that a word of a record is loaded by, with its registers; table 25.4.
std::vector<section::RecordSlot> streamSlots();
extern const TableOf<section::RecordSlot> streamSlotTable;

// The six sections of a kernel unit (listing 25.1), as the window lists them.

struct UnitSectionFacts {
    format::KernelUnit::SectionId section = format::KernelUnit::Lut;
    std::optional<format::UnitSection> content; ///< empty: the unit has none
    std::string_view note;                      ///< what it rests on where that is not stored
};

/// One row a section; the notes lie in `unit`, which outlives them.
std::vector<UnitSectionFacts> unitSections(const hwx::TaskUnit &unit);

extern const TableOf<UnitSectionFacts> unitSectionTable;

/// Bytes of the palette and of the activation table, which share one on-chip memory (chapter 25).
/// Its size is not published of any chip, so that nothing says whether they fit. Empty text: the
/// unit has neither.
std::string tableBudgetText(std::uint64_t palette, std::uint64_t activation);

// The output-channel groups of a weight, as the window lists them.

/// One output-channel group: a record of one core of a weight section, or what one engine core of
/// a hardware container loads (a plane of its slice, or the whole slice).
struct GroupRow {
    std::size_t unit = 0;
    std::uint64_t core = 0, record = 0;
    std::uint64_t firstChannel = 0, channels = 0; ///< channels: all in `runs`
    std::vector<ChannelRun> runs;                 ///< empty where the channels are not known
    std::uint64_t codebook = 0;
    std::uint64_t copy = 0;               ///< of the slices, for a further stream; 0: none
    bool copied = false;                  ///< the weight's slices have copies
    std::uint64_t recordOffset = 0;       ///< of the 56 bytes of the record in the file
    ByteRange bytes;                      ///< of its coefficients; empty where a mask mixes them
    std::vector<std::uint32_t> addresses; ///< words 2 to 11; empty for a hardware container
};
/// The groups of one weight: of a section by chunk and then core, of a container by lane and then
/// plane, then the copies for further streams in the same order; empty where it has none.
std::vector<GroupRow> groupRows(const Bundle &bundle, std::size_t weight);
/// "0 to 3, 64 to 67"; "not known" and "none" where that is so.
std::string channelsText(const GroupRow &row);
/// Core, channels, bytes; of a weight section also codebook and slots.
extern const TableOf<GroupRow> groupTable;

} // namespace kernscope::report
