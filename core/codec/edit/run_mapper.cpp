// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codec/edit/run_mapper.h"

#include "core/codec/edit/run_editor_state.h"
#include "core/codec/kernels/map_kernels.h"
#include "core/codec/kernels/sparse_kernels.h"
#include "core/numeric/bitpack.h"
#include "core/numeric/convert.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

namespace kernscope::codec {

namespace {

constexpr double kNever = std::numeric_limits<double>::infinity(); ///< an error that is refused

/// All codes but a few become one, and none has a mark.
std::optional<HalfFill> fillOf(HalfMap map)
{
    HalfFill fill;
    const std::uint32_t usual = map[1] == 1 ? map[2] : map[1];
    fill.becomes = static_cast<std::uint16_t>(usual & 0xffff);
    fill.kept.fill(fill.becomes);
    std::size_t kept = 1;
    for (std::size_t code = 0; code < map.size(); ++code) {
        if (map[code] == usual)
            continue;
        if (map[code] != code || kept == fill.kept.size())
            return std::nullopt;
        fill.kept[kept++] = static_cast<std::uint16_t>(code);
    }
    return usual >> 16 == 0 ? std::optional(fill) : std::nullopt;
}

} // namespace

struct RunMapper::State {
    State(const Decoder &made, const Decoder::State &decoded, Wanted values, EditTolerance within)
        : decoder(made), state(decoded), chooser(decoded), width(decoded.codeWidth()),
          wanted(std::move(values)), tolerance(within)
    {
    }

    void find(std::uint64_t element);
    void findAt(std::size_t bits, std::int64_t code, const ElementPlace &place);
    double gapError() const;
    void mark(double worst);
    bool enter(std::uint64_t element);
    void load(std::uint64_t from, std::uint64_t to);
    MappedRun map(std::uint64_t from, std::uint64_t to);
    bool mapRun(std::uint64_t first, std::size_t count, std::size_t some, double worst);
    std::uint64_t rank(std::uint64_t element) const
    {
        return state.mask ? state.mask->rank(element) : element;
    }
    bool wide() const { return width == 16; }

    Decoder decoder;
    const Decoder::State &state; ///< of `decoder`
    CodeChooser chooser;
    unsigned width;
    Wanted wanted;
    EditTolerance tolerance;

    // Of elements up to `foundEnd`, which share codebook and scale: by the bits of their code.
    std::uint64_t foundEnd = 0;
    std::vector<float> now;
    std::vector<double> asked, errors;
    std::vector<std::uint16_t> becomes;
    double gap = 0; ///< error of elements that the mask leaves out

    // The same as the kernels have it, with marks on codes whose error is above `marked`.
    double marked = 0;
    bool isMarked = false;
    std::vector<std::uint32_t> halves;
    std::optional<HalfFill> fill; ///< what `halves` are, where that is all
    ByteMap bytes{};

    // Of one run.
    std::uint64_t firstCode = 0, firstByte = 0; ///< of `packed` in the payload
    std::vector<std::byte> packed;
    std::vector<std::uint8_t> codesBefore, codesAfter; ///< of what was mapped last
    std::vector<float> kept;                           ///< what the first survivors will decode to
    std::uint64_t changed = 0;
};

RunMapper::RunMapper(std::unique_ptr<State> state) : m_state(std::move(state)) {}
RunMapper::RunMapper(RunMapper &&) noexcept = default;
RunMapper &RunMapper::operator=(RunMapper &&) noexcept = default;
RunMapper::~RunMapper() = default;

std::optional<RunMapper> RunMapper::make(const Decoder &decoder, std::uint64_t elements,
                                         Wanted wanted, EditTolerance tolerance)
{
    constexpr std::uint64_t kManyHalves =
        std::uint64_t{65536} * 4; // elements for which all codes are looked at
    const Decoder::State &state = Editor::stateOf(decoder);
    const ElementType stored = state.payload.type, type = state.encoding.type;
    const unsigned width = state.codeWidth();
    const bool plain = !state.palette && !state.scaling;
    // What a code stands for is what it decodes to.
    const bool direct = plain ? stored == type
                              : !state.palette || !state.halfResult() ||
                                    state.palette->floats.empty() || state.scaling;
    const bool narrow = width <= 8 && (state.palette || plain || !isFloatingPoint(stored));
    const bool halves = width == 16 && plain && elements >= kManyHalves;
    if (!takesRuns(state) || state.payload.order || !direct || !(narrow || halves))
        return std::nullopt;
    auto own = std::make_unique<State>(decoder, state, std::move(wanted), tolerance);
    own->gap = own->gapError();
    return RunMapper(std::move(own));
}

/// Of the zeros that the mask makes.
double RunMapper::State::gapError() const
{
    const float zero = 0;
    double value = 0;
    wanted(std::span(&zero, 1), std::span(&value, 1));
    return std::abs(value) <= tolerance.of(value) ? std::abs(value) : kNever;
}

void RunMapper::State::findAt(std::size_t bits, std::int64_t code, const ElementPlace &place)
{
    const auto held = static_cast<double>(now[bits]);
    const double value = asked[bits];
    becomes[bits] = static_cast<std::uint16_t>(bits);
    errors[bits] = 0;
    if (equalValues(held, value))
        return;
    const auto chosen = chooser.nearest(place, value);
    const Taking taking = takingOf(held, value, tolerance.of(value), chosen, plainType(state));
    errors[bits] = taking.refused || std::isnan(taking.error) ? kNever : taking.error;
    if (taking.stays || taking.refused || chosen->code == code)
        return;
    becomes[bits] = static_cast<std::uint16_t>(static_cast<std::uint64_t>(chosen->code) &
                                               ((std::uint64_t{1} << width) - 1));
}

/// What each code becomes in an element and those that share its codebook and scale.
void RunMapper::State::find(std::uint64_t element)
{
    const std::size_t count = std::size_t{1} << width;
    const ElementPlace place{element, 0, element};
    const bool twosComplement = !state.palette && isSignedInteger(state.payload.type);
    const auto codeOf = [&](std::size_t bits) {
        const bool negative = twosComplement && bits >= count / 2;
        return static_cast<std::int64_t>(bits) - (negative ? static_cast<std::int64_t>(count) : 0);
    };
    now.resize(count);
    asked.resize(count);
    errors.resize(count);
    becomes.resize(count);
    for (std::size_t bits = 0; bits < count; ++bits)
        now[bits] = static_cast<float>(valueOfCode(state, place, codeOf(bits)));
    wanted(now, asked);
    for (std::size_t bits = 0; bits < count; ++bits)
        findAt(bits, codeOf(bits), place);
    isMarked = false;
}

void RunMapper::State::mark(double worst)
{
    if (isMarked && marked == worst)
        return;
    isMarked = true;
    marked = worst;
    if (wide()) {
        constexpr std::uint32_t kMark = 0x10000;
        halves.resize(becomes.size());
        for (std::size_t i = 0; i < halves.size(); ++i)
            halves[i] = becomes[i] | (errors[i] > worst ? kMark : 0);
        fill = fillOf(halves);
        return;
    }
    for (std::size_t i = 0; i < becomes.size(); ++i)
        bytes[i] = static_cast<std::uint16_t>(becomes[i] | (errors[i] > worst ? 0x100U : 0U));
}

/// False where too few elements share what would have to be found.
bool RunMapper::State::enter(std::uint64_t element)
{
    if (element < foundEnd)
        return true;
    // Elements for which all codes are looked at: of scales, RunEditor itself takes little time.
    const std::uint64_t many = std::uint64_t{state.scaling ? 64U : 8U} << width;
    const std::uint64_t same = chooser.enter(element);
    if (!wide() && same < many)
        return false;
    find(element);
    foundEnd = element + same;
    return true;
}

/// Codes [from, to) of the payload to `packed`, which begins with the code `firstCode`.
MappedRun RunMapper::State::map(std::uint64_t from, std::uint64_t to)
{
    const auto stored = state.payload.bytes;
    const std::uint64_t index = from - firstCode;
    if (wide() && fill)
        return {fillHalves(stored.subspan(2 * from, 2 * (to - from)), *fill,
                           std::span(packed).subspan(2 * index, 2 * (to - from))),
                false};
    if (wide())
        return mapHalves(stored.subspan(2 * from, 2 * (to - from)), halves,
                         std::span(packed).subspan(2 * index, 2 * (to - from)));
    codesAfter.resize(to - from);
    if (width == 8) {
        const auto *const codes = reinterpret_cast<const std::uint8_t *>(stored.data());
        const MappedRun mapped = mapBytes({codes + from, to - from}, bytes, codesAfter);
        std::memcpy(packed.data() + index, codesAfter.data(), codesAfter.size());
        return mapped;
    }
    codesBefore.resize(to - from);
    unpackCodes(stored, width, from, codesBefore);
    const MappedRun mapped = mapBytes(codesBefore, bytes, codesAfter);
    packCodes(codesAfter, width, index, packed);
    return mapped;
}

/// Codes [from, to), with some of the same bytes before them, as they are.
void RunMapper::State::load(std::uint64_t from, std::uint64_t to)
{
    firstCode = width >= 8 ? from : from / 8 * 8;
    firstByte = firstCode * width / 8;
    const std::uint64_t endByte = (to * width + 7) / 8;
    const auto stored = state.payload.bytes.subspan(firstByte, endByte - firstByte);
    if (width < 8)
        packed.assign(stored.begin(), stored.end());
    else
        packed.resize(stored.size());
}

/// Maps a run; `some`: survivors whose values are wanted in `kept`. False where that is left to the
/// RunEditor.
bool RunMapper::State::mapRun(std::uint64_t first, std::size_t count, std::size_t some,
                              double worst)
{
    changed = 0;
    kept.clear();
    for (std::size_t at = 0; at < count;) {
        const std::uint64_t element = first + at;
        if (!enter(element))
            return false;
        mark(worst);
        const auto same =
            static_cast<std::size_t>(std::min<std::uint64_t>(foundEnd - element, count - at));
        const std::uint64_t from = rank(element), to = rank(element + same);
        const MappedRun mapped = map(from, to);
        if (mapped.marked || (to - from < same && gap > worst))
            return false;
        changed += mapped.changed;
        for (std::size_t i = 0; !wide() && i < to - from && kept.size() < some; ++i)
            kept.push_back(now[codesAfter[i]]);
        at += same;
    }
    if (wide()) {
        kept.resize(some);
        convertToFloat(packed, state.payload.type, 0, kept);
    }
    return true;
}

bool RunMapper::set(std::uint64_t first, std::size_t count, std::span<float> held,
                    RunOutcome &outcome)
{
    State &own = *m_state;
    const std::uint64_t from = own.rank(first), to = own.rank(first + count);
    outcome.bytes.clear();
    if (outcome.refusal || count == 0 || to > own.state.payloadElements)
        return false;
    own.load(from, to);
    const auto some = static_cast<std::size_t>(own.rank(first + held.size()) - from);
    if (!own.mapRun(first, count, some, outcome.worst))
        return false;
    if (own.state.mask)
        expandFloats(own.state.mask->bytes(), first, own.kept, held);
    else
        std::copy(own.kept.begin(), own.kept.end(), held.begin());
    outcome.seen += count;
    outcome.changed += own.changed;
    if (own.changed != 0)
        outcome.bytes.push_back({own.state.payload.role, own.firstByte, std::move(own.packed)});
    return true;
}

} // namespace kernscope::codec
