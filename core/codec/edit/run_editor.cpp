// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codec/edit/run_editor.h"

#include "core/codec/edit/element_candidates.h"
#include "core/codec/kernels/encode_kernels.h"
#include "core/codec/kernels/palette_kernels.h"
#include "core/numeric/bitpack.h"
#include "core/numeric/convert.h"
#include "core/numeric/half.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <unordered_map>

#include <fmt/format.h>

namespace kernscope::codec {

namespace {

/// Elements that are set in one go: what is made of them stays in the first cache.
constexpr std::size_t kSetAtOnce = 1024;

} // namespace

double EditTolerance::of(double value) const
{
    const double share = std::abs(value) * relative;
    return std::isfinite(share) && share > absolute ? share : absolute;
}

void RunOutcome::note(double wanted, double value)
{
    const double error = sameValue(wanted, value) ? 0.0 : std::abs(value - wanted);
    if (error > worst) {
        worst = error;
        asked = wanted;
        stored = value;
    }
}

void RunOutcome::refuse(std::uint64_t element, double value, Error error)
{
    ++refused;
    if (refusal)
        return;
    refusal = std::move(error);
    refusal->found = fmt::format("{} for element {}", value, element);
}

void RunOutcome::add(RunOutcome &&later)
{
    changed += later.changed;
    refused += later.refused;
    seen += later.seen;
    if (later.worst > worst) {
        worst = later.worst;
        asked = later.asked;
        stored = later.stored;
    }
    if (!refusal)
        refusal = std::move(later.refusal);
}

struct RunEditor::State {
    State(const Decoder &made, const Decoder::State &decoded, EditTolerance within)
        : decoder(made), state(decoded), tolerance(within), width(codeWidth(decoded)),
          plainTo(plainType(decoded)), hasTables(hasCodeTables(decoded)),
          isScaled(hasTables && !decoded.palette && !decoded.mask && !ordered() &&
                   decoded.scaling->steps == Scaling::Steps::Program)
    {
    }

    bool ordered() const { return state.payload.order != nullptr; }
    std::uint64_t rank(std::uint64_t element) const
    {
        return state.mask ? state.mask->rank(element) : element;
    }

    bool begin(std::uint64_t first, std::size_t count, RunOutcome &outcome)
    {
        outcome.bytes.clear();
        const std::uint64_t from = rank(first), to = rank(first + count);
        if (to > state.payloadElements)
            return false;
        load(first, from, to, count);
        changedBefore = outcome.changed;
        return true;
    }
    /// How many elements from one on share its codebook and scale.
    std::uint64_t sharing(std::uint64_t element) const
    {
        std::uint64_t same = state.elements - element;
        if (state.palette)
            same = ordered() ? 1 : GridWalker(state.palette->grid, element).cellLeft();
        if (state.scaling)
            same = std::min(same, GridWalker(state.scaling->grid, element).cellLeft());
        return same;
    }
    /// Codes [from, to) of the payload, which are those of the elements from `first` on.
    void load(std::uint64_t first, std::uint64_t from, std::uint64_t to, std::size_t count)
    {
        runFirst = first;
        if (ordered()) {
            skipped = 0;
            orderedCodes.clear();
            positions.resize(count);
            state.payload.order->positions(first, positions);
            return;
        }
        // Of codes that share bytes the first whole group of eight: it begins a byte.
        const std::uint64_t begin = width >= 8 ? from : from / 8 * 8;
        skipped = static_cast<unsigned>(from - begin);
        firstByte = begin * width / 8;
        const std::uint64_t endByte = (to * width + 7) / 8;
        const auto bytes = state.payload.bytes.subspan(firstByte, endByte - firstByte);
        packed.assign(bytes.begin(), bytes.end());
        narrow.resize(width > 8 ? 0 : to - begin);
        if (width <= 8)
            unpackCodes(packed, width, 0, narrow);
    }

    /// Sets elements [first + at, first + at + values.size()), whose codes begin with number
    /// `index` of those that were loaded. Returns how many of them are stored.
    std::size_t setBlock(std::uint64_t first, std::size_t at, std::size_t index,
                         std::span<const double> values, std::span<float> after,
                         RunOutcome &outcome)
    {
        if (nearBlock(first + at, index, values, after, outcome))
            return state.mask ? rank(first + at + values.size()) - rank(first + at) : values.size();
        gather(first, at, values, outcome);
        loadCodes(first, at, index);
        choose();
        settle(outcome);
        storeCodes(index);
        std::ranges::fill(after, 0.0f);
        for (std::size_t i = 0; i < blockCount && elementAt(i) - blockFirst < after.size(); ++i)
            after[elementAt(i) - blockFirst] = static_cast<float>(next[i]);
        return blockCount;
    }

    /// Elements from one on that are set in one go.
    std::size_t blockAt(std::uint64_t element) const
    {
        return isScaled ? std::min<std::uint64_t>(kSetAtOnce, sharing(element)) : kSetAtOnce;
    }
    /// The ordinary block of fp16 numbers or of narrow codes that share their scale: each value has
    /// a code that is near enough, by vector instructions. False, with nothing done, for any other
    /// one.
    bool nearBlock(std::uint64_t first, std::size_t index, std::span<const double> values,
                   std::span<float> after, RunOutcome &outcome)
    {
        const bool isHalf = plainTo == ElementType::Fp16 && !ordered();
        if (!(isHalf || isScaled) || outcome.refusal || (state.mask && outcome.worst < 0))
            return false;
        std::span<const double> stored = values;
        if (state.mask) {
            kept.resize(values.size() + 8);
            const auto count = keepMasked(values, state.mask->bytes(), first, kept);
            if (!count) // one that is not stored is not to stay zero
                return false;
            stored = std::span<const double>(kept).first(*count);
        }
        const std::size_t count = stored.size();
        floats.resize(std::max(count, after.size()));
        const auto became = std::span(floats).first(count);
        ChosenRun run;
        if (isHalf) {
            halves.resize(2 * count);
            const auto held = std::span(halves).first(count), to = std::span(halves).subspan(count);
            std::memcpy(held.data(), packed.data() + 2 * index, 2 * count);
            run = chooseHalves(stored, held, to, became);
            if (run.sure)
                std::memcpy(packed.data() + 2 * index, to.data(), 2 * count);
        } else {
            const ScalePair pair = scaleOf(state, first);
            const auto held = std::span(narrow).subspan(index, count);
            const ElementType type = state.payload.type;
            foundCodes.resize(count);
            run = chooseScaled(stored,
                               {pair.scale, pair.offset, state.scaling->addsOffset,
                                state.scaling->roundDifference, state.halfResult(),
                                static_cast<std::int32_t>(smallestCode(type)),
                                static_cast<std::int32_t>(largestCode(type)), (1U << width) - 1,
                                tolerance.absolute, tolerance.relative},
                               held, foundCodes, became);
            if (run.sure)
                std::ranges::copy(foundCodes, held.begin());
        }
        if (!run.sure)
            return false;
        outcome.changed += run.changed;
        for (std::size_t i = 0; i < count && run.worst > outcome.worst; ++i) {
            const auto value = static_cast<double>(became[i]);
            if (std::abs(value - stored[i]) ==
                run.worst) // the first of those that are farthest off
                outcome.note(stored[i], value);
        }
        if (state.mask)
            expandKept(state.mask->bytes(), first, became, after);
        else
            std::copy_n(became.begin(), after.size(), after.begin());
        return true;
    }

    /// The stored elements of a block, and of the others those that settle() is to look at.
    void gather(std::uint64_t first, std::size_t at, std::span<const double> values,
                const RunOutcome &outcome)
    {
        gaps.clear();
        elements.clear();
        blockFirst = first + at;
        blockCount = values.size();
        wanted = values;
        if (!ordered() && !state.mask)
            return;
        const std::size_t count = values.size();
        elements.resize(count + 1); // never empty
        kept.resize(count);
        std::size_t stored = 0;
        for (std::size_t i = 0; i < count; ++i) {
            const std::uint64_t element = first + at + i;
            const bool isStored = ordered() ? positions[at + i] != ElementOrder::kAbsent
                                            : !state.mask || state.mask->test(element);
            // Once there is an account, a zero that stays does not change it.
            if (!isStored && (!(values[i] == 0) || outcome.worst < 0))
                gaps.push_back({element, values[i]});
            elements[stored] = element;
            kept[stored] = values[i];
            stored += isStored ? 1U : 0U;
        }
        blockCount = stored;
        wanted = std::span<const double>(kept).first(stored);
    }

    void loadCodes(std::uint64_t first, std::size_t at, std::size_t index)
    {
        const std::size_t count = blockCount;
        codes.resize(count);
        if (ordered()) {
            longCodes.resize(kSetAtOnce);
            const auto some =
                std::span(longCodes).first(std::min(kSetAtOnce, positions.size() - at));
            decoder.codes(first + at, some);
            for (std::size_t i = 0; i < count; ++i)
                codes[i] = bitsOf(some[elementAt(i) - blockFirst]);
        } else if (width <= 8) {
            std::copy_n(narrow.begin() + static_cast<std::ptrdiff_t>(index), count, codes.begin());
        } else {
            const std::size_t size = width / 8;
            for (std::size_t i = 0; i < count; ++i) {
                std::uint32_t code = 0;
                std::memcpy(&code, packed.data() + (index + i) * size, size);
                codes[i] = code;
            }
        }
        now.resize(count);
        next.resize(count);
        chosen.resize(count);
    }

    void choose();
    void chooseByTables()
    {
        for (std::size_t i = 0; i < blockCount;) {
            const std::uint64_t element = elementAt(i);
            const std::uint64_t same = sharing(element);
            const CodeTable &shared = tableAt(element);
            for (; i < blockCount && elementAt(i) - element < same; ++i) {
                const double value = wanted[i], held = shared.valueOf(codes[i]);
                now[i] = next[i] = held;
                chosen[i] = codes[i];
                if (value == held)
                    continue;
                if (!std::isfinite(value) || shared.isEmpty()) {
                    chooseOne(i);
                    continue;
                }
                Last &last = lasts[codes[i]];
                if (value != last.wanted)
                    last = {value, shared.nearest(value)};
                const double found = shared.valueOf(last.nearest);
                if (std::abs(held - value) <= std::abs(found - value)) // of equally near ones
                    continue;
                next[i] = found;
                chosen[i] = last.nearest;
            }
        }
    }

    /// The table of an element.
    const CodeTable &tableAt(std::uint64_t element)
    {
        constexpr std::size_t kMostTables = 1024;
        Context context;
        if (state.palette)
            context.codebook = state.codebookAt(element);
        if (state.scaling)
            context.cell = state.scaling->grid.cellOf(element);
        if (context != tableContext) {
            tableContext = context;
            lasts.fill({});
            if (state.palette) { // codebooks come again, scales seldom
                if (tables.size() >= kMostTables)
                    tables.clear();
                table = &tables[context];
            }
            if (!state.palette || table->isEmpty())
                table->make(state, element);
        }
        return *table;
    }

    /// Numbers that are stored as they are: the nearest number of the type, by one rounding.
    void choosePlain()
    {
        const std::size_t count = blockCount;
        const bool isHalf = plainTo == ElementType::Fp16;
        const std::uint32_t largest = isHalf ? 0x7bff : 0x7f7fffff,
                            sign = isHalf ? 0x8000 : 0x80000000;
        floats.resize(count);
        halves.resize(count);
        if (isHalf) {
            std::ranges::copy(codes, halves.begin());
            convertHalfToFloat(std::span<const std::uint16_t>(halves), floats);
            std::ranges::copy(floats, now.begin());
            std::ranges::transform(wanted, floats.begin(), doubleToFloatOdd);
            convertFloatToHalf(floats, halves);
            std::ranges::copy(halves, chosen.begin());
        } else {
            for (std::size_t i = 0; i < count; ++i) {
                now[i] = static_cast<double>(std::bit_cast<float>(codes[i]));
                chosen[i] = std::bit_cast<std::uint32_t>(static_cast<float>(wanted[i]));
            }
        }
        natural = true;
        for (std::size_t i = 0; i < count; ++i) {
            const bool large = (chosen[i] & (sign - 1)) > largest && std::isfinite(wanted[i]);
            natural &= !large; // beyond the range: the largest number
            chosen[i] = large ? (chosen[i] & sign) | largest : chosen[i];
            // What has the value keeps its bits, whatever its sign of zero or NaN payload.
            chosen[i] = sameValue(now[i], wanted[i]) ? codes[i] : chosen[i];
        }
        if (isHalf) {
            std::ranges::copy(chosen, halves.begin());
            convertHalfToFloat(std::span<const std::uint16_t>(halves), floats);
            std::ranges::copy(floats, next.begin());
            return;
        }
        for (std::size_t i = 0; i < count; ++i)
            next[i] = static_cast<double>(std::bit_cast<float>(chosen[i]));
    }

    void chooseEach()
    {
        for (std::size_t i = 0; i < blockCount; ++i)
            chooseOne(i);
    }
    /// As Editor::setElement chooses.
    void chooseOne(std::size_t i)
    {
        const ElementPlace place{elementAt(i), 0, elementAt(i)};
        const std::int64_t current = signedCode(codes[i]);
        now[i] = valueOfCode(state, place, current);
        const auto found =
            codec::choose(candidatesFor(state, place, wanted[i], current), wanted[i]).nearest;
        next[i] = found ? found->value : now[i];
        chosen[i] = found ? bitsOf(found->code) : codes[i];
    }
    /// Whether what was chosen is near enough, as decide() has it.
    bool holds(std::size_t i) const
    {
        return sameValue(next[i], wanted[i]) ||
               std::abs(next[i] - wanted[i]) <= tolerance.of(wanted[i]) ||
               (plainTo != ElementType::Unknown &&
                isNaturalRounding(plainTo, wanted[i], signedCode(chosen[i])));
    }
    /// Refuses what is too far from what was asked for, and keeps the account.
    void settle(RunOutcome &outcome)
    {
        const std::size_t count = blockCount;
        // The ordinary block: all are near enough, and none is farther off than those before.
        bool held = !outcome.refusal && gaps.empty();
        for (std::size_t i = 0; i < count; ++i) {
            const double error = std::abs(next[i] - wanted[i]);
            held &= error <= outcome.worst;
            held &= natural | (error <= tolerance.absolute) |
                    (error <= std::abs(wanted[i]) * tolerance.relative);
        }
        if (held) {
            for (std::size_t i = 0; i < count; ++i)
                outcome.changed += chosen[i] != codes[i] ? 1U : 0U;
            return;
        }
        std::size_t gap = 0;
        for (std::size_t i = 0; i < count; ++i) {
            for (; gap < gaps.size() && gaps[gap].element < elementAt(i); ++gap)
                settleGap(gaps[gap], outcome);
            if (holds(i))
                outcome.note(wanted[i], next[i]);
            else
                refuse(elementAt(i), wanted[i], outcome);
            if (outcome.refusal) { // nothing is to be written
                next[i] = now[i];
                chosen[i] = codes[i];
            }
            outcome.changed += chosen[i] != codes[i] ? 1U : 0U;
        }
        for (; gap < gaps.size(); ++gap)
            settleGap(gaps[gap], outcome);
    }

    struct Gap;
    /// An element that is not stored stays zero.
    void settleGap(const Gap &gap, RunOutcome &outcome)
    {
        if (std::abs(gap.wanted) <= tolerance.of(gap.wanted))
            outcome.note(gap.wanted, 0);
        else
            refuse(gap.element, gap.wanted, outcome);
    }
    /// Editor finds the words; only the first refusal is kept.
    void refuse(std::uint64_t element, double value, RunOutcome &outcome)
    {
        Error error;
        if (!outcome.refusal) {
            const auto plan = Editor(decoder).setElement(element, value, tolerance.of(value));
            error = plan ? Error() : plan.error();
        }
        outcome.refuse(element, value, std::move(error));
    }
    void storeCodes(std::size_t index)
    {
        const std::size_t count = blockCount;
        if (ordered()) {
            for (std::size_t i = 0; i < count; ++i) {
                if (chosen[i] == codes[i])
                    continue;
                orderedCodes.push_back({positions[elementAt(i) - runFirst], chosen[i]});
                for (const std::uint64_t copy : state.payload.order->copies(elementAt(i)))
                    orderedCodes.push_back({copy, chosen[i]});
            }
        } else if (width <= 8) {
            for (std::size_t i = 0; i < count; ++i)
                narrow[index + i] = static_cast<std::uint8_t>(chosen[i]);
        } else {
            const std::size_t size = width / 8;
            for (std::size_t i = 0; i < count; ++i)
                std::memcpy(packed.data() + (index + i) * size, &chosen[i], size);
        }
    }

    /// From the byte on in which the run begins.
    std::vector<PartEdit> takeBytes()
    {
        if (ordered())
            return takeOrdered();
        if (width <= 8)
            packCodes(narrow, width, 0, packed);
        const std::size_t before = skipped * width / 8;
        packed.erase(packed.begin(), packed.begin() + static_cast<std::ptrdiff_t>(before));
        std::vector<PartEdit> edits;
        edits.push_back({state.payload.role, firstByte + before, std::move(packed)});
        packed.clear();
        return edits;
    }

    /// Codes that touch, in one range; the bytes around codes that do not fill theirs are kept.
    std::vector<PartEdit> takeOrdered()
    {
        std::ranges::sort(orderedCodes, {}, &OrderedCode::position);
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

    std::uint64_t elementAt(std::size_t i) const
    {
        return elements.empty() ? blockFirst + i : elements[i];
    }
    /// The code as a number: integers with their sign.
    std::int64_t signedCode(std::uint32_t bits) const
    {
        if (state.palette || !isSignedInteger(state.payload.type))
            return bits;
        return static_cast<std::int64_t>(static_cast<std::uint64_t>(bits) << (64 - width)) >>
               (64 - width);
    }
    std::uint32_t bitsOf(std::int64_t code) const
    {
        return static_cast<std::uint32_t>(static_cast<std::uint64_t>(code) &
                                          ((std::uint64_t{1} << width) - 1));
    }

    Decoder decoder;
    const Decoder::State &state; ///< of `decoder`
    EditTolerance tolerance;
    unsigned width;
    ElementType plainTo; ///< of numbers that are stored as they are, or Unknown
    bool hasTables;
    bool isScaled; ///< narrow integers under scales, as they come

    // The run: its bytes of the payload, and its codes where they share bytes; of a payload with
    // an order of its own, where its codes lie and which are to change.
    struct OrderedCode {
        std::uint64_t position = 0; ///< of its first bit, as the order counts them
        std::uint32_t code = 0;
    };
    std::uint64_t runFirst = 0, firstByte = 0;
    unsigned skipped = 0; ///< codes before the run in its first bytes
    std::vector<std::byte> packed;
    std::vector<std::uint8_t> narrow;
    std::vector<std::uint64_t> positions;
    std::vector<OrderedCode> orderedCodes;
    std::uint64_t changedBefore = 0;

    // The block: its stored elements, what they are to become, their codes now and then, and the
    // values of these.
    struct Gap {
        std::uint64_t element = 0;
        double wanted = 0;
    };
    std::vector<Gap> gaps;               ///< elements that are not stored
    std::vector<std::uint64_t> elements; ///< empty where all from blockFirst on are stored
    std::uint64_t blockFirst = 0;
    std::size_t blockCount = 0;
    std::span<const double> wanted;
    std::vector<double> kept; ///< `wanted`, where not all are stored
    std::vector<double> now, next;
    std::vector<std::uint32_t> codes, chosen;
    bool natural = false; ///< every value is rounded as any conversion to the type does it
    std::vector<float> floats;
    std::vector<std::uint16_t> halves;
    std::vector<std::uint8_t> foundCodes;
    std::vector<std::int64_t> longCodes;

    // Of chooseByTables().
    struct Context {
        std::uint64_t codebook = 0, cell = 0;
        friend bool operator==(const Context &, const Context &) = default;
    };
    struct ContextHash {
        std::size_t operator()(const Context &context) const
        {
            return static_cast<std::size_t>((context.codebook << 40) ^ context.cell);
        }
    };
    std::unordered_map<Context, CodeTable, ContextHash> tables;
    CodeTable scaleTable;
    CodeTable *table = &scaleTable;
    Context tableContext{UINT64_MAX, UINT64_MAX};
    /// By code: many edits give all elements of one code the same value.
    struct Last {
        double wanted = HUGE_VAL;
        std::uint32_t nearest = 0;
    };
    std::array<Last, 256> lasts;
};

RunEditor::RunEditor(std::unique_ptr<State> state) : m_state(std::move(state)) {}
RunEditor::RunEditor(RunEditor &&) noexcept = default;
RunEditor &RunEditor::operator=(RunEditor &&) noexcept = default;
RunEditor::~RunEditor() = default;

std::optional<RunEditor> RunEditor::make(const Decoder &decoder, EditTolerance tolerance)
{
    const Decoder::State &state = Editor::stateOf(decoder);
    const ElementType type = state.encoding.type;
    const bool exact = bitWidth(type) <= 16 || type == ElementType::Fp32;
    // Entries that are rounded when they are decoded.
    const bool rounded = state.palette && !state.palette->floats.empty() && !state.scaling &&
                         type != ElementType::Fp32;
    const bool vectors = state.palette && state.palette->vector != 1;
    const ElementOrder *const order = state.payload.order.get();
    const bool moves = order != nullptr && (state.mask || order->skipsZeros());
    const bool locked = order != nullptr && !state.payload.lockReason().empty();
    // Elements that a mask leaves out and that are no zeros.
    const bool gaps = state.mask && state.scaling && state.scaling->scalesGaps &&
                      !(allZero(state.scaling->offset) && allZero(state.scaling->bias));
    if (!exact || rounded || vectors || moves || locked || gaps || state.encoding.converts ||
        state.payloadDecoder || codeWidth(state) > 32)
        return std::nullopt;
    return RunEditor(std::make_unique<State>(decoder, state, tolerance));
}

bool RunEditor::separateRuns() const
{
    return !m_state->ordered() || m_state->width >= 8;
}

std::uint64_t RunEditor::firstBit(std::uint64_t first) const
{
    return m_state->ordered() ? 0 : m_state->rank(first) * m_state->width;
}

bool RunEditor::set(std::uint64_t first, std::span<const double> values, std::span<float> after,
                    RunOutcome &outcome)
{
    State &own = *m_state;
    if (!own.begin(first, values.size(), outcome))
        return false;
    std::size_t index = own.skipped;
    for (std::size_t at = 0, count = 0; at < values.size(); at += count) {
        count = std::min(own.blockAt(first + at), values.size() - at);
        const auto some = values.subspan(at, count);
        const auto seen = after.size() > at
                              ? after.subspan(at, std::min(some.size(), after.size() - at))
                              : std::span<float>();
        index += own.setBlock(first, at, index, some, seen, outcome);
    }
    outcome.seen += values.size();
    if (outcome.changed > own.changedBefore && !outcome.refusal)
        outcome.bytes = own.takeBytes();
    return true;
}

void RunEditor::State::choose()
{
    natural = false;
    if (hasTables)
        chooseByTables();
    else if (plainTo == ElementType::Fp16 || plainTo == ElementType::Fp32)
        choosePlain();
    else
        chooseEach();
}

} // namespace kernscope::codec
