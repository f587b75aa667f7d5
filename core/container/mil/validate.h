// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/container/mil/faults.h"
#include "core/container/mil/program.h"

#include <functional>
#include <set>
#include <string>

namespace kernscope::mil {

/// What a reader had to leave out: it must not be reported as undefined.
struct Unread {
    std::set<std::string, std::less<>> names; ///< of statements with faults
    bool more = false;                        ///< parts of the program whose names are not known
};

/// Checks that every name is defined once, before its first use, in its own block or in one
/// around it. Codes: "mil.duplicate", "mil.undefined", "mil.order" (use before definition, and
/// so every cycle).
void validate(const Program &program, const Unread &unread, Faults &faults);

/// Reports a literal that has not as many elements as its type says ("mil.count"). One element
/// may stand for all of them: whether a compiler writes that is not known, so it only warns.
void checkElementCount(const ValueType &type, const Literal &literal, SourceSpan place,
                       Faults &faults);

} // namespace kernscope::mil
