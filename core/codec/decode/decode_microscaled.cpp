// SPDX-License-Identifier: GPL-3.0-or-later
// The scale step of decoding: microscaled elements, as fp16.
#include "core/codec/decode/decoder_state.h"
#include "core/codec/kernels/microscaled_kernels.h"
#include "core/codec/microscaled/microscaled.h"
#include "core/numeric/stream_copy.h"

#include <algorithm>

namespace kernscope::codec {

namespace {

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
