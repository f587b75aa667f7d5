// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/compare/build_outcome_words.h"

#include "widgets/common/outcome_words.h"
#include "widgets/common/table_text.h"

#include <QStringList>

#include <utility>

namespace kernscope::ui {

QString outcomeCounts(const BuildOutcome &outcome)
{
    using decision::Outcome;
    QStringList parts;
    for (const auto &[what, count] :
         {std::pair(Outcome::Streams, outcome.streams), std::pair(Outcome::Folds, outcome.folds),
          std::pair(Outcome::Dense, outcome.dense), std::pair(Outcome::Rejected, outcome.rejected),
          std::pair(Outcome::Unknown, outcome.unknown)}) {
        if (count > 0)
            parts << QStringLiteral("%1 %2 %3")
                         .arg(theme::glyph(outcomeToken(what)), groupedNumber(count),
                              outcomeWord(what));
    }
    return parts.join(QStringLiteral(", "));
}

} // namespace kernscope::ui
