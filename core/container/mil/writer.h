// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/container/mil/program.h"

namespace kernscope::mil {

/// Writes a program again: what an edit may change (offsets of records, extents, packed literals
/// and whole numbers that are written out) from the model, everything else from `source`. Reading
/// and writing gives the same bytes. `wire`: the source is a serialised Model, else text.
/// Errors: "mil.write" where a number does not fit its place.
Result<std::vector<std::byte>> writeProgram(const Program &program,
                                            std::span<const std::byte> source, bool wire);

/// Reads (as text or as a serialised Model, by the first bytes) and writes. Errors: those of the
/// reader that left out a statement, and those of writeProgram.
Result<std::vector<std::byte>> rewriteProgram(std::span<const std::byte> source,
                                              std::string_view fileName);

} // namespace kernscope::mil
