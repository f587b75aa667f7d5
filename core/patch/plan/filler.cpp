// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/patch/plan/filler.h"

#include "core/base/error_builder.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

namespace kernscope::patch {

namespace {

/// fp32 holds every value of the type exactly.
bool exactInFloat(ElementType type)
{
    return bitWidth(type) <= 16 || type == ElementType::Fp32;
}

} // namespace

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

void Filler::setAside(std::uint64_t elements, std::optional<ScratchPayload> &scratch)
{
    if (m_runs)
        scratch = ScratchPayload::make(m_planner, elements);
    m_scratch = scratch ? &*scratch : nullptr;
}

Result<void> Filler::applyRun(std::uint64_t first)
{
    if (outcome.bytes.empty())
        return {};
    if (isAside()) {
        const std::uint64_t firstBit = m_planner.decoder().rank(first) * m_runs->codeBits();
        for (const codec::PartEdit &part : outcome.bytes)
            m_scratch->write(part.offset, part.bytes, firstBit);
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
    if (auto applied = applyRun(first); !applied)
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
    if (m_runs && m_runs->setDirect(first, values, tolerance(), some, outcome)) {
        if (outcome.bytes.empty())
            return {}; // nothing is written
        auto applied = applyRun(first);
        return applied ? check(first, some) : applied;
    }
    if constexpr (std::is_same_v<Value, float>) {
        // Of a sparse weight most elements have no bytes: those that have are looked at where they
        // are stored, and some of all are decoded.
        if (m_runs && m_runs->setKept(first, values, some, outcome)) {
            if (isAside() && outcome.bytes.empty())
                return {}; // nothing is written
            if (auto applied = applyRun(first); !applied)
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
    if (auto done = set ? applyRun(first) : setEach(first, values, held); !done)
        return done;
    return outcome.refusal || !writes ? Result<void>() : check(first, held);
}

template Result<void> Filler::fill<double>(std::uint64_t, std::span<const double>);
template Result<void> Filler::fill<float>(std::uint64_t, std::span<const float>);

} // namespace kernscope::patch
