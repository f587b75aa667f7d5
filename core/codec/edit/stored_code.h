// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/codec/edit/element_candidates.h"
#include "core/numeric/element_type.h"

/// Private to the codec: stored codes of single elements, and the choice of the one to store.
namespace kernscope::codec {

/// The code of `type` whose value is nearest to `value`, ties to even; clamped to the type's finite
/// range, except that infinities and NaN keep what they are where the type has them.
std::int64_t nearestCode(ElementType type, double value);

/// Whether `code` is what any conversion of `value` to `type` gives: types of 16 and more
/// floating-point bits hold every value of their range to within half a step. Always false for the
/// 8-bit formats, whose steps are coarse, and for integers.
bool isNaturalRounding(ElementType type, double value, std::int64_t code);

/// The neighbours of a floating-point code in the order of values, at most `reach` to each side,
/// and the code itself; finite ones only.
std::vector<std::int64_t> neighbourCodes(ElementType type, std::int64_t code, int reach);

/// Smallest and largest code of an integer type of at most 32 bits.
std::int64_t smallestCode(ElementType type);
std::int64_t largestCode(ElementType type);

/// A code that a place can hold, and the value that it then has.
struct CodeCandidate {
    std::int64_t code = 0;
    double value = 0;
};

/// What the candidates offer for a value.
struct CodeChoice {
    std::optional<CodeCandidate> nearest; ///< the first of the nearest
    std::optional<double> below;          ///< largest value not above the asked one
    std::optional<double> above;          ///< smallest value not below it
};
CodeChoice choose(std::span<const CodeCandidate> candidates, double value);

/// The bytes that must be replaced so that element `index` of a packed run becomes `code`, cut to
/// those that change; empty where it is that code already.
struct ByteChange {
    std::uint64_t offset = 0;
    std::vector<std::byte> bytes;
};
ByteChange changeOfCode(std::span<const std::byte> packed, unsigned width, std::uint64_t index,
                        std::int64_t code);

/// Whether a table holds every code that an element of the weight can have: indices of a palette of
/// single values, or integers of at most 8 bits under a scale.
bool hasCodeTables(const Decoder::State &state);

/// The values of all codes of an element, sorted.
class CodeTable
{
public:
    void make(const Decoder::State &state, std::uint64_t element);

    /// What a code decodes to; `bits`: its low bits, as they are stored.
    double valueOf(std::uint32_t bits) const { return m_byBits[bits]; }
    /// For `value`, which is finite: the bits of the first of the nearest codes, as choose() has it
    /// of all codes without a current one. Not of one that
    /// isEmpty(): no code has a finite value, or it was not made.
    std::uint32_t nearest(double value) const;
    bool isEmpty() const { return m_all.empty(); }
    /// Makes nearest() faster. Worth it for many more values than there are codes.
    void makeIndex();

private:
    std::size_t firstNotBelow(double value) const;
    std::size_t bucketOf(double value) const;

    std::array<double, 256> m_byBits;
    std::vector<CodeCandidate>
        m_all; ///< finite values, strictly ascending; the lowest code of each
    std::uint32_t m_mask = 0;
    /// Between these bounds a value of m_all is certainly the nearest one.
    struct Zone {
        double low = 0, high = 0;
        std::uint32_t bits = 0;
    };
    std::vector<std::uint16_t> m_starts; ///< by bucket: values in the buckets before it
    std::vector<Zone> m_zones;           ///< with m_starts, of each value
    double m_perUnit = 0;
    std::vector<float> m_scaled; ///< of make(), with the next
    std::vector<std::uint16_t> m_halves;
};

} // namespace kernscope::codec
