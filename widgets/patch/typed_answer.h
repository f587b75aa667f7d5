// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/error.h"

#include <QString>

#include <functional>

class QInputDialog;
class QLabel;

namespace kernscope::ui {

/// An error of something typed: its place counts characters. `before` of them were not typed, but
/// stand before what was.
QString syntaxText(const Error &error, std::size_t before = 0);

/// Below the line of `dialog`, which is open already, stands what `fault` says of the text as it is
/// typed; while that is something, or nothing was typed and that is no answer, the dialog cannot be
/// accepted. The label is the result.
QLabel *answerWhileTyping(QInputDialog *dialog, std::function<QString(const QString &)> fault,
                          bool mayBeEmpty = false);
/// An answer in a label: in the colour of a warning where it is to be noticed.
void showAnswer(QLabel *label, bool warns);

} // namespace kernscope::ui
