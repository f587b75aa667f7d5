// SPDX-License-Identifier: GPL-3.0-or-later
// What the model leaves out (resources/tables/model_effects.csv), found by what a row is about.
#include "core/assessment/calibration_rows.h"

#include "core/base/pattern.h"
#include "core/format/table_rows.h"

#include <algorithm>

#include <fmt/format.h>

namespace kernscope::roofline::calibration {

namespace {

struct Effect {
    std::string target, conditions, effect, evidence, source;
};

const std::vector<Effect> &effects()
{
    static const auto rows =
        tables::loadRows<Effect>("model_effects", {{"target", &Effect::target},
                                                   {"conditions", &Effect::conditions},
                                                   {"effect", &Effect::effect},
                                                   {"evidence", &Effect::evidence},
                                                   {"source", &Effect::source}});
    return rows;
}

/// Takes the part up to `separator` off the text.
std::string_view taken(std::string_view &text, char separator)
{
    const std::string_view part = text.substr(0, text.find(separator));
    text.remove_prefix(std::min(text.size(), part.size() + 1));
    return part;
}

/// A pattern, or a range of numbers "9..15".
bool matches(std::string_view wanted, const std::string &value)
{
    const std::size_t dots = wanted.find("..");
    if (dots == wanted.npos)
        return matchesPattern(wanted, value);
    const auto low = parseInteger(wanted.substr(0, dots)),
               high = parseInteger(wanted.substr(dots + 2));
    const auto number = parseInteger(value);
    return low && high && number && *number >= *low && *number <= *high;
}

/// "group=ks4;kernel_w=9..11|15": each key has one of the values.
bool holds(std::string_view conditions, const Subject &subject)
{
    while (!conditions.empty()) {
        const std::string_view condition = taken(conditions, ';');
        const std::size_t equals = condition.find('=');
        const auto fact = subject.find(condition.substr(0, equals));
        if (equals == condition.npos || fact == subject.end())
            return false;
        bool any = false;
        for (std::string_view rest = condition.substr(equals + 1); !rest.empty() && !any;)
            any = matches(taken(rest, '|'), fact->second);
        if (!any)
            return false;
    }
    return true;
}

} // namespace

Subject subjectOf(const Timed &row)
{
    return {{"group", row.group},
            {"form", row.form},
            {"op", row.op},
            {"side", fmt::format("{}", row.inputs)},
            {"kernel", fmt::format("{}x{}", row.kernelWidth, row.kernelHeight)},
            {"kernel_w", fmt::format("{}", row.kernelWidth)},
            {"height", fmt::format("{}", row.height)},
            {"layers", fmt::format("{}", row.layers)},
            {"engines", fmt::format("{}", row.engines)}};
}

void nameMissing(CalibrationRow &row, const Subject &subject)
{
    for (const Effect &effect : effects()) {
        if (effect.target != row.target || !holds(effect.conditions, subject))
            continue;
        row.missing = effect.effect;
        row.missingEvidence = effect.evidence;
        row.missingSource = effect.source;
        return;
    }
}

} // namespace kernscope::roofline::calibration
