// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codec/edit/run_editor.h"

#include "core/codec/edit/run_editor_state.h"
#include "core/numeric/convert.h"
#include "core/numeric/half.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace kernscope::codec {

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

/// take() where the tolerance alone settles it, of packed codes and finite values: without the
/// questions that millions of elements have no need of. False: nothing was done.
bool RunEditor::State::takeHeld(std::uint64_t index, double value, double tolerance, float &held,
                                const Candidate &chosen, RunOutcome &outcome)
{
    const double now = static_cast<double>(held);
    const double byNow = std::abs(now - value), byChosen = std::abs(chosen.value - value);
    const bool stays = byNow <= byChosen; // not where it is not a number
    const double error = stays ? byNow : byChosen;
    if (chosen.code == CodeChooser::kNoCode || width > 8 || outcome.refusal ||
        !(error <= tolerance))
        return false;
    if (error > outcome.worst) {
        outcome.worst = error;
        outcome.asked = value;
        outcome.stored = stays ? now : chosen.value;
    }
    // Stored in either case: nothing tells beforehand which elements change.
    const auto becomes = static_cast<std::uint8_t>(chosen.code & ((1 << width) - 1));
    if (width < 8) {
        std::uint8_t &code = narrow[index - firstCode];
        code = stays ? code : becomes;
    } else {
        std::byte &code = packed[index - firstCode];
        code = stays ? code : std::byte{becomes};
    }
    held = stays ? held : static_cast<float>(chosen.value);
    outcome.changed += stays ? 0 : 1;
    return true;
}

/// One finite value for all of them: one code wherever codebook and scale are the same.
void RunEditor::State::setAlike(std::uint64_t element, std::uint64_t index, double value,
                                double tolerance, std::span<float> held, RunOutcome &outcome)
{
    for (std::size_t at = 0; at < held.size();) {
        const auto same = static_cast<std::size_t>(
            std::min<std::uint64_t>(chooser.enter(element + at), held.size() - at));
        enteredEnd = element + at + same;
        const std::uint64_t first = element + at;
        const auto chosen = chooser.nearest({first, 0, first}, value);
        const bool fits = chosen && holds(*chosen, value, tolerance);
        const double error = fits ? std::abs(chosen->value - value) : 0;
        const auto code = fits ? static_cast<float>(chosen->value) : 0.0f;
        for (std::size_t i = at; i < at + same; ++i) {
            const auto now = static_cast<double>(held[i]);
            if (now == value && outcome.worst < 0) {
                outcome.worst = 0;
                outcome.asked = outcome.stored = value;
            } else if (now == value) {
                continue;
            } else if (!fits || error > outcome.worst) {
                setOne(element + i, index + i, value, tolerance, held[i], outcome);
            } else if (!(std::abs(now - value) <= error) && !outcome.refusal) {
                held[i] = code;
                ++outcome.changed;
                store(index + i - firstCode, element + i, chosen->code);
            }
        }
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
    bool exact = true;
    for (std::size_t i = 0; i < values.size(); ++i) {
        floats[i] = static_cast<float>(values[i]);
        exact = exact && static_cast<double>(floats[i]) == values[i];
    }
    if (!exact)
        return false;
    convertFloatToHalf(floats, halves);
    const bool finite = std::none_of(halves.begin(), halves.end(), [](std::uint16_t half) {
        return (half & kHalfInfinity) == kHalfInfinity;
    });
    if (!finite)
        return false;
    convertHalfToFloat(std::span<const std::uint16_t>(halves), rounded);
    std::byte *const to = packed.data() + 2 * (index - firstCode);
    for (std::size_t i = 0; i < values.size(); ++i) {
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

/// What setOne does for each of them. False where nothing was done.
bool RunEditor::State::setFinite(std::uint64_t element, std::uint64_t index,
                                 std::span<const double> values, EditTolerance tolerance,
                                 std::span<float> held, RunOutcome &outcome)
{
    constexpr std::size_t kFew = 8; // elements for which the detour does not pay
    const auto finite = [](double value) { return std::isfinite(value); };
    if (!chooser.answersMany() || !std::all_of(values.begin(), values.end(), finite))
        return false;
    candidates.resize(values.size());
    for (std::size_t at = 0; at < values.size();) {
        const auto same = static_cast<std::size_t>(
            std::min<std::uint64_t>(chooser.enter(element + at), values.size() - at));
        enteredEnd = element + at + same;
        const auto some = std::span(candidates).first(same);
        if (same >= kFew)
            chooser.nearestOf(element + at, values.subspan(at, same), some);
        else
            std::fill(some.begin(), some.end(), Candidate{CodeChooser::kNoCode, 0});
        for (std::size_t i = 0; i < same; ++i) {
            const double value = values[at + i];
            const std::uint64_t place = element + at + i;
            if (static_cast<double>(held[at + i]) != value) {
                if (takeHeld(index + at + i, value, tolerance.of(value), held[at + i], some[i],
                             outcome))
                    continue;
                const auto chosen = some[i].code != CodeChooser::kNoCode
                                        ? std::optional(some[i])
                                        : chooser.nearest({place, 0, place}, value);
                take(place, index + at + i, value, tolerance.of(value), held[at + i], chosen,
                     outcome);
            } else if (outcome.worst < 0) {
                outcome.worst = 0;
                outcome.asked = outcome.stored = value;
            }
        }
        at += same;
    }
    return true;
}

bool RunEditor::State::setMany(std::uint64_t element, std::uint64_t index,
                               std::span<const double> values, EditTolerance tolerance,
                               std::span<float> held, RunOutcome &outcome)
{
    if (values.empty() || state.mask || ordered())
        return false;
    const double value = values.front();
    const bool alike =
        std::isfinite(value) &&
        std::all_of(values.begin(), values.end(), [value](double other) { return other == value; });
    if (!alike)
        return (plainTo == ElementType::Fp16 && setHalves(index, values, held, outcome)) ||
               setFinite(element, index, values, tolerance, held, outcome);
    setAlike(element, index, value, tolerance.of(value), held, outcome);
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
