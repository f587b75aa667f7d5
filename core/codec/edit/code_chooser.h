// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/codec/decode/decoder_state.h"
#include "core/codec/edit/element_candidates.h"
#include "core/codec/edit/nearest_index.h"
#include "core/codec/edit/stored_code.h"

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

/// Private to the codec: the code that an element takes for a value, for very many elements.
namespace kernscope::codec {

/// Finds, for a value, the first of the nearest codes that an element can hold, as choose() over
/// candidatesFor() does without a current code. Elements that share their codebook and their scale
/// share the answer.
class CodeChooser
{
public:
    explicit CodeChooser(const Decoder::State &state);

    /// Goes to an element; returns how many from it on, at least one, share its codebook and scale.
    /// To be called before nearest() of any of them. Not for palettes of vectors.
    std::uint64_t enter(std::uint64_t element);
    /// Nothing where no code is near (all decode to NaN).
    std::optional<CodeCandidate> nearest(const ElementPlace &place, double value);
    /// nearest() for finite values of elements that share what was entered, from `element` on: the
    /// values of the codes, and the low bits of the codes. Those that it leaves to nearest() have
    /// NaN.
    void nearestOf(std::uint64_t element, std::span<const double> values, std::span<double> chosen,
                   std::span<std::uint8_t> codes);
    /// The same for fp32 numbers. False where nearestOf() of doubles must answer: nothing was done.
    bool nearestOf(std::uint64_t element, std::span<const float> values, std::span<float> chosen,
                   std::span<std::uint8_t> codes);
    /// The same for elements of many short blocks of scales (hasShortBlocks()); nothing has to be
    /// entered.
    void nearestOfBlocks(std::uint64_t element, std::span<const double> values,
                         std::span<double> chosen, std::span<std::uint8_t> codes);
    bool hasShortBlocks() const;
    /// Whether nearestOf() decides most values of such a weight.
    bool answersMany() const;

private:
    /// What decides the answer besides the value.
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
    /// Finite values that the codes of a context have, strictly ascending, each with its lowest
    /// code.
    struct Table {
        std::vector<double> values;
        std::vector<std::int64_t> codes;

        std::optional<CodeCandidate> nearest(double value) const;
        /// nearest() for each of them, which are finite; NaN where there is none.
        void nearestOf(std::span<const double> asked, unsigned mask, std::span<double> chosen,
                       std::span<std::uint8_t> lowBits);

        bool nearestOf(std::span<const float> asked, unsigned mask, std::span<float> chosen,
                       std::span<std::uint8_t> lowBits);

    private:
        bool makeLimits(unsigned mask);
        std::size_t byIndex(std::span<const double> asked, unsigned mask, std::span<double> chosen,
                            std::span<std::uint8_t> lowBits);

        std::uint64_t m_asked = 0; ///< values so far: an index is made for many
        bool m_indexed = false;
        NearestIndex m_index;
        std::vector<std::uint16_t> m_found;
        // Of fp32 numbers: the limits between the values, those, and the low bits of their codes.
        bool m_limited = false;
        std::vector<float> m_limits, m_floats;
        LimitIndex<float> m_floatIndex; ///< of more of them than a few
        std::vector<std::uint8_t> m_lowBits;
    };

    std::optional<CodeCandidate> compute(const ElementPlace &place, double value);
    std::optional<CodeCandidate> plain(double value) const;
    std::optional<CodeCandidate> aroundGuess(double value, std::int64_t reach) const;
    void aroundGuesses(std::span<const double> values, std::span<double> chosen,
                       std::span<std::uint8_t> codes);
    void fillSteps(std::uint64_t elements);
    Table &tableFor(const ElementPlace &place, double value);
    std::optional<CodeCandidate> fromTable(const ElementPlace &place, double value);
    std::optional<CodeCandidate> slow(const ElementPlace &place, double value) const;

    const Decoder::State &m_state;
    std::unordered_map<Context, Table, ContextHash> m_tables;
    Context m_context;        ///< of the elements that were entered
    Table *m_table = nullptr; ///< theirs, once it was needed
    ScalePair m_pair;         ///< theirs
    Table m_steps;            ///< of all codes under it, where elements are many; or empty
    // The last answer: of a fill, the value never changes and the context seldom.
    bool m_known = false;
    double m_value = 0;
    std::optional<CodeCandidate> m_answer;
    // Of aroundGuesses().
    std::vector<float> m_raw, m_middle, m_scales, m_offsets;
    std::vector<std::uint16_t> m_halves;
};

} // namespace kernscope::codec
