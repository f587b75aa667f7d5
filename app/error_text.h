// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/error.h"

#include <QString>

namespace kernscope::app {

/// An error as sentences for people: what it means, where, what was expected and found.
QString errorSentence(const Error &error);

} // namespace kernscope::app
