// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/plan_front_picture.h"

#include "core/base/counted_text.h"
#include "core/base/printable.h"
#include "core/base/svg.h"
#include "core/report/difference_rows.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace kernscope::report {

namespace {

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
    std::for_each(picture.front.begin(), picture.front.end(), widen);
    std::for_each(picture.builds.begin(), picture.builds.end(), widen);
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
                         {"fill", "#20242a"}},
                        '\n' + axes(picture) +
                            svg::element("polyline", {{"points", line},
                                                      {"fill", "none"},
                                                      {"stroke", "#0072b2"},
                                                      {"stroke-width", 2}}) +
                            marks + builds(picture)) +
           '\n';
}

} // namespace

std::string planFrontPictures(const PlanSubject &subject)
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
    return drawn(std::move(stored)) + drawn(std::move(time));
}

} // namespace kernscope::report
