// SPDX-License-Identifier: GPL-3.0-or-later
// Plans as CSV, Markdown, HTML, and a report of either kind.
#include "core/report/difference_rows.h"
#include "core/report/plan_front_picture.h"
#include "core/report/plan_report.h"
#include "core/report/plan_table.h"
#include "core/report/plan_totals_table.h"

#include "core/base/printable.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace kernscope::report {

namespace {

using Cells = std::vector<std::string>;

std::string seconds(const std::optional<double> &time)
{
    return time ? fmt::format("{:.4g}", *time) : "unknown";
}

std::string count(const std::optional<std::uint64_t> &bytes)
{
    return bytes ? fmt::format("{}", *bytes) : "unknown";
}

Cells weightHeader(const plan::Survey &survey)
{
    Cells cells{"weight", "from", "to", "stored bytes before", "stored bytes after",
                "error",  "why"};
    if (hasFunctions(survey))
        cells.insert(cells.begin() + 1, "function");
    for (const target::Target *target : survey.targets) {
        cells.push_back(target->name + " outcome");
        cells.push_back(target->name + " bytes moved");
        cells.push_back(target->name + " time before s");
        cells.push_back(target->name + " time after s");
    }
    return cells;
}

Cells weightCells(const PlanSubject &subject, std::size_t r)
{
    const plan::Row &row = subject.survey->rows[r];
    const std::size_t choice = subject.plan->choice[r];
    const auto own = plan::ownBytes(*subject.survey, row);
    const plan::Candidate before = row.candidates ? row.candidates->front() : plan::Candidate();
    const plan::Candidate after = row.candidates ? (*row.candidates)[choice] : plan::Candidate();
    Cells cells{subject.survey->names[r], row.stored, plan::formOf(row, choice)};
    cells.push_back(count(before ? std::optional(before->stored) : own));
    cells.push_back(count(after ? std::optional(after->stored) : own));
    cells.push_back(after ? fmt::format("{:.4g}", plan::layerError(row, after)) : "0");
    cells.push_back(subject.plan->why[r]);
    if (hasFunctions(*subject.survey))
        cells.insert(cells.begin() + 1, row.function);
    for (std::size_t t = 0; t < subject.survey->targets.size(); ++t) {
        if (!after) {
            cells.insert(cells.end(), 4, "");
            continue;
        }
        cells.emplace_back(decision::outcomeName(after->chips[t].outcome));
        cells.push_back(count(after->chips[t].moved));
        cells.push_back(seconds(before->chips[t].timeS));
        cells.push_back(seconds(after->chips[t].timeS));
    }
    return cells;
}

std::vector<Cells> weightTable(const PlanSubject &subject)
{
    std::vector<Cells> table{weightHeader(*subject.survey)};
    for (std::size_t r = 0; r < subject.survey->rows.size(); ++r)
        table.push_back(weightCells(subject, r));
    return table;
}

/// A cell of a document: integers without separators.
std::string documentCell(const Value &value, std::string_view unknown)
{
    return std::holds_alternative<Count>(value) ? plainText(value) : text(value, unknown);
}

/// A declared table as cells, the header first.
template <class Row>
std::vector<Cells> declaredCells(const TableOf<Row> &table, const std::vector<Row> &rows,
                                 Cells header)
{
    std::vector<Cells> all{std::move(header)};
    for (const Row &row : rows) {
        Cells &cells = all.emplace_back();
        for (const Column<Row> &column : table.columns)
            cells.push_back(documentCell(column.value(row), column.unknown));
    }
    return all;
}

template <class Row>
Cells titlesOf(const TableOf<Row> &table)
{
    Cells titles;
    for (const Column<Row> &column : table.columns)
        titles.emplace_back(column.title);
    return titles;
}

std::vector<Cells> totalsTable(const PlanSubject &subject)
{
    Cells header = titlesOf(planTotalsTable());
    header.front().clear();
    return declaredCells(planTotalsTable(), planTotals(subject), std::move(header));
}

Cells buildTitles(const std::string &chips)
{
    Cells titles = titlesOf(buildTotalsTable());
    titles.back() = "time on " + chips + " s";
    return titles;
}

/// The points of a front: figures of builds without a name.
std::vector<Cells> frontCells(const std::vector<plan::FrontPoint> &points, const std::string &chips)
{
    std::vector<BuildTotals> rows;
    for (const plan::FrontPoint &point : points)
        rows.push_back({{}, &point.totals});
    std::vector<Cells> table = declaredCells(buildTotalsTable(), rows, buildTitles(chips));
    for (Cells &cells : table)
        cells.erase(cells.begin());
    return table;
}

std::vector<Cells> buildTable(const PlanSubject &subject)
{
    return declaredCells(buildTotalsTable(), buildTotals(subject, true),
                         buildTitles(timedChips(*subject.survey)));
}

std::string headline(const PlanSubject &subject)
{
    const plan::Limits &limits = *subject.limits;
    std::string chips;
    for (const target::Target *target : subject.survey->targets)
        chips += (chips.empty() ? "" : ", ") + target->name;
    std::string text = fmt::format("Least {} on {} with an error of at most {:g} a layer",
                                   plan::goalName(subject.plan->goal), chips, limits.tolerance);
    if (limits.totalTolerance)
        text += fmt::format(", at most {:g} in all", *limits.totalTolerance);
    if (limits.maxBytes)
        text += fmt::format(", at most {} stored bytes", *limits.maxBytes);
    text += subject.plan->proven
                ? ". No other choice of the forms that were tried is better."
                : fmt::format(". No choice has less than {:.6g}; this one has {:.6g}.",
                              subject.plan->bound, subject.plan->cost);
    return text;
}

std::string markdownCell(const std::string &text)
{
    std::string cell;
    for (const char c : printable(text)) {
        if (c == '|' || c == '\\' || c == '`' || c == '*' || c == '_' || c == '<' || c == '[')
            cell += '\\';
        cell += c;
    }
    return cell;
}

std::string markdownTable(const std::vector<Cells> &table)
{
    std::string text;
    for (std::size_t r = 0; r < table.size(); ++r) {
        for (const std::string &cell : table[r])
            text += "| " + markdownCell(cell) + " ";
        text += "|\n";
        if (r > 0)
            continue;
        for (std::size_t i = 0; i < table[0].size(); ++i)
            text += "|---";
        text += "|\n";
    }
    return text;
}

std::string htmlText(const std::string &text)
{
    return escapedMarkup(printable(text));
}

bool isNumber(const std::string &cell)
{
    return !cell.empty() && cell.find_first_not_of("0123456789.e+-") == cell.npos;
}

std::string htmlTable(const std::vector<Cells> &table)
{
    std::string text = "<table>\n";
    for (std::size_t r = 0; r < table.size(); ++r) {
        text += "<tr>";
        for (const std::string &cell : table[r]) {
            const char *tag = r == 0 ? "th" : "td";
            text += fmt::format("<{}{}>{}</{}>", tag, isNumber(cell) ? " class=\"n\"" : "",
                                htmlText(cell), tag);
        }
        text += "</tr>\n";
    }
    return text + "</table>\n";
}

/// What is to be said of this plan, before its tables.
std::string notesText(const PlanSubject &subject)
{
    std::string text;
    for (const std::string &note : planNotes(subject))
        text += (text.empty() ? "" : " ") + note;
    return text;
}

std::string raisedText(const PlanSubject &subject)
{
    std::string text;
    if (subject.raised == nullptr)
        return text;
    for (const plan::RaisedModel &model : *subject.raised)
        text += fmt::format("Operation set raised from {} to {}{}. ", model.before, model.after,
                            model.model.empty() ? "" : " in " + model.model);
    return text;
}

} // namespace

std::string planCsv(const PlanSubject &subject)
{
    std::string text;
    for (Cells &cells : weightTable(subject)) {
        for (std::string &cell : cells)
            cell = printable(cell);
        text += csvLine(std::move(cells));
    }
    return text;
}

std::string planMarkdown(const PlanSubject &subject)
{
    std::string text = "# Plan for " + markdownCell(subject.bundle) + "\n\n" +
                       markdownCell(headline(subject)) + "\n\n";
    if (const std::string notes = notesText(subject); !notes.empty())
        text += markdownCell(notes) + "\n\n";
    if (!subject.output.empty())
        text += "Written to " + markdownCell(subject.output) + ", decoded and assessed again. " +
                markdownCell(raisedText(subject)) + "\n\n";
    text += "## Before and after\n\n" + markdownTable(totalsTable(subject)) + "\n## Weights\n\n" +
            markdownTable(weightTable(subject)) + "\n## " +
            frontTitle("stored bytes", subject.plan->storedFront, subject.plan->storedCount) +
            "\n\n" +
            markdownTable(frontCells(subject.plan->storedFront, timedChips(*subject.survey)));
    if (!subject.plan->timeFront.empty())
        text += "\n## " + frontTitle("time", subject.plan->timeFront, subject.plan->timeCount) +
                "\n\n" +
                markdownTable(frontCells(subject.plan->timeFront, timedChips(*subject.survey)));
    if (!subject.builds.empty())
        text += "\n## Other builds\n\n" + markdownTable(buildTable(subject));
    if (const auto contested = contestedOf(subject); !contested.empty()) {
        text += "\n## Sources disagree\n\n";
        for (const std::string &line : contested)
            text += "- " + markdownCell(line) + "\n";
    }
    text += "\n## Rules\n\n";
    for (const std::string &rule : planRules(*subject.survey))
        text += "- " + rule + "\n";
    return text;
}

std::string planHtml(const PlanSubject &subject)
{
    std::string text =
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n<title>Plan for " +
        htmlText(subject.bundle) +
        "</title>\n<style>\nbody{font:15px sans-serif;margin:2em;color:#20242a;background:#fff}\n"
        "table{border-collapse:collapse;margin:1em 0}\nth,td{padding:.25em .6em;border-bottom:1px "
        "solid #c8ccd2;text-align:left}\ntd.n{text-align:right;font-variant-numeric:tabular-nums}\n"
        "svg{display:block;margin:1em 0}\n"
        "</style></head><body>\n";
    text += "<h1>Plan for " + htmlText(subject.bundle) + "</h1>\n<p>" +
            htmlText(headline(subject)) + "</p>\n";
    if (const std::string notes = notesText(subject); !notes.empty())
        text += "<p>" + htmlText(notes) + "</p>\n";
    if (!subject.output.empty())
        text += "<p>Written to " + htmlText(subject.output) + ", decoded and assessed again. " +
                htmlText(raisedText(subject)) + "</p>\n";
    text +=
        "<h2>Before and after</h2>\n" + htmlTable(totalsTable(subject)) + "<h2>Weights</h2>\n" +
        htmlTable(weightTable(subject)) + "<h2>Fronts</h2>\n" + planFrontPictures(subject) +
        "<h3>" + frontTitle("stored bytes", subject.plan->storedFront, subject.plan->storedCount) +
        "</h3>\n" + htmlTable(frontCells(subject.plan->storedFront, timedChips(*subject.survey)));
    if (!subject.plan->timeFront.empty())
        text += "<h3>" + frontTitle("time", subject.plan->timeFront, subject.plan->timeCount) +
                "</h3>\n" +
                htmlTable(frontCells(subject.plan->timeFront, timedChips(*subject.survey)));
    if (!subject.builds.empty())
        text += "<h2>Other builds</h2>\n" + htmlTable(buildTable(subject));
    if (const auto contested = contestedOf(subject); !contested.empty()) {
        text += "<h2>Sources disagree</h2>\n<ul>";
        for (const std::string &line : contested)
            text += "<li>" + htmlText(line) + "</li>";
        text += "</ul>\n";
    }
    text += "<h2>Rules</h2>\n<ul>";
    for (const std::string &rule : planRules(*subject.survey))
        text += "<li>" + htmlText(rule) + "</li>";
    return text + "</ul>\n</body></html>\n";
}

std::string planReport(std::string_view ending, const PlanSubject &subject)
{
    if (ending == ".csv")
        return planCsv(subject);
    if (ending == ".md")
        return planMarkdown(subject);
    if (ending != ".json")
        return planHtml(subject);
    Json document = planJson(subject);
    finish(document, {});
    return documentText(document, 2) + "\n";
}

} // namespace kernscope::report
