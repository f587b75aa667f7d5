// SPDX-License-Identifier: GPL-3.0-or-later
// Runs of fp32 numbers, many elements at a time; and what runs of fp64 numbers share with them.
#include "core/codec/edit/run_editor_state.h"
#include "core/codec/kernels/kept_kernels.h"
#include "core/codec/kernels/sparse_kernels.h"
#include "core/codec/kernels/take_kernels.h"
#include "core/numeric/convert.h"

#include <algorithm>
#include <cstring>
#include <limits>

namespace kernscope::codec {

namespace {

/// The account of a run whose elements were set many at a time.
template <class Value>
void noteWorst(const TakeWorst &worst, std::span<const Value> values, std::span<const float> held,
               RunOutcome &outcome)
{
    if (worst.index == SIZE_MAX)
        return;
    outcome.worst = worst.error;
    outcome.asked = static_cast<double>(values[worst.index]);
    outcome.stored = static_cast<double>(held[worst.index]);
}

} // namespace

template <class Value>
std::size_t RunEditor::State::takeMany(std::uint64_t index, std::span<const Value> values,
                                       EditTolerance tolerance, std::span<const Value> nearest,
                                       std::span<const std::uint8_t> codes, std::span<float> held,
                                       RunOutcome &outcome)
{
    if (outcome.refusal || ordered())
        return 0;
    const TakeRun<Value> run{values, nearest, tolerance.relative, tolerance.absolute};
    const std::uint64_t first = index - firstCode;
    auto *const stored =
        width < 8 ? narrow.data() + first : reinterpret_cast<std::uint8_t *>(packed.data()) + first;
    TakeWorst worst{outcome.worst, SIZE_MAX};
    const std::size_t done = takeNearest(run, codes, held, stored, outcome.changed, worst);
    noteWorst(worst, values, held, outcome);
    return done;
}

template <class Value>
void RunEditor::State::takeFound(std::uint64_t element, std::uint64_t index,
                                 std::span<const Value> values, std::span<const Value> nearest,
                                 EditTolerance tolerance, std::span<float> held,
                                 RunOutcome &outcome)
{
    constexpr std::size_t kSlow = 8; // elements from one on that takeMany() leaves to take()
    const std::span<const std::uint8_t> codes(nearestCodes);
    const auto chosenAt = [&](std::size_t at, double value) -> std::optional<CodeCandidate> {
        if (!std::isnan(nearest[at]))
            return CodeCandidate{codes[at], static_cast<double>(nearest[at])};
        const std::uint64_t own = element + at;
        if (own >= enteredEnd)
            enteredEnd = own + chooser.enter(own);
        return chooser.nearest({own, 0, own}, value);
    };
    for (std::size_t at = 0; at < values.size();) {
        at += takeMany(index + at, values.subspan(at), tolerance, nearest.subspan(at),
                       codes.subspan(at), held.subspan(at), outcome);
        for (const std::size_t end = std::min(at + kSlow, values.size()); at < end; ++at) {
            const auto value = static_cast<double>(values[at]);
            if (static_cast<double>(held[at]) != value) {
                take(element + at, index + at, value, tolerance.of(value), held[at],
                     chosenAt(at, value), outcome);
            } else if (outcome.worst < 0) {
                outcome.worst = 0;
                outcome.asked = outcome.stored = value;
            }
        }
    }
}

template std::size_t RunEditor::State::takeMany<double>(std::uint64_t, std::span<const double>,
                                                        EditTolerance, std::span<const double>,
                                                        std::span<const std::uint8_t>,
                                                        std::span<float>, RunOutcome &);
template void RunEditor::State::takeFound<double>(std::uint64_t, std::uint64_t,
                                                  std::span<const double>, std::span<const double>,
                                                  EditTolerance, std::span<float>, RunOutcome &);

bool RunEditor::State::setFloats(std::uint64_t element, std::uint64_t index,
                                 std::span<const float> values, EditTolerance tolerance,
                                 std::span<float> held, RunOutcome &outcome)
{
    if (values.empty() || ordered())
        return false;
    if (plainTo == ElementType::Fp16)
        return state.mask ? setKeptHalves(element, index, values, held, outcome)
                          : setHalves(index, values, held, outcome);
    if (state.mask || !state.palette || !chooser.answersMany())
        return false;
    setPlaced(element, index, values, tolerance, held, outcome);
    return true;
}

bool RunEditor::State::setHalves(std::uint64_t index, std::span<const float> values,
                                 std::span<float> held, RunOutcome &outcome)
{
    halves.resize(values.size());
    rounded.resize(values.size());
    convertFloatToHalf(values, halves);
    if (!areFinite(halves))
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
        const auto value = static_cast<double>(values[i]);
        const double error = std::abs(static_cast<double>(rounded[i]) - value);
        const bool stays = std::abs(static_cast<double>(held[i]) - value) == error;
        if (error > outcome.worst) {
            outcome.worst = error;
            outcome.asked = value;
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

bool RunEditor::State::setKeptHalves(std::uint64_t element, std::uint64_t index,
                                     std::span<const float> values, std::span<float> held,
                                     RunOutcome &outcome)
{
    constexpr std::size_t kMore = 16; // room that gatherKept() wants
    keptValues.resize(values.size() + kMore);
    const auto mask = state.mask->bytes();
    const KeptRun kept = gatherKept(mask, element, values, keptValues);
    if (kept.othersNonzero)
        return false;
    keptHeld.resize(kept.count);
    convertHalfToFloat(std::as_bytes(std::span(packed)).subspan(2 * (index - firstCode)), keptHeld);
    const double worstBefore = outcome.worst;
    if (!setHalves(index, std::span<const float>(keptValues).first(kept.count), keptHeld, outcome))
        return false;
    expandFloats(mask, element, keptHeld, held);
    if (worstBefore < 0 && outcome.worst <= 0) { // no element is off: the first one is named
        outcome.worst = 0;
        outcome.asked = outcome.stored = static_cast<double>(values.front());
    }
    return true;
}

void RunEditor::State::setPlaced(std::uint64_t element, std::uint64_t index,
                                 std::span<const float> values, EditTolerance tolerance,
                                 std::span<float> held, RunOutcome &outcome)
{
    rounded.resize(values.size());
    for (std::size_t at = 0; at < values.size();) {
        const auto same = static_cast<std::size_t>(
            std::min<std::uint64_t>(chooser.enter(element + at), values.size() - at));
        enteredEnd = element + at + same;
        const auto some = values.subspan(at, same);
        const auto now = held.subspan(at, same);
        nearestCodes.resize(same);
        if (chooser.nearestOf(element + at, some, std::span(rounded).first(same), nearestCodes)) {
            takeFound<float>(element + at, index + at, some, rounded, tolerance, now, outcome);
        } else {
            wideRun.assign(some.begin(), some.end());
            findSame(element + at, wideRun);
            takeFound<double>(element + at, index + at, wideRun, nearestValues, tolerance, now,
                              outcome);
        }
        at += same;
    }
}

} // namespace kernscope::codec
