// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/codec/decode/decoder_state.h"
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

} // namespace kernscope::codec
