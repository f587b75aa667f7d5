// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/error.h"

#include <QString>

#include <functional>

class QInputDialog;

namespace kernscope::ui {

/// An error of something typed: its place counts characters. `before` of them were not typed, but
/// stand before what was.
QString syntaxText(const Error &error, std::size_t before = 0);

/// Below the line of `dialog`, which is open already, stands what `fault` says of the text as it is
/// typed; while that is something, or nothing was typed, the dialog cannot be accepted.
void answerWhileTyping(QInputDialog *dialog, std::function<QString(const QString &)> fault);

} // namespace kernscope::ui
