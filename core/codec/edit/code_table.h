// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/codec/edit/element_candidates.h"

#include <array>

/// Private to the codec: what the codes of elements that share their codebook and scale decode to.
namespace kernscope::codec {

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
