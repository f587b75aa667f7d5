// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/assessment/choose_form.h"
#include "core/assessment/stream.h"
#include "core/report/column.h"

namespace kernscope::report {

/// A weight on one chip, as `decide` lists it: in text with its main figures, in JSON with all of
/// them and the reasons. The document is written piece by piece (writeDecisions).
struct DecisionFacts {
    const Weight *weight = nullptr;
    roofline::Assessment assessed;
    std::size_t verdictIndex = 0; ///< in `verdicts[]` of the document
    bool whole = true;            ///< false: one of many in a document, without its reasons
    const decision::Verdict &verdict() const { return *assessed.decision.verdict; }
};
/// Of every weight on the table's first chip.
std::vector<DecisionFacts> decisionFacts(const Bundle &bundle, const DecisionTable &table);
extern const TableOf<DecisionFacts> decisionTable;

/// Weights down, chips across, a letter each.
TextTable outcomeMatrix(const Bundle &bundle, const DecisionTable &table);

/// Every condition that a verdict consulted: `decide` and the Stream dock.
extern const TableOf<decision::Reason> reasonTable;

/// One verdict with every reason.
Json verdictJson(const decision::Verdict &verdict);
Json memoryJson(const decision::KernelMemory &memory);
Json speedupJson(const std::optional<decision::Speedup> &speedup);
/// The figures that were measured of a form, each with its conditions.
Json measuredJson(std::span<const decision::Measurement> measured);

/// Writes the document of `decide`, piece by piece. Up to kInlineDecisions decisions carry their
/// reasons; of more, each names its verdict by index in `verdicts[]` and has none of its own, since
/// ten thousand weights of five forms share a few dozen verdicts.
inline constexpr std::size_t kInlineDecisions = 20000;
void writeDecisions(const Bundle &bundle, const DecisionTable &table, Json head,
                    const Diagnostics &diagnostics,
                    const std::function<void(std::string_view)> &write);

// The form that each weight should take: `choose` and its dock.

/// A form that was considered.
struct CandidateFacts {
    FormCandidate candidate;
    bool chosen = false;
};
std::vector<CandidateFacts> candidateRows(const FormChoice &choice);
extern const TableOf<CandidateFacts> candidateTable;

/// What sources disagree on of the stored form and of the one to take, each line with the form.
std::vector<std::string> contestedOf(const FormChoice &choice);

/// One choice with its candidates.
Json choiceJson(const FormChoice &choice);

/// Adds bundle, tolerance, the program's times and `choices`, each of choiceJson().
void addChoices(Json &document, const Bundle &bundle, double tolerance,
                const roofline::ProgramTime &program, std::vector<Json> choices);

} // namespace kernscope::report
