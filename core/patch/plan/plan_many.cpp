// SPDX-License-Identifier: GPL-3.0-or-later
// Edits of many elements: a fill, what an expression makes of each, or the values of a NumPy file.
#include "core/base/error_builder.h"
#include "core/bundle/bundle.h"
#include "core/codec/edit/run_editor.h"
#include "core/codec/edit/run_mapper.h"
#include "core/patch/edit/carried_values.h"
#include "core/patch/edit/expression.h"
#include "core/patch/plan/array_source.h"
#include "core/patch/plan/planner.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

namespace kernscope::patch {

namespace {

/// Elements at a time: so many that writing them costs little each, so few that all that is made of
/// them stays in the second cache.
constexpr std::uint64_t kRun = 16384;
/// Elements that are decoded and compared at a time: they stay in the first cache.
constexpr std::size_t kChecked = 2048;

/// fp32 holds every value of the type exactly.
bool exactInFloat(ElementType type)
{
    return bitWidth(type) <= 16 || type == ElementType::Fp32;
}

/// Sets the elements of one selection and keeps the account of what came of it.
class Filler
{
public:
    Filler(WeightPlanner &planner, double tolerance)
        : m_planner(planner), m_tolerance(tolerance),
          m_runs(planner.payloadInFile() ? codec::RunEditor::make(planner.decoder()) : std::nullopt)
    {
    }

    /// The elements of the selection are set beside the file where that can be: then the result is
    /// in `scratch`. Before the first fill().
    void setAside(Selection selection, std::optional<ScratchPayload> &scratch);

    /// What the elements are to become follows from what they are: map() may be asked. Before the
    /// first fill().
    void setWanted(const codec::Wanted &wanted, std::uint64_t elements);
    /// fill() with what was wanted of elements [first, first + count); false where fill() is to be
    /// called for them.
    Result<bool> map(std::uint64_t first, std::size_t count);

    /// Elements [first, first + values.size()), at most kRun.
    template <class Value>
    Result<void> fill(std::uint64_t first, std::span<const Value> values);

    codec::RunOutcome outcome;

private:
    template <class Value>
    Result<void> setEach(std::uint64_t first, std::span<const Value> values, std::span<float> held);
    Result<void> set(std::uint64_t element, double value, float &now);
    Result<void> check(std::uint64_t first, std::span<const float> held);
    /// Writes what a run of codes became.
    Result<void> applyRun();
    codec::EditTolerance tolerance() const { return {m_tolerance, kDecimalTolerance}; }
    bool isAside() const { return m_scratch != nullptr; }
    const codec::Decoder &written() const
    {
        return isAside() ? m_scratch->decoder() : m_planner.decoder();
    }
    static tl::unexpected<Error> notKept(std::uint64_t first, std::size_t count);

    WeightPlanner &m_planner;
    double m_tolerance;
    std::optional<codec::RunEditor> m_runs; ///< where whole runs can be set at once
    std::optional<codec::RunMapper> m_mapper;
    ScratchPayload *m_scratch = nullptr; ///< where runs are written, if not in the file
    std::vector<float> m_held = std::vector<float>(kRun);
    std::vector<float> m_check = std::vector<float>(kChecked);
};

Result<void> Filler::set(std::uint64_t element, double value, float &now)
{
    const auto plan = codec::Editor(m_planner.decoder())
                          .setElement(element, value, toleranceFor(value, m_tolerance));
    if (!plan) {
        if (!outcome.refusal) {
            outcome.refusal = plan.error();
            outcome.refusal->found = fmt::format("{} for element {}", value, element);
        }
        ++outcome.refused;
        return {};
    }
    const double error = sameValue(plan->stored, value) ? 0.0 : std::abs(plan->stored - value);
    if (error > outcome.worst || std::isnan(error)) {
        outcome.worst = std::isnan(error) ? outcome.worst : error;
        outcome.asked = value;
        outcome.stored = plan->stored;
    }
    now = static_cast<float>(plan->stored);
    if (plan->parts.empty() || outcome.refusal) // once refused, nothing needs to be written
        return {};
    ++outcome.changed;
    return m_planner.apply(*plan);
}

template <class Value>
Result<void> Filler::setEach(std::uint64_t first, std::span<const Value> values,
                             std::span<float> held)
{
    const bool exact = exactInFloat(m_planner.decoder().type());
    for (std::size_t i = 0; i < values.size(); ++i) {
        const auto value = static_cast<double>(values[i]);
        ++outcome.seen;
        if (exact && sameValue(static_cast<double>(held[i]), value)) {
            if (outcome.worst < 0) {
                outcome.worst = 0;
                outcome.asked = outcome.stored = value;
            }
            continue;
        }
        if (auto done = set(first + i, value, held[i]); !done)
            return done;
    }
    return {};
}

/// What was planned decodes to what it was planned for.
Result<void> Filler::check(std::uint64_t first, std::span<const float> held)
{
    for (std::size_t at = 0; at < held.size(); at += kChecked) {
        const auto some = held.subspan(at, std::min(kChecked, held.size() - at));
        const auto check = std::span(m_check).first(some.size());
        written().decodeFloat(first + at, check);
        if (std::memcmp(some.data(), check.data(), some.size_bytes()) == 0)
            continue;
        for (std::size_t i = 0; i < some.size(); ++i) {
            if (sameValue(static_cast<double>(some[i]), static_cast<double>(check[i])))
                continue;
            return ErrorBuilder("patch.verify")
                .expected(fmt::format("{} for element {}", some[i], first + at + i))
                .found(fmt::format("{}", check[i]))
                .message("The bytes planned do not decode to the value")
                .unexpected();
        }
    }
    return {};
}

/// Runs of codes that share no byte with the run before, so that each is made of the file's bytes.
void Filler::setAside(Selection selection, std::optional<ScratchPayload> &scratch)
{
    const auto run = selection.next();
    const bool bytes = m_runs && (m_runs->codeBits() >= 8 ||
                                  (!m_planner.decoder().encoding().mask && run.first % 8 == 0));
    if (!bytes || run.count < selection.elements() || selection.elements() == 0)
        return;
    scratch = ScratchPayload::make(m_planner);
    m_scratch = scratch ? &*scratch : nullptr;
}

Result<void> Filler::applyRun()
{
    if (outcome.bytes.empty())
        return {};
    if (isAside()) {
        for (const codec::PartEdit &part : outcome.bytes)
            m_scratch->write(part.offset, part.bytes);
        m_planner.notePayload();
        return {};
    }
    codec::EditPlan plan;
    plan.parts = std::move(outcome.bytes);
    return m_planner.apply(plan);
}

tl::unexpected<Error> Filler::notKept(std::uint64_t first, std::size_t count)
{
    return ErrorBuilder("patch.verify")
        .expected(fmt::format("the values of elements {} to {}", first, first + count - 1))
        .found("other stored numbers")
        .message("The bytes planned do not decode to the values")
        .unexpected();
}

void Filler::setWanted(const codec::Wanted &wanted, std::uint64_t elements)
{
    if (m_runs)
        m_mapper = codec::RunMapper::make(m_planner.decoder(), elements, wanted, tolerance());
}

Result<bool> Filler::map(std::uint64_t first, std::size_t count)
{
    const auto some = std::span(m_held).first(std::min(kChecked, count));
    if (!m_mapper || !m_mapper->set(first, count, some, outcome))
        return false;
    if (outcome.bytes.empty())
        return true; // nothing is written
    if (auto applied = applyRun(); !applied)
        return tl::unexpected(std::move(applied.error()));
    if (auto checked = check(first, some); !checked)
        return tl::unexpected(std::move(checked.error()));
    return true;
}

template <class Value>
Result<void> Filler::fill(std::uint64_t first, std::span<const Value> values)
{
    const auto held = std::span(m_held).first(values.size());
    const auto some = held.first(std::min(kChecked, held.size()));
    if (m_runs && m_runs->setSteps(first, values, tolerance(), some, outcome)) {
        if (outcome.bytes.empty())
            return {}; // nothing is written
        auto applied = applyRun();
        return applied ? check(first, some) : applied;
    }
    if constexpr (std::is_same_v<Value, float>) {
        // Of a sparse weight most elements have no bytes: those that have are looked at where they
        // are stored, and some of all are decoded.
        if (m_runs && m_runs->setKept(first, values, some, outcome)) {
            if (isAside() && outcome.bytes.empty())
                return {}; // nothing is written
            if (auto applied = applyRun(); !applied)
                return applied;
            const auto payload = isAside() ? m_scratch->bytes() : m_runs->payload();
            return m_runs->keepsAsSet(first, values.size(), payload)
                       ? check(first, some)
                       : notKept(first, values.size());
        }
    }
    m_planner.decoder().decodeFloat(first, held);
    const bool set = m_runs && m_runs->set(first, values, tolerance(), held, outcome);
    if (isAside() && !set)
        return notKept(first, values.size());
    const bool writes = !isAside() || !outcome.bytes.empty();
    if (auto done = set ? applyRun() : setEach(first, values, held); !done)
        return done;
    return outcome.refusal || !writes ? Result<void>() : check(first, held);
}

/// The values of an edit: one for all elements, those of a file, or what an expression makes of
/// those that are there.
class EditValues
{
public:
    explicit EditValues(double value) : m_run(kRun, value), m_value(value) {}
    explicit EditValues(ArraySource source) : m_source(std::move(source))
    {
        if (m_source->isFloat())
            m_floats.resize(kRun);
        else
            m_run.resize(kRun);
    }
    EditValues(Expression expression, const WeightPlanner &planner)
        : m_run(kRun), m_floats(kRun), m_expression(std::move(expression)), m_planner(&planner)
    {
    }

    /// Tells the filler of `elements` elements what follows from what they are.
    void tell(std::uint64_t elements, Filler &filler) const
    {
        if (m_expression)
            filler.setWanted(
                [expression = *m_expression](std::span<const float> now, std::span<double> wanted) {
                    expression.of(now, wanted);
                },
                elements);
        else if (!m_source)
            filler.setWanted(
                [value = m_value](std::span<const float>, std::span<double> wanted) {
                    std::fill(wanted.begin(), wanted.end(), value);
                },
                elements);
    }
    /// Those of `count` elements, at most kRun, to the filler.
    Result<void> give(std::uint64_t first, std::size_t count, Filler &filler)
    {
        if (!m_source) {
            const auto mapped = filler.map(first, count);
            if (!mapped)
                return tl::unexpected(mapped.error());
            if (*mapped)
                return {};
        }
        if (m_source && m_source->isFloat()) {
            const auto floats = m_source->read(first, std::span(m_floats).first(count));
            return filler.fill<float>(first, floats);
        }
        const auto run = std::span(m_run).first(count);
        if (m_source)
            m_source->read(first, run);
        if (m_expression) {
            const auto now = std::span(m_floats).first(count);
            m_planner->decoder().decodeFloat(first, now);
            m_expression->of(now, run);
        }
        return filler.fill<double>(first, run);
    }
    Result<void> checkUnchanged() const
    {
        return m_source ? m_source->checkUnchanged() : Result<void>();
    }

private:
    std::vector<double> m_run;
    double m_value = 0;          ///< of a fill
    std::vector<float> m_floats; ///< of a source, or decoded before the edit
    std::optional<ArraySource> m_source;
    std::optional<Expression> m_expression;
    const WeightPlanner *m_planner = nullptr;
};

Error refusalOf(const codec::RunOutcome &outcome)
{
    Error error = *outcome.refusal;
    if (outcome.refused > 1)
        error.message += fmt::format("; {} of {} elements are refused, the first is named",
                                     outcome.refused, outcome.seen);
    return error;
}

/// Runs of an edit that carries its values: in the order in which it has them.
Result<void> fillCarried(const Edit &edit, Filler &filler, const Weight &weight, Progress *progress)
{
    std::vector<double> values(kRun);
    std::uint64_t done = 0;
    for (const IndexRange &run : edit.indices) {
        if (run.start >= run.stop || run.stop > weight.elements.value ||
            done + (run.stop - run.start) > carriedCount(edit))
            return ErrorBuilder("patch.index")
                .field(weight.findableName())
                .expected(fmt::format("elements below {}", weight.elements.value))
                .found(fmt::format("{} to {}", run.start, run.stop))
                .message("The values carried leave the weight")
                .unexpected();
        for (std::uint64_t at = run.start; at < run.stop; at += kRun) {
            const auto n = static_cast<std::size_t>(std::min(kRun, run.stop - at));
            const auto some = std::span(values).first(n);
            readCarried(edit, done, some);
            if (auto filled = filler.fill<double>(at, some); !filled)
                return filled;
            done += n;
            if (progress != nullptr && !progress->advance(n))
                return tl::unexpected(
                    cancelledError("The edit was cancelled; nothing was changed"));
        }
    }
    return {};
}

} // namespace

Result<void> Planner::planCarried(const Edit &edit, WeightPlanner &planner)
{
    const std::uint64_t elements = carriedCount(edit);
    m_announced += elements;
    if (m_progress != nullptr)
        m_progress->setTotal(m_announced);
    Filler filler(planner, m_tolerance);
    if (auto filled = fillCarried(edit, filler, planner.weight(), m_progress); !filled)
        return filled;
    if (filler.outcome.refusal)
        return tl::unexpected(refusalOf(filler.outcome));
    noteOutcome(edit, filler.outcome, elements);
    return {};
}

Result<void> Planner::planMany(const Edit &edit, WeightPlanner &planner, bool last)
{
    if (carriesValues(edit))
        return planCarried(edit, planner);
    EditValues values(edit.value);
    auto selection = Selection::whole(planner.weight().elements.value);
    if (edit.kind == Edit::Kind::FromNpy) {
        auto source = ArraySource::open(edit.file, planner.weight());
        if (!source)
            return tl::unexpected(std::move(source.error()));
        values = EditValues(std::move(*source));
    }
    if (edit.kind == Edit::Kind::Compute) {
        auto expression = Expression::parse({edit.expression, 0});
        if (!expression)
            return tl::unexpected(std::move(expression.error()));
        values = EditValues(std::move(*expression), planner);
    }
    if (!edit.indices.empty()) {
        auto chosen = Selection::make(edit.indices, planner.weight().shape);
        if (!chosen)
            return tl::unexpected(std::move(chosen.error()));
        selection = std::move(*chosen);
    }
    m_announced += selection.elements();
    if (m_progress != nullptr)
        m_progress->setTotal(m_announced);
    Filler filler(planner, m_tolerance);
    if (last) // the next edit would have to find it in the file
        filler.setAside(selection, m_scratch);
    values.tell(selection.elements(), filler);
    for (auto run = selection.next(); run.count > 0; run = selection.next()) {
        for (std::uint64_t at = 0; at < run.count; at += kRun) {
            const auto n = static_cast<std::size_t>(std::min(kRun, run.count - at));
            if (auto done = values.give(run.first + at, n, filler); !done)
                return done;
            if (m_progress != nullptr && !m_progress->advance(n))
                return tl::unexpected(
                    cancelledError("The edit was cancelled; nothing was changed"));
        }
    }
    if (auto same = values.checkUnchanged(); !same)
        return same;
    if (filler.outcome.refusal)
        return tl::unexpected(refusalOf(filler.outcome));
    noteOutcome(edit, filler.outcome, selection.elements());
    return {};
}

void Planner::noteOutcome(const Edit &edit, const codec::RunOutcome &outcome,
                          std::uint64_t elements)
{
    m_applied.asked = outcome.asked;
    m_applied.stored = outcome.stored;
    m_applied.elements = elements;
    m_applied.note = fmt::format("{} of {} elements changed", outcome.changed, elements);
    m_applied.newText = edit.kind == Edit::Kind::FromNpy ? edit.file
                        : edit.kind == Edit::Kind::Compute
                            ? edit.expression
                            : fmt::format("{}", static_cast<float>(edit.value));
    m_applied.oldText = fmt::format("{} elements", elements);
}

} // namespace kernscope::patch
