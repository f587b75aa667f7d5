// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codec/edit/run_editor.h"

#include "core/codec/edit/code_chooser.h"
#include "core/codec/edit/edit_common.h"
#include "core/numeric/bitpack.h"
#include "core/numeric/convert.h"
#include "core/numeric/half.h"

#include <algorithm>
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

/// Lays the low `width` bits of a code over bytes; `highestFirst` as ElementOrder has it. Codes of
/// whole bytes are little-endian at whole bytes.
void putBits(std::span<std::byte> bytes, std::uint64_t position, unsigned width, std::int64_t code,
             bool highestFirst)
{
    if (width >= 8) {
        for (unsigned i = 0; i < width / 8; ++i)
            bytes[position / 8 + i] =
                static_cast<std::byte>(static_cast<std::uint64_t>(code) >> (8 * i) & 0xffu);
        return;
    }
    for (unsigned bit = 0; bit < width; ++bit) {
        const std::uint64_t at = position + bit;
        const auto place = static_cast<unsigned>(highestFirst ? 7 - at % 8 : at % 8);
        const unsigned from = highestFirst ? width - 1 - bit : bit;
        const auto one = static_cast<std::byte>(1u << place);
        const bool set = (static_cast<std::uint64_t>(code) >> from & 1u) != 0;
        bytes[at / 8] = set ? bytes[at / 8] | one : bytes[at / 8] & ~one;
    }
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
    /// The element's code becomes `chosen`, or stays.
    void take(std::uint64_t element, std::uint64_t index, double value, double tolerance,
              float &held, const std::optional<Candidate> &chosen, RunOutcome &outcome);
    /// setOne for finite values, with what they share looked up once.
    bool setFinite(std::uint64_t element, std::uint64_t index, std::span<const double> values,
                   EditTolerance tolerance, std::span<float> held, RunOutcome &outcome);
    void refuse(std::uint64_t element, double value, double tolerance, RunOutcome &outcome) const;
    /// setOne for elements that are stored, from code `index` on, by what they share.
    void setAlike(std::uint64_t element, std::uint64_t index, double value, double tolerance,
                  std::span<float> held, RunOutcome &outcome);
    bool setHalves(std::uint64_t index, std::span<const double> values, std::span<float> held,
                   RunOutcome &outcome);
    /// All elements at once where that can be; false where nothing was done.
    bool setMany(std::uint64_t element, std::uint64_t index, std::span<const double> values,
                 EditTolerance tolerance, std::span<float> held, RunOutcome &outcome);
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
    bool ordered() const { return state.payload.order != nullptr; }
    /// Codes [from, to) of the payload, which are those of the elements from `first` on.
    void load(std::uint64_t from, std::uint64_t to);
    void loadOrdered(std::uint64_t first, std::size_t count);
    bool stored(std::uint64_t element, std::size_t i) const
    {
        return ordered() ? positions[i] != ElementOrder::kAbsent
                         : !state.mask || state.mask->test(element);
    }
    void store(std::uint64_t index, std::uint64_t element, std::int64_t code);
    std::vector<PartEdit> takeBytes();
    std::vector<PartEdit> takeOrdered();

    std::uint64_t firstByte = 0; ///< of `packed` in the payload
    std::uint64_t firstCode = 0; ///< code that lies at the start of `packed`
    std::vector<std::byte> packed;
    std::vector<std::uint8_t> narrow; ///< the codes of `packed`, where they share bytes
    std::uint64_t enteredEnd = 0;     ///< elements up to it share what the chooser entered

    /// Of a payload with an order of its own: where the run's codes lie, and what is to change.
    struct OrderedCode {
        std::uint64_t position = 0; ///< of its first bit, as the order counts them
        std::int64_t code = 0;
    };
    std::vector<std::uint64_t> positions;
    std::vector<OrderedCode> orderedCodes;

    std::vector<Candidate> candidates;  ///< of setFinite
    std::vector<float> floats, rounded; ///< of setHalves
    std::vector<std::uint16_t> halves;
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

/// The bytes of codes [from, to), and some of the same bytes before them.
void RunEditor::State::load(std::uint64_t from, std::uint64_t to)
{
    // Whole bytes, and for sub-byte codes a start at which a code begins.
    const std::uint64_t step = width >= 8 ? 1 : 8;
    firstCode = from / step * step;
    firstByte = firstCode * width / 8;
    enteredEnd = 0;
    const std::uint64_t endByte = (to * width + 7) / 8;
    const auto bytes = state.payload.bytes.subspan(firstByte, endByte - firstByte);
    packed.assign(bytes.begin(), bytes.end());
    narrow.resize(width >= 8 ? 0 : to - firstCode);
    if (width < 8)
        unpackCodes(packed, width, 0, narrow);
}

void RunEditor::State::loadOrdered(std::uint64_t first, std::size_t count)
{
    firstCode = 0;
    enteredEnd = 0;
    orderedCodes.clear();
    positions.resize(count);
    state.payload.order->positions(first, positions);
}

/// `index`: of the code among those that were loaded.
void RunEditor::State::store(std::uint64_t index, std::uint64_t element, std::int64_t code)
{
    if (ordered()) {
        orderedCodes.push_back({positions[index], code});
        for (const std::uint64_t copy : state.payload.order->copies(element))
            orderedCodes.push_back({copy, code});
        return;
    }
    if (width < 8)
        narrow[index] = static_cast<std::uint8_t>(code & ((1 << width) - 1));
    else if (width == 8)
        packed[index] = static_cast<std::byte>(code & 0xff);
    else
        std::memcpy(packed.data() + index * (width / 8), &code, width / 8);
}

std::vector<PartEdit> RunEditor::State::takeBytes()
{
    if (ordered())
        return takeOrdered();
    if (width < 8)
        packCodes(narrow, width, 0, packed);
    return {PartEdit{state.payload.role, firstByte, packed}};
}

/// Codes that touch, in one range; the bytes around codes that do not fill theirs are kept.
std::vector<PartEdit> RunEditor::State::takeOrdered()
{
    std::sort(orderedCodes.begin(), orderedCodes.end(),
              [](const OrderedCode &a, const OrderedCode &b) { return a.position < b.position; });
    const bool highestFirst = state.payload.order->highestFirst();
    std::vector<PartEdit> edits;
    for (const auto &[position, code] : orderedCodes) {
        const std::uint64_t first = position / 8, end = (position + width + 7) / 8;
        if (edits.empty() || edits.back().offset + edits.back().bytes.size() < first)
            edits.push_back({state.payload.role, first, {}});
        PartEdit &edit = edits.back();
        const std::uint64_t held = edit.offset + edit.bytes.size();
        if (held < end) {
            const auto more = state.payload.bytes.subspan(held, end - held);
            edit.bytes.insert(edit.bytes.end(), more.begin(), more.end());
        }
        putBits(edit.bytes, position - 8 * edit.offset, width, code, highestFirst);
    }
    return edits;
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
