// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/format/catalogue.h"

#include <QString>

namespace kernscope::ui {

/// "verified", "documented", "≠ contested", "~ assumed": the mark stands before the word.
QString confidenceWords(format::Confidence confidence);

} // namespace kernscope::ui
