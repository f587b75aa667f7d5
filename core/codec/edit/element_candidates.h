// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/codec/decode/decoder_state.h"
#include "core/codec/edit/editor.h"
#include "core/numeric/element_type.h"

#include <array>

/// Private to the codec: the codes that one element may take, with what each decodes to.
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

/// Smallest and largest code of an integer type; of uint64 the bits.
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

/// Bytes that must be replaced so that an element gets another code, cut to those that change; none
/// where it has that code already.
struct ByteChange {
    std::uint64_t offset = 0;
    std::vector<std::byte> bytes;
};

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
    /// of all codes without a current one. Not of one that isEmpty(): no code has a finite value,
    /// or it was not made.
    std::uint32_t nearest(double value) const;
    bool isEmpty() const { return m_all.empty(); }

private:
    void makeIndex();
    std::size_t firstNotBelow(double value) const;
    std::size_t bucketOf(double value) const;

    std::array<double, 256> m_byBits;
    /// Finite values, strictly ascending; the lowest code of each.
    std::vector<CodeCandidate> m_all;
    std::uint32_t m_mask = 0;
    /// Between these bounds a value of m_all is certainly the nearest one.
    struct Zone {
        double low = 0, high = 0;
        std::uint32_t bits = 0;
    };
    std::vector<std::uint16_t> m_starts; ///< by bucket: values in the buckets before it
    std::vector<Zone> m_zones;           ///< with m_starts, of each value
    double m_perUnit = 0;
    std::vector<float> m_values; ///< of make()
};

/// Where an element's code lies.
struct ElementPlace {
    std::uint64_t dense = 0; ///< place in the index tensor (palettes) or in the decoded tensor
    std::uint64_t lane = 0;
    std::uint64_t element = 0;
};
ElementPlace elementPlace(const Decoder::State &state, std::uint64_t element);

/// Scale, offset and bias that an element's code is decoded with; 1 and 0 where there are none.
struct ScalePair {
    float scale = 1;
    float offset = 0;
    float bias = 0;
};
ScalePair scaleOf(const Decoder::State &state, std::uint64_t element);
/// Payload numbers under that pair, by the form's own arithmetic; in place.
void scaledValues(const Decoder::State &state, const ScalePair &pair, std::span<float> values);

/// Value of an element whose code would be `code`, by the form's own arithmetic.
double valueOfCode(const Decoder::State &state, const ElementPlace &place, std::int64_t code);

/// The least and the largest finite value that the element can have; `current` as of
/// candidatesFor().
std::pair<double, double> heldRange(const Decoder::State &state, const ElementPlace &place,
                                    std::optional<std::int64_t> current);

/// The code of a type that is nearest to a value, with its neighbours, for numbers stored as they
/// are: dense and sparse elements, codebook entries, scales.
std::vector<CodeCandidate> plainCandidates(ElementType type, double value,
                                           std::optional<std::int64_t> current);

/// Codes worth considering for `value`: every code of a narrow type, the neighbourhood of the exact
/// answer for floating-point data. Vector palettes: only entries whose other lanes equal those of
/// `current` (nothing: those that are zero, as a gap's are).
std::vector<CodeCandidate> candidatesFor(const Decoder::State &state, const ElementPlace &place,
                                         double value, std::optional<std::int64_t> current);

/// The payload is the result of another op and has no bytes of its own.
Error indirectPayload();

/// The nearest candidate, where it holds `value` within `tolerance` or is the natural rounding to
/// `natural` (Unknown: there is none). Otherwise "patch.unrepresentable" with the neighbours.
Result<CodeCandidate> decide(std::span<const CodeCandidate> candidates, double value,
                             double tolerance, ElementType natural, std::string_view field);

/// Bits of one code of the payload.
unsigned codeWidth(const Decoder::State &state);
/// Code number `index` of the payload.
std::int64_t codeAt(const Decoder::State &state, std::uint64_t index);
/// Type of the payload where its values are the weight's own; Unknown under a palette or scales.
ElementType plainType(const Decoder::State &state);

/// The plan's words for an element that takes a code; no bytes yet.
/// `current`: its code now, if it has one.
EditPlan elementPlan(const Decoder::State &state, const ElementPlace &place, double asked,
                     const CodeCandidate &chosen, std::optional<std::int64_t> current);
/// The least and the largest number that a type holds.
std::pair<double, double> typeRange(ElementType type);
/// Says of a plan whose value is far from the one asked for (isFarFrom()) how far, and the range of
/// what the place can hold.
void noteFar(EditPlan &plan, const std::pair<double, double> &range);
/// Refuses what an order of its own does not allow: a zero that would move ("patch.sparse_zero"),
/// bytes whose order is not known ("patch.locked").
Result<void> checkStays(const Decoder::State &state, std::uint64_t element, std::int64_t code);
/// Adds the changes of an element and of its copies.
void addChanges(EditPlan &plan, const Operand &operand, unsigned width, std::uint64_t index,
                std::int64_t code);
/// Adds the change, where there is one.
void addChange(EditPlan &plan, PartRole role, ByteChange change);

} // namespace kernscope::codec
