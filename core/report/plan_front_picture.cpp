// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/plan_front_picture.h"

#include "core/base/counted_text.h"
#include "core/base/printable.h"
#include "core/report/difference_rows.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace kernscope::report {

namespace {

constexpr double kWidth = 640, kHeight = 300, kLeft = 70, kRightEdge = 20, kBottom = 46, kTop = 14;
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
    std::string text;
    for (int i = 0; i <= kTicks; ++i) {
        const double cost = picture.mostCost * i / kTicks, error = picture.mostError * i / kTicks;
        const double x = picture.across(cost), y = picture.up(error);
        text += fmt::format("<line x1=\"{0:.1f}\" y1=\"{2}\" x2=\"{0:.1f}\" y2=\"{3}\" "
                            "stroke=\"#dde1e6\"/><line x1=\"{4}\" y1=\"{1:.1f}\" x2=\"{5}\" "
                            "y2=\"{1:.1f}\" stroke=\"#dde1e6\"/>\n",
                            x, y, kTop, kHeight - kBottom, kLeft, kWidth - kRightEdge);
        text += fmt::format("<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"{}\">{}</text>"
                            "<text x=\"{}\" y=\"{:.1f}\" text-anchor=\"end\">{:.3g}</text>\n",
                            x, kHeight - kBottom + 16, i == kTicks ? "end" : "middle",
                            costText(cost), kLeft - 6, y + 4, error);
    }
    return text + fmt::format("<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">{}</text><text "
                              "x=\"14\" y=\"{:.1f}\" text-anchor=\"middle\" transform=\"rotate(-90 "
                              "14 {:.1f})\">error of the network</text>\n",
                              (kLeft + kWidth - kRightEdge) / 2, kHeight - 8, markup(picture.axis),
                              (kTop + kHeight - kBottom) / 2, (kTop + kHeight - kBottom) / 2);
}

std::string title(const Dot &dot)
{
    return fmt::format("<title>{}{}: error {:.4g}</title>",
                       dot.name.empty() ? "" : markup(dot.name) + ": ", costText(dot.cost),
                       dot.error);
}

std::string builds(const Picture &picture)
{
    std::string text;
    for (const Dot &build : picture.builds) {
        const double x = picture.across(build.cost), y = picture.up(build.error);
        const bool right = x > kWidth * 0.6; // the name on the side that has room
        text += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"8\" height=\"8\" "
                            "fill=\"#d55e00\">{}</rect><text x=\"{:.1f}\" y=\"{:.1f}\" "
                            "text-anchor=\"{}\">{}</text>\n",
                            x - 4, y - 4, title(build), x + (right ? -8 : 8), y - 6,
                            right ? "end" : "start", markup(build.name));
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
        marks += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\" fill=\"#0072b2\">{}"
                             "</circle>",
                             x, y, title(dot));
    }
    if (picture.plan)
        marks += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"7\" fill=\"none\" "
                             "stroke=\"#20242a\" stroke-width=\"2\">{}</circle>\n",
                             picture.across(picture.plan->cost), picture.up(picture.plan->error),
                             title(*picture.plan));
    return fmt::format(
        "<svg viewBox=\"0 0 {0} {1}\" "
        "width=\"{0}\" height=\"{1}\" role=\"img\" aria-label=\"Error of the network "
        "against {2}\" font-family=\"sans-serif\" font-size=\"12\" "
        "fill=\"#20242a\">\n{3}<polyline points=\"{4}\" fill=\"none\" "
        "stroke=\"#0072b2\" stroke-width=\"2\"/>{5}{6}</svg>\n",
        kWidth, kHeight, markup(picture.axis), axes(picture), line, marks, builds(picture));
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
