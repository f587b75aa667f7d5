// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/assessment/stream.h"
#include "widgets/models/theme.h"

#include <QString>

namespace kernscope::ui {

Token outcomeToken(decision::Outcome outcome);
QString outcomeWord(decision::Outcome outcome);  ///< translated: "streams", "refused", …
QString outcomeLabel(decision::Outcome outcome); ///< with its glyph: "▶ streams"

} // namespace kernscope::ui
