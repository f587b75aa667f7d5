// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace kernscope::ui {

/// Labels, tool tips and messages of the application show their text as it stands from now on:
/// names come from files, and Qt would take what looks like markup for it ("<h1>w</h1>", or a
/// picture of the disk). A label with markup of our own says so before it is shown
/// (QLabel::setTextFormat, Qt::RichText) and escapes names. In a window that is read from
/// the right every label begins there, whatever the script of its text. Needs the application; any
/// number of calls.
void showLabelsPlain();

} // namespace kernscope::ui
