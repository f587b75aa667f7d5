// SPDX-License-Identifier: GPL-3.0-or-later
// Edits of many elements: a fill, or the values of a NumPy file.
#include "core/numeric/npy.h"
#include "core/patch/plan/array_source.h"
#include "core/patch/plan/planner.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

namespace kernscope::patch {

namespace {

constexpr std::uint64_t kRun = 4096;

/// fp32 holds every value of the type exactly.
bool exactInFloat(ElementType type)
{
    return bitWidth(type) <= 16 || type == ElementType::Fp32;
}

/// Sets the elements of one selection and keeps the account of what came of it.
class Filler
{
public:
    Filler(WeightPlanner &planner, double tolerance) : m_planner(planner), m_tolerance(tolerance) {}

    /// Elements [first, first + values.size()), fewer than kRun.
    Result<void> fill(std::uint64_t first, std::span<const double> values);

    std::uint64_t changed = 0, refused = 0, seen = 0;
    double asked = 0, stored = 0; ///< of the element that is farthest off
    std::optional<Error> refusal; ///< the first one

private:
    Result<void> set(std::uint64_t element, double value, float &now);

    WeightPlanner &m_planner;
    double m_tolerance;
    double m_worst = -1;
    std::vector<float> m_held = std::vector<float>(kRun);
    std::vector<float> m_check = std::vector<float>(kRun);
};

Result<void> Filler::set(std::uint64_t element, double value, float &now)
{
    const auto plan = codec::Editor(m_planner.decoder())
                          .setElement(element, value, toleranceFor(value, m_tolerance));
    if (!plan) {
        if (!refusal) {
            refusal = plan.error();
            refusal->found = fmt::format("{} for element {}", value, element);
        }
        ++refused;
        return {};
    }
    const double error = sameValue(plan->stored, value) ? 0.0 : std::abs(plan->stored - value);
    if (error > m_worst || std::isnan(error)) {
        m_worst = std::isnan(error) ? m_worst : error;
        asked = value;
        stored = plan->stored;
    }
    now = static_cast<float>(plan->stored);
    if (plan->parts.empty() || refusal) // once refused, nothing needs to be written any more
        return {};
    ++changed;
    return m_planner.apply(*plan);
}

Result<void> Filler::fill(std::uint64_t first, std::span<const double> values)
{
    const auto held = std::span(m_held).first(values.size());
    m_planner.decoder().decodeFloat(first, held);
    const bool exact = exactInFloat(m_planner.decoder().type());
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (exact && sameValue(static_cast<double>(held[i]), values[i])) {
            if (seen++ == 0)
                asked = stored = values[i];
            continue;
        }
        ++seen;
        if (auto done = set(first + i, values[i], held[i]); !done)
            return done;
    }
    if (refusal)
        return {};
    const auto check = std::span(m_check).first(values.size());
    m_planner.decoder().decodeFloat(first, check);
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (!sameValue(static_cast<double>(held[i]), static_cast<double>(check[i]))) {
            Error error;
            error.code = "patch.verify";
            error.expected = fmt::format("{} for element {}", held[i], first + i);
            error.found = fmt::format("{}", check[i]);
            error.message = "The bytes planned do not decode to the value";
            return tl::unexpected(std::move(error));
        }
    }
    return {};
}

Error refusalOf(const Filler &filler)
{
    Error error = *filler.refusal;
    if (filler.refused > 1)
        error.message += fmt::format("; {} of {} elements are refused, the first is named",
                                     filler.refused, filler.seen);
    return error;
}

} // namespace

Result<void> Planner::planMany(const Edit &edit, WeightPlanner &planner)
{
    NpyArray array;
    auto selection = Selection::whole(planner.weight().elements.value);
    if (edit.kind == Edit::Kind::FromNpy) {
        auto read = readArraySource(edit.file, planner.weight());
        if (!read)
            return tl::unexpected(std::move(read.error()));
        array = std::move(*read);
    } else {
        auto chosen = Selection::make(edit.indices, planner.weight().shape);
        if (!chosen)
            return tl::unexpected(std::move(chosen.error()));
        selection = std::move(*chosen);
    }
    const std::vector<double> constant(array.values.empty() ? kRun : 0, edit.value);
    m_announced += selection.elements();
    if (m_progress != nullptr)
        m_progress->setTotal(m_announced);
    Filler filler(planner, m_tolerance);
    for (auto run = selection.next(); run.count > 0; run = selection.next()) {
        for (std::uint64_t at = 0; at < run.count; at += kRun) {
            const auto n = static_cast<std::size_t>(std::min(kRun, run.count - at));
            const auto values =
                array.values.empty()
                    ? std::span(constant).first(n)
                    : std::span<const double>(array.values).subspan(run.first + at, n);
            if (auto done = filler.fill(run.first + at, values); !done)
                return done;
            if (m_progress != nullptr && !m_progress->advance(n)) {
                Error error;
                error.code = "task.cancelled";
                error.message = "The edit was cancelled";
                return tl::unexpected(std::move(error));
            }
        }
    }
    if (filler.refusal)
        return tl::unexpected(refusalOf(filler));
    m_applied.asked = filler.asked;
    m_applied.stored = filler.stored;
    m_applied.elements = selection.elements();
    m_applied.note = fmt::format("{} of {} elements changed", filler.changed, selection.elements());
    m_applied.newText = fmt::format("{}", edit.kind == Edit::Kind::FromNpy
                                              ? edit.file
                                              : fmt::format("{}", static_cast<float>(edit.value)));
    m_applied.oldText = fmt::format("{} elements", selection.elements());
    return {};
}

} // namespace kernscope::patch
