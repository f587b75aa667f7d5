// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/patch/edit/edit.h"

namespace kernscope::patch {

/// Adds an element's value to an edit of Edit::Kind::FromNpy that carries its values: `indices` are
/// runs of flat indices, `bytes` the values of their elements one after the other, as fp32 of this
/// machine's byte order. Elements come in rising order; 4 bytes an element and 24 a run.
void carryValue(Edit &edit, std::uint64_t element, float value);

/// Whether an edit has its values with it instead of in a file.
bool carriesValues(const Edit &edit);
/// How many.
std::uint64_t carriedCount(const Edit &edit);
/// Values [first, first + out.size()) of those that it carries, at fp32.
void readCarried(const Edit &edit, std::uint64_t first, std::span<double> out);

/// The same as lines of single elements, `set w[17]=0.5`, each with its end of line.
std::string carriedScript(const Edit &edit);

} // namespace kernscope::patch
