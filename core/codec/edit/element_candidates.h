// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/codec/decode/decoder_state.h"
#include "core/codec/edit/editor.h"
#include "core/codec/edit/stored_code.h"

/// Private to the codec: the codes that one element may take, with what each decodes to.
namespace kernscope::codec {

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
/// A payload number under that pair, by the form's own arithmetic.
double scaledValue(const Decoder::State &state, const ScalePair &pair, float raw);
/// scaledValue() of each of them, in place; `halves` is room for the roundings.
void scaledValues(const Decoder::State &state, const ScalePair &pair, std::span<float> values,
                  std::vector<std::uint16_t> &halves);

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

Error editFault(std::string code, std::string_view field, std::string expected, std::string found,
                std::string message);
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
