// SPDX-License-Identifier: GPL-3.0-or-later
// The way from stored bytes to values: payload, gaps of the mask, rounding. The steps of palettes
// and of scales are in files of their own.
#include "core/codec/decode/decoder_state.h"

#include "core/codec/kernels/palette_kernels.h"
#include "core/codec/microscaled/microscaled.h"
#include "core/numeric/bitpack.h"
#include "core/numeric/stream_copy.h"

#include <algorithm>

namespace kernscope::codec {

std::span<const std::byte> Decoder::State::survivorsFrom(std::uint64_t rank) const
{
    const std::uint64_t bytes = bitWidth(payload.type) / 8;
    return payload.bytes.subspan(std::min(rank, payloadElements) * bytes,
                                 (payloadElements - std::min(rank, payloadElements)) * bytes);
}

namespace {

/// What is stored for elements [first, first + out.size()) by dense position, 0 in the gaps of a
/// mask: `fetch(at, to)` gets stored elements from number `at` on.
template <class T, class Fetch>
void spread(const Decoder::State &state, std::uint64_t first, std::span<T> out, Fetch fetch)
{
    if (!state.mask)
        return fetch(first, out);
    std::array<T, kBlockElements> compact;
    std::uint64_t next = state.mask->rank(first);
    forEachBlock(first, out, [&](std::uint64_t position, std::span<T> part) {
        const std::uint64_t rank = std::min(next, state.payloadElements);
        const std::uint64_t kept = countBits(state.mask->bytes(), position, part.size());
        next += kept;
        const auto some = std::span(compact).first(std::min(kept, state.payloadElements - rank));
        fetch(rank, some);
        expandKept(state.mask->bytes(), position, some, part);
    });
}

} // namespace

void Decoder::State::payloadFloats(std::uint64_t first, std::span<float> out) const
{
    spread(*this, first, out, [&](std::uint64_t at, std::span<float> to) {
        for (std::size_t i = 0; encoding.view && i < to.size(); ++i)
            payloadDecoder->decodeFloat(madeElement(encoding, at + i), to.subspan(i, 1));
        if (payloadDecoder && !encoding.view)
            payloadDecoder->decodeFloat(at, to);
        else if (!payloadDecoder)
            convertToFloat(payload.bytes, payload.type, at, to);
    });
}

void Decoder::State::sparseHalves(std::uint64_t first, bool streamed,
                                  std::span<std::uint16_t> out) const
{
    expandHalves(mask->bytes(), first, survivorsFrom(mask->rank(first)), streamed, out);
}

void Decoder::State::blockFloats(std::uint64_t first, std::span<float> out) const
{
    if (payload.order)
        orderedFloats(first, out);
    else if (palette)
        paletteFloats(first, out);
    else
        payloadFloats(first, out);
    if (scaling && !payload.order) {
        scaleBlock(first, out);
        if (mask && !scaling->scalesGaps)
            clearGapsOf(first, out);
    }
    convertResult(out);
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

// The palette step of decoding.

namespace {

bool startsLine(std::span<const std::uint16_t> out)
{
    return elementsBeforeLine(out) == 0;
}

/// -0 becomes 0.
void addZero(std::span<std::uint16_t> halves)
{
    for (std::uint16_t &half : halves)
        half = half == 0x8000U ? std::uint16_t{0} : half;
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

/// The stored elements as a matrix: its rows are those of the last axis.
struct MxMatrix {
    std::span<const std::uint8_t> data, exponents;
    bool mxfp4 = false;
    std::uint64_t columns = 0;
};

std::span<const std::uint8_t> unsignedBytes(std::span<const std::byte> bytes)
{
    return {reinterpret_cast<const std::uint8_t *>(bytes.data()), bytes.size()};
}

MxMatrix matrixOf(const Decoder::State &state)
{
    return {unsignedBytes(state.payload.bytes), unsignedBytes(state.scaling->scale.bytes),
            state.payload.type == ElementType::Fp4E2M1, state.encoding.shape.back()};
}

/// Groups along the columns: one run.
void decodeAcross(const MxMatrix &matrix, std::uint64_t first, bool streamed,
                  std::span<std::uint16_t> out)
{
    MxRun run;
    run.data = matrix.data;
    run.first = first;
    run.mxfp4 = matrix.mxfp4;
    run.exponents = matrix.exponents.subspan(static_cast<std::size_t>(first / kMxGroup));
    run.streamed = streamed;
    microscaledRunToHalf(run, out);
}

/// A part of the elements of a matrix: of `rows` whole rows, or of one row of them a part.
struct Rows {
    std::uint64_t first = 0; ///< row
    std::uint64_t count = 0;
    std::uint64_t column = 0; ///< of the first element of each row that is wanted
    std::uint64_t width = 0;  ///< elements of each row, from there on
};

/// Groups along the rows, which share their exponents: all of `rows` are of one group.
void decodeRows(const MxMatrix &matrix, const Rows &rows, bool streamed, std::uint16_t *out)
{
    constexpr std::uint64_t kColumns =
        8192; // what the second cache holds, and prefetching pays for
    std::vector<std::uint16_t> factors(std::min(kColumns, rows.width));
    MxRun run;
    run.data = matrix.data;
    run.mxfp4 = matrix.mxfp4;
    std::vector<std::uint16_t> shifts(run.mxfp4 ? factors.size() : 0);
    run.perElement = true;
    run.streamed = streamed;
    for (std::uint64_t done = 0; done < rows.width; done += kColumns) {
        const std::uint64_t width = std::min(kColumns, rows.width - done);
        const std::uint64_t column = rows.column + done;
        run.exponents =
            matrix.exponents.subspan(rows.first / kMxGroup * matrix.columns + column, width);
        run.factors = std::span(factors).first(width);
        run.nanFactors =
            microscaledFactors(run.exponents, run.mxfp4, std::span(factors).first(width));
        const bool shifted = run.mxfp4 && microscaledShifts(run.exponents, shifts);
        run.shifts = std::span<const std::uint16_t>(shifts).first(shifted ? width : 0);
        for (std::uint64_t row = 0; row < rows.count; ++row) {
            run.first = (rows.first + row) * matrix.columns + column;
            microscaledRunToHalf(run, {out + row * matrix.columns + done, width});
        }
    }
}

/// Groups along the rows: the end of a row, whole rows, the beginning of one.
void decodeDown(const MxMatrix &matrix, std::uint64_t first, bool streamed,
                std::span<std::uint16_t> out)
{
    for (std::size_t done = 0; done < out.size();) {
        const std::uint64_t at = first + done;
        const std::uint64_t left = out.size() - done;
        Rows rows{at / matrix.columns, 1, at % matrix.columns, 0};
        rows.width = std::min(matrix.columns - rows.column, left);
        if (rows.width == matrix.columns)
            rows.count = std::min(kMxGroup - rows.first % kMxGroup, left / matrix.columns);
        decodeRows(matrix, rows, streamed, out.data() + done);
        done += static_cast<std::size_t>(rows.count * rows.width);
    }
}

} // namespace

std::span<const std::byte> PaletteState::halfTable(std::uint64_t codebook, std::uint64_t lane) const
{
    const std::uint64_t table = codebook * vector + lane;
    const auto bytes = halves.empty() ? lut.bytes : std::as_bytes(std::span(halves));
    return bytes.subspan(table * entries * 2, entries * 2);
}

std::span<const float> PaletteState::floatTable(std::uint64_t codebook, std::uint64_t lane) const
{
    return std::span(floats).subspan((codebook * vector + lane) * entries, entries);
}

IndexPlace Decoder::State::placeOf(std::uint64_t element) const
{
    const PaletteState &p = *palette;
    if (p.vector == 1)
        return {element, 0, elements - element};
    const std::uint64_t inside = element % p.inner;
    const std::uint64_t onAxis = element / p.inner % p.axisExtent;
    const std::uint64_t outside = element / p.inner / p.axisExtent;
    IndexPlace place;
    place.index = (outside * (p.axisExtent / p.vector) + onAxis / p.vector) * p.inner + inside;
    place.lane = onAxis % p.vector;
    place.run = p.inner - inside;
    return place;
}

void Decoder::State::indices(std::uint64_t first, std::span<std::uint8_t> out) const
{
    spread(*this, first, out, [&](std::uint64_t at, std::span<std::uint8_t> to) {
        unpackCodes(payload.bytes, palette->width, at, to);
    });
}

void Decoder::State::paletteFloats(std::uint64_t first, std::span<float> out) const
{
    std::array<std::uint8_t, kBlockElements> codes;
    std::array<std::uint16_t, kBlockElements> halves;
    for (std::size_t done = 0; done < out.size();) {
        const IndexPlace place = placeOf(first + done);
        const GridWalker walker(palette->grid, place.index);
        const std::size_t count = std::min<std::uint64_t>(
            {out.size() - done, place.run, walker.cellLeft(), kBlockElements});
        const auto some = std::span(codes).first(count);
        const auto part = out.subspan(done, count);
        indices(place.index, some);
        if (!palette->floats.empty()) {
            lookupFloats(some, palette->floatTable(walker.cell(), place.lane), part);
        } else {
            lookupCodes(some, palette->width, palette->halfTable(walker.cell(), place.lane),
                        std::span(halves).first(count));
            convertHalfToFloat(std::span(halves).first(count), part);
        }
        if (mask)
            clearGaps(mask->bytes(), place.index, part);
        done += count;
    }
}

void Decoder::State::vectorLanes(std::uint64_t first, bool streamed,
                                 std::span<std::uint16_t> out) const
{
    if (streamed) {
        // To the first line; vectors begin there too (paletteStreams()).
        const std::size_t head = elementsBeforeLine(std::span<const std::uint16_t>(out));
        if (head != 0)
            vectorLanes(first, false, out.first(head));
        first += head;
        out = out.subspan(head);
        if (out.empty())
            return;
    }
    // The vector axis is the last one: each index becomes V neighbours.
    const std::uint64_t vector = palette->vector;
    constexpr std::size_t kCodes = 4 * kBlockElements; // tables are filled once for them
    std::array<std::uint8_t, kCodes> codes;
    const std::uint64_t last = (first + out.size() - 1) / vector;
    std::uint64_t lane = first % vector; // of the first element that is still to come
    GridWalker walker(palette->grid, first / vector);
    for (std::uint64_t index = first / vector; index <= last;) {
        std::size_t count = std::min<std::uint64_t>({kCodes, last + 1 - index, walker.cellLeft()});
        const auto book =
            std::span(palette->vectors)
                .subspan(walker.cell() * palette->entries * vector, palette->entries * vector);
        const auto lanes = std::as_bytes(std::span(palette->halves))
                               .subspan(walker.cell() * palette->entries * vector * 2);
        if (lane != 0 || out.size() < count * vector)
            count = lane != 0 || out.size() < vector ? 1 : count - 1; // parts of vectors alone
        indices(index, std::span(codes).first(count));
        const std::size_t filled = std::min<std::uint64_t>(count * vector - lane, out.size());
        if (filled == count * vector)
            lookupVectors(std::span(codes).first(count), palette->width, lanes, book, vector,
                          streamed && startsLine(out), out.first(filled));
        else
            std::copy_n(book.begin() + static_cast<std::ptrdiff_t>(codes[0] * vector + lane),
                        filled, out.begin());
        for (std::size_t i = 0; mask && i < filled; ++i) {
            if (!mask->test(index + (lane + i) / vector))
                out[i] = 0;
        }
        out = out.subspan(filled);
        lane = 0;
        index += count;
        walker.advance(count);
    }
}

bool Decoder::State::paletteStreams(std::uint64_t first, std::span<const std::uint16_t> out) const
{
    // Each run of a codebook has a few elements before its first line, one by one.
    constexpr std::uint64_t kLongRun = 1024;
    const std::uint64_t vector = palette->vector;
    if (!mask && (vector == 2 || vector == 4) && palette->inner == 1)
        return (first + elementsBeforeLine(out)) % vector == 0 &&
               GridWalker(palette->grid, first / vector).block() >= kLongRun;
    return !mask && palette->vector == 1 && GridWalker(palette->grid, first).block() >= kLongRun &&
           streamsPacked(palette->width, first, out);
}

void Decoder::State::paletteHalves(std::uint64_t first, bool streamed,
                                   std::span<std::uint16_t> out) const
{
    if (palette->vector > 1 && palette->inner == 1) {
        vectorLanes(first, streamed, out);
        return;
    }
    std::array<std::uint8_t, kBlockElements> codes;
    for (std::size_t done = 0; done < out.size();) {
        const IndexPlace place = placeOf(first + done);
        GridWalker walker(palette->grid, place.index);
        const auto run = out.subspan(done, std::min<std::uint64_t>(out.size() - done, place.run));
        for (std::size_t at = 0; at < run.size();) {
            const std::uint64_t cellRun =
                std::min<std::uint64_t>(run.size() - at, walker.cellLeft());
            const auto table = palette->halfTable(walker.cell(), place.lane);
            const std::size_t count =
                mask ? std::min<std::uint64_t>(cellRun, kBlockElements) : cellRun;
            const auto part = run.subspan(at, count);
            if (mask) {
                indices(place.index + at, std::span(codes).first(count));
                lookupCodes(std::span(codes).first(count), palette->width, table, part);
                clearGaps(mask->bytes(), place.index + at, part);
            } else {
                lookupPacked(payload.bytes, palette->width, place.index + at, table, streamed,
                             part);
            }
            at += count;
            walker.advance(count);
        }
        done += run.size();
    }
}

// The scale step of decoding: affine and blockwise.

namespace {

/// Numbers of a table from `cell` on; one that is the only one stands for all.
void numbersOf(const Operand &table, bool one, std::uint64_t cell, std::span<float> out)
{
    if (one)
        std::ranges::fill(out, static_cast<float>(loadValue(table.bytes, table.type, 0)));
    else
        convertToFloat(table.bytes, table.type, cell, out);
}

} // namespace

void ScalingState::scalesOf(std::uint64_t cell, std::span<float> out) const
{
    numbersOf(scale, oneScale, cell, out);
    if (roundScale)
        roundToType(ElementType::Fp16, out);
}

void ScalingState::offsetsOf(std::uint64_t cell, std::span<float> out) const
{
    numbersOf(*offset, oneOffset, cell, out);
    if (roundOffset)
        roundToType(ElementType::Fp16, out);
}

void ScalingState::biasesOf(std::uint64_t cell, std::span<float> out) const
{
    numbersOf(*bias, oneBias, cell, out);
}

void ScalingState::step(std::span<float> values, float scaleBy, float less, float shift) const
{
    const auto rounded = [&](auto change) {
        for (float &value : values)
            value = change(value);
        roundToType(type, values);
    };
    if (steps == Scaling::Steps::Product && type == ElementType::Bf16) { // in fp32, rounded once
        shift -= less * scaleBy;
        return rounded([&](float value) { return value * scaleBy + shift; });
    }
    if (steps == Scaling::Steps::Product) {
        float product = less * scaleBy;
        roundToType(type, std::span(&product, 1));
        shift -= product;
        roundToType(type, std::span(&shift, 1));
    } else if (offset) {
        rounded([less](float value) { return value - less; });
    }
    if (steps == Scaling::Steps::Quotient)
        return rounded([scaleBy](float value) { return value / scaleBy; });
    rounded([scaleBy](float value) { return value * scaleBy; });
    if (bias || steps == Scaling::Steps::Product)
        rounded([shift](float value) { return value + shift; });
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
    if (palette || payloadDecoder ||
        (scaling && (scaling->addsOffset || scaling->steps != Scaling::Steps::Program)))
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
    spread(*this, first, out, [&](std::uint64_t at, std::span<std::uint8_t> to) {
        if (payload.type == ElementType::Int4)
            unpackInt4(payload.bytes, at, {reinterpret_cast<std::int8_t *>(to.data()), to.size()});
        else
            unpackCodes(payload.bytes, bitWidth(payload.type), at, to);
    });
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
        if (!scaling->scalesGaps)
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
    if (scaling->addsZero)
        addZero(out);
}

void Decoder::State::stepBlock(std::uint64_t first, std::span<float> values) const
{
    const ScalingState &s = *scaling;
    GridWalker walker(s.grid, first);
    for (std::size_t done = 0; done < values.size();) {
        const auto count = static_cast<std::size_t>(
            std::min<std::uint64_t>(walker.cellLeft(), values.size() - done));
        float scale = 1, offset = 0, bias = 0;
        s.scalesOf(walker.cell(), std::span(&scale, 1));
        if (s.offset)
            s.offsetsOf(walker.cell(), std::span(&offset, 1));
        if (s.bias)
            s.biasesOf(walker.cell(), std::span(&bias, 1));
        s.step(values.subspan(done, count), scale, offset, bias);
        walker.advance(count);
        done += count;
    }
}

void Decoder::State::scaleBlock(std::uint64_t first, std::span<float> values) const
{
    if (scaling->steps != Scaling::Steps::Program) {
        stepBlock(first, values);
        return;
    }
    if (scaling->roundData)
        roundToType(ElementType::Fp16, values);
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
    if (scaling->addsZero && scaling->roundProduct)
        roundToType(ElementType::Fp16, values);
    for (std::size_t i = 0; scaling->addsZero && i < values.size(); ++i)
        values[i] += 0.0f;
}

// The scale step of decoding: microscaled elements, as fp16.

bool Decoder::State::microscaledStreams(std::uint64_t first,
                                        std::span<const std::uint16_t> out) const
{
    // Rows are long, and the first of them, and so each, has lines where its groups are.
    constexpr std::uint64_t kLongRow = 1024;
    const bool across = scaling->mxGroups == ScalingState::MxGroups::Across;
    const std::uint64_t columns = encoding.shape.back();
    if (!across && (columns < kLongRow || columns % 2 != 0))
        return false;
    MxRun run;
    run.first = first;
    run.perElement = !across;
    return streamsMicroscaled(run, out);
}

void Decoder::State::microscaledHalves(std::uint64_t first, bool streamed,
                                       std::span<std::uint16_t> out) const
{
    const bool across = scaling->mxGroups == ScalingState::MxGroups::Across;
    (across ? decodeAcross : decodeDown)(matrixOf(*this), first, streamed, out);
}

} // namespace kernscope::codec
