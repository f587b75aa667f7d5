// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compare/limits.h"

#include "core/base/counted_text.h"
#include "core/base/pattern.h"
#include "core/bundle/bundle.h"
#include "core/compare/task_comparison.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

namespace kernscope {

namespace {

/// "1 value differs", "2 values differ".
std::string differ(std::uint64_t count, std::string_view one)
{
    return counted(count, one) + (count == 1 ? " differs" : " differ");
}

constexpr std::array<ValueMeasure, 6> kMeasures{
    {{"relative_rmse", nullptr, &ValueDifference::relativeRmse, true},
     {"max_abs", &ValueLimits::maxAbs, &ValueDifference::maxAbs, true},
     {"max_rel", &ValueLimits::maxRel, &ValueDifference::maxRel, true},
     {"max_ulp", &ValueLimits::maxUlp, nullptr, true},
     {"min_cosine", &ValueLimits::minCosine, &ValueDifference::cosine, false},
     {"min_snr", &ValueLimits::minSnr, &ValueDifference::snr, false}}};

double numberOf(const LimitFigure &figure)
{
    if (const auto *whole = std::get_if<std::uint64_t>(&figure))
        return static_cast<double>(*whole);
    const auto *number = std::get_if<double>(&figure);
    return number != nullptr ? *number : std::numeric_limits<double>::quiet_NaN();
}

/// The limits of one weight, each with the rule that it comes from.
struct WeightLimits {
    struct One {
        std::optional<double> value;
        std::string rule;
    };
    std::array<One, kMeasures.size()> values; ///< by measure
    bool allowMissing = false, ignore = false;

    bool any() const
    {
        return std::any_of(values.begin(), values.end(),
                           [](const One &one) { return one.value.has_value(); });
    }
};

bool applies(const LimitRule &rule, const Weight &weight)
{
    return matchesPattern(rule.pattern, weight.name) ||
           matchesPattern(rule.pattern, weight.address());
}

/// `partner`: the same weight in B; null where it has none.
WeightLimits limitsOf(const DiffLimits &limits, const Weight &weight, const Weight *partner)
{
    WeightLimits result;
    result.allowMissing = limits.allowMissing;
    for (std::size_t i = 0; i < kMeasures.size(); ++i) {
        if (kMeasures[i].limit != nullptr)
            result.values[i].value = limits.values.*kMeasures[i].limit;
    }
    for (const LimitRule &rule : limits.rules) {
        if (!applies(rule, weight) && (partner == nullptr || !applies(rule, *partner)))
            continue;
        for (std::size_t i = 0; i < kMeasures.size(); ++i) {
            if (kMeasures[i].limit != nullptr && rule.limits.*kMeasures[i].limit)
                result.values[i] = {rule.limits.*kMeasures[i].limit, rule.pattern};
        }
        result.allowMissing = rule.allowMissing.value_or(result.allowMissing);
        result.ignore = result.ignore || rule.ignore;
    }
    return result;
}

class LimitCheck
{
public:
    LimitCheck(const Bundle &a, const Bundle &b, const Difference &difference,
               const DiffLimits &limits)
        : m_a(a), m_b(b), m_difference(difference), m_limits(limits)
    {
    }

    std::vector<LimitFault> run()
    {
        if (!m_limits.any()) {
            if (!m_difference.identical)
                add({}, "identical", std::string(differenceWord(m_difference)), "identical");
            return std::move(m_faults);
        }
        if (m_limits.sameProgram)
            checkProgram();
        if (m_limits.concernsWeights()) {
            for (const ComparedPair &pair : m_difference.weights) {
                m_partner = m_b.weights()[pair.b].findableName();
                checkPair(pair);
            }
            m_partner.clear();
            checkMissing(m_a, m_difference.onlyA, "only in A");
            checkMissing(m_b, m_difference.onlyB, "only in B");
        }
        return std::move(m_faults);
    }

private:
    void add(std::string weight, std::string limit, LimitFigure found, LimitFigure allowed,
             std::string rule = {})
    {
        m_faults.push_back({std::move(weight), m_partner, std::move(limit), std::move(found),
                            std::move(allowed), std::move(rule)});
    }

    /// The program of a hardware container are its tasks.
    void checkProgram()
    {
        const auto tasks = compareTasks(m_a, m_b);
        if (tasks && !tasks->equal())
            add({}, "same_program", differ(tasks->differences.size(), "task"), "the same tasks");
        else if (!m_difference.program.sameComputation)
            add({}, "same_program", "different", "the same operations");
    }

    void checkMissing(const Bundle &bundle, const std::vector<std::size_t> &weights,
                      const char *where)
    {
        for (const std::size_t i : weights) {
            const WeightLimits limits = limitsOf(m_limits, bundle.weights()[i], nullptr);
            if (!limits.allowMissing && !limits.ignore)
                add(bundle.weights()[i].findableName(), "missing", where, "in both");
        }
    }

    void checkPair(const ComparedPair &pair)
    {
        const Weight &weight = m_a.weights()[pair.a];
        const std::string name = weight.findableName();
        const WeightLimits limits = limitsOf(m_limits, weight, &m_b.weights()[pair.b]);
        if (limits.ignore)
            return;
        if (pair.unreadable()) {
            add(name, "readable", pair.fault ? pair.fault->code : "unreadable",
                "values that can be compared");
            return;
        }
        if (!pair.shapeEqual) {
            add(name, "shape", shapeText(m_b.weights()[pair.b].shape), shapeText(weight.shape));
            return;
        }
        if (limits.any() && pair.values)
            checkValues(name, *pair.values, limits);
        else if (!(pair.values ? pair.values->identical() : pair.storedEqual))
            add(name, "equal", pair.slice ? verdict(pair, m_a, m_b) : differing(pair),
                "equal values");
    }

    static LimitFigure differing(const ComparedPair &pair)
    {
        if (!pair.values)
            return "other bytes";
        const std::uint64_t count = pair.values->different();
        return differ(count, "value");
    }

    void checkValues(const std::string &name, const ValueDifference &values,
                     const WeightLimits &limits)
    {
        ValueLimits wanted;
        for (std::size_t i = 0; i < kMeasures.size(); ++i) {
            if (kMeasures[i].limit != nullptr)
                wanted.*kMeasures[i].limit = limits.values[i].value;
        }
        for (LimitFault &fault : exceededLimits(values, wanted)) {
            const auto kind =
                std::find_if(kMeasures.begin(), kMeasures.end(),
                             [&](const ValueMeasure &each) { return fault.limit == each.name; });
            const auto index = static_cast<std::size_t>(kind - kMeasures.begin());
            add(name, fault.limit, std::move(fault.found), std::move(fault.allowed),
                limits.values[index].rule);
        }
    }

    const Bundle &m_a;
    const Bundle &m_b;
    const Difference &m_difference;
    const DiffLimits &m_limits;
    std::string m_partner; ///< of the weight that is looked at
    std::vector<LimitFault> m_faults;
};

} // namespace

LimitFigure ValueMeasure::of(const ValueDifference &values) const
{
    if (values.notFinite > 0)
        return "not finite";
    if (figure != nullptr)
        return values.*figure;
    return values.oneType || values.identical() ? LimitFigure(values.maxUlp) : "of two types";
}

std::span<const ValueMeasure> valueMeasures()
{
    return kMeasures;
}

std::string limitFigureText(const LimitFigure &figure)
{
    if (const auto *words = std::get_if<std::string>(&figure))
        return *words;
    if (const auto *whole = std::get_if<std::uint64_t>(&figure))
        return fmt::format("{}", *whole);
    const double number = std::get<double>(figure);
    return std::isinf(number) ? number > 0 ? "infinite" : "minus infinite"
                              : fmt::format("{}", number);
}

bool DiffLimits::any() const
{
    return values.any() || !rules.empty() || allowMissing || sameProgram;
}

bool DiffLimits::onlyProgram() const
{
    return sameProgram && !values.any() && rules.empty() && !allowMissing;
}

std::vector<LimitFault> exceededLimits(const ValueDifference &values, const ValueLimits &limits)
{
    std::vector<LimitFault> faults;
    for (const ValueMeasure &measure : kMeasures) {
        if (measure.limit == nullptr || !(limits.*measure.limit))
            continue;
        const double limit = *(limits.*measure.limit);
        LimitFigure found = measure.of(values);
        const double number = numberOf(found);
        // Written so that what is not a number does not hold.
        if (!(measure.atMost ? number <= limit : number >= limit))
            faults.push_back({{}, {}, std::string(measure.name), std::move(found), limit, {}});
    }
    return faults;
}

bool elementWithin(double a, double b, ElementType type, const ValueLimits &limits)
{
    if (a == b || (std::isnan(a) && std::isnan(b)))
        return true;
    const double distance = std::abs(a - b);
    if (!std::isfinite(distance) || !(limits.maxAbs || limits.maxRel || limits.maxUlp))
        return false;
    return !(limits.maxAbs && distance > *limits.maxAbs) &&
           !(limits.maxRel && distance > *limits.maxRel * std::abs(a)) &&
           !(limits.maxUlp && static_cast<double>(ulpDistance(type, a, b)) > *limits.maxUlp);
}

std::vector<LimitFault> checkLimits(const Bundle &a, const Bundle &b, const Difference &difference,
                                    const DiffLimits &limits)
{
    return LimitCheck(a, b, difference, limits).run();
}

std::vector<std::string> unusedRules(const Bundle &a, const Bundle &b, const DiffLimits &limits)
{
    std::vector<std::string> unused;
    for (const LimitRule &rule : limits.rules) {
        const auto any = [&rule](const Bundle &bundle) {
            return std::any_of(bundle.weights().begin(), bundle.weights().end(),
                               [&rule](const Weight &weight) { return applies(rule, weight); });
        };
        if (!any(a) && !any(b))
            unused.push_back(rule.pattern);
    }
    return unused;
}

} // namespace kernscope
