// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/error.h"

#include <QString>

namespace kernscope::app {

/// An error as sentences for people: what it means, where, what was expected and found.
QString errorSentence(const Error &error);

/// Why `path` could not be opened, each thing said once.
QString openingFault(const QString &path, const Error &error);

} // namespace kernscope::app
