// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/codec/edit/editor.h"
#include "core/codec/edit/element_candidates.h"

#include <span>
#include <string>
#include <string_view>

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
EditPlan elementPlan(const Decoder::State &state, const ElementPlace &place, double asked,
                     const CodeCandidate &chosen);
/// Refuses what an order of its own does not allow: a zero that would move ("patch.sparse_zero"),
/// bytes whose order is not known ("patch.locked").
Result<void> checkStays(const Decoder::State &state, std::uint64_t element, std::int64_t code);
/// Adds the changes of an element and of its copies.
void addChanges(EditPlan &plan, const Operand &operand, unsigned width, std::uint64_t index,
                std::int64_t code);
/// Adds the change, where there is one.
void addChange(EditPlan &plan, PartRole role, ByteChange change);

} // namespace kernscope::codec
