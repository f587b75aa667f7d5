// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/assessment/choose_form.h"
#include "core/report/column.h"

#include <string>
#include <vector>

/// The form that each weight should take: `choose` and its dock.
namespace kernscope::report {

/// A form that was considered.
struct CandidateFacts {
    FormCandidate candidate;
    bool chosen = false;
};
std::vector<CandidateFacts> candidateRows(const FormChoice &choice);
const TableOf<CandidateFacts> &candidateTable();

/// What sources disagree on of the stored form and of the one to take, each line with the form.
std::vector<std::string> contestedOf(const FormChoice &choice);

/// One choice with its candidates.
Json choiceJson(const FormChoice &choice);

} // namespace kernscope::report
