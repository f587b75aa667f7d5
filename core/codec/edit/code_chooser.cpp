// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codec/edit/code_chooser.h"

#include "core/codec/kernels/nearest_kernels.h"
#include "core/numeric/convert.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

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
    m_steps.values.clear();
    m_steps.codes.clear();
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
        m_steps = {};
}

/// Without branches that nobody could foresee: it runs once for each of millions of elements.
std::optional<Candidate> CodeChooser::Table::nearest(double value) const
{
    if (values.empty())
        return std::nullopt;
    const double *const held = values.data();
    std::size_t below = 0; // how many are
    for (std::size_t rest = values.size(); rest > 1; rest -= rest / 2)
        below += rest / 2 * static_cast<std::size_t>(held[below + rest / 2 - 1] < value);
    below += static_cast<std::size_t>(held[below] < value);
    return besides(below, value);
}

void CodeChooser::Table::nearestOf(std::span<const double> asked, std::span<Candidate> found) const
{
    constexpr std::size_t kFew = 64; // are counted sooner than halved
    constexpr std::size_t kPart = 256;
    if (values.empty() || values.size() > kFew) {
        for (std::size_t i = 0; i < asked.size(); ++i)
            found[i] = nearest(asked[i]).value_or(Candidate{kNoCode, 0});
        return;
    }
    std::array<std::uint8_t, kPart> below;
    for (std::size_t at = 0; at < asked.size(); at += kPart) {
        const auto some = asked.subspan(at, std::min(kPart, asked.size() - at));
        countBelow(some, values, std::span(below).first(some.size()));
        for (std::size_t i = 0; i < some.size(); ++i)
            found[at + i] = besides(below[i], some[i]);
    }
}

std::optional<Candidate> CodeChooser::nearest(const ElementPlace &place, double value)
{
    if (m_known && std::bit_cast<std::uint64_t>(value) == std::bit_cast<std::uint64_t>(m_value))
        return m_answer;
    m_value = value;
    m_known = true;
    m_answer = compute(place, value);
    return m_answer;
}

std::optional<Candidate> CodeChooser::compute(const ElementPlace &place, double value)
{
    std::optional<Candidate> found;
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

std::optional<Candidate> CodeChooser::plain(double value) const
{
    const ElementType type = m_state.payload.type;
    if (!roundsToNearest(type) || !std::isfinite(value))
        return std::nullopt;
    const std::int64_t code = nearestCode(type, value);
    return Candidate{code, codeValue(type, code)};
}

/// The value grows (or falls) with the code, if not strictly: what lies outside of a few codes
/// around the exact answer is no nearer than the ends of those few. Nothing where that does not
/// settle it.
std::optional<Candidate> CodeChooser::aroundGuess(double value, std::int64_t reach) const
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
    std::optional<Candidate> best;
    double bestError = 0, lowError = 0, highError = 0;
    for (std::int64_t code = low; code <= high; ++code) {
        const double held = scaledValue(m_state, pair, static_cast<float>(codeValue(type, code)));
        if (!std::isfinite(held))
            return std::nullopt;
        const double error = std::abs(held - value);
        lowError = code == low ? error : lowError;
        highError = error;
        if (!best || error < bestError) {
            best = Candidate{code, held};
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
                            std::span<Candidate> found)
{
    if (!m_state.palette && m_steps.values.empty()) {
        aroundGuesses(values, found);
        return;
    }
    const Table &table =
        m_state.palette ? tableFor({element, 0, element}, values.front()) : m_steps;
    table.nearestOf(values, found);
}

/// aroundGuess() with a reach of one for each of them: three codes an element, scaled together.
void CodeChooser::aroundGuesses(std::span<const double> values, std::span<Candidate> found)
{
    const ElementType type = m_state.payload.type;
    const std::int64_t smallest = smallestCode(type), largest = largestCode(type);
    const auto scale = static_cast<double>(m_pair.scale),
               offset = static_cast<double>(m_pair.offset);
    const double share = 1 / scale;
    std::fill(found.begin(), found.end(), Candidate{kNoCode, 0});
    if (!std::isfinite(share) || !std::isfinite(offset) || largest - smallest < 3)
        return;
    const auto first = static_cast<double>(smallest) + 1, last = static_cast<double>(largest) - 1;
    m_raw.resize(3 * values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
        const double exact =
            m_state.scaling->addsOffset ? (values[i] - offset) * share : values[i] * share + offset;
        // Whatever is chosen here, what is taken below is proved to be the nearest.
        constexpr double kShift = 1024; // truncating a positive number rounds down
        const double middle = std::min(std::max(exact, first), last) + kShift + 0.5;
        const auto code =
            static_cast<float>(static_cast<std::int32_t>(middle)) - static_cast<float>(kShift);
        m_raw[3 * i] = code - 1;
        m_raw[3 * i + 1] = code;
        m_raw[3 * i + 2] = code + 1;
        found[i].value = static_cast<double>(code);
    }
    scaledValues(m_state, m_pair, m_raw, m_halves);
    for (std::size_t i = 0; i < values.size(); ++i) {
        const auto middle = static_cast<std::int64_t>(found[i].value);
        const std::array<double, 3> held{static_cast<double>(m_raw[3 * i]),
                                         static_cast<double>(m_raw[3 * i + 1]),
                                         static_cast<double>(m_raw[3 * i + 2])};
        const std::array<double, 3> error{std::abs(held[0] - values[i]),
                                          std::abs(held[1] - values[i]),
                                          std::abs(held[2] - values[i])};
        std::size_t best = error[1] < error[0] ? 1 : 0;
        best = error[2] < error[best] ? 2 : best;
        // Not settled either where one of them is not a number.
        const bool settled = (middle - 1 == smallest || error[0] > error[best]) &&
                             (middle + 1 == largest || error[2] > error[best]) &&
                             std::isfinite(held[0] + held[1] + held[2]);
        found[i] = settled ? Candidate{middle - 1 + static_cast<std::int64_t>(best), held[best]}
                           : Candidate{kNoCode, 0};
    }
}

const CodeChooser::Table &CodeChooser::tableFor(const ElementPlace &place, double value)
{
    if (m_table != nullptr)
        return *m_table;
    if (m_tables.size() >= kMostTables && !m_tables.contains(m_context))
        m_tables.clear();
    const auto [at, added] = m_tables.try_emplace(m_context);
    Table &table = at->second;
    if (added) {
        std::vector<Candidate> all = candidatesFor(m_state, place, value, std::nullopt);
        std::erase_if(all, [](const Candidate &one) { return !std::isfinite(one.value); });
        std::sort(all.begin(), all.end(), [](const Candidate &a, const Candidate &b) {
            return a.value < b.value || (a.value == b.value && a.code < b.code);
        });
        for (const Candidate &one : all) {
            if (!table.values.empty() && table.values.back() == one.value)
                continue;
            table.values.push_back(one.value);
            table.codes.push_back(one.code);
        }
    }
    m_table = &table;
    return table;
}

std::optional<Candidate> CodeChooser::fromTable(const ElementPlace &place, double value)
{
    return tableFor(place, value).nearest(value);
}

std::optional<Candidate> CodeChooser::slow(const ElementPlace &place, double value) const
{
    return choose(candidatesFor(m_state, place, value, std::nullopt), value).nearest;
}

} // namespace kernscope::codec
