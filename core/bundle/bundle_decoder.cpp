// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/overlaid_file.h"
#include "core/bundle/bundle.h"
#include "core/bundle/diagnostic_log.h"
#include "core/bundle/statistics.h"
#include "core/bundle/weight.h"
#include "core/codec/decode/decoder.h"
#include "core/container/aimodel/package.h"
#include "core/container/mil/program.h"
#include "core/form/encoding.h"

#include <algorithm>

namespace kernscope {

namespace {

/// Gives a fault of the codec, which knows no files, its place: the stored operand that its
/// field names, or the weight's first one. Literals lie in the program, at the place of their
/// notation.
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

/// Of a Core AI package that is too large to be hashed as it is opened.
std::optional<Error> hashFinding(const Bundle &bundle)
{
    const auto module = bundle.fileByPath(aimodel::kModuleFile);
    const auto hash = bundle.fileByPath(aimodel::kHashFile);
    if (bundle.kind() != BundleKind::Aimodel || !module || bundle.files().size() == 1 ||
        bundle.files()[*module].file->size().value <= aimodel::kHashedOnOpening)
        return std::nullopt;
    return aimodel::hashFinding(bundle.files()[*module].file->bytes(),
                                hash ? std::optional(bundle.files()[*hash].file->bytes())
                                     : std::nullopt);
}

} // namespace

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

Diagnostics verifyPayload(const Bundle &bundle, std::size_t index, Progress *progress)
{
    const Weight &weight = bundle.weights()[index];
    const auto decoder = bundle.decoder(index);
    if (!decoder)
        return {{Severity::Error, decoder.error()}};
    Diagnostics all = decoder->verify(progress);
    for (Diagnostic &found : all) {
        placeFault(bundle, weight, found.error);
        found.error.field = weight.name + ": " + found.error.field;
    }
    return all;
}

Diagnostics verifyPayloads(const Bundle &bundle, Progress *progress)
{
    DiagnosticLog log;
    if (auto finding = hashFinding(bundle))
        log.add(Severity::Warning, std::move(*finding));
    for (std::size_t i = 0; i < bundle.weights().size(); ++i) {
        if (progress && progress->cancelled())
            break;
        const auto packed = [](const codec::Operand &operand) {
            const auto *order = dynamic_cast<const codec::PackedBytes *>(operand.order.get());
            return order != nullptr && !order->isUnpacked();
        };
        const OperandList &operands = bundle.weights()[i].operands();
        if (bundle.weights()[i].fault || std::any_of(operands.begin(), operands.end(), packed))
            continue; // is among the bundle's diagnostics; is checked as it is unpacked
        for (Diagnostic &found : verifyPayload(bundle, i, progress))
            log.add(found.severity, std::move(found.error));
    }
    return log.take();
}

} // namespace kernscope
