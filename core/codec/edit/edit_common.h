// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/codec/edit/editor.h"
#include "core/codec/edit/element_candidates.h"

/// Private to the codec: what the edits have in common.
namespace kernscope::codec {

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
