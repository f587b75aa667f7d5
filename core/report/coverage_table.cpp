// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/coverage_table.h"

#include "core/bundle/bundle.h"
#include "core/report/json_table.h"

#include <fmt/format.h>

namespace kernscope::report {

std::vector<CoverageLine> coverageLines(const Bundle &bundle, const Coverage &coverage)
{
    std::vector<CoverageLine> lines;
    for (const CoverageRow &row : coverage.rows)
        lines.push_back({&bundle, &row});
    return lines;
}

const TableOf<CoverageLine> &coverageTable()
{
    using Line = CoverageLine;
    static const TableOf<Line> table(
        "coverage",
        {{kName, "weight", "Weight, by its address",
          [](const Line &line) -> Value {
              return line.bundle->weights()[line.row->weight].address();
          }},
         {kNumber, "elements", "Parameters of the weight",
          [](const Line &line) -> Value {
              return Count(line.bundle->weights()[line.row->weight].elements.value);
          }},
         {kNumber, "bits", "bits a weight", "Stored bits over elements",
          [](const Line &line) -> Value {
              return line.row->bits ? Value(Real(*line.row->bits, 2)) : Value(Unknown());
          }},
         {"found", "How it is stored",
          [](const Line &line) -> Value { return View(line.row->found); }},
         {"expected", "The form that was expected",
          [](const Line &line) -> Value { return orNothing(line.row->expected); }},
         {"kept", "Whether it is in the form expected",
          [](const Line &line) -> Value {
              if (line.row->expected.empty())
                  return Nothing();
              return line.row->kept ? Value(Word("yes", Mark::Good)) : Value(Word("no", Mark::Bad));
          },
          jsonOf([](const Line &line) {
              return line.row->expected.empty() ? Json(nullptr) : Json(line.row->kept);
          })},
         {"why", "why dense", "Why it may have been left dense",
          [](const Line &line) -> Value { return orNothing(line.row->why); }},
         {kNumber, "extra_bytes", "extra", "Bytes beyond what the form expected would take",
          [](const Line &line) -> Value {
              return line.row->kept ? Value(Nothing()) : Value(Count(line.row->extraBytes));
          },
          withUnit("B")}});
    return table;
}

std::string coverageSentence(const Coverage &coverage, const CoverageRules &rules)
{
    std::string text = fmt::format("{:.2f} bits a weight, {}", coverage.bits(),
                                   counted(coverage.parameters, "parameter"));
    if (!rules.any())
        return text;
    if (coverage.broken > 0)
        text += fmt::format(", {} not in the form expected ({})",
                            counted(coverage.broken, "weight"), bytesText(coverage.extraBytes));
    else if (coverage.judged == 0)
        text += ", no weight has an expected form";
    else if (coverage.judged == coverage.rows.size())
        text += ", every weight is as expected";
    else
        text += fmt::format(", {} of {} with an expected form, all as expected",
                            grouped(coverage.judged), counted(coverage.rows.size(), "weight"));
    if (coverage.alone > 0)
        text += fmt::format(", {} without a partner in the sibling build",
                            counted(coverage.alone, "weight"));
    return text;
}

void addCoverage(Json &document, const Bundle &bundle, const Coverage &coverage,
                 const CoverageRules &rules)
{
    Json &own = document["coverage"];
    own["sentence"] = coverageSentence(coverage, rules);
    own["bits"] = ratioJson(coverage.bits());
    own["parameters"] = numberJson(coverage.parameters);
    own["stored_bytes"] = numberJson(coverage.storedBytes);
    own["extra_bytes"] = numberJson(coverage.extraBytes);
    own["not_kept"] = coverage.broken;
    own["weights"] = jsonArray(coverageTable(), coverageLines(bundle, coverage));
}

} // namespace kernscope::report
