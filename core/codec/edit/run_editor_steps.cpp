// SPDX-License-Identifier: GPL-3.0-or-later
// Runs of integer codes under scales, many elements at a time.
#include "core/codec/edit/run_editor_state.h"
#include "core/codec/kernels/kept_kernels.h"
#include "core/codec/kernels/step_kernels.h"

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
                                    std::span<const float> values, EditTolerance tolerance,
                                    RunOutcome &outcome)
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
        run.scales = std::span(scales).first(count);
        run.offsets = std::span(offsets).first(count);
        state.scalesOfElements(element + at, std::span(scales).first(count),
                               std::span(offsets).first(count));
        if (!areSoundSteps(run.scales, run.offsets) ||
            !takeSteps(run, codes.subspan(at, count), std::span(rounded).subspan(at, count),
                       changed))
            return false;
    }
    outcome.changed += changed;
    return true;
}

bool RunEditor::setSteps(std::uint64_t first, std::span<const float> values,
                         EditTolerance tolerance, std::span<float> held, RunOutcome &outcome)
{
    State &own = *m_state;
    const ElementType type = own.state.payload.type;
    const bool steps = own.state.scaling && !own.state.scaling->addsOffset && !own.state.palette &&
                       !own.state.mask && !own.ordered() && !isFloatingPoint(type) &&
                       bitWidth(type) <= 8;
    if (!steps || values.empty() || outcome.refusal || outcome.worst < 0)
        return false;
    const auto from = own.begin(first, values.size(), outcome);
    const std::uint64_t changedBefore = outcome.changed;
    if (!from || !own.takeAllSteps(first, *from, values, tolerance, outcome))
        return false;
    std::copy_n(own.rounded.begin(), held.size(), held.begin());
    outcome.seen += values.size();
    if (outcome.changed > changedBefore)
        outcome.bytes = own.takeBytes();
    return true;
}

bool RunEditor::setSteps(std::uint64_t first, std::span<const double> values,
                         EditTolerance tolerance, std::span<float> held, RunOutcome &outcome)
{
    State &own = *m_state;
    if (!own.state.scaling || outcome.worst < 0)
        return false;
    own.floats.resize(values.size());
    return narrowExactly(values, own.floats) &&
           setSteps(first, std::span<const float>(own.floats), tolerance, held, outcome);
}

} // namespace kernscope::codec
