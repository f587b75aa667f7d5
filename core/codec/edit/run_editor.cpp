// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codec/edit/run_editor.h"

#include "core/codec/edit/run_editor_state.h"
#include "core/codec/kernels/kept_kernels.h"
#include "core/numeric/convert.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace kernscope::codec {

double EditTolerance::of(double value) const
{
    const double share = std::abs(value) * relative;
    return std::isfinite(share) && share > absolute ? share : absolute;
}

static bool holds(const CodeCandidate &candidate, double value, double tolerance,
                  ElementType plainTo)
{
    return equalValues(candidate.value, value) || std::abs(candidate.value - value) <= tolerance ||
           (plainTo != ElementType::Unknown && isNaturalRounding(plainTo, value, candidate.code));
}

Taking takingOf(double now, double value, double tolerance,
                const std::optional<CodeCandidate> &chosen, ElementType plainTo)
{
    Taking taking;
    // The code that is there stays where none of those that were looked at is nearer.
    taking.stays =
        !std::isnan(now) && (!chosen || std::abs(now - value) <= std::abs(chosen->value - value));
    taking.becomes = taking.stays || !chosen ? now : chosen->value;
    taking.refused =
        (!chosen && !taking.stays) ||
        !holds({chosen ? chosen->code : -1, taking.becomes}, value, tolerance, plainTo);
    taking.error = equalValues(taking.becomes, value) ? 0.0 : std::abs(taking.becomes - value);
    return taking;
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
                            double tolerance, float &held,
                            const std::optional<CodeCandidate> &chosen, RunOutcome &outcome)
{
    const Taking taking = takingOf(static_cast<double>(held), value, tolerance, chosen, plainTo);
    if (taking.refused)
        return refuse(element, value, tolerance, outcome);
    if (taking.error > outcome.worst || std::isnan(taking.error)) {
        outcome.worst = std::isnan(taking.error) ? outcome.worst : taking.error;
        outcome.asked = value;
        outcome.stored = taking.becomes;
    }
    if (taking.stays || outcome.refusal)
        return;
    held = static_cast<float>(taking.becomes);
    ++outcome.changed;
    store(index - firstCode, element, chosen->code);
}

void RunEditor::State::setAlikeOne(const std::optional<CodeCandidate> &fitting,
                                   std::uint64_t element, std::uint64_t index, double value,
                                   double tolerance, float &held, RunOutcome &outcome)
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
        if (fitting && !holds(*fitting, value, tolerance.of(value), plainTo))
            fitting = std::nullopt;
        std::size_t done = 0;
        if (fitting && width <= 8) {
            nearestValues.assign(same, fitting->value);
            nearestCodes.assign(same,
                                static_cast<std::uint8_t>(fitting->code & ((1 << width) - 1)));
            done = takeMany<double>(index + at, values.subspan(at, same), tolerance, nearestValues,
                                    nearestCodes, held.subspan(at, same), outcome);
        }
        for (std::size_t i = at + done; i < at + same; ++i)
            setAlikeOne(fitting, element + i, index + i, value, tolerance.of(value), held[i],
                        outcome);
        at += same;
    }
}

void RunEditor::State::findSame(std::uint64_t element, std::span<const double> values)
{
    constexpr std::size_t kFew = 8; // elements for which the detour does not pay
    nearestValues.assign(values.size(), std::numeric_limits<double>::quiet_NaN());
    nearestCodes.resize(values.size());
    if (values.size() >= kFew)
        chooser.nearestOf(element, values, nearestValues, nearestCodes);
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
        takeFound<double>(element, index, values, nearestValues, tolerance, held, outcome);
        return true;
    }
    for (std::size_t at = 0; at < values.size();) {
        const auto same = static_cast<std::size_t>(
            std::min<std::uint64_t>(chooser.enter(element + at), values.size() - at));
        enteredEnd = element + at + same;
        findSame(element + at, values.subspan(at, same));
        takeFound<double>(element + at, index + at, values.subspan(at, same), nearestValues,
                          tolerance, held.subspan(at, same), outcome);
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
    if (plainTo == ElementType::Fp16) {
        floats.resize(values.size());
        if (narrowExactly(values, floats) && setFloats(element, index, floats, {}, held, outcome))
            return true;
    }
    if (state.mask)
        return false;
    const double value = values.front();
    const bool alike =
        std::isfinite(value) &&
        std::all_of(values.begin(), values.end(), [value](double other) { return other == value; });
    if (!alike && state.palette) { // most of what is computed of fp16 numbers is fp32
        floats.resize(values.size());
        if (narrowExactly(values, floats) && areFinite(floats) &&
            setFloats(element, index, floats, tolerance, held, outcome))
            return true;
    }
    if (!alike || chooser.hasShortBlocks())
        return setFinite(element, index, values, tolerance, held, outcome);
    setAlike(element, index, values, tolerance, held, outcome);
    return true;
}

bool takesRuns(const Decoder::State &state)
{
    const ElementType type = state.encoding.type;
    const bool exact = bitWidth(type) <= 16 || type == ElementType::Fp32;
    const bool vectors = state.palette && state.palette->vector != 1;
    const ElementOrder *const order = state.payload.order.get();
    const bool moves = order != nullptr && (state.mask || order->skipsZeros());
    const bool locked = order != nullptr && !order->lockReason().empty();
    return exact && !vectors && !moves && !state.payloadDecoder && !locked;
}

std::optional<RunEditor> RunEditor::make(const Decoder &decoder)
{
    const Decoder::State &state = Editor::stateOf(decoder);
    if (!takesRuns(state))
        return std::nullopt;
    return RunEditor(std::make_unique<State>(decoder, state));
}

bool RunEditor::set(std::uint64_t first, std::span<const double> values, EditTolerance tolerance,
                    std::span<float> held, RunOutcome &outcome)
{
    const auto from = m_state->begin(first, values.size(), outcome);
    if (!from)
        return false;
    m_state->setLoaded(first, *from, values, tolerance, held, outcome);
    return true;
}

bool RunEditor::set(std::uint64_t first, std::span<const float> values, EditTolerance tolerance,
                    std::span<float> held, RunOutcome &outcome)
{
    State &own = *m_state;
    const auto from = own.begin(first, values.size(), outcome);
    if (!from)
        return false;
    const std::uint64_t changedBefore = outcome.changed;
    // Those of fp16 are looked at once they are rounded.
    const bool known = own.plainTo == ElementType::Fp16 || areFinite(values);
    if (!known || !own.setFloats(first, *from, values, tolerance, held, outcome)) {
        own.wideRun.assign(values.begin(), values.end());
        own.setLoaded(first, *from, own.wideRun, tolerance, held, outcome);
        return true;
    }
    outcome.seen += values.size();
    if (outcome.changed > changedBefore && !outcome.refusal)
        outcome.bytes = own.takeBytes();
    return true;
}

bool RunEditor::setKept(std::uint64_t first, std::span<const float> values, std::span<float> held,
                        RunOutcome &outcome)
{
    State &own = *m_state;
    if (!own.state.mask || own.plainTo != ElementType::Fp16 || own.ordered() || values.empty())
        return false;
    const auto from = own.begin(first, values.size(), outcome);
    const std::uint64_t changedBefore = outcome.changed;
    if (!from || !own.setKeptHalves(first, *from, values, held, outcome))
        return false;
    outcome.seen += values.size();
    if (outcome.changed > changedBefore && !outcome.refusal)
        outcome.bytes = own.takeBytes();
    return true;
}

std::span<const std::byte> RunEditor::payload() const
{
    return m_state->state.payload.bytes;
}

unsigned RunEditor::codeBits() const
{
    return m_state->width;
}

bool RunEditor::keepsAsSet(std::uint64_t first, std::uint64_t count,
                           std::span<const std::byte> payload)
{
    State &own = *m_state;
    const std::uint64_t from = own.state.mask->rank(first);
    const std::uint64_t to = own.state.mask->rank(first + count);
    if (to > own.state.payloadElements || to - from != own.keptHeld.size())
        return false;
    own.floats.resize(own.keptHeld.size());
    convertHalfToFloat(payload.subspan(2 * from, 2 * own.floats.size()), own.floats);
    return own.floats.empty() || std::memcmp(own.floats.data(), own.keptHeld.data(),
                                             std::span(own.floats).size_bytes()) == 0;
}

/// Loads the codes of a run; returns the number of the first, or nothing where the payload is too
/// short.
std::optional<std::uint64_t> RunEditor::State::begin(std::uint64_t first, std::size_t count,
                                                     RunOutcome &outcome)
{
    outcome.bytes.clear();
    const std::uint64_t from = state.mask ? state.mask->rank(first) : first;
    const std::uint64_t to = state.mask ? state.mask->rank(first + count) : first + count;
    if (to > state.payloadElements)
        return std::nullopt;
    if (ordered())
        loadOrdered(first, count);
    else
        load(from, to);
    return from;
}

void RunEditor::State::setLoaded(std::uint64_t first, std::uint64_t from,
                                 std::span<const double> values, EditTolerance tolerance,
                                 std::span<float> held, RunOutcome &outcome)
{
    const std::uint64_t changedBefore = outcome.changed;
    if (setMany(first, from, values, tolerance, held, outcome))
        outcome.seen += values.size();
    else
        setEach(first, from, values, tolerance, held, outcome);
    if (outcome.changed > changedBefore && !outcome.refusal)
        outcome.bytes = takeBytes();
}

void RunEditor::State::setEach(std::uint64_t first, std::uint64_t from,
                               std::span<const double> values, EditTolerance tolerance,
                               std::span<float> held, RunOutcome &outcome)
{
    std::uint64_t index = ordered() ? 0 : from;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const std::uint64_t element = first + i;
        const bool isStored = stored(element, i);
        ++outcome.seen;
        if (equalValues(static_cast<double>(held[i]), values[i])) {
            if (outcome.worst < 0) {
                outcome.worst = 0;
                outcome.asked = outcome.stored = values[i];
            }
        } else if (isStored) {
            setOne(element, index, values[i], tolerance.of(values[i]), held[i], outcome);
        } else if (const double error = std::abs(values[i]);
                   error <= tolerance.of(values[i])) { // its zero is near enough
            if (error > outcome.worst) {
                outcome.worst = error;
                outcome.asked = values[i];
                outcome.stored = 0;
            }
        } else {
            refuse(element, values[i], tolerance.of(values[i]), outcome);
        }
        index += isStored || ordered() ? 1 : 0;
    }
}

} // namespace kernscope::codec
