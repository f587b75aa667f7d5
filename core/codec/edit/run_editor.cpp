// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codec/edit/run_editor.h"

#include "core/codec/edit/code_chooser.h"
#include "core/codec/edit/edit_common.h"
#include "core/numeric/bitpack.h"
#include "core/numeric/convert.h"

#include <cmath>
#include <cstring>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace kernscope::codec {

namespace {

bool equalValues(double a, double b)
{
    return a == b || (std::isnan(a) && std::isnan(b));
}

/// Writes the low `width` bits of a code into a packed run.
void storeCode(std::span<std::byte> packed, unsigned width, std::uint64_t index, std::int64_t code)
{
    if (width >= 8) {
        std::memcpy(packed.data() + index * (width / 8), &code, width / 8);
        return;
    }
    const auto narrow = static_cast<std::uint8_t>(code);
    packCodes(std::span(&narrow, 1), width, index, packed);
}

} // namespace

double EditTolerance::of(double value) const
{
    const double share = std::abs(value) * relative;
    return std::isfinite(share) && share > absolute ? share : absolute;
}

struct RunEditor::State {
    State(const Decoder &made, const Decoder::State &decoded)
        : decoder(made), state(decoded), chooser(decoded), width(codeWidth(decoded)),
          plainTo(plainType(decoded))
    {
    }

    void setOne(std::uint64_t element, std::uint64_t index, double value, double tolerance,
                float &held, RunOutcome &outcome);
    void refuse(std::uint64_t element, double value, double tolerance, RunOutcome &outcome) const;
    bool holds(const Candidate &candidate, double value, double tolerance) const
    {
        return equalValues(candidate.value, value) ||
               std::abs(candidate.value - value) <= tolerance ||
               (plainTo != ElementType::Unknown &&
                isNaturalRounding(plainTo, value, candidate.code));
    }

    Decoder decoder;
    const Decoder::State &state; ///< of `decoder`
    CodeChooser chooser;
    unsigned width;
    ElementType plainTo;
    std::uint64_t firstByte = 0; ///< of `packed` in the payload
    std::uint64_t firstCode = 0; ///< code that lies at the start of `packed`
    std::vector<std::byte> packed;
};

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
    const auto chosen = chooser.nearest(place, value);
    const double now = static_cast<double>(held);
    // Of several codes that are equally near, the one that is there stays.
    const bool stays =
        chosen && std::abs(now - value) == std::abs(chosen->value - value) && !std::isnan(now);
    const double becomes = stays ? now : chosen ? chosen->value : 0;
    if (!chosen || !holds(stays ? Candidate{chosen->code, now} : *chosen, value, tolerance))
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
    storeCode(packed, width, index - firstCode, chosen->code);
}

std::optional<RunEditor> RunEditor::make(const Decoder &decoder)
{
    const Decoder::State &state = Editor::stateOf(decoder);
    const ElementType type = state.encoding.type;
    const bool exact = bitWidth(type) <= 16 || type == ElementType::Fp32;
    const bool vectors = state.palette && state.palette->vector != 1;
    if (!exact || vectors || state.payload.order || state.payloadDecoder)
        return std::nullopt;
    return RunEditor(std::make_unique<State>(decoder, state));
}

bool RunEditor::set(std::uint64_t first, std::span<const double> values, EditTolerance tolerance,
                    std::span<float> held, RunOutcome &outcome)
{
    State &own = *m_state;
    const auto &mask = own.state.mask;
    outcome.bytes.reset();
    const std::uint64_t from = mask ? mask->rank(first) : first;
    const std::uint64_t to = mask ? mask->rank(first + values.size()) : first + values.size();
    if (to > own.state.payloadElements)
        return false;
    // Whole bytes, and for sub-byte codes a start at which a code begins.
    const std::uint64_t step = own.width >= 8 ? 1 : 8;
    own.firstCode = from / step * step;
    own.firstByte = own.firstCode * own.width / 8;
    const std::uint64_t endByte = (to * own.width + 7) / 8;
    const auto bytes = own.state.payload.bytes.subspan(own.firstByte, endByte - own.firstByte);
    own.packed.assign(bytes.begin(), bytes.end());
    const std::uint64_t changedBefore = outcome.changed;
    std::uint64_t index = from;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const std::uint64_t element = first + i;
        const bool stored = !mask || mask->test(element);
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
        index += stored ? 1 : 0;
    }
    if (outcome.changed > changedBefore && !outcome.refusal)
        outcome.bytes = PartEdit{own.state.payload.role, own.firstByte, own.packed};
    return true;
}

} // namespace kernscope::codec
