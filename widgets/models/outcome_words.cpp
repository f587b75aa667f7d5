// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/outcome_words.h"

#include <QCoreApplication>

namespace kernscope::ui {

namespace {

struct OutcomeWords {
    Q_DECLARE_TR_FUNCTIONS(kernscope::ChipWords)
};

} // namespace

Token outcomeToken(decision::Outcome outcome)
{
    switch (outcome) {
    case decision::Outcome::Streams: return Token::OutStreams;
    case decision::Outcome::Folds: return Token::OutFolds;
    case decision::Outcome::Dense: return Token::OutDense;
    case decision::Outcome::Rejected: return Token::OutRefused;
    case decision::Outcome::Unknown: break;
    }
    return Token::OutUnknown;
}

QString outcomeWord(decision::Outcome outcome)
{
    switch (outcome) {
    case decision::Outcome::Streams: return OutcomeWords::tr("streams");
    case decision::Outcome::Folds: return OutcomeWords::tr("folds");
    case decision::Outcome::Dense: return OutcomeWords::tr("dense");
    case decision::Outcome::Rejected: return OutcomeWords::tr("refused");
    case decision::Outcome::Unknown: break;
    }
    return OutcomeWords::tr("unknown");
}

QString outcomeLabel(decision::Outcome outcome)
{
    return theme::glyph(outcomeToken(outcome)) + QLatin1Char(' ') + outcomeWord(outcome);
}

} // namespace kernscope::ui
