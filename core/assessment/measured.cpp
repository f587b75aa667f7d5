// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/assessment/measured.h"

#include "core/base/find.h"
#include "core/base/parts.h"
#include "core/format/table_rows.h"

#include <fmt/format.h>

namespace kernscope::decision {

namespace {

constexpr double kNoGain = 1.05; ///< a figure up to this says that the form gains nothing

/// The name of a form in the table; the share of zeros is a condition of its own.
bool isAbout(const SpeedupRow &row, const WeightForm &form)
{
    if (!form.plain())
        return false;
    std::string_view name = row.form;
    const bool grouped = name.ends_with(" grouped");
    if (grouped)
        name.remove_suffix(8);
    if (form.isPalette() && grouped != (form.codebooks > 1))
        return false;
    const std::string key = form.key();
    if (!form.masked)
        return name == key;
    // "sparse50" and "sparse50+palette4": sparse, by its share of zeros.
    if (!name.starts_with("sparse"))
        return false;
    name.remove_prefix(6);
    while (!name.empty() && name.front() >= '0' && name.front() <= '9')
        name.remove_prefix(1);
    return std::string_view(key).substr(6) == name;
}

/// Who says that a condition is one.
struct Said {
    const std::string &source;
    format::Confidence confidence;
};

Condition state(std::string name, std::string required, std::string found,
                std::optional<bool> holds, const Said &said)
{
    return {std::move(name), std::move(required), std::move(found),
            holds,           said.source,         said.confidence};
}

class Evaluation
{
public:
    Evaluation(const WeightForm &form, const MeasuredSubject &subject, const Said &said)
        : m_form(form), m_subject(subject), m_said(said)
    {
    }

    Condition evaluate(std::string_view key, std::string_view value) const
    {
        if (key == "bound")
            return bound(value);
        if (key == "op")
            return operation(value);
        if (key == "kernel")
            return kernel(value);
        if (key == "zeros")
            return zeros(value);
        if (key == "books")
            return number("codebooks", value, m_form.codebooks);
        if (key == "working_set")
            return workingSet(value);
        if (const LayerOperation *op = m_subject.operation) {
            if (key == "channels")
                return number("channels", value, op->inputChannels, op->outputChannels);
            if (key == "width" || key == "inner")
                return number(key == "width" ? "weight width" : "inner extent", value,
                              op->inputChannels, key == "width" ? op->outputChannels : 0);
            if (key == "pixels" && op->outputKnown)
                return number("pixels", value, op->outputWidth * op->outputHeight);
            if (key == "stride")
                return stride(value, *op);
        }
        return state(std::string(key), std::string(value), "not known", std::nullopt, m_said);
    }

private:
    Condition bound(std::string_view value) const
    {
        const auto &bandwidth = m_subject.bandwidthBound;
        return state("bound", fmt::format("a {} bound layer", value),
                     bandwidth ? (*bandwidth ? "bandwidth bound" : "compute bound") : "not known",
                     bandwidth ? std::optional(*bandwidth == (value == "bandwidth")) : std::nullopt,
                     m_said);
    }

    Condition workingSet(std::string_view value) const
    {
        const auto &above = m_subject.aboveWorkingSet;
        return state("working set", std::string(value),
                     above ? (*above ? "above" : "within") : "not known",
                     above ? std::optional(*above == (value == "above")) : std::nullopt, m_said);
    }

    Condition operation(std::string_view value) const
    {
        const std::string &op = m_subject.op;
        const bool matrix = op == "matmul" || op == "linear" || op == "einsum";
        const bool holds = value == "matmul" ? matrix : op == value;
        return state("operation", std::string(value), op.empty() ? "not known" : op,
                     op.empty() ? std::nullopt : std::optional(holds), m_said);
    }

    Condition kernel(std::string_view value) const
    {
        const LayerOperation *op = m_subject.operation;
        const Shape &shape = m_form.shape; // of a weight that no operation is known to read
        const auto at = [&shape](std::size_t fromEnd) {
            return shape.size() > 2 + fromEnd ? shape[shape.size() - 1 - fromEnd] : 1;
        };
        if (!op && shape.size() < 3)
            return state("kernel", std::string(value), "not known", std::nullopt, m_said);
        const std::string found = op ? fmt::format("{}x{}", op->kernelWidth, op->kernelHeight)
                                     : fmt::format("{}x{}", at(0), at(1));
        return state("kernel", std::string(value), found,
                     found == value && (op ? op->kernelDepth : at(2)) == 1, m_said);
    }

    Condition stride(std::string_view value, const LayerOperation &op) const
    {
        const auto found = std::max({op.strideX, op.strideY, op.strideZ});
        return state("stride", std::string(value), fmt::format("{}", found),
                     fmt::format("{}", found) == value, m_said);
    }

    Condition zeros(std::string_view value) const
    {
        const std::size_t dots = value.find("..");
        const double low = parseNumber(value.substr(0, dots)).value_or(0);
        const double high =
            dots == std::string_view::npos ? 1 : parseNumber(value.substr(dots + 2)).value_or(1);
        std::optional<bool> holds;
        std::string found = "not known";
        if (m_form.density) {
            const double share = 1 - *m_form.density;
            holds = share >= low && share <= high;
            found = fmt::format("{:.1f} % zeros", 100 * share);
        }
        return state("zeros", fmt::format("{:.0f} to {:.0f} % zeros", 100 * low, 100 * high),
                     std::move(found), holds, m_said);
    }

    /// Extents that the source gives as one number: within a factor of the square root of two; or
    /// as a range, "192..256".
    Condition number(std::string_view name, std::string_view value, std::uint64_t found,
                     std::uint64_t other = 0) const
    {
        const std::size_t dots = value.find("..");
        const double wanted = parseNumber(value.substr(0, dots)).value_or(0);
        const double most =
            dots == value.npos ? 0 : parseNumber(value.substr(dots + 2)).value_or(0);
        const auto near = [wanted, most](std::uint64_t each) {
            const double ratio = static_cast<double>(each) / wanted;
            return most > 0 ? ratio >= 1 && static_cast<double>(each) <= most
                            : ratio > 0.70 && ratio < 1.42;
        };
        const bool holds = near(found) && (other == 0 || near(other));
        return state(std::string(name), fmt::format("about {}", value),
                     other == 0 || other == found ? fmt::format("{}", found)
                                                  : fmt::format("{} to {}", found, other),
                     holds, m_said);
    }

    const WeightForm &m_form;
    const MeasuredSubject &m_subject;
    Said m_said;
};

/// Conditions in the words of the tables ("op=conv;kernel=3x3;channels=512"), each evaluated on a
/// layer and the form of its weight.
std::vector<Condition> conditionsOn(std::string_view conditions, const WeightForm &form,
                                    const MeasuredSubject &subject, const std::string &source,
                                    format::Confidence confidence)
{
    std::vector<Condition> made;
    const Evaluation evaluation(form, subject, {source, confidence});
    allParts(conditions, ';', [&](std::string_view one) {
        if (const std::size_t equals = one.find('='); equals != one.npos)
            made.push_back(evaluation.evaluate(one.substr(0, equals), one.substr(equals + 1)));
        return true;
    });
    return made;
}

Measurement evaluated(const SpeedupRow &row, const WeightForm &form, const MeasuredSubject &subject)
{
    Measurement made;
    made.low = row.isRatio() ? 1 / row.high : row.low;
    made.high = row.isRatio() ? 1 / row.low : row.high;
    made.condition = row.condition;
    made.source = row.source;
    made.confidence = row.confidence;
    if (made.high > kNoGain || row.isEnergy())
        made.conditions.push_back(state("outcome", "the form streams",
                                        std::string(outcomeName(subject.outcome)),
                                        subject.outcome == Outcome::Unknown
                                            ? std::nullopt
                                            : std::optional(subject.outcome == Outcome::Streams),
                                        {row.source, row.confidence}));
    auto rest = conditionsOn(row.conditions, form, subject, row.source, row.confidence);
    std::move(rest.begin(), rest.end(), std::back_inserter(made.conditions));
    return made;
}

void addTo(std::string &list, const std::string &text)
{
    if (list.find(text) == std::string::npos)
        list += (list.empty() ? "" : "; ") + text;
}

/// The range of the figures that `take` accepts.
template <class Take>
std::optional<Speedup> rangeOf(std::span<const Measurement> measured, const Take &take)
{
    std::optional<Speedup> found;
    for (const Measurement &each : measured) {
        if (!take(each))
            continue;
        if (!found)
            found = Speedup{each.low, each.high, {}, {}, each.confidence};
        found->low = std::min(found->low, each.low);
        found->high = std::max(found->high, each.high);
        addTo(found->condition, each.condition);
        addTo(found->source, each.source);
    }
    return found;
}

template <class Take>
std::vector<Measurement> rowsAbout(const WeightForm &form, const target::Target &target,
                                   const MeasuredSubject &subject, const Take &take)
{
    std::vector<Measurement> found;
    if (form.node == FormNode::Dense && !form.masked)
        return found;
    for (const SpeedupRow &row : speedupRows()) {
        const bool figure = row.target == target.name && take(row) && row.low > 0;
        if (figure && isAbout(row, form))
            found.push_back(evaluated(row, form, subject));
    }
    return found;
}

} // namespace

bool isKnownToHold(std::string_view formName, std::string_view conditions, const WeightForm &form,
                   const MeasuredSubject &subject)
{
    // A weight with zeros is not dense, however it is stored.
    const bool is = formName == "dense"     ? !form.masked && form.density.value_or(1) >= 1
                    : formName == "palette" ? form.isPalette()
                    : formName == "sparse"  ? form.masked
                                            : formName.empty();
    if (!is)
        return false;
    const std::string none;
    const Evaluation evaluation(form, subject, {none, format::Confidence::Documented});
    return allParts(conditions, ';', [&](std::string_view one) {
        const std::size_t equals = one.find('=');
        return evaluation.evaluate(one.substr(0, equals), one.substr(equals + 1))
            .holds.value_or(false);
    });
}

std::span<const SpeedupRow> speedupRows()
{
    static const auto speedups = tables::loadRows<SpeedupRow>(
        "speedups",
        {{"target", &SpeedupRow::target},
         {"form", &SpeedupRow::form},
         {"measurement", &SpeedupRow::measurement},
         {"condition", &SpeedupRow::condition},
         {"conditions", &SpeedupRow::conditions},
         {"source", &SpeedupRow::source},
         {"timed", &SpeedupRow::timed},
         {"goal", [](SpeedupRow &row, std::string_view cell) { row.goal = cell == "yes"; }},
         {"low", &SpeedupRow::low},
         {"high", &SpeedupRow::high},
         {"confidence", &SpeedupRow::confidence}});
    return speedups;
}

std::string_view SpeedupRow::conditionOf(std::string_view key) const
{
    return tables::conditionIn(conditions, key);
}

std::optional<bool> Measurement::holds() const
{
    bool open = false;
    for (const Condition &each : conditions) {
        if (each.holds && !*each.holds)
            return false;
        open |= !each.holds;
    }
    return open ? std::nullopt : std::optional(true);
}

std::vector<Measurement> measurements(const WeightForm &form, const target::Target &target,
                                      const MeasuredSubject &subject)
{
    return rowsAbout(form, target, subject, [](const SpeedupRow &row) { return row.isSpeed(); });
}

std::vector<Measurement> energyMeasurements(const WeightForm &form, const target::Target &target,
                                            const MeasuredSubject &subject)
{
    return rowsAbout(form, target, subject, [](const SpeedupRow &row) { return row.isEnergy(); });
}

std::optional<Speedup> quotedSpeedup(std::span<const Measurement> measured)
{
    const auto contested = [](const Measurement &each) {
        return each.confidence == format::Confidence::Contested;
    };
    auto held = rangeOf(measured, [&](const Measurement &each) {
        return each.holds().value_or(false) && !contested(each);
    });
    if (held)
        return held;
    auto open = rangeOf(measured, [&](const Measurement &each) {
        return each.holds().value_or(true) && !contested(each);
    });
    if (open)
        open->confidence = format::Confidence::Assumed;
    return open;
}

} // namespace kernscope::decision

namespace kernscope::roofline {

namespace {

/// The kind of operation that power was measured on: matrix products under every name.
std::string_view kindOf(std::string_view op)
{
    const bool matrix = op == "matmul" || op == "linear" || op == "einsum";
    return matrix ? "matmul" : op;
}

/// The reading of a saturated engine that is about the operation, else the largest one.
const PowerFigure *saturated(std::span<const PowerFigure> figures, std::string_view op)
{
    const PowerFigure *largest = nullptr;
    for (const PowerFigure &figure : figures) {
        if (figure.quantity != "rail_saturated")
            continue;
        if (figure.conditionOf("op") == kindOf(op))
            return &figure;
        if (largest == nullptr || figure.watts > largest->watts)
            largest = &figure;
    }
    return largest;
}

std::optional<bool> holdsFor(const PowerFigure &figure, std::string_view op, Bound bound)
{
    const std::string_view wanted = figure.conditionOf("op"), within = figure.conditionOf("bound");
    if (!op.empty() && !wanted.empty() && wanted != kindOf(op))
        return false;
    if (!within.empty() && bound != Bound::Unknown && boundName(bound) != within)
        return false;
    const bool open = op.empty() || (!within.empty() && bound == Bound::Unknown);
    return open ? std::nullopt : std::optional(true);
}

} // namespace

std::string_view PowerFigure::conditionOf(std::string_view key) const
{
    return tables::conditionIn(conditions, key);
}

std::span<const PowerFigure> powerFigures()
{
    static const auto all =
        tables::loadRows<PowerFigure>("power", {{"target", &PowerFigure::target},
                                                {"quantity", &PowerFigure::quantity},
                                                {"value", &PowerFigure::watts},
                                                {"method", &PowerFigure::method},
                                                {"condition", &PowerFigure::condition},
                                                {"conditions", &PowerFigure::conditions},
                                                {"source", &PowerFigure::source},
                                                {"confidence", &PowerFigure::confidence}});
    return all;
}

std::vector<PowerFigure> powerFigures(const target::Target &target)
{
    std::vector<PowerFigure> found;
    std::ranges::copy_if(powerFigures(), std::back_inserter(found),
                         [&](const PowerFigure &figure) { return figure.target == target.name; });
    return found;
}

std::optional<Energy> energyOf(const target::Target &target, std::string_view op, Bound bound,
                               std::optional<double> timeS)
{
    const std::vector<PowerFigure> figures = powerFigures(target);
    const PowerFigure *floor = findBy(figures, &PowerFigure::quantity, "rail_floor");
    const PowerFigure *full = saturated(figures, op);
    if (!timeS || (floor == nullptr && full == nullptr))
        return std::nullopt;
    Energy energy;
    if (floor != nullptr) {
        const PowerFigure *step = findBy(figures, &PowerFigure::quantity, "rail_core_step");
        const double watts = floor->watts + (step != nullptr ? step->watts : 0);
        energy.lowJ = watts * *timeS;
        energy.basis = fmt::format("{:.3g} W ({}, one core lit)", watts, floor->condition);
        energy.source = floor->source;
    }
    if (full != nullptr) {
        energy.highJ = full->watts * *timeS;
        energy.holds = holdsFor(*full, op, bound);
        energy.basis += fmt::format("{}{:.3g} W ({})", energy.basis.empty() ? "" : " to ",
                                    full->watts, full->condition);
        if (energy.source != full->source)
            energy.source += (energy.source.empty() ? "" : "; ") + full->source;
    }
    return energy;
}

std::optional<Energy> programEnergy(const target::Target &target, double engineTimeS, double timeS)
{
    auto whole = energyOf(target, {}, Bound::Unknown, timeS);
    const auto working = energyOf(target, {}, Bound::Unknown, engineTimeS);
    // Where the power while it waits is not known, the largest power all the time is the bound.
    if (!whole || !working || !working->highJ || !whole->lowJ)
        return whole;
    const double waiting = timeS > 0 ? *whole->lowJ * (timeS - engineTimeS) / timeS : 0;
    whole->highJ = *working->highJ + waiting;
    return whole;
}

} // namespace kernscope::roofline
