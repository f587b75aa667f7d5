// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/difference_formats.h"

#include "core/base/printable.h"
#include "core/bundle/bundle.h"
#include "core/report/difference_rows.h"
#include "core/report/text_table.h"

#include <algorithm>

#include <fmt/format.h>

namespace kernscope::report {

namespace {

std::string markdownText(std::string_view text)
{
    std::string result;
    for (const char c : text) {
        if (std::string_view("|\\`<>*_[]#~").find(c) != std::string_view::npos)
            result += '\\';
        result += static_cast<unsigned char>(c) < 0x20 ? '?' : c;
    }
    return result;
}

std::string markdownOf(const CheckedDifference &checked)
{
    std::string text =
        fmt::format("# {}\n\n{}\n\n**{}**. {}\n\n", markdownText(differenceTitle(checked)),
                    markdownText(differenceSummary(*checked.a, *checked.b, checked.difference)),
                    differenceHeadline(checked),
                    markdownText(faithfulText(*checked.a, checked.difference, checked.verdict)));
    const auto journals = journalTexts(checked);
    for (const std::string &journal : journals)
        text += fmt::format("- {}\n", markdownText(journal));
    for (const LimitFault &fault : checked.faults)
        text += fmt::format(
            "- {} {}\n", fault.weight.empty() ? "the whole" : markdownText(printable(fault.weight)),
            markdownText(faultText(fault)));
    text += checked.faults.empty() && journals.empty() ? "|" : "\n|";
    const auto &columns = pairTable().columns;
    for (const std::size_t column : differenceColumns())
        text += fmt::format(" {} |", markdownText(columns[column].key));
    text += "\n|";
    for (const std::size_t column : differenceColumns())
        text += columns[column].facts().number() ? "---:|" : "---|";
    text += "\n";
    for (const PairFacts &row : differenceRows(checked)) {
        text += "|";
        for (const std::size_t column : differenceColumns()) {
            text += fmt::format(" {} |", markdownText(readableCell(columns[column].value(row))));
        }
        text += "\n";
    }
    return text;
}

/// A test case: what fails, and what could not even be read.
struct JunitCase {
    std::string name, failures, errors;
};

std::vector<JunitCase> casesOf(const CheckedDifference &checked)
{
    std::vector<JunitCase> cases{{"whole", {}, {}}};
    for (const PairFacts &row : differenceRows(checked)) {
        // A split weight has a row for each part, and one case.
        if (const std::string name = printable(row.name.empty() ? row.nameB : row.name);
            cases.back().name != name)
            cases.push_back({name, {}, {}});
    }
    for (const std::string &journal : journalTexts(checked))
        cases.front().errors += (cases.front().errors.empty() ? "" : "; ") + journal;
    for (const LimitFault &fault : checked.faults) {
        const auto found =
            fault.weight.empty()
                ? cases.begin()
                : std::find_if(cases.begin() + 1, cases.end(), [&](const JunitCase &each) {
                      return each.name == printable(fault.weight);
                  });
        std::string &said = fault.limit == "readable" ? found->errors : found->failures;
        said += (said.empty() ? "" : "; ") + faultText(fault);
    }
    return cases;
}

std::string junitOf(const CheckedDifference &checked)
{
    const auto cases = casesOf(checked);
    std::size_t failures = 0, errors = 0;
    std::string text;
    for (const JunitCase &each : cases) {
        failures += each.failures.empty() ? 0 : 1;
        errors += each.errors.empty() ? 0 : 1;
        text += fmt::format("    <testcase classname=\"kernscope.diff\" name=\"{}\">",
                            escapedMarkup(each.name));
        if (!each.failures.empty())
            text += fmt::format("<failure message=\"{}\"/>", escapedMarkup(each.failures));
        if (!each.errors.empty())
            text += fmt::format("<error message=\"{}\"/>", escapedMarkup(each.errors));
        text += "</testcase>\n";
    }
    return fmt::format("  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\">\n{}"
                       "  </testsuite>\n",
                       escapedMarkup(differenceTitle(checked)), cases.size(), failures, errors,
                       text);
}

} // namespace

std::vector<std::string> journalTexts(const CheckedDifference &checked)
{
    std::vector<std::string> texts;
    for (const BundlePtr &bundle : {checked.a, checked.b}) {
        for (const Diagnostic &row : bundle->diagnostics()) {
            if (row.severity == Severity::Error && row.error.code.starts_with("journal."))
                texts.push_back(printable(
                    fmt::format("{}: [{}] {}", bundle->name(), row.error.code, row.error.message)));
        }
    }
    return texts;
}

std::string differenceCsv(std::span<const CheckedDifference> all)
{
    const auto &columns = pairTable().columns;
    std::vector<std::string> keys{"a", "b"};
    for (const std::size_t column : differenceColumns())
        keys.emplace_back(columns[column].key);
    std::string text = csvLine(std::move(keys));
    for (const CheckedDifference &checked : all) {
        for (const std::string &journal : journalTexts(checked))
            text += csvField(printable(checked.a->name())) + "," +
                    csvField(printable(checked.b->name())) + "," + csvField(journal) +
                    std::string(differenceColumns().size() - 1, ',') + "\n";
        for (const PairFacts &row : differenceRows(checked)) {
            std::vector<std::string> cells{printable(checked.a->name()),
                                           printable(checked.b->name())};
            for (const std::size_t column : differenceColumns())
                cells.push_back(plainText(columns[column].value(row)));
            text += csvLine(std::move(cells));
        }
    }
    return text;
}

std::string differenceMarkdown(std::span<const CheckedDifference> all)
{
    std::string text;
    for (const CheckedDifference &checked : all)
        text += (text.empty() ? "" : "\n") + markdownOf(checked);
    return text;
}

std::string differenceJunit(std::span<const CheckedDifference> all)
{
    std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n";
    for (const CheckedDifference &checked : all)
        text += junitOf(checked);
    return text + "</testsuites>\n";
}

} // namespace kernscope::report
