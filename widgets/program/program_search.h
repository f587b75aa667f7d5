// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/program/program_tree.h"

#include <QStringList>

namespace kernscope::ui {

/// The words of what a person looks for: parted by blanks.
QStringList programWords(const QString &text);
/// The next row behind (or before) `from`, in the order of the text and around its end, whose text
/// has every word in any case; kNone where none has, or where it was cancelled. `from`: kNone
/// begins at an end. Writes the text of every row on the way: of a large program a task.
std::size_t programRowWith(const ProgramTree &tree, const QStringList &words, std::size_t from,
                           bool forward, Progress *progress = nullptr);
/// How many rows there are of that kind.
std::size_t programRowsWith(const ProgramTree &tree, const QStringList &words,
                            Progress *progress = nullptr);

} // namespace kernscope::ui
