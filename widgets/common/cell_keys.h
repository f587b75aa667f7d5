// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QAbstractItemView;

namespace kernscope::ui {

/// The current cell is the selected one, also where keys with Ctrl move it (with Shift they extend
/// the selection). Part of prepareView.
void keepOneChoice(QAbstractItemView *view);
/// What is typed into the cell in focus becomes its value, or is given up where it is none, which
/// is said: before anything is listed, written, or shown in its place.
void finishEditing();

} // namespace kernscope::ui
