// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/models/table_text.h"

#include <QString>

namespace kernscope::ui {

/// "1 weight", "12,345 weights": `one` as it is, `%1` of `several` replaced by the number.
inline QString countedWords(std::uint64_t number, const QString &one, const QString &several)
{
    return number == 1 ? one : several.arg(groupedNumber(number));
}

} // namespace kernscope::ui
