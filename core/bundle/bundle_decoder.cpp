// SPDX-License-Identifier: GPL-3.0-or-later
// Bundle::decoder: a weight's encoding with the current bytes of its operands.
#include "core/base/overlaid_file.h"
#include "core/bundle/bundle.h"
#include "core/bundle/part_fault.h"
#include "core/codec/decode/decoder.h"
#include "core/container/mil/program.h"

#include <utility>

namespace kernscope {

void placeFault(const Bundle &bundle, const Weight &weight, Error &error)
{
    const auto role = codec::partRoleFromName(error.field);
    const codec::Operand *operand = role ? weight.operand(*role) : nullptr;
    if (!operand && !weight.operands().empty())
        operand = &weight.operands().front();
    if (!operand || !operand->place)
        return;
    const OperandPlace &place = *operand->place;
    if (!place.isLiteral()) {
        error.file = bundle.files()[place.file].path;
        error.offset = place.dataOffset;
        return;
    }
    const std::size_t program = bundle.programFileOf(weight.model);
    if (program == kNoIndex)
        return;
    error.file = bundle.files()[program].path;
    if (place.literal && !place.literal->elementSpans.empty())
        error.offset = FileOffset(place.literal->elementSpans.front().offset);
}

std::span<const std::byte> Bundle::operandBytes(const codec::Operand &operand) const
{
    if (!operand.place)
        return operand.bytes;
    const OperandPlace &place = *operand.place;
    if (place.isLiteral())
        return place.literal ? std::span<const std::byte>(place.literal->bytes)
                             : std::span<const std::byte>();
    if (place.file >= m_files.size())
        return {};
    const auto bytes = m_files[place.file].file->bytes();
    if (!place.pieces.empty())
        return bytes;
    if (!fitsInside(place.range(), ByteCount(bytes.size())))
        return {};
    return bytes.subspan(place.dataOffset.value, place.bytes.value);
}

std::vector<std::span<const std::byte>> Bundle::operandRuns(const codec::Operand &operand) const
{
    const auto bytes = operandBytes(operand);
    if (!operand.place || operand.place->pieces.empty())
        return {bytes};
    std::vector<std::span<const std::byte>> runs;
    for (const ByteRange &piece : operand.place->pieces) {
        if (fitsInside(piece, ByteCount(bytes.size())))
            runs.push_back(bytes.subspan(piece.offset.value, piece.bytes.value));
    }
    return runs;
}

Result<codec::Decoder> Bundle::decoder(std::size_t weight) const
{
    const Weight &wanted = m_weights[weight];
    if (wanted.fault)
        return tl::unexpected(*wanted.fault);
    codec::Encoding encoding =
        codec::withOperands(*wanted.form.encoding(), [this](codec::Operand &operand) {
            operand.bytes = operandBytes(operand);
        });
    auto decoder = codec::Decoder::make(std::move(encoding));
    if (!decoder)
        placeFault(*this, wanted, decoder.error());
    return decoder;
}

} // namespace kernscope
