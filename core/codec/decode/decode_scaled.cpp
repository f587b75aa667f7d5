// SPDX-License-Identifier: GPL-3.0-or-later
// The scale step of decoding: affine and blockwise.
#include "core/codec/decode/decoder_state.h"
#include "core/codec/kernels/sparse_kernels.h"
#include "core/numeric/bitpack.h"
#include "core/numeric/convert.h"
#include "core/numeric/stream_copy.h"

#include <algorithm>
#include <array>

namespace kernscope::codec {

namespace {

void roundToHalf(std::span<float> values)
{
    std::array<std::uint16_t, kBlockElements> halves;
    const auto some = std::span(halves).first(values.size());
    convertFloatToHalf(values, some);
    convertHalfToFloat(some, values);
}

void scaleBytes(std::span<const std::uint8_t> codes, bool isSigned, const ScaleRun &run,
                std::span<std::uint16_t> out)
{
    if (isSigned)
        scaleToHalf(std::span(reinterpret_cast<const std::int8_t *>(codes.data()), codes.size()),
                    run, out);
    else
        scaleToHalf(codes, run, out);
}

} // namespace

void ScalingState::scalesOf(std::uint64_t cell, std::span<float> out) const
{
    if (oneScale)
        std::fill(out.begin(), out.end(),
                  static_cast<float>(loadValue(scale.bytes, scale.type, 0)));
    else
        convertToFloat(scale.bytes, scale.type, cell, out);
}

void ScalingState::offsetsOf(std::uint64_t cell, std::span<float> out) const
{
    if (oneOffset)
        std::fill(out.begin(), out.end(),
                  static_cast<float>(loadValue(offset->bytes, offset->type, 0)));
    else
        convertToFloat(offset->bytes, offset->type, cell, out);
    if (roundOffset)
        roundToHalf(out);
}

template <class Each>
void Decoder::State::forEachScaleRun(std::uint64_t first, std::size_t count, Each each) const
{
    const ScalingState &s = *scaling;
    std::array<float, kBlockElements> scales;
    std::array<float, kBlockElements> offsets;
    constexpr std::uint64_t kShortRow = 32; // below, a call for each row costs more than its work
    GridWalker walker(s.grid, first);
    for (std::size_t done = 0; done < count;) {
        const std::size_t left = count - done;
        ScaleRun run;
        std::size_t part = 0;
        std::size_t cells = 0;
        if (walker.rowLeft() >= kShortRow || walker.rowLeft() >= left) {
            run.block = walker.block();
            run.phase = run.block - walker.cellLeft();
            part = std::min<std::uint64_t>(left, walker.rowLeft());
            if (part / run.block >= kBlockElements - 1) // no more cells than there is room for
                part = std::min<std::uint64_t>(part, kBlockElements * run.block - run.phase);
            cells = (run.phase + part - 1) / run.block + 1;
            s.scalesOf(walker.cell(), std::span(scales).first(cells));
            if (s.offset)
                s.offsetsOf(walker.cell(), std::span(offsets).first(cells));
            walker.advance(part);
        } else {
            // Short rows: one scale an element.
            for (; part < std::min(left, kBlockElements); ++part, ++cells, walker.advance(1)) {
                s.scalesOf(walker.cell(), std::span(scales).subspan(part, 1));
                if (s.offset)
                    s.offsetsOf(walker.cell(), std::span(offsets).subspan(part, 1));
            }
        }
        run.scales = std::span(scales).first(cells);
        if (s.offset)
            run.offsets = std::span(offsets).first(cells);
        run.roundDifference = s.roundDifference;
        each(done, run, part);
        done += part;
    }
}

bool Decoder::State::byteCodes() const
{
    // The kernels subtract offsets before they scale.
    if (palette || payloadDecoder || (scaling && scaling->addsOffset))
        return false;
    switch (payload.type) {
    case ElementType::Int4:
    case ElementType::Uint4:
    case ElementType::Int8:
    case ElementType::Uint8: return true;
    default: return false;
    }
}

void Decoder::State::codeBytes(std::uint64_t first, std::span<std::uint8_t> out) const
{
    const auto fetch = [&](std::uint64_t at, std::span<std::uint8_t> to) {
        if (payload.type == ElementType::Int4)
            unpackInt4(payload.bytes, at, {reinterpret_cast<std::int8_t *>(to.data()), to.size()});
        else
            unpackCodes(payload.bytes, bitWidth(payload.type), at, to);
    };
    if (!mask) {
        fetch(first, out);
        return;
    }
    std::array<std::uint8_t, kBlockElements> compact;
    const std::uint64_t rank = std::min(mask->rank(first), payloadElements);
    const std::uint64_t kept = countBits(mask->bytes(), first, out.size());
    const auto some = std::span(compact).first(std::min(kept, payloadElements - rank));
    fetch(rank, some);
    expandBytes(mask->bytes(), first, some, out);
}

void Decoder::State::scaleCodes(std::uint64_t first, std::span<const std::uint8_t> codes,
                                std::span<std::uint16_t> out) const
{
    const bool isSigned = isSignedInteger(payload.type);
    forEachScaleRun(first, out.size(), [&](std::size_t at, const ScaleRun &run, std::size_t count) {
        scaleBytes(codes.subspan(at, count), isSigned, run, out.subspan(at, count));
    });
}

void Decoder::State::scaledRun(std::uint64_t first, const ScaleRun &run,
                               std::span<std::uint16_t> out) const
{
    const auto scale = [&](std::span<const std::uint8_t> codes, const ScaleRun &part,
                           std::span<std::uint16_t> to) {
        scaleBytes(codes, isSignedInteger(payload.type), part, to);
    };
    if (!mask && bitWidth(payload.type) == 8) {
        // Where they lie, in one go.
        const auto *codes = reinterpret_cast<const std::uint8_t *>(payload.bytes.data());
        scale({codes + first, out.size()}, run, out);
        return;
    }
    if (!mask) {
        scaleNibblesToHalf(payload.bytes, first, isSignedInteger(payload.type), run, out);
        return;
    }
    std::array<std::uint8_t, kBlockElements> codes;
    forEachBlock(0, out, [&](std::uint64_t at, std::span<std::uint16_t> to) {
        const auto some = std::span(codes).first(to.size());
        codeBytes(first + at, some);
        ScaleRun part = run;
        const std::uint64_t skipped = (run.phase + at) / run.block;
        part.phase = (run.phase + at) % run.block;
        part.scales = run.scales.subspan(skipped);
        if (!run.offsets.empty())
            part.offsets = run.offsets.subspan(skipped);
        scale(some, part, to);
        clearGaps(mask->bytes(), first + at, to);
    });
}

bool Decoder::State::scaleStreams(std::uint64_t first, std::span<const std::uint16_t> out) const
{
    // Long blocks have a few elements before their first line, one by one; the lines of others
    // must begin where the blocks do.
    constexpr std::uint64_t kLongBlock = 1024;
    constexpr std::uint64_t kLineElements = kCacheLine / sizeof(std::uint16_t);
    if (mask)
        return false;
    const GridWalker walker(scaling->grid, first);
    const std::uint64_t before = elementsBeforeLine(out);
    const bool inLine = walker.block() % kLineElements == 0 &&
                        (walker.cellLeft() + kLineElements - before) % kLineElements == 0;
    return inLine || (walker.block() >= kLongBlock && bitWidth(payload.type) == 8);
}

void Decoder::State::scaledHalves(std::uint64_t first, bool streamed,
                                  std::span<std::uint16_t> out) const
{
    forEachScaleRun(first, out.size(), [&](std::size_t at, const ScaleRun &run, std::size_t count) {
        ScaleRun part = run;
        part.streamed = streamed;
        scaledRun(first + at, part, out.subspan(at, count));
    });
}

void Decoder::State::scalesOfElements(std::uint64_t first, std::span<float> scales,
                                      std::span<float> offsets) const
{
    std::fill(offsets.begin(), offsets.end(), 0.0f);
    forEachScaleRun(first, scales.size(),
                    [&](std::size_t at, const ScaleRun &run, std::size_t count) {
                        std::uint64_t left = run.block - run.phase;
                        std::size_t cell = 0;
                        for (std::size_t i = 0; i < count; ++cell, left = run.block) {
                            const auto some =
                                static_cast<std::size_t>(std::min<std::uint64_t>(left, count - i));
                            std::fill_n(scales.begin() + static_cast<std::ptrdiff_t>(at + i), some,
                                        run.scales[cell]);
                            if (!run.offsets.empty())
                                std::fill_n(offsets.begin() + static_cast<std::ptrdiff_t>(at + i),
                                            some, run.offsets[cell]);
                            i += some;
                        }
                    });
}

void Decoder::State::scaleBlock(std::uint64_t first, std::span<float> values) const
{
    if (scaling->roundData)
        roundToHalf(values);
    forEachScaleRun(first, values.size(),
                    [&](std::size_t at, const ScaleRun &run, std::size_t count) {
                        const auto some = values.subspan(at, count);
                        if (!scaling->addsOffset)
                            return scaleFloats(some, run);
                        ScaleRun product = run;
                        product.offsets = {};
                        scaleFloats(some, product);
                        for (std::size_t i = 0; i < count && !run.offsets.empty(); ++i)
                            some[i] += run.offsets[(run.phase + i) / run.block];
                    });
}

} // namespace kernscope::codec
