// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compare/limits.h"

#include "core/assessment/coverage.h"
#include "core/assessment/known_faults.h"
#include "core/base/error_builder.h"
#include "core/base/find.h"
#include "core/base/text.h"
#include "core/bundle/bundle.h"
#include "core/compare/container_difference.h"

#include <array>
#include <cmath>

#include <fmt/format.h>

// The parser tells of faults by its result, never by an exception or an assertion. Those of version
// 3.3 do not hold for every text ("[[=", which it refuses behind them); with NDEBUG clang takes
// them for granted.
#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
#define TOML_ASSERT(condition) static_assert(true)
#pragma push_macro("NDEBUG")
#undef NDEBUG
#include <toml++/toml.h>
#pragma pop_macro("NDEBUG")

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
    ValueLimits values;
    std::array<std::string, kMeasures.size()> rules; ///< by measure
    bool allowMissing = false, ignore = false;
};

bool applies(const LimitRule &rule, const Weight &weight)
{
    return matchesPattern(rule.pattern, weight.name) ||
           matchesPattern(rule.pattern, weight.address());
}

/// `partner`: the same weight in B; null where it has none.
WeightLimits limitsOf(const DiffLimits &limits, const Weight &weight, const Weight *partner)
{
    WeightLimits result{limits.values, {}, limits.allowMissing};
    for (const LimitRule &rule : limits.rules) {
        if (!applies(rule, weight) && (partner == nullptr || !applies(rule, *partner)))
            continue;
        for (std::size_t i = 0; i < kMeasures.size(); ++i) {
            if (kMeasures[i].limit != nullptr && rule.limits.*kMeasures[i].limit) {
                result.values.*kMeasures[i].limit = rule.limits.*kMeasures[i].limit;
                result.rules[i] = rule.pattern;
            }
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
        m_faults = checkBuild(m_b, m_limits);
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
        if (limits.values.any() && pair.values)
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
        for (LimitFault &fault : exceededLimits(values, limits.values)) {
            const ValueMeasure *kind = findBy(kMeasures, &ValueMeasure::name, fault.limit);
            add(name, fault.limit, std::move(fault.found), std::move(fault.allowed),
                limits.rules[static_cast<std::size_t>(kind - kMeasures.data())]);
        }
    }

    const Bundle &m_a;
    const Bundle &m_b;
    const Difference &m_difference;
    const DiffLimits &m_limits;
    std::string m_partner; ///< of the weight that is looked at
    std::vector<LimitFault> m_faults;
};

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

/// The end of a string of one line that begins at `at`, or of a literal one of several lines.
std::size_t endOfString(std::string_view text, std::size_t at)
{
    const char quote = text[at];
    if (text.substr(at).starts_with("'''")) {
        at = std::min(text.find("'''", at + 3), text.size() - 3) + 3;
        return std::min(text.find_first_not_of('\'', at), text.size()); // up to two belong to it
    }
    for (++at; at < text.size() && text[at] != quote && text[at] != '\n'; ++at)
        at += quote == '"' && text[at] == '\\' && at + 1 < text.size() ? 1U : 0U;
    return std::min(at + 1, text.size());
}

/// The first letter beyond ASCII that is neither in a comment nor in a string, or the end. toml++ 3
/// asks of letters elsewhere, and behind a backslash of a """ string, whether they are blank, which
/// is undefined behaviour for some of them.
std::size_t strayLetter(std::string_view text)
{
    bool strings = true; // none behind a """ is looked for
    std::size_t at = text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
    while (at < text.size()) {
        strings = strings && !text.substr(at).starts_with("\"\"\"");
        if (static_cast<unsigned char>(text[at]) >= 0x80)
            return at;
        if (strings && (text[at] == '"' || text[at] == '\''))
            at = endOfString(text, at);
        else if (strings && text[at] == '#')
            at = std::min(text.find('\n', at), text.size());
        else
            ++at;
    }
    return at;
}

class RulesReader
{
public:
    explicit RulesReader(const std::string &file) : m_file(file) {}

    Result<DiffLimits> read(std::string_view text)
    {
        if (const std::size_t at = strayLetter(text); at < text.size())
            return fault(placeIn(text, at), "ASCII outside of strings and comments",
                         std::string(text.substr(
                             at, std::max<std::size_t>(1, utf8SequenceLength(text, at)))),
                         "Other letters stand in quotation marks or behind a #, not elsewhere");
        // First with other letters in their places: where a quotation mark begins no string, toml++
        // reads on to the end of the value, letters of any kind.
        std::string plain(text);
        std::replace_if(
            plain.begin() + (text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0),
            plain.end(), [](char c) { return static_cast<unsigned char>(c) >= 0x80; }, 'x');
        toml::parse_result parsed = toml::parse(plain, m_file);
        if (parsed)
            parsed = toml::parse(text, m_file);
        if (!parsed)
            return fault(parsed.error().source(), "TOML", {},
                         std::string(parsed.error().description()));
        DiffLimits limits;
        for (const auto &[key, node] : parsed.table()) {
            TRY(key.str() == "weight" ? addRules(limits, node) : setTop(limits, key.str(), node));
        }
        return limits;
    }

private:
    static toml::source_region placeIn(std::string_view text, std::size_t at)
    {
        const std::string_view before = text.substr(0, at);
        const std::size_t line = before.rfind('\n') + 1; // npos + 1: the first line
        toml::source_region where;
        where.begin.line = static_cast<toml::source_index>(1 + std::ranges::count(before, '\n'));
        where.begin.column = static_cast<toml::source_index>(1 + at - line);
        return where;
    }

    tl::unexpected<Error> fault(const toml::source_region &where, std::string expected,
                                std::string_view found, std::string_view message) const
    {
        return refused({m_file}, "diff.rules",
                       fmt::format("line {}, column {}", where.begin.line, where.begin.column),
                       expected, std::string(found), std::string(message));
    }

    tl::unexpected<Error> wrongValue(std::string_view key, const toml::node &node,
                                     std::string expected, std::string_view found = {}) const
    {
        return fault(node.source(), std::move(expected), found,
                     fmt::format("The key \"{}\" takes another value", key));
    }

    Result<void> setBool(std::string_view key, const toml::node &node, bool &to) const
    {
        const auto value = node.value_exact<bool>();
        if (!value)
            return wrongValue(key, node, "true or false");
        to = *value;
        return {};
    }

    /// False where the key is none of a limit.
    Result<bool> setLimit(ValueLimits &limits, std::string_view key, const toml::node &node) const
    {
        std::string name(key); // "max-abs" of the measure "max_abs"
        std::replace(name.begin(), name.end(), '-', '_');
        const ValueMeasure *known = findBy(kMeasures, &ValueMeasure::name, name);
        if (known == nullptr || known->limit == nullptr || name == key)
            return false;
        const auto value = node.is_number() ? node.value<double>() : std::nullopt;
        if (!value || !std::isfinite(*value) || (*value < 0 && known->atMost))
            return wrongValue(key, node, known->atMost ? "a number from 0 on" : "a number",
                              value ? fmt::format("{}", *value) : std::string());
        limits.*known->limit = value;
        return true;
    }

    Result<void> setTop(DiffLimits &limits, std::string_view key, const toml::node &node) const
    {
        if (key == "allow-missing")
            return setBool(key, node, limits.allowMissing);
        if (key == "same-program")
            return setBool(key, node, limits.sameProgram);
        if (key == "no-known-faults")
            return setBool(key, node, limits.noKnownFaults);
        if (key == "allow-faults")
            return setFaults(limits, node);
        if (key == "audit-limit")
            return setAuditLimit(limits.auditLimit, key, node);
        const auto known = TRY(setLimit(limits.values, key, node));
        if (known)
            return {};
        return fault(node.source(),
                     "max-abs, max-rel, max-ulp, min-cosine, min-snr, audit-limit, allow-missing, "
                     "same-program, no-known-faults, allow-faults or [[weight]]",
                     std::string(key), "There is no such key");
    }

    Result<void> setAuditLimit(std::optional<double> &limit, std::string_view key,
                               const toml::node &node) const
    {
        limit = node.is_number() ? node.value<double>() : std::nullopt;
        if (limit && *limit >= 1 && std::isfinite(*limit))
            return {};
        return wrongValue(key, node, "a number from 1 on");
    }

    /// Names of rows, so that a mistyped one does not let anything pass.
    Result<void> setFaults(DiffLimits &limits, const toml::node &node) const
    {
        const toml::array *names = node.as_array();
        for (std::size_t i = 0; names != nullptr && i < names->size(); ++i) {
            const std::string name = (*names)[i].value_or(std::string());
            const auto all = knownFaults();
            if (std::ranges::none_of(all,
                                     [&](const KnownFault &fault) { return fault.id == name; }))
                return fault((*names)[i].source(), "the id of a known fault", name,
                             "There is no such known fault");
            limits.allowedFaults.push_back(name);
        }
        if (names != nullptr)
            return {};
        return wrongValue("allow-faults", node, "[\"ID\", …]");
    }

    Result<void> setText(std::string_view key, const toml::node &node, std::string_view expected,
                         std::string &to) const
    {
        to = node.value_exact<std::string>().value_or(std::string());
        if (!to.empty())
            return {};
        return wrongValue(key, node, std::string(expected));
    }

    Result<void> setOfRule(LimitRule &rule, std::string_view key, const toml::node &node) const
    {
        if (key == "match")
            return setText(key, node, "a pattern in quotation marks", rule.pattern);
        if (key == "form") {
            TRY(setText(key, node, "a form in quotation marks", rule.form));
            if (const auto wrong = unknownFormWord(rule.form))
                return fault(node.source(), std::string(kFormWords), *wrong,
                             "There is no such form");
            return {};
        }
        if (key == "audit-limit")
            return setAuditLimit(rule.auditLimit, key, node);
        if (key == "ignore")
            return setBool(key, node, rule.ignore);
        if (key == "allow-missing") {
            bool value = false;
            auto read = setBool(key, node, value);
            rule.allowMissing = value;
            return read;
        }
        const auto known = TRY(setLimit(rule.limits, key, node));
        if (known)
            return {};
        return fault(node.source(),
                     "match, max-abs, max-rel, max-ulp, min-cosine, min-snr, audit-limit, form, "
                     "allow-missing or ignore",
                     std::string(key), "There is no such key of a weight");
    }

    Result<void> addRules(DiffLimits &limits, const toml::node &node) const
    {
        const toml::array *tables = node.as_array();
        if (tables == nullptr || !tables->is_homogeneous<toml::table>())
            return fault(node.source(), "tables [[weight]]", {},
                         "The limits of some weights are tables of an array");
        for (const toml::node &each : *tables) {
            LimitRule rule;
            for (const auto &[key, value] : *each.as_table()) {
                TRY(setOfRule(rule, key.str(), value));
            }
            if (rule.pattern.empty())
                return fault(each.source(), "match = \"PATTERN\"", {},
                             "Every [[weight]] says which weights it is for");
            if (each.as_table()->size() == 1)
                return fault(each.source(), "a limit, a form, allow-missing or ignore", {},
                             "A [[weight]] says what its weights must keep");
            limits.rules.push_back(std::move(rule));
        }
        return {};
    }

    const std::string &m_file;
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
    return values.any() || !rules.empty() || allowMissing || sameProgram || noKnownFaults;
}

bool DiffLimits::concernsWeights() const
{
    return values.any() || allowMissing || !std::ranges::all_of(rules, &LimitRule::ofBuild);
}

bool DiffLimits::ignores(const Weight &weight) const
{
    return std::ranges::any_of(
        rules, [&](const LimitRule &rule) { return rule.ignore && applies(rule, weight); });
}

std::optional<double> DiffLimits::auditLimitOf(const Weight &weight) const
{
    std::optional<double> limit = auditLimit;
    for (const LimitRule &rule : rules) {
        if (rule.auditLimit && applies(rule, weight))
            limit = rule.auditLimit;
    }
    return limit;
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

std::vector<LimitFault> checkBuild(const Bundle &build, const DiffLimits &limits)
{
    std::vector<LimitFault> faults;
    CoverageRules forms;
    for (const LimitRule &rule : limits.rules) {
        if (!rule.form.empty())
            forms.expected.push_back({rule.pattern, rule.form});
        if (rule.ignore)
            forms.except.push_back(rule.pattern);
    }
    for (const CoverageRow &row :
         forms.any() ? coverageOf(build, forms).rows : std::vector<CoverageRow>()) {
        if (row.kept)
            continue;
        const Weight &weight = build.weights()[row.weight];
        const auto said =
            std::find_if(limits.rules.rbegin(), limits.rules.rend(), [&](const LimitRule &rule) {
                return rule.form == row.expected && applies(rule, weight);
            });
        faults.push_back({weight.findableName(),
                          {},
                          "form",
                          row.why.empty() ? row.found : row.found + " (" + row.why + ")",
                          row.expected,
                          said->pattern});
    }
    if (!limits.noKnownFaults)
        return faults;
    const auto ignored = [&limits](const Weight &weight) { return limits.ignores(weight); };
    for (const KnownFaultMatch &match : matchKnownFaults(build, ignored)) {
        const KnownFault &fault = knownFaults()[match.fault];
        const auto &allowed = limits.allowedFaults;
        if (fault.disputed() || std::ranges::find(allowed, fault.id) != allowed.end())
            continue;
        faults.push_back({match.weight == kNoIndex ? std::string()
                                                   : build.weights()[match.weight].findableName(),
                          {},
                          "known_fault",
                          knownFaultText(build, match),
                          "none of its pattern",
                          fault.id});
    }
    return faults;
}

std::vector<std::string> unusedRules(const Bundle &a, const Bundle &b, const DiffLimits &limits)
{
    std::vector<std::string> unused;
    for (const LimitRule &rule : limits.rules) {
        const auto any = [&rule](const Bundle &bundle) {
            return std::ranges::any_of(
                bundle.weights(), [&rule](const Weight &weight) { return applies(rule, weight); });
        };
        if (!any(a) && !any(b))
            unused.push_back(rule.pattern);
    }
    return unused;
}

Result<DiffLimits> parseRules(std::string_view text, const std::string &file)
{
    return RulesReader(file).read(text);
}

} // namespace kernscope
