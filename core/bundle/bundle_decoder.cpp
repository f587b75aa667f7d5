// SPDX-License-Identifier: GPL-3.0-or-later
// Bundle::decoder: a weight's encoding with the current bytes of its parts.
#include "core/base/error_builder.h"
#include "core/bundle/bundle.h"
#include "core/bundle/part_fault.h"

#include <utility>

namespace kernscope {

namespace {

/// Copies an encoding and gives its operands the bytes of the parts, one by one.
class Binder
{
public:
    Binder(const Bundle &bundle, const Weight &weight) : m_bundle(bundle), m_weight(weight) {}

    codec::Encoding bind(codec::Encoding encoding)
    {
        if (encoding.mask)
            bind(*encoding.mask);
        bind(encoding.payload);
        if (encoding.palette)
            bind(encoding.palette->lut);
        if (encoding.scaling) {
            bind(encoding.scaling->scale);
            if (encoding.scaling->offset)
                bind(*encoding.scaling->offset);
        }
        return encoding;
    }

    bool complete() const { return m_next == m_weight.parts.size(); }

private:
    void bind(codec::Operand &operand)
    {
        if (m_next < m_weight.parts.size())
            operand.bytes = m_bundle.partBytes(m_weight.parts[m_next]);
        if (m_next < m_weight.parts.size())
            operand.order = m_weight.parts[m_next].order;
        ++m_next;
    }

    void bind(codec::OperandSource &source)
    {
        if (auto *operand = std::get_if<codec::Operand>(&source))
            bind(*operand);
        else if (auto &inner = std::get<std::shared_ptr<const codec::Encoding>>(source))
            inner = std::make_shared<const codec::Encoding>(bind(*inner));
    }

    const Bundle &m_bundle;
    const Weight &m_weight;
    std::size_t m_next = 0;
};

} // namespace

void placeFault(const Bundle &bundle, const Weight &weight, Error &error)
{
    const auto role = codec::partRoleFromName(error.field);
    const Part *part = role ? weight.part(*role) : nullptr;
    if (!part && !weight.parts.empty())
        part = &weight.parts.front();
    if (!part)
        return;
    if (!part->isLiteral()) {
        error.file = bundle.files()[part->file].path;
        error.offset = part->dataOffset;
        return;
    }
    if (bundle.programFile() == kNoIndex)
        return;
    error.file = bundle.files()[bundle.programFile()].path;
    if (part->literal && !part->literal->elementSpans.empty())
        error.offset = FileOffset(part->literal->elementSpans.front().offset);
}

std::span<const std::byte> Bundle::partBytes(const Part &part) const
{
    if (part.isLiteral())
        return part.literal ? std::span<const std::byte>(part.literal->bytes)
                            : std::span<const std::byte>();
    if (part.file >= m_files.size())
        return {};
    const auto bytes = m_files[part.file].file->bytes();
    if (!part.pieces.empty())
        return bytes;
    if (!fitsInside(part.range(), ByteCount(bytes.size())))
        return {};
    return bytes.subspan(part.dataOffset.value, part.bytes.value);
}

std::vector<std::span<const std::byte>> Bundle::partRuns(const Part &part) const
{
    const auto bytes = partBytes(part);
    if (part.pieces.empty())
        return {bytes};
    std::vector<std::span<const std::byte>> runs;
    for (const ByteRange &piece : part.pieces) {
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
    Binder binder(*this, wanted);
    codec::Encoding encoding = binder.bind(*wanted.form.encoding());
    if (!binder.complete()) {
        return ErrorBuilder("codec.operand")
            .field(wanted.name)
            .message("The stored parts do not match the weight's form.")
            .unexpected();
    }
    auto decoder = codec::Decoder::make(std::move(encoding));
    if (!decoder)
        placeFault(*this, wanted, decoder.error());
    return decoder;
}

} // namespace kernscope
