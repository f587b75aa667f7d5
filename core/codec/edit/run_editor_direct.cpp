// SPDX-License-Identifier: GPL-3.0-or-later
// Runs of fp32 numbers that kernels settle straight from the stored codes.
#include "core/codec/edit/run_editor_state.h"
#include "core/codec/kernels/direct_kernels.h"
#include "core/codec/kernels/kept_kernels.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kernscope::codec {

namespace {

/// The largest fp32 number that is not above it.
float floatBelow(double value)
{
    const auto rounded = static_cast<float>(value);
    return static_cast<double>(rounded) > value
               ? std::nextafter(rounded, -std::numeric_limits<float>::infinity())
               : rounded;
}

} // namespace

bool RunEditor::State::takeAllSteps(std::uint64_t element, std::uint64_t index,
                                    std::span<const float> values, float spare,
                                    EditTolerance tolerance, RunOutcome &outcome)
{
    constexpr double kLess = 1 - 0x1p-20; // covers the rounding of the products
    StepTakeRun run;
    run.smallest = static_cast<float>(smallestCode(state.payload.type));
    run.largest = static_cast<float>(largestCode(state.payload.type));
    run.mask = (1U << width) - 1U;
    run.toHalf = state.halfResult();
    run.absolute = floatBelow(tolerance.absolute);
    run.relative = floatBelow(tolerance.relative * kLess);
    run.worst = floatBelow(outcome.worst);
    run.spare = spare;
    const std::size_t before = index - firstCode;
    const auto codes =
        width < 8 ? std::span(narrow).subspan(before)
                  : std::span(reinterpret_cast<std::uint8_t *>(packed.data()), packed.size())
                        .subspan(before);
    scales.resize(kBlockElements);
    offsets.resize(kBlockElements);
    rounded.resize(values.size());
    std::uint64_t changed = 0;
    for (std::size_t at = 0; at < values.size(); at += kBlockElements) {
        const std::size_t count = std::min(kBlockElements, values.size() - at);
        run.values = values.subspan(at, count);
        run.scales = std::span<const float>(scales).first(count);
        run.offsets = std::span<const float>(offsets).first(count);
        if (!findSteps(element + at, count) ||
            !takeSteps(run, codes.subspan(at, count), std::span(rounded).subspan(at, count),
                       changed))
            return false;
    }
    outcome.changed += changed;
    return true;
}

/// Scales and offsets of elements from one on; false where takeSteps() is not for them. Those of a
/// long block are found once.
bool RunEditor::State::findSteps(std::uint64_t element, std::size_t count)
{
    if (element >= stepsFrom && element + count <= stepsEnd)
        return true;
    stepsEnd = 0;
    const auto someScales = std::span(scales).first(count);
    const auto someOffsets = std::span(offsets).first(count);
    state.scalesOfElements(element, someScales, someOffsets);
    if (!areSoundSteps(someScales, someOffsets))
        return false;
    const std::uint64_t left = GridWalker(state.scaling->grid, element).cellLeft();
    if (count == kBlockElements && left >= count) {
        stepsFrom = element;
        stepsEnd = element + left;
    }
    return true;
}

bool RunEditor::State::roundAll(std::uint64_t index, std::span<const float> values,
                                RunOutcome &outcome)
{
    const auto codes = state.payload.bytes.subspan(2 * index, 2 * values.size());
    firstByte = 2 * index;
    packed.resize(codes.size());
    rounded.resize(values.size());
    std::uint64_t changed = 0;
    if (!takeRounded(values, codes, floatBelow(outcome.worst), packed, rounded, changed))
        return false;
    outcome.changed += changed;
    return true;
}

bool RunEditor::State::isDirect() const
{
    if (state.mask || state.palette || ordered())
        return false;
    if (plainTo == ElementType::Fp16)
        return true;
    const ElementType type = state.payload.type;
    return state.scaling && !state.scaling->addsOffset && !isFloatingPoint(type) && width <= 8;
}

bool RunEditor::State::takeDirect(std::uint64_t first, std::span<const float> values, float spare,
                                  EditTolerance tolerance, std::span<float> held,
                                  RunOutcome &outcome)
{
    outcome.bytes.clear();
    if (values.empty() || outcome.refusal || outcome.worst < 0 ||
        first + values.size() > state.payloadElements)
        return false;
    const std::uint64_t changedBefore = outcome.changed;
    if (plainTo == ElementType::Fp16) {
        if (!roundAll(first, values, outcome))
            return false;
    } else {
        const auto from = begin(first, values.size(), outcome);
        if (!from || !takeAllSteps(first, *from, values, spare, tolerance, outcome))
            return false;
    }
    std::copy_n(rounded.begin(), held.size(), held.begin());
    outcome.seen += values.size();
    if (outcome.changed > changedBefore)
        outcome.bytes = takeBytes();
    return true;
}

bool RunEditor::setDirect(std::uint64_t first, std::span<const float> values,
                          EditTolerance tolerance, std::span<float> held, RunOutcome &outcome)
{
    return m_state->isDirect() && m_state->takeDirect(first, values, 0, tolerance, held, outcome);
}

bool RunEditor::setDirect(std::uint64_t first, std::span<const double> values,
                          EditTolerance tolerance, std::span<float> held, RunOutcome &outcome)
{
    State &own = *m_state;
    if (!own.isDirect() || outcome.worst < 0)
        return false;
    own.floats.resize(values.size());
    float spare = 0;
    if (!narrowExactly(values, own.floats)) {
        if (!own.state.scaling || !own.state.halfResult())
            return false;
        narrowToOdd(values, own.floats);
        spare = kOddSpare;
    }
    return own.takeDirect(first, own.floats, spare, tolerance, held, outcome);
}

} // namespace kernscope::codec
