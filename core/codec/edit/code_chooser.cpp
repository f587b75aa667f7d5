// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codec/edit/code_chooser.h"

#include "core/codec/kernels/take_kernels.h"
#include "core/numeric/convert.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <limits>

namespace kernscope::codec {

namespace {

constexpr std::size_t kMostTables = 1024;

/// Types whose rounding to nearest is the nearest code.
bool roundsToNearest(ElementType type)
{
    return type == ElementType::Fp16 || type == ElementType::Bf16 || type == ElementType::Fp32;
}

bool isNarrowInteger(ElementType type)
{
    return !isFloatingPoint(type) && bitWidth(type) <= 8;
}

} // namespace

CodeChooser::CodeChooser(const Decoder::State &state) : m_state(state) {}

std::uint64_t CodeChooser::enter(std::uint64_t element)
{
    std::uint64_t left = m_state.elements - element;
    Context context;
    if (m_state.palette && m_state.payload.order) {
        context.codebook = m_state.codebookAt(element); // the order says
        left = 1;
    } else if (m_state.palette) {
        const GridWalker walker(m_state.palette->grid, element);
        context.codebook = walker.cell();
        left = std::min(left, walker.cellLeft());
    }
    if (m_state.scaling) {
        const GridWalker walker(m_state.scaling->grid, element);
        context.cell = walker.cell();
        left = std::min(left, walker.cellLeft());
    }
    if (m_known && context == m_context)
        return left;
    m_context = context;
    m_known = false;
    m_table = nullptr;
    m_steps = Table();
    if (m_state.scaling) {
        m_pair = scaleOf(m_state, element);
        fillSteps(left);
    }
    return left;
}

/// What each integer code stands for, where that takes less than asking for a few an element, and
/// values ascend with the codes.
void CodeChooser::fillSteps(std::uint64_t elements)
{
    const ElementType type = m_state.payload.type;
    if (m_state.palette || !isNarrowInteger(type))
        return;
    const std::int64_t smallest = smallestCode(type), largest = largestCode(type);
    if (static_cast<std::uint64_t>(largest - smallest) > 2 * elements)
        return;
    bool ascends = true;
    for (std::int64_t code = smallest; code <= largest && ascends; ++code) {
        const double value =
            scaledValue(m_state, m_pair, static_cast<float>(codeValue(type, code)));
        ascends = std::isfinite(value) && (m_steps.values.empty() || m_steps.values.back() < value);
        m_steps.values.push_back(value);
        m_steps.codes.push_back(code);
    }
    if (!ascends)
        m_steps = Table();
}

std::optional<CodeCandidate> CodeChooser::nearest(const ElementPlace &place, double value)
{
    if (m_known && std::bit_cast<std::uint64_t>(value) == std::bit_cast<std::uint64_t>(m_value))
        return m_answer;
    m_value = value;
    m_known = true;
    m_answer = compute(place, value);
    return m_answer;
}

std::optional<CodeCandidate> CodeChooser::compute(const ElementPlace &place, double value)
{
    std::optional<CodeCandidate> found;
    if (!m_state.palette && !m_state.scaling)
        found = plain(value);
    else if (std::isfinite(value) && m_state.palette)
        found = fromTable(place, value);
    else if (std::isfinite(value) && !m_steps.values.empty())
        return m_steps.nearest(value);
    else if (std::isfinite(value) && isNarrowInteger(m_state.payload.type))
        found = aroundGuess(value, 1);
    if (!found && m_state.scaling && !m_state.palette && std::isfinite(value) &&
        isNarrowInteger(m_state.payload.type))
        found = aroundGuess(value, 2);
    return found ? found : slow(place, value);
}

std::optional<CodeCandidate> CodeChooser::plain(double value) const
{
    const ElementType type = m_state.payload.type;
    if (!roundsToNearest(type) || !std::isfinite(value))
        return std::nullopt;
    const std::int64_t code = nearestCode(type, value);
    return CodeCandidate{code, codeValue(type, code)};
}

/// The value grows (or falls) with the code, if not strictly: what lies outside of a few codes
/// around the exact answer is no nearer than the ends of those few. Nothing where that does not
/// decide it.
std::optional<CodeCandidate> CodeChooser::aroundGuess(double value, std::int64_t reach) const
{
    const ElementType type = m_state.payload.type;
    const ScalePair &pair = m_pair;
    const auto scale = static_cast<double>(pair.scale), offset = static_cast<double>(pair.offset);
    const double exact =
        m_state.scaling->addsOffset ? (value - offset) / scale : value / scale + offset;
    if (!std::isfinite(exact))
        return std::nullopt;
    const std::int64_t smallest = smallestCode(type), largest = largestCode(type);
    const std::int64_t guess = nearestCode(type, exact);
    const std::int64_t low = std::max(smallest, guess - reach);
    const std::int64_t high = std::min(largest, guess + reach);
    std::optional<CodeCandidate> best;
    double bestError = 0, lowError = 0, highError = 0;
    for (std::int64_t code = low; code <= high; ++code) {
        const double held = scaledValue(m_state, pair, static_cast<float>(codeValue(type, code)));
        if (!std::isfinite(held))
            return std::nullopt;
        const double error = std::abs(held - value);
        lowError = code == low ? error : lowError;
        highError = error;
        if (!best || error < bestError) {
            best = CodeCandidate{code, held};
            bestError = error;
        }
    }
    const bool settled =
        (low == smallest || lowError > bestError) && (high == largest || highError > bestError);
    return settled ? best : std::nullopt;
}

bool CodeChooser::answersMany() const
{
    if (m_state.palette)
        return m_state.payload.order == nullptr;
    return m_state.scaling && isNarrowInteger(m_state.payload.type);
}

void CodeChooser::nearestOf(std::uint64_t element, std::span<const double> values,
                            std::span<double> chosen, std::span<std::uint8_t> codes)
{
    if (!m_state.palette && m_steps.values.empty()) {
        aroundGuesses(values, chosen, codes);
        return;
    }
    Table &table = m_state.palette ? tableFor({element, 0, element}, values.front()) : m_steps;
    table.nearestOf(values, (1U << m_state.codeWidth()) - 1U, chosen, codes);
}

bool CodeChooser::nearestOf(std::uint64_t element, std::span<const float> values,
                            std::span<float> chosen, std::span<std::uint8_t> codes)
{
    if (!m_state.palette)
        return false;
    Table &table = tableFor({element, 0, element}, static_cast<double>(values.front()));
    return table.nearestOf(values, (1U << m_state.codeWidth()) - 1U, chosen, codes);
}

/// aroundGuess() with a reach of one for each of them: three codes an element, scaled together.
/// Whatever codes are guessed, what is taken is proved to be the nearest.
void CodeChooser::aroundGuesses(std::span<const double> values, std::span<double> chosen,
                                std::span<std::uint8_t> codes)
{
    const ElementType type = m_state.payload.type;
    const double share = 1 / static_cast<double>(m_pair.scale);
    const CodeGuess guess{share, static_cast<double>(m_pair.offset), m_state.scaling->addsOffset,
                          static_cast<double>(smallestCode(type)),
                          static_cast<double>(largestCode(type))};
    if (!std::isfinite(share) || !std::isfinite(guess.offset) ||
        guess.largest - guess.smallest < 3) {
        std::fill(chosen.begin(), chosen.end(), std::numeric_limits<double>::quiet_NaN());
        return;
    }
    m_raw.resize(3 * values.size());
    guessCodes(guess, values, m_raw);
    m_middle.assign(m_raw.begin() + static_cast<std::ptrdiff_t>(values.size()),
                    m_raw.begin() + static_cast<std::ptrdiff_t>(2 * values.size()));
    scaledValues(m_state, m_pair, m_raw, m_halves);
    settleCodes(guess, values, m_middle, m_raw, (1U << m_state.codeWidth()) - 1U, chosen, codes);
}

bool CodeChooser::hasShortBlocks() const
{
    constexpr std::uint64_t kShort = 1024;
    const ElementType type = m_state.payload.type;
    return m_state.scaling && !m_state.palette && isNarrowInteger(type) &&
           largestCode(type) - smallestCode(type) >= 3 && m_state.elements > 0 &&
           GridWalker(m_state.scaling->grid, 0).block() < kShort;
}

/// As aroundGuesses(), but with the decoder's own walk over the scales.
void CodeChooser::nearestOfBlocks(std::uint64_t element, std::span<const double> values,
                                  std::span<double> chosen, std::span<std::uint8_t> codes)
{
    const ElementType type = m_state.payload.type;
    const CodeGuess guess{1, 0, m_state.scaling->addsOffset,
                          static_cast<double>(smallestCode(type)),
                          static_cast<double>(largestCode(type))};
    const unsigned mask = (1U << m_state.codeWidth()) - 1U;
    m_raw.resize(3 * kBlockElements);
    m_middle.resize(kBlockElements);
    m_scales.resize(kBlockElements);
    m_offsets.resize(kBlockElements);
    m_halves.resize(3 * kBlockElements);
    for (std::size_t at = 0; at < values.size(); at += kBlockElements) {
        const std::size_t count = std::min(kBlockElements, values.size() - at);
        const auto some = values.subspan(at, count);
        const auto raw = std::span(m_raw).first(3 * count);
        const auto scales = std::span(m_scales).first(count);
        const auto offsets = std::span(m_offsets).first(count);
        m_state.scalesOfElements(element + at, scales, offsets);
        guessCodesOfEach(guess, some, scales, offsets, raw);
        std::copy_n(raw.begin() + static_cast<std::ptrdiff_t>(count), count, m_middle.begin());
        for (std::size_t i = 0; i < 3; ++i)
            m_state.scaleBlock(element + at, raw.subspan(i * count, count));
        if (m_state.halfResult()) {
            const auto halves = std::span(m_halves).first(raw.size());
            convertFloatToHalf(raw, halves);
            convertHalfToFloat(std::span<const std::uint16_t>(halves), raw);
        }
        settleCodes(guess, some, std::span<const float>(m_middle).first(count), raw, mask,
                    chosen.subspan(at, count), codes.subspan(at, count));
    }
}

CodeChooser::Table &CodeChooser::tableFor(const ElementPlace &place, double value)
{
    if (m_table != nullptr)
        return *m_table;
    if (m_tables.size() >= kMostTables && !m_tables.contains(m_context))
        m_tables.clear();
    const auto [at, added] = m_tables.try_emplace(m_context);
    Table &table = at->second;
    if (added) {
        std::vector<CodeCandidate> all = candidatesFor(m_state, place, value, std::nullopt);
        std::erase_if(all, [](const CodeCandidate &one) { return !std::isfinite(one.value); });
        std::sort(all.begin(), all.end(), [](const CodeCandidate &a, const CodeCandidate &b) {
            return a.value < b.value || (a.value == b.value && a.code < b.code);
        });
        for (const CodeCandidate &one : all) {
            if (!table.values.empty() && table.values.back() == one.value)
                continue;
            table.values.push_back(one.value);
            table.codes.push_back(one.code);
        }
    }
    m_table = &table;
    return table;
}

std::optional<CodeCandidate> CodeChooser::fromTable(const ElementPlace &place, double value)
{
    return tableFor(place, value).nearest(value);
}

std::optional<CodeCandidate> CodeChooser::slow(const ElementPlace &place, double value) const
{
    return choose(candidatesFor(m_state, place, value, std::nullopt), value).nearest;
}

} // namespace kernscope::codec
