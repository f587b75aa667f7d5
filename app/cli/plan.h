// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/command.h"
#include "app/cli/shape_option.h"
#include "core/report/plan_table.h"

#include <cstdint>
#include <string>
#include <vector>

/// The work of `plan`; its options need no CLI11.
namespace kernscope::cli {

struct PlanOptions {
    std::string path;
    std::vector<std::string> targets; ///< empty: the default one
    double tolerance = 0.01;
    double totalTolerance = -1; ///< negative: none
    std::uint64_t maxBytes = 0; ///< 0: no limit
    std::string minimise;       ///< empty: what the times that are known allow
    std::string error = "weights";
    std::uint64_t batch = 1;
    std::vector<std::string> shapes;      ///< "INPUT=N,N,..."
    std::string activations, sensitivity; ///< files; empty: none
    std::vector<std::string> forms;       ///< patterns; empty: all
    std::vector<std::string> compare;     ///< other builds of the network
    std::vector<std::string> forced;      ///< "PATTERN=FORM"
    std::uint64_t points = 20;            ///< of each front
    bool candidates = false;
    std::string format = "text"; ///< text, json, csv
    std::string output, report;
};

int runPlan(const PlanOptions &options, Context &context);

/// For people: what each weight becomes, before and after, the front.
std::string planText(const report::PlanSubject &subject);

} // namespace kernscope::cli
