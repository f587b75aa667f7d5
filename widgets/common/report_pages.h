// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

namespace kernscope::ui {

/// The figures of a report in HTML as tables for pages of paper. QTextDocument knows no figures,
/// would set one below the other, and tears a row of a table at the end of a page. So three stand
/// beside one another, and as many rows as fit begin a page, the first with the title before them.
void putFiguresOnPages(QString &html);

} // namespace kernscope::ui
