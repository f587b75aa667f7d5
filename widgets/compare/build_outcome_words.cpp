// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/compare/build_outcome_words.h"

#include "widgets/common/counted_words.h"
#include "widgets/common/outcome_words.h"
#include "widgets/common/table_text.h"

#include <QCoreApplication>
#include <QStringList>

#include <utility>

namespace kernscope::ui {

namespace {

struct BuildOutcomeWords {
    Q_DECLARE_TR_FUNCTIONS(kernscope::BuildOutcomeWords)
};

/// "1 folds", "6 fold".
QString countedOutcome(decision::Outcome what, std::size_t count)
{
    switch (what) {
    case decision::Outcome::Streams:
        return countedWords(count, BuildOutcomeWords::tr("1 streams"),
                            BuildOutcomeWords::tr("%1 stream"));
    case decision::Outcome::Folds:
        return countedWords(count, BuildOutcomeWords::tr("1 folds"),
                            BuildOutcomeWords::tr("%1 fold"));
    default: return groupedNumber(count) + u' ' + outcomeWord(what);
    }
}

} // namespace

QString outcomeCounts(const BuildOutcome &outcome)
{
    using decision::Outcome;
    QStringList parts;
    for (const auto &[what, count] :
         {std::pair(Outcome::Streams, outcome.streams), std::pair(Outcome::Folds, outcome.folds),
          std::pair(Outcome::Dense, outcome.dense), std::pair(Outcome::Rejected, outcome.rejected),
          std::pair(Outcome::Unknown, outcome.unknown)}) {
        if (count > 0)
            parts << theme::glyph(outcomeToken(what)) + u' ' + countedOutcome(what, count);
    }
    return parts.join(QStringLiteral(", "));
}

} // namespace kernscope::ui
