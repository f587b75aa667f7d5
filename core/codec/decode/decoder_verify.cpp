// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codec/decode/decoder.h"

#include "core/base/error_builder.h"
#include "core/codec/decode/decoder_state.h"
#include "core/numeric/bitpack.h"
#include "core/numeric/convert.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

namespace kernscope::codec {

namespace {

Diagnostic found(Severity severity, std::string code, PartRole role, std::string expected,
                 std::string foundText, std::string message)
{
    return {severity, ErrorBuilder(code)
                          .field(partRoleName(role))
                          .expected(std::move(expected))
                          .found(std::move(foundText))
                          .message(std::move(message))};
}

/// Set bits of the whole mask; nothing where it was asked to stop before the end.
std::optional<std::uint64_t> population(const MaskIndex &mask, std::uint64_t elementsABit,
                                        Progress *progress)
{
    constexpr std::uint64_t kStep = std::uint64_t{1} << 20;
    std::uint64_t total = 0;
    for (std::uint64_t bit = 0; bit < mask.bits(); bit += kStep) {
        const std::uint64_t count = std::min(kStep, mask.bits() - bit);
        total += countBits(mask.bytes(), bit, count);
        if (progress != nullptr && !progress->advance(count * elementsABit))
            return std::nullopt;
    }
    return total;
}

void verifyMask(const Decoder::State &state, Progress *progress, Diagnostics &diagnostics)
{
    const MaskIndex &mask = *state.mask;
    const std::uint64_t last = mask.bits() % 8;
    if (last != 0) {
        const unsigned tail = std::to_integer<unsigned>(mask.bytes()[mask.bits() / 8]) >> last;
        if (tail != 0)
            diagnostics.push_back(found(Severity::Warning, "codec.mask_tail", PartRole::Mask,
                                        fmt::format("{} clear bits behind the last", 8 - last),
                                        fmt::format("0x{:02x} there", tail),
                                        "Padding bits of the mask are set; they are ignored"));
    }
    const std::uint64_t vector = state.palette ? state.palette->vector : 1;
    const auto bits = population(mask, vector, progress);
    if (bits && *bits != state.payloadElements)
        diagnostics.push_back(
            found(Severity::Error, "codec.mask", PartRole::Mask,
                  fmt::format("{} set bits, one a stored value", state.payloadElements),
                  fmt::format("{} set bits", *bits), "The mask does not match its values"));
}

void verifyScales(const Operand &scales, Diagnostics &diagnostics)
{
    std::array<float, kBlockElements> values;
    const std::uint64_t count = elementCount(scales.shape)->value;
    std::uint64_t bad = 0;
    std::uint64_t firstBad = 0;
    float firstValue = 0;
    for (std::uint64_t at = 0; at < count; at += kBlockElements) {
        const auto some =
            std::span(values).first(std::min<std::uint64_t>(kBlockElements, count - at));
        convertToFloat(scales.bytes, scales.type, at, some);
        for (std::size_t i = 0; i < some.size(); ++i) {
            if (std::isfinite(some[i]))
                continue;
            if (bad++ == 0) {
                firstBad = at + i;
                firstValue = some[i];
            }
        }
    }
    if (bad > 0)
        diagnostics.push_back(found(Severity::Warning, "codec.scale_nonfinite", scales.role,
                                    "finite numbers",
                                    fmt::format("{} of {} not finite, the first {} at index {}",
                                                bad, count, firstValue, firstBad),
                                    "Scales or offsets are infinite or not a number"));
}

} // namespace

Diagnostics Decoder::verify(Progress *progress) const
{
    const State &state = *m_state;
    Diagnostics diagnostics;
    if (state.mask)
        verifyMask(state, progress, diagnostics);
    else if (progress != nullptr)
        progress->advance(state.elements);
    if (state.scaling) {
        verifyScales(state.scaling->scale, diagnostics);
        if (state.scaling->offset && isFloatingPoint(state.scaling->offset->type))
            verifyScales(*state.scaling->offset, diagnostics);
    }
    if (state.payloadDecoder) {
        Diagnostics inner = state.payloadDecoder->verify();
        diagnostics.insert(diagnostics.end(), std::make_move_iterator(inner.begin()),
                           std::make_move_iterator(inner.end()));
    }
    return diagnostics;
}

} // namespace kernscope::codec
