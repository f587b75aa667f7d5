// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/models/session.h"

#include <QString>

namespace kernscope::app {

/// What a person types to go somewhere:
///
///     name               a weight or a section, also a part of its name if only one has it
///     name[i,j,…]        an element of a weight, one index an axis, or one flat index
///     name+0x40          a byte of a section, or of a weight's first stored part
///     file:0x1f40        a byte of a file
///     0x1f40, 8000       a byte of the file `currentFile`
///
/// Errors: "goto.syntax", "goto.name", "goto.ambiguous" (`found` names some), "goto.range".
Result<ui::Place> parsePlace(const Bundle &bundle, const QString &text, std::size_t currentFile);

/// Text that parsePlace takes to the same place, once the session has added what follows from it: a
/// weight is told by its name alone, wherever its bytes are.
QString placeText(const Bundle &bundle, const ui::Place &place);

} // namespace kernscope::app
