// SPDX-License-Identifier: GPL-3.0-or-later
// Edits of many elements: a fill, what an expression makes of each, or the values of a NumPy file.
#include "core/base/counted_text.h"
#include "core/base/error_builder.h"
#include "core/bundle/bundle.h"
#include "core/codec/edit/editor.h"
#include "core/patch/edit/carried_values.h"
#include "core/patch/edit/expression.h"
#include "core/patch/plan/array_source.h"
#include "core/patch/plan/filler.h"
#include "core/patch/plan/planner.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace kernscope::patch {

namespace {

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
        error.message += fmt::format("; {} of {} refused, the first is named",
                                     grouped(outcome.refused), counted(outcome.seen, "element"));
    return error;
}

/// Whether runs of flat indices do, without overlaps.
bool ascends(const std::vector<IndexRange> &runs)
{
    std::uint64_t end = 0;
    for (const IndexRange &run : runs) {
        if (run.start < end)
            return false;
        end = run.stop;
    }
    return true;
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
    if (ascends(edit.indices))
        filler.setAside(elements, m_scratch);
    if (auto filled = fillCarried(edit, filler, planner.weight(), m_progress); !filled)
        return filled;
    if (filler.outcome.refusal)
        return tl::unexpected(refusalOf(filler.outcome));
    noteOutcome(edit, filler.outcome, elements);
    return {};
}

Result<void> Planner::planMany(const Edit &edit, WeightPlanner &planner)
{
    if (carriesValues(edit))
        return planCarried(edit, planner);
    EditValues values(edit.value);
    auto selection = ElementSelection::whole(planner.weight().elements.value);
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
        auto chosen = ElementSelection::make(edit.indices, planner.weight().shape);
        if (!chosen)
            return tl::unexpected(std::move(chosen.error()));
        selection = std::move(*chosen);
    }
    m_announced += selection.elements();
    if (m_progress != nullptr)
        m_progress->setTotal(m_announced);
    Filler filler(planner, m_tolerance);
    filler.setAside(selection.elements(), m_scratch);
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
    m_applied.note =
        fmt::format("{} of {} changed", grouped(outcome.changed), counted(elements, "element"));
    if (codec::isFarFrom(outcome.asked, outcome.stored))
        m_applied.note +=
            fmt::format("; at worst {} is held as {}, off by {:.4g}", valueText(outcome.asked),
                        valueText(outcome.stored), std::abs(outcome.stored - outcome.asked));
    m_applied.newText = edit.kind == Edit::Kind::FromNpy ? edit.file
                        : edit.kind == Edit::Kind::Compute
                            ? edit.expression
                            : fmt::format("{}", static_cast<float>(edit.value));
    m_applied.oldText = counted(elements, "element");
}

} // namespace kernscope::patch
