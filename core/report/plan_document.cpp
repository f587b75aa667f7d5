// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/svg.h"
#include "core/base/text.h"
#include "core/report/document.h"
#include "core/report/plan_table.h"

#include <algorithm>

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

constexpr TextTable::Align kPlanNumber = TextTable::Align::Right;

TextTable weightHeader(const plan::Survey &survey)
{
    std::vector<TextTable::Column> columns{{"weight"}};
    if (hasFunctions(survey))
        columns.push_back({"function"});
    columns.insert(columns.end(), {{"from"},
                                   {"to"},
                                   {"stored bytes before", kPlanNumber},
                                   {"stored bytes after", kPlanNumber},
                                   {"error", kPlanNumber},
                                   {"why"}});
    for (const target::Target *target : survey.targets) {
        columns.push_back({target->name + " outcome"});
        for (const char *figure : {" bytes moved", " time before s", " time after s"})
            columns.push_back({target->name + figure, kPlanNumber});
    }
    return TextTable(std::move(columns));
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

TextTable planWeightTable(const PlanSubject &subject)
{
    TextTable table = weightHeader(*subject.survey);
    for (std::size_t r = 0; r < subject.survey->rows.size(); ++r)
        table.add(weightCells(subject, r));
    return table;
}

/// A declared table with integers without separators; `titles` by their places.
template <class Row>
TextTable plainTable(const TableOf<Row> &table, const std::vector<Row> &rows, const Titles &titles,
                     std::size_t from = 0)
{
    std::vector<TextTable::Column> columns;
    for (std::size_t i = from; i < table.columns.size(); ++i) {
        std::string title(table.columns[i].title);
        for (const auto &[key, other] : titles)
            title = key == table.columns[i].key ? other : title;
        columns.push_back({std::move(title), table.columns[i].align});
    }
    TextTable text(std::move(columns));
    for (const Row &row : rows) {
        Cells cells;
        for (std::size_t i = from; i < table.columns.size(); ++i) {
            const Value value = table.columns[i].value(row);
            cells.push_back(std::holds_alternative<Count>(value)
                                ? plainText(value)
                                : report::text(value, table.columns[i].unknown));
        }
        text.add(std::move(cells));
    }
    return text;
}

Titles timeTitle(const PlanSubject &subject)
{
    return {{buildTotalsTable.columns.back().key, "time on " + timedChips(*subject.survey) + " s"}};
}

/// The points of a front: figures of builds without a name.
void addFront(Document &document, const PlanSubject &subject, std::string_view axis,
              const std::vector<plan::FrontPoint> &points, const plan::FrontCount &count)
{
    std::vector<BuildTotals> rows;
    for (const plan::FrontPoint &point : points)
        rows.push_back({{}, &point.totals});
    document.addHeading(frontTitle(axis, points, count));
    document.add(plainTable(buildTotalsTable, rows, timeTitle(subject), 1));
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

/// The notes on the plan, one sentence each.
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

constexpr int kWidth = 640, kHeight = 300, kLeft = 70, kRightEdge = 20, kBottom = 46, kTop = 14;
constexpr int kTicks = 4;

std::string markup(const std::string &text)
{
    return escapedMarkup(printable(text));
}

struct Dot {
    double cost = 0, error = 0;
    std::string name; ///< of a build; empty of the front
};

struct Picture {
    std::string axis;
    std::vector<Dot> front, builds;
    std::optional<Dot> plan;
    double mostCost = 0, mostError = 0;

    double across(double cost) const
    {
        return kLeft + cost / mostCost * (kWidth - kLeft - kRightEdge);
    }
    double up(double error) const
    {
        return kHeight - kBottom - error / mostError * (kHeight - kBottom - kTop);
    }
};

/// Bytes in full, seconds with three digits.
std::string costText(double cost)
{
    return cost >= 1 ? grouped(static_cast<std::uint64_t>(cost + 0.5))
                     : fmt::format("{:.3g}", cost);
}

std::string axes(const Picture &picture)
{
    constexpr std::string_view kGrid = "#dde1e6";
    std::string text;
    for (int i = 0; i <= kTicks; ++i) {
        const double cost = picture.mostCost * i / kTicks, error = picture.mostError * i / kTicks;
        const double x = picture.across(cost), y = picture.up(error);
        text += svg::element(
            "line",
            {{"x1", x}, {"y1", kTop}, {"x2", x}, {"y2", kHeight - kBottom}, {"stroke", kGrid}});
        text += svg::element(
            "line",
            {{"x1", kLeft}, {"y1", y}, {"x2", kWidth - kRightEdge}, {"y2", y}, {"stroke", kGrid}});
        text += '\n' +
                svg::element("text",
                             {{"x", x},
                              {"y", kHeight - kBottom + 16},
                              {"text-anchor", i == kTicks ? "end" : "middle"}},
                             costText(cost)) +
                svg::element("text", {{"x", kLeft - 6}, {"y", y + 4}, {"text-anchor", "end"}},
                             fmt::format("{:.3g}", error)) +
                '\n';
    }
    const double middle = (kTop + kHeight - kBottom) / 2.0;
    return text +
           svg::element("text",
                        {{"x", (kLeft + kWidth - kRightEdge) / 2.0},
                         {"y", kHeight - 8},
                         {"text-anchor", "middle"}},
                        markup(picture.axis)) +
           svg::element("text",
                        {{"x", 14},
                         {"y", middle},
                         {"text-anchor", "middle"},
                         {"transform", fmt::format("rotate(-90 14 {:.1f})", middle)}},
                        "error of the network") +
           '\n';
}

std::string title(const Dot &dot)
{
    return svg::element("title", {},
                        fmt::format("{}{}: error {:.4g}",
                                    dot.name.empty() ? "" : markup(dot.name) + ": ",
                                    costText(dot.cost), dot.error));
}

std::string builds(const Picture &picture)
{
    std::string text;
    for (const Dot &build : picture.builds) {
        const double x = picture.across(build.cost), y = picture.up(build.error);
        const bool right = x > kWidth * 0.6; // the name on the side that has room
        text += svg::element(
                    "rect",
                    {{"x", x - 4}, {"y", y - 4}, {"width", 8}, {"height", 8}, {"fill", "#d55e00"}},
                    title(build)) +
                svg::element("text",
                             {{"x", x + (right ? -8 : 8)},
                              {"y", y - 6},
                              {"text-anchor", right ? "end" : "start"}},
                             markup(build.name)) +
                '\n';
    }
    return text;
}

std::string drawn(Picture picture)
{
    const auto widen = [&picture](const Dot &dot) {
        picture.mostCost = std::max(picture.mostCost, dot.cost);
        picture.mostError = std::max(picture.mostError, dot.error);
    };
    std::ranges::for_each(picture.front, widen);
    std::ranges::for_each(picture.builds, widen);
    if (picture.plan)
        widen(*picture.plan);
    if (picture.front.empty() || picture.mostCost <= 0 || picture.mostError <= 0)
        return {};
    std::string line, marks;
    for (const Dot &dot : picture.front) {
        const double x = picture.across(dot.cost), y = picture.up(dot.error);
        line += fmt::format("{:.1f},{:.1f} ", x, y);
        marks += svg::element("circle", {{"cx", x}, {"cy", y}, {"r", 3}, {"fill", "#0072b2"}},
                              title(dot));
    }
    if (picture.plan)
        marks += svg::element("circle",
                              {{"cx", picture.across(picture.plan->cost)},
                               {"cy", picture.up(picture.plan->error)},
                               {"r", 7},
                               {"fill", "none"},
                               {"stroke", "#20242a"},
                               {"stroke-width", 2}},
                              title(*picture.plan)) +
                 '\n';
    return svg::element("svg",
                        {{"viewBox", fmt::format("0 0 {} {}", kWidth, kHeight)},
                         {"width", kWidth},
                         {"height", kHeight},
                         {"role", "img"},
                         {"aria-label", "Error of the network against " + markup(picture.axis)},
                         {"font-family", "sans-serif"},
                         {"font-size", 12},
                         {"fill", "#20242a"},
                         {"style", "background:#fff"}},
                        '\n' + axes(picture) +
                            svg::element("polyline", {{"points", line},
                                                      {"fill", "none"},
                                                      {"stroke", "#0072b2"},
                                                      {"stroke-width", 2}}) +
                            marks + builds(picture)) +
           '\n';
}

/// The error of the network against stored bytes, and against time where it is known: the front,
/// this plan as a ring, the other builds as squares with their names. The figures are in the tables
/// beside.
void addFrontPictures(Document &document, const PlanSubject &subject)
{
    const plan::Plan &plan = *subject.plan;
    Picture stored, time;
    stored.axis = "stored bytes";
    time.axis = "seconds on " + timedChips(*subject.survey);
    const auto storedDot = [](const plan::PlanTotals &totals, std::string name) {
        return Dot{static_cast<double>(totals.stored), totals.error, std::move(name)};
    };
    for (const plan::FrontPoint &point : plan.storedFront)
        stored.front.push_back(storedDot(point.totals, {}));
    stored.plan = storedDot(plan.after, "this plan");
    for (const plan::FrontPoint &point : plan.timeFront) {
        if (const auto slowest = plan::slowest(point.totals))
            time.front.push_back({*slowest, point.totals.error, {}});
    }
    if (const auto slowest = plan::slowest(plan.after))
        time.plan = Dot{*slowest, plan.after.error, "this plan"};
    for (const plan::Build &build : subject.builds) {
        stored.builds.push_back(storedDot(build.totals, build.name));
        if (const auto slowest = plan::slowest(build.totals))
            time.builds.push_back({*slowest, build.totals.error, build.name});
    }
    for (Picture *picture : {&stored, &time}) {
        if (std::string svg = drawn(std::move(*picture)); !svg.empty())
            document.add(Document::Picture{std::move(svg), "Front"});
    }
}

Document planDocument(const PlanSubject &subject)
{
    const plan::Plan &plan = *subject.plan;
    Document document{"Plan for " + printable(subject.bundle)};
    document.addHeading(document.title, 1);
    if (subject.verdict)
        document.addText(printable(subject.verdict->sentence));
    document.addText(printable(headline(subject)));
    if (const std::string notes = notesText(subject); !notes.empty())
        document.addText(printable(notes));
    if (!subject.output.empty())
        document.addText(printable("Written to " + subject.output +
                                   ", decoded and assessed again. " + raisedText(subject)));
    document.addHeading("Before and after");
    document.add(plainTable(planTotalsTable, planTotals(subject),
                            {{planTotalsTable.columns.front().key, ""}}));
    document.addHeading("Weights");
    document.add(planWeightTable(subject));
    addFrontPictures(document, subject);
    addFront(document, subject, "stored bytes", plan.storedFront, plan.storedCount);
    if (!plan.timeFront.empty())
        addFront(document, subject, "time", plan.timeFront, plan.timeCount);
    if (!subject.builds.empty()) {
        document.addHeading("Other builds");
        document.add(plainTable(buildTotalsTable, buildTotals(subject, true), timeTitle(subject)));
    }
    if (const auto contested = contestedOf(subject); !contested.empty()) {
        document.addHeading("Sources disagree");
        document.add(Document::Items{contested});
    }
    document.addHeading("Rules");
    document.add(Document::Items{planRules(*subject.survey)});
    return document;
}

} // namespace

std::string planReport(std::string_view ending, const PlanSubject &subject)
{
    if (ending == ".csv")
        return csvText(planWeightTable(subject));
    if (ending == ".md")
        return markdownText(planDocument(subject));
    if (ending != ".json")
        return htmlText(planDocument(subject));
    Json document = planJson(subject);
    finish(document, {});
    return documentText(document, 2) + "\n";
}

} // namespace kernscope::report
