// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/container/mil/faults.h"
#include "core/container/mil/program.h"

#include <functional>
#include <set>
#include <string>

namespace kernscope::mil {

/// Checks that every name is defined once, before its first use, in its own block or in one
/// around it. Codes: "mil.duplicate", "mil.undefined", "mil.order" (use before definition, and
/// so every cycle). Names in `poisoned` (of statements that could not be read) count as defined.
void validate(const Program &program, const std::set<std::string, std::less<>> &poisoned,
              Faults &faults);

/// Reports a literal that has not as many elements as its type says ("mil.count"). One element
/// may stand for all of them: whether a compiler writes that is not known, so it only warns.
void checkElementCount(const ValueType &type, const Literal &literal, SourceSpan place,
                       Faults &faults);

} // namespace kernscope::mil
