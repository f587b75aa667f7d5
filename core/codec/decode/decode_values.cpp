// SPDX-License-Identifier: GPL-3.0-or-later
// The way from stored bytes to values: payload, gaps of the mask, rounding. The steps of palettes
// and of scales are in files of their own.
#include "core/codec/decode/decoder_state.h"
#include "core/codec/kernels/sparse_kernels.h"
#include "core/numeric/bitpack.h"
#include "core/numeric/convert.h"
#include "core/numeric/stream_copy.h"

#include <algorithm>
#include <array>

namespace kernscope::codec {

std::span<const std::byte> Decoder::State::survivorsFrom(std::uint64_t rank) const
{
    const std::uint64_t bytes = bitWidth(payload.type) / 8;
    return payload.bytes.subspan(std::min(rank, payloadElements) * bytes,
                                 (payloadElements - std::min(rank, payloadElements)) * bytes);
}

void Decoder::State::payloadFloats(std::uint64_t first, std::span<float> out) const
{
    const auto fetch = [&](std::uint64_t at, std::span<float> to) {
        if (payloadDecoder)
            payloadDecoder->decodeFloat(at, to);
        else
            convertToFloat(payload.bytes, payload.type, at, to);
    };
    if (!mask) {
        fetch(first, out);
        return;
    }
    std::array<float, kBlockElements> compact;
    std::uint64_t next = mask->rank(first);
    forEachBlock(first, out, [&](std::uint64_t position, std::span<float> part) {
        const std::uint64_t rank = std::min(next, payloadElements);
        const std::uint64_t kept = countBits(mask->bytes(), position, part.size());
        next += kept;
        const auto some = std::span(compact).first(std::min(kept, payloadElements - rank));
        fetch(rank, some);
        expandFloats(mask->bytes(), position, some, part);
    });
}

void Decoder::State::sparseHalves(std::uint64_t first, bool streamed,
                                  std::span<std::uint16_t> out) const
{
    expandHalves(mask->bytes(), first, survivorsFrom(mask->rank(first)), streamed, out);
}

void Decoder::State::blockFloats(std::uint64_t first, std::span<float> out) const
{
    if (payload.order) {
        orderedFloats(first, out);
        return;
    }
    if (palette)
        paletteFloats(first, out);
    else
        payloadFloats(first, out);
    if (!scaling)
        return;
    scaleBlock(first, out);
    if (mask)
        clearGapsOf(first, out);
}

void Decoder::State::clearGapsOf(std::uint64_t first, std::span<float> values) const
{
    if (!palette || palette->vector == 1) {
        clearGaps(mask->bytes(), first, values);
        return;
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (!mask->test(placeOf(first + i).index))
            values[i] = 0.0f;
    }
}

bool Decoder::State::streams(std::uint64_t first, std::span<const std::uint16_t> out) const
{
    if (payload.order)
        return tilesHalves();
    if (payloadDecoder)
        return false;
    if (scaling && scaling->mxGroups != ScalingState::MxGroups::None)
        return microscaledStreams(first, out);
    if (scaling)
        return halfResult() && byteCodes() && scaleStreams(first, out);
    if (palette)
        return paletteStreams(first, out);
    return payload.type == ElementType::Fp16;
}

void Decoder::State::decodeHalf(std::uint64_t first, std::span<std::uint16_t> out) const
{
    if (out.size_bytes() < streamedBytes()) {
        halves(first, false, out);
    } else if (streams(first, out)) {
        halves(first, true, out);
        flushStream();
    } else {
        fillPastCaches(out, [&](std::uint64_t at, std::span<std::uint16_t> part) {
            halves(first + at, false, part);
        });
    }
}

void Decoder::State::halves(std::uint64_t first, bool streamed, std::span<std::uint16_t> out) const
{
    if (out.empty())
        return;
    if (payload.order) {
        orderedHalves(first, streamed, out);
    } else if (!scaling && palette) {
        paletteHalves(first, streamed, out);
    } else if (!scaling && !mask && !payloadDecoder) {
        convertToHalf(payload.bytes, payload.type, first, out);
    } else if (!scaling && !payloadDecoder && payload.type == ElementType::Fp16) {
        sparseHalves(first, streamed, out);
    } else if (scaling && scaling->mxGroups != ScalingState::MxGroups::None) {
        microscaledHalves(first, streamed, out);
    } else if (scaling && halfResult() && byteCodes()) {
        scaledHalves(first, streamed, out);
    } else {
        std::array<float, kBlockElements> values;
        forEachBlock(first, out, [&](std::uint64_t position, std::span<std::uint16_t> part) {
            const auto some = std::span(values).first(part.size());
            blockFloats(position, some);
            convertFloatToHalf(some, part);
        });
    }
}

void Decoder::State::decodeFloat(std::uint64_t first, std::span<float> out) const
{
    if (payload.order && halfResult()) {
        orderedFloatsByHalves(first, out);
        return;
    }
    const auto floats = [&](std::uint64_t from, std::span<float> to) {
        forEachBlock(from, to, [&](std::uint64_t position, std::span<float> part) {
            if (halfResult()) {
                std::array<std::uint16_t, kBlockElements> rounded;
                const auto some = std::span(rounded).first(part.size());
                halves(position, false, some);
                convertHalfToFloat(some, part);
            } else {
                blockFloats(position, part);
            }
        });
    };
    if (out.size_bytes() < streamedBytes())
        floats(first, out);
    else
        fillPastCaches(out,
                       [&](std::uint64_t at, std::span<float> part) { floats(first + at, part); });
}

} // namespace kernscope::codec
