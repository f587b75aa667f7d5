// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/diff/byte_alignment.h"
#include "core/diff/byte_ranges.h"
#include "core/report/column.h"

/// The sections of two bundles side by side: where each lies on either side, and how many of its
/// bytes differ.
namespace kernscope::report {

struct AlignedSectionFacts {
    const AlignedSection *section = nullptr;
    const ByteTally *tally = nullptr; ///< null: the bytes were not compared yet
};

const TableOf<AlignedSectionFacts> &alignedSectionTable();

} // namespace kernscope::report
