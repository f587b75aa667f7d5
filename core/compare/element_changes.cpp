// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compare/element_changes.h"

#include "core/base/overlaid_file.h"
#include "core/bundle/bundle.h"
#include "core/bundle/stored_values.h"
#include "core/container/mil/program.h"

#include <bit>

namespace kernscope {

namespace {

const codec::Operand *firstOf(const Weight &weight, std::initializer_list<codec::PartRole> roles)
{
    for (const codec::PartRole role : roles) {
        if (const codec::Operand *operand = weight.operand(role))
            return operand;
    }
    return nullptr;
}

void readCode(const codec::Decoder &decoder, std::uint64_t element, StoredElement &read)
{
    const codec::Encoding &encoding = decoder.encoding();
    if (!encoding.palette && !encoding.scaling)
        return;
    std::int64_t code = 0;
    decoder.codes(element, std::span(&code, 1));
    if (code == codec::Decoder::kNotStored)
        return;
    // Of numbers that are scaled the code is nothing but their bits.
    const ElementType stored = sourceType(encoding.payload);
    if (encoding.palette || !isFloatingPoint(stored))
        read.code = code;
    if (!encoding.palette || code < 0)
        return;
    const auto place = decoder.codebookOf(element);
    read.codebook = place.codebook;
    const std::uint64_t entries = encoding.palette->entries, vector = encoding.palette->vector;
    const auto values = decoder.codebookValues();
    const std::uint64_t at =
        (place.codebook * entries + static_cast<std::uint64_t>(code)) * vector + place.lane;
    if (static_cast<std::uint64_t>(code) < entries && at < values.size())
        read.entry = static_cast<double>(values[static_cast<std::size_t>(at)]);
}

} // namespace

ElementChanges::ElementChanges(const Bundle &bundle, std::size_t weight,
                               const codec::Decoder &decoder)
    : m_bundle(bundle), m_weight(bundle.weights()[weight]), m_decoder(decoder),
      m_programFile(bundle.programFileOf(m_weight.model))
{
    using codec::PartRole;
    const OperandList &all = m_weight.operands();
    m_any = std::ranges::any_of(
        all, [this](const codec::Operand &operand) { return operandChanged(operand); });
    if (!m_any)
        return;
    m_mask = m_weight.operand(PartRole::Mask);
    if (m_mask && m_mask->order)
        m_mask = nullptr; // an edit moves no zero of such a form: its elements stay where they are
    m_payload = firstOf(m_weight, {PartRole::NonzeroData, PartRole::Indices, PartRole::Data});
    m_lut = m_weight.operand(PartRole::Lut);
    m_payloadChanged = m_payload && operandChanged(*m_payload);
    m_maskChanged = m_mask && operandChanged(*m_mask);
    m_lutChanged = m_lut && operandChanged(*m_lut);
    const codec::Palette *palette = m_weight.form.palette();
    if (palette && palette->entries != 0) {
        m_vector = std::max<std::uint64_t>(palette->vector, 1);
        m_entries = palette->entries;
        m_codeBits = static_cast<unsigned>(std::bit_width(m_entries - 1));
    } else if (m_lut && !m_lut->shape.empty()) {
        const bool oneBook = m_lut->shape.size() == 1;
        m_vector = oneBook ? 1 : std::max<std::uint64_t>(m_lut->shape.back(), 1);
        m_entries = oneBook ? m_lut->shape[0] : m_lut->shape[m_lut->shape.size() - 2];
    }
    for (const PartRole role :
         {PartRole::Scale, PartRole::ZeroPoint, PartRole::Offset, PartRole::Bias}) {
        const codec::Operand *operand = m_weight.operand(role);
        if (operand && operandChanged(*operand))
            m_scales.push_back(operand);
    }
    if (m_maskChanged && !m_mask->place->isLiteral())
        noteMaskChanges();
}

bool ElementChanges::operandChanged(const codec::Operand &operand) const
{
    const OperandPlace &place = *operand.place;
    if (!place.isLiteral()) {
        const OverlaidFile &file = *m_bundle.files()[place.file].file;
        return place.pieces.empty() ? file.changed(place.range())
                                    : std::ranges::any_of(place.pieces, [&file](ByteRange piece) {
                                          return file.changed(piece);
                                      });
    }
    if (!place.literal || m_programFile == kNoIndex)
        return false;
    const OverlaidFile &program = *m_bundle.files()[m_programFile].file;
    const auto &spans = place.literal->elementSpans;
    return program.modified() && std::ranges::any_of(spans, [&](const mil::SourceSpan &span) {
               return program.changed({FileOffset(span.offset), ByteCount(span.length)});
           });
}

void ElementChanges::noteMaskChanges()
{
    const OperandPlace &mask = *m_mask->place;
    const OverlaidFile &file = *m_bundle.files()[mask.file].file;
    const std::uint64_t first = mask.dataOffset.value, end = mask.range().end();
    std::int64_t delta = 0;
    for (const ByteRange &range : file.changedRanges()) {
        const std::uint64_t from = std::max(range.offset.value, first);
        for (std::uint64_t at = from; at < std::min(range.end(), end); ++at) {
            const auto now = std::to_integer<unsigned>(file.bytes()[at]);
            const auto before = std::to_integer<unsigned>(file.diskByte(FileOffset(at)));
            delta += std::popcount(before) - std::popcount(now);
            m_maskDeltas.emplace_back(at - first, delta);
        }
    }
}

/// Bits of one code. Indices that are declared as bytes may be packed in fewer bits: those that
/// number the entries of the codebook.
unsigned ElementChanges::widthOf(const codec::Operand &operand) const
{
    return &operand == m_payload && m_codeBits != 0 ? m_codeBits : bitWidth(operand.declaredType());
}

/// Null where elements lie row by row. The payload's is bound to its bytes in the decoder only.
const codec::ElementOrder *ElementChanges::orderOf(const codec::Operand &operand) const
{
    if (!operand.order)
        return nullptr;
    const auto *payload = std::get_if<codec::Operand>(&m_decoder.encoding().payload);
    return payload && payload->order && payload->role == operand.role ? payload->order.get()
                                                                      : operand.order.get();
}

/// From the start of the file; ElementOrder::kAbsent where the element is not stored.
std::uint64_t ElementChanges::firstBit(const codec::Operand &operand, std::uint64_t index) const
{
    if (!operand.order)
        return 8 * operand.place->dataOffset.value + index * widthOf(operand);
    const codec::ElementOrder &order = *orderOf(operand);
    std::uint64_t place = codec::ElementOrder::kAbsent;
    if (index < order.elements())
        order.positions(index, std::span(&place, 1));
    // Orders count from the operand's bytes: those of pieces from the file's.
    if (place != codec::ElementOrder::kAbsent && operand.place->pieces.empty())
        place += 8 * operand.place->dataOffset.value;
    return place;
}

std::uint64_t ElementChanges::bits(const codec::Operand &operand, std::uint64_t index,
                                   bool onDisk) const
{
    const unsigned width = widthOf(operand);
    const OverlaidFile &file = *m_bundle.files()[operand.place->file].file;
    const std::uint64_t first = firstBit(operand, index);
    const codec::ElementOrder *order = orderOf(operand);
    const bool highestFirst = order != nullptr && order->highestFirst();
    std::uint64_t value = 0;
    unsigned taken = 0;
    while (first != codec::ElementOrder::kAbsent && taken < width) {
        const std::uint64_t bit = first + taken;
        const std::uint64_t at = bit / 8;
        if (at >= file.size().value)
            break;
        const auto byte = std::to_integer<std::uint64_t>(onDisk ? file.diskByte(FileOffset(at))
                                                                : file.bytes()[at]);
        const unsigned within = static_cast<unsigned>(bit % 8);
        const unsigned count = std::min(8 - within, width - taken);
        const unsigned low = highestFirst ? 8 - within - count : within;
        value |= ((byte >> low) & ((1u << count) - 1u)) << taken; // for comparing alone
        taken += count;
    }
    return value;
}

bool ElementChanges::literalChanged(const codec::Operand &operand, std::uint64_t index) const
{
    const mil::Literal &literal = *operand.place->literal;
    const OverlaidFile &program = *m_bundle.files()[m_programFile].file;
    if (literal.packedSpan && !literal.elementSpans.empty()) {
        const std::uint64_t width = widthOf(operand);
        const std::uint64_t first = index * width / 8, last = ((index + 1) * width - 1) / 8;
        return program.changed(
            {FileOffset(literal.elementSpans.front().offset + first), ByteCount(last - first + 1)});
    }
    if (index >= literal.elementSpans.size())
        return false;
    const mil::SourceSpan &span = literal.elementSpans[index];
    return program.changed({FileOffset(span.offset), ByteCount(span.length)});
}

bool ElementChanges::differs(const codec::Operand &operand, std::uint64_t index,
                             std::uint64_t diskIndex) const
{
    if (operand.place->isLiteral())
        return operand.place->literal && literalChanged(operand, index);
    return bits(operand, index, false) != bits(operand, diskIndex, true);
}

bool ElementChanges::maskBit(std::uint64_t position, bool onDisk) const
{
    const OverlaidFile &file = *m_bundle.files()[m_mask->place->file].file;
    const FileOffset at(m_mask->place->dataOffset.value + position / 8);
    if (at.value >= file.size().value)
        return false;
    const auto byte =
        std::to_integer<unsigned>(onDisk ? file.diskByte(at) : file.bytes()[at.value]);
    return ((byte >> (position % 8)) & 1u) != 0;
}

std::uint64_t ElementChanges::diskRank(std::uint64_t position) const
{
    const std::uint64_t byte = position / 8;
    const auto after = std::lower_bound(
        m_maskDeltas.begin(), m_maskDeltas.end(), byte,
        [](const auto &entry, std::uint64_t value) { return entry.first < value; });
    std::int64_t delta = after == m_maskDeltas.begin() ? 0 : std::prev(after)->second;
    for (std::uint64_t e = byte * 8; e < position; ++e)
        delta += static_cast<int>(maskBit(e, true)) - static_cast<int>(maskBit(e, false));
    return m_decoder.rank(position) + static_cast<std::uint64_t>(delta);
}

std::uint64_t ElementChanges::indexPosition(std::uint64_t element) const
{
    const std::uint64_t vectorAxis = m_weight.form.vectorAxis();
    if (m_vector <= 1 || vectorAxis >= m_weight.shape.size())
        return element;
    std::uint64_t inner = 1;
    for (std::size_t axis = vectorAxis + 1; axis < m_weight.shape.size(); ++axis)
        inner *= m_weight.shape[axis];
    const std::uint64_t extent = m_weight.shape[vectorAxis];
    const std::uint64_t block = element / inner / extent;
    const std::uint64_t at = element / inner % extent / m_vector;
    return (block * (extent / m_vector) + at) * inner + element % inner;
}

bool ElementChanges::codebookChanged(std::uint64_t element) const
{
    std::int64_t code = codec::Decoder::kNotStored;
    m_decoder.codes(element, std::span(&code, 1));
    if (code < 0)
        return false;
    const codec::Decoder::CodebookPlace place = m_decoder.codebookOf(element);
    const std::uint64_t entry =
        (place.codebook * m_entries + static_cast<std::uint64_t>(code)) * m_vector + place.lane;
    return differs(*m_lut, entry, entry);
}

bool ElementChanges::scaleChanged(const codec::Operand &operand, std::uint64_t element) const
{
    const std::uint64_t count = elementCount(operand.shape).value_or(ElementCount()).value;
    std::uint64_t cell = 0;
    const codec::Scaling *scaling = m_weight.form.scaling();
    if (count > 1 && operand.shape.size() == m_weight.shape.size() &&
        !(scaling && scaling->kind == codec::Scaling::Kind::Affine)) {
        const codec::GridMap grid(m_weight.shape, operand.shape);
        cell = grid.cellOf(element);
    } else if (count > 1 && scaling) {
        const std::uint64_t axis = scaling->axis;
        std::uint64_t inner = 1;
        for (std::size_t a = axis + 1; a < m_weight.shape.size(); ++a)
            inner *= m_weight.shape[a];
        cell = axis < m_weight.shape.size() ? element / inner % m_weight.shape[axis] : 0;
    }
    return differs(operand, cell, cell);
}

bool ElementChanges::changed(std::uint64_t element) const
{
    if (!m_any)
        return false;
    // A palette of vectors has one mask bit and one code for each vector.
    const std::uint64_t position = codec::madeElement(m_decoder.encoding(), indexPosition(element));
    const bool masked = m_mask && !m_mask->place->isLiteral();
    if (masked) {
        const bool now = maskBit(position, false);
        if (now != maskBit(position, true))
            return true;
        if (!now)
            return false;
    } else if (m_mask && !m_decoder.stored(element)) {
        return false;
    }
    if (m_payload && (m_payloadChanged || m_maskChanged)) {
        const std::uint64_t at = m_mask ? m_decoder.rank(position) : position;
        if (differs(*m_payload, at, masked && m_maskChanged ? diskRank(position) : at))
            return true;
    }
    if (m_lutChanged && codebookChanged(element))
        return true;
    return std::ranges::any_of(
        m_scales, [&](const codec::Operand *scale) { return scaleChanged(*scale, element); });
}

StoredElement readStoredElement(const Bundle &bundle, std::size_t weight,
                                const codec::Decoder &decoder, std::uint64_t element)
{
    StoredElement read;
    decodeDoubles(decoder, element, std::span(&read.value, 1));
    read.stored = decoder.stored(element);
    readCode(decoder, element, read);
    read.place = placeOfElement(bundle, weight, element);
    if (!read.place || read.place->file >= bundle.files().size())
        return read;
    const auto file = bundle.files()[read.place->file].file->bytes();
    if (fitsInside(read.place->bytes, ByteCount(file.size()))) {
        const auto bytes =
            file.subspan(read.place->bytes.offset.value, read.place->bytes.bytes.value);
        read.bytes.assign(bytes.begin(), bytes.end());
    }
    return read;
}

} // namespace kernscope
