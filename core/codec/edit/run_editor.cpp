// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codec/edit/run_editor.h"

#include "core/codec/edit/run_editor_state.h"
#include "core/codec/kernels/take_kernels.h"
#include "core/numeric/convert.h"
#include "core/numeric/half.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace kernscope::codec {

namespace {

/// The account of a run whose elements were set many at a time.
void noteWorst(const TakeWorst &worst, std::span<const double> values, std::span<const float> held,
               RunOutcome &outcome)
{
    if (worst.index == SIZE_MAX)
        return;
    outcome.worst = worst.error;
    outcome.asked = values[worst.index];
    outcome.stored = static_cast<double>(held[worst.index]);
}

} // namespace

double EditTolerance::of(double value) const
{
    const double share = std::abs(value) * relative;
    return std::isfinite(share) && share > absolute ? share : absolute;
}

RunEditor::RunEditor(std::unique_ptr<State> state) : m_state(std::move(state)) {}
RunEditor::RunEditor(RunEditor &&) noexcept = default;
RunEditor &RunEditor::operator=(RunEditor &&) noexcept = default;
RunEditor::~RunEditor() = default;

/// Editor finds the words; only the first refusal is kept.
void RunEditor::State::refuse(std::uint64_t element, double value, double tolerance,
                              RunOutcome &outcome) const
{
    ++outcome.refused;
    if (outcome.refusal)
        return;
    const auto plan = Editor(decoder).setElement(element, value, tolerance);
    outcome.refusal =
        plan ? editFault("patch.unrepresentable", "", "", "", "Not held") : plan.error();
    outcome.refusal->found = fmt::format("{} for element {}", value, element);
}

void RunEditor::State::setOne(std::uint64_t element, std::uint64_t index, double value,
                              double tolerance, float &held, RunOutcome &outcome)
{
    const ElementPlace place{element, 0, element};
    if (element >= enteredEnd)
        enteredEnd = element + chooser.enter(element);
    take(element, index, value, tolerance, held, chooser.nearest(place, value), outcome);
}

void RunEditor::State::take(std::uint64_t element, std::uint64_t index, double value,
                            double tolerance, float &held, const std::optional<Candidate> &chosen,
                            RunOutcome &outcome)
{
    const double now = static_cast<double>(held);
    // The code that is there stays where none of those that were looked at is nearer.
    const bool stays =
        !std::isnan(now) && (!chosen || std::abs(now - value) <= std::abs(chosen->value - value));
    const double becomes = stays || !chosen ? now : chosen->value;
    const Candidate taken{chosen ? chosen->code : -1, becomes};
    if ((!chosen && !stays) || !holds(taken, value, tolerance))
        return refuse(element, value, tolerance, outcome);
    const double error = equalValues(becomes, value) ? 0.0 : std::abs(becomes - value);
    if (error > outcome.worst || std::isnan(error)) {
        outcome.worst = std::isnan(error) ? outcome.worst : error;
        outcome.asked = value;
        outcome.stored = becomes;
    }
    if (stays || outcome.refusal)
        return;
    held = static_cast<float>(becomes);
    ++outcome.changed;
    store(index - firstCode, element, chosen->code);
}

std::size_t RunEditor::State::takeMany(std::uint64_t index, std::span<const double> values,
                                       EditTolerance tolerance, std::span<const double> nearest,
                                       std::span<const std::uint8_t> codes, std::span<float> held,
                                       RunOutcome &outcome)
{
    if (outcome.refusal || ordered())
        return 0;
    const TakeRun<double> run{values, nearest, tolerance.relative, tolerance.absolute};
    const std::uint64_t first = index - firstCode;
    auto *const stored =
        width < 8 ? narrow.data() + first : reinterpret_cast<std::uint8_t *>(packed.data()) + first;
    TakeWorst worst{outcome.worst, SIZE_MAX};
    const std::size_t done = takeNearest(run, codes, held, stored, outcome.changed, worst);
    noteWorst(worst, values, held, outcome);
    return done;
}

void RunEditor::State::setAlikeOne(const std::optional<Candidate> &fitting, std::uint64_t element,
                                   std::uint64_t index, double value, double tolerance, float &held,
                                   RunOutcome &outcome)
{
    const auto now = static_cast<double>(held);
    const double error = fitting ? std::abs(fitting->value - value) : 0;
    if (now == value && outcome.worst < 0) {
        outcome.worst = 0;
        outcome.asked = outcome.stored = value;
    } else if (now == value) {
        return;
    } else if (!fitting || error > outcome.worst) {
        setOne(element, index, value, tolerance, held, outcome);
    } else if (!(std::abs(now - value) <= error) && !outcome.refusal) {
        held = static_cast<float>(fitting->value);
        ++outcome.changed;
        store(index - firstCode, element, fitting->code);
    }
}

/// One finite value for all of them: one code wherever codebook and scale are the same.
void RunEditor::State::setAlike(std::uint64_t element, std::uint64_t index,
                                std::span<const double> values, EditTolerance tolerance,
                                std::span<float> held, RunOutcome &outcome)
{
    const double value = values.front();
    for (std::size_t at = 0; at < held.size();) {
        const auto same = static_cast<std::size_t>(
            std::min<std::uint64_t>(chooser.enter(element + at), held.size() - at));
        enteredEnd = element + at + same;
        const std::uint64_t first = element + at;
        auto fitting = chooser.nearest({first, 0, first}, value);
        if (fitting && !holds(*fitting, value, tolerance.of(value)))
            fitting = std::nullopt;
        std::size_t done = 0;
        if (fitting && width <= 8) {
            nearestValues.assign(same, fitting->value);
            nearestCodes.assign(same,
                                static_cast<std::uint8_t>(fitting->code & ((1 << width) - 1)));
            done = takeMany(index + at, values.subspan(at, same), tolerance, nearestValues,
                            nearestCodes, held.subspan(at, same), outcome);
        }
        for (std::size_t i = at + done; i < at + same; ++i)
            setAlikeOne(fitting, element + i, index + i, value, tolerance.of(value), held[i],
                        outcome);
        at += same;
    }
}

/// Finite numbers stored as they are in fp16, many at a time. False where one of them has no fp16
/// number near it, or is no fp32 number: nothing was done.
bool RunEditor::State::setHalves(std::uint64_t index, std::span<const double> values,
                                 std::span<float> held, RunOutcome &outcome)
{
    floats.resize(values.size());
    halves.resize(values.size());
    rounded.resize(values.size());
    unsigned inexact = 0; // without branches, so that many are done at a time
    for (std::size_t i = 0; i < values.size(); ++i) {
        floats[i] = static_cast<float>(values[i]);
        inexact |= static_cast<double>(floats[i]) == values[i] ? 0U : 1U;
    }
    if (inexact != 0)
        return false;
    convertFloatToHalf(floats, halves);
    for (const std::uint16_t half : halves)
        inexact |= (half & kHalfInfinity) == kHalfInfinity ? 1U : 0U;
    if (inexact != 0)
        return false;
    convertHalfToFloat(std::span<const std::uint16_t>(halves), rounded);
    // Any fp16 number is as near as can be.
    const TakeRun<float> run{values, rounded, 0, std::numeric_limits<double>::infinity()};
    std::byte *const to = packed.data() + 2 * (index - firstCode);
    TakeWorst worst{outcome.worst, SIZE_MAX};
    std::size_t done = 0;
    if (!outcome.refusal)
        done = takeNearest(run, halves, held, reinterpret_cast<std::uint16_t *>(to),
                           outcome.changed, worst);
    noteWorst(worst, values, held, outcome);
    for (std::size_t i = done; i < values.size(); ++i) {
        // What is as near as the nearest stays; differences of fp16 and fp32 numbers are exact.
        const double error = std::abs(static_cast<double>(rounded[i]) - values[i]);
        const bool stays = std::abs(static_cast<double>(held[i]) - values[i]) == error;
        if (error > outcome.worst) {
            outcome.worst = error;
            outcome.asked = values[i];
            outcome.stored = static_cast<double>(stays ? held[i] : rounded[i]);
        }
        if (stays || outcome.refusal)
            continue;
        held[i] = rounded[i];
        ++outcome.changed;
        std::memcpy(to + 2 * i, &halves[i], 2);
    }
    return true;
}

void RunEditor::State::findSame(std::uint64_t element, std::span<const double> values)
{
    constexpr std::size_t kFew = 8; // elements for which the detour does not pay
    nearestValues.assign(values.size(), std::numeric_limits<double>::quiet_NaN());
    nearestCodes.resize(values.size());
    if (values.size() >= kFew)
        chooser.nearestOf(element, values, nearestValues, nearestCodes);
}

void RunEditor::State::takeFound(std::uint64_t element, std::uint64_t index,
                                 std::span<const double> values, EditTolerance tolerance,
                                 std::span<float> held, RunOutcome &outcome)
{
    constexpr std::size_t kSlow = 8; // elements from one on that takeMany() leaves to take()
    const std::span<const double> nearest(nearestValues);
    const std::span<const std::uint8_t> codes(nearestCodes);
    const auto chosenAt = [&](std::size_t at) -> std::optional<Candidate> {
        if (!std::isnan(nearest[at]))
            return Candidate{codes[at], nearest[at]};
        const std::uint64_t own = element + at;
        if (own >= enteredEnd)
            enteredEnd = own + chooser.enter(own);
        return chooser.nearest({own, 0, own}, values[at]);
    };
    for (std::size_t at = 0; at < values.size();) {
        at += takeMany(index + at, values.subspan(at), tolerance, nearest.subspan(at),
                       codes.subspan(at), held.subspan(at), outcome);
        for (const std::size_t end = std::min(at + kSlow, values.size()); at < end; ++at) {
            const double value = values[at];
            if (static_cast<double>(held[at]) != value) {
                take(element + at, index + at, value, tolerance.of(value), held[at], chosenAt(at),
                     outcome);
            } else if (outcome.worst < 0) {
                outcome.worst = 0;
                outcome.asked = outcome.stored = value;
            }
        }
    }
}

/// What setOne does for each of them. False where nothing was done.
bool RunEditor::State::setFinite(std::uint64_t element, std::uint64_t index,
                                 std::span<const double> values, EditTolerance tolerance,
                                 std::span<float> held, RunOutcome &outcome)
{
    const auto finite = [](double value) { return std::isfinite(value); };
    if (!chooser.answersMany() || !std::all_of(values.begin(), values.end(), finite))
        return false;
    if (chooser.hasShortBlocks()) {
        nearestValues.resize(values.size());
        nearestCodes.resize(values.size());
        chooser.nearestOfBlocks(element, values, nearestValues, nearestCodes);
        takeFound(element, index, values, tolerance, held, outcome);
        return true;
    }
    for (std::size_t at = 0; at < values.size();) {
        const auto same = static_cast<std::size_t>(
            std::min<std::uint64_t>(chooser.enter(element + at), values.size() - at));
        enteredEnd = element + at + same;
        findSame(element + at, values.subspan(at, same));
        takeFound(element + at, index + at, values.subspan(at, same), tolerance,
                  held.subspan(at, same), outcome);
        at += same;
    }
    return true;
}

bool RunEditor::State::setMany(std::uint64_t element, std::uint64_t index,
                               std::span<const double> values, EditTolerance tolerance,
                               std::span<float> held, RunOutcome &outcome)
{
    if (values.empty() || ordered())
        return false;
    if (state.mask)
        return plainTo == ElementType::Fp16 && setKeptHalves(element, index, values, held, outcome);
    const double value = values.front();
    const bool alike =
        std::isfinite(value) &&
        std::all_of(values.begin(), values.end(), [value](double other) { return other == value; });
    if (plainTo == ElementType::Fp16 && setHalves(index, values, held, outcome))
        return true;
    if (!alike || chooser.hasShortBlocks())
        return setFinite(element, index, values, tolerance, held, outcome);
    setAlike(element, index, values, tolerance, held, outcome);
    return true;
}

std::optional<RunEditor> RunEditor::make(const Decoder &decoder)
{
    const Decoder::State &state = Editor::stateOf(decoder);
    const ElementType type = state.encoding.type;
    const bool exact = bitWidth(type) <= 16 || type == ElementType::Fp32;
    const bool vectors = state.palette && state.palette->vector != 1;
    const ElementOrder *const order = state.payload.order.get();
    const bool moves = order != nullptr && (state.mask || order->skipsZeros());
    if (!exact || vectors || moves || state.payloadDecoder ||
        (order != nullptr && !order->lockReason().empty()))
        return std::nullopt;
    return RunEditor(std::make_unique<State>(decoder, state));
}

bool RunEditor::set(std::uint64_t first, std::span<const double> values, EditTolerance tolerance,
                    std::span<float> held, RunOutcome &outcome)
{
    State &own = *m_state;
    const auto &mask = own.state.mask;
    outcome.bytes.clear();
    const std::uint64_t from = mask ? mask->rank(first) : first;
    const std::uint64_t to = mask ? mask->rank(first + values.size()) : first + values.size();
    if (to > own.state.payloadElements)
        return false;
    if (own.ordered())
        own.loadOrdered(first, values.size());
    else
        own.load(from, to);
    const std::uint64_t changedBefore = outcome.changed;
    if (own.setMany(first, from, values, tolerance, held, outcome)) {
        outcome.seen += values.size();
        if (outcome.changed > changedBefore && !outcome.refusal)
            outcome.bytes = own.takeBytes();
        return true;
    }
    std::uint64_t index = own.ordered() ? 0 : from;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const std::uint64_t element = first + i;
        const bool stored = own.stored(element, i);
        ++outcome.seen;
        if (equalValues(static_cast<double>(held[i]), values[i])) {
            if (outcome.worst < 0) {
                outcome.worst = 0;
                outcome.asked = outcome.stored = values[i];
            }
        } else if (stored) {
            own.setOne(element, index, values[i], tolerance.of(values[i]), held[i], outcome);
        } else if (const double error = std::abs(values[i]);
                   error <= tolerance.of(values[i])) { // its zero is near enough
            if (error > outcome.worst) {
                outcome.worst = error;
                outcome.asked = values[i];
                outcome.stored = 0;
            }
        } else {
            own.refuse(element, values[i], tolerance.of(values[i]), outcome);
        }
        index += stored || own.ordered() ? 1 : 0;
    }
    if (outcome.changed > changedBefore && !outcome.refusal)
        outcome.bytes = own.takeBytes();
    return true;
}

} // namespace kernscope::codec
