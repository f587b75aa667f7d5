// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/bytes/byte_field.h"

#include "core/container/hwx/field_at.h"
#include "core/container/milblob/milblob.h"
#include "widgets/bytes/section_field.h"
#include "widgets/common/table_text.h"

#include <QCoreApplication>

#include <QStringList>

#include <algorithm>
#include <array>
#include <bit>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace kernscope::ui {

namespace {

struct FieldWords {
    Q_DECLARE_TR_FUNCTIONS(kernscope::ByteField)
};

/// A named run of bytes of a fixed record.
struct FieldRow {
    std::uint64_t offset, length;
    const char *name;
};

constexpr std::array<FieldRow, 3> kHeaderFields{{
    {0, 4, QT_TRANSLATE_NOOP("kernscope::ByteField", "number of records (u32)")},
    {4, 4, QT_TRANSLATE_NOOP("kernscope::ByteField", "storage version (u32)")},
    {8, 56, QT_TRANSLATE_NOOP("kernscope::ByteField", "reserved")},
}};
constexpr std::array<FieldRow, 6> kRecordFields{{
    {milblob::kSentinelAt, 4, QT_TRANSLATE_NOOP("kernscope::ByteField", "sentinel (u32)")},
    {milblob::kCodeAt, 4, QT_TRANSLATE_NOOP("kernscope::ByteField", "element type (u32)")},
    {milblob::kBytesAt, 8, QT_TRANSLATE_NOOP("kernscope::ByteField", "payload bytes (u64)")},
    {milblob::kDataOffsetAt, 8, QT_TRANSLATE_NOOP("kernscope::ByteField", "payload offset (u64)")},
    {milblob::kPaddingBitsAt, 8, QT_TRANSLATE_NOOP("kernscope::ByteField", "padding bits (u64)")},
    {32, 32, QT_TRANSLATE_NOOP("kernscope::ByteField", "reserved")},
}};

const FieldRow *rowAt(std::span<const FieldRow> rows, std::uint64_t into)
{
    for (const FieldRow &row : rows) {
        if (into >= row.offset && into - row.offset < row.length)
            return &row;
    }
    return nullptr;
}

const codec::Operand *operandIn(const codec::Encoding &encoding, codec::PartRole role, int depth);

const codec::Operand *operandIn(const codec::OperandSource &source, codec::PartRole role, int depth)
{
    if (const auto *operand = std::get_if<codec::Operand>(&source))
        return operand->role == role ? operand : nullptr;
    const auto &nested = std::get<std::shared_ptr<const codec::Encoding>>(source);
    return nested && depth > 0 ? operandIn(*nested, role, depth - 1) : nullptr;
}

/// The operand of that role as the codec reads it: packed indices have their true width here,
/// where the record says bytes.
const codec::Operand *operandIn(const codec::Encoding &encoding, codec::PartRole role, int depth)
{
    if (encoding.mask && encoding.mask->role == role)
        return &*encoding.mask;
    const codec::Operand *found = operandIn(encoding.payload, role, depth);
    if (!found && encoding.palette)
        found = operandIn(encoding.palette->lut, role, depth);
    if (!found && encoding.scaling)
        found = operandIn(encoding.scaling->scale, role, depth);
    if (!found && encoding.scaling && encoding.scaling->offset)
        found = operandIn(*encoding.scaling->offset, role, depth);
    return found;
}

constexpr int kMostNested = 8;
/// Elements of one byte whose indices are spelt out.
constexpr std::size_t kMostIndexed = 2;

ElementType storedType(const Weight &weight, const Part &part)
{
    const codec::Operand *operand = weight.form.encoding()
                                        ? operandIn(*weight.form.encoding(), part.role, kMostNested)
                                        : nullptr;
    return operand ? operand->type : part.type;
}

/// Whether element i of the part is element i of the decoded tensor.
bool isElementwise(const Weight &weight, codec::PartRole role)
{
    if (!weight.form.encoding())
        return false;
    const codec::Encoding &encoding = *weight.form.encoding();
    if (role == codec::PartRole::Mask)
        return encoding.mask.has_value();
    const Part *stored = weight.part(role);
    if (encoding.mask && (!stored || !stored->order)) // survivors in a row: their rank decides
        return false;
    // Only the weight's own payload: a scale or codebook may be a coded tensor of its own.
    const auto *payload = std::get_if<codec::Operand>(&encoding.payload);
    return payload && payload->role == role && (!encoding.palette || encoding.palette->vector == 1);
}

QString roleText(codec::PartRole role)
{
    switch (role) {
    case codec::PartRole::Data: return FieldWords::tr("values");
    case codec::PartRole::Indices: return FieldWords::tr("indices");
    case codec::PartRole::Lut: return FieldWords::tr("codebook");
    case codec::PartRole::Mask: return FieldWords::tr("mask");
    case codec::PartRole::NonzeroData: return FieldWords::tr("stored values");
    case codec::PartRole::Scale: return FieldWords::tr("scale");
    case codec::PartRole::ZeroPoint: return FieldWords::tr("zero point");
    case codec::PartRole::Offset: return FieldWords::tr("offset");
    case codec::PartRole::Bias: return FieldWords::tr("bias");
    }
    return {};
}

void describePart(ByteField &field, const Weight &weight, const Part &part, FileOffset offset)
{
    const std::uint64_t into = offset.value - part.dataOffset.value;
    field.text = FieldWords::tr("%1 of %2 +%3")
                     .arg(roleText(part.role), fromUtf8(weight.name), hexNumber(into));
    field.type = storedType(weight, part);
    const std::uint64_t width = bitWidth(field.type);
    if (width == 0 || into > UINT64_MAX / 8)
        return;
    const std::uint64_t first = into * 8 / width, last = (into * 8 + 7) / width;
    const std::uint64_t begin = first * width / 8;
    field.bytes = {FileOffset(part.dataOffset.value + begin),
                   ByteCount(((first + 1) * width + 7) / 8 - begin)};
    field.stored = first;
    const bool elementwise = isElementwise(weight, part.role);
    if (elementwise && first < weight.elements.value)
        field.element = first;
    if (first == last)
        field.text += (elementwise ? FieldWords::tr(", element %1") : FieldWords::tr(", entry %1"))
                          .arg(groupedNumber(first));
    else
        field.text += (elementwise ? FieldWords::tr(", elements %1 to %2")
                                   : FieldWords::tr(", entries %1 to %2"))
                          .arg(groupedNumber(first), groupedNumber(last));
}

/// "[3, 0, 1, 2]"
QString indexText(const Shape &shape, std::uint64_t element)
{
    QStringList axes;
    for (std::size_t axis = shape.size(); axis-- > 0 && shape[axis] != 0;) {
        axes.prepend(QString::number(element % shape[axis]));
        element /= shape[axis];
    }
    return u'[' + axes.join(QStringLiteral(", ")) + u']';
}

/// A section's name without the weight's in front of it.
QString nameWithin(const Section &section)
{
    const std::string_view name = section.name, owner = section.owner;
    const bool named =
        !owner.empty() && name.size() > owner.size() + 1 && name.substr(0, owner.size()) == owner;
    return fromUtf8(named ? name.substr(owner.size() + 1) : name);
}

QString sectionText(const Section &section, std::uint64_t into)
{
    const QString owner = fromUtf8(section.owner), name = nameWithin(section);
    return owner.isEmpty() ? FieldWords::tr("%1 +%2").arg(name, hexNumber(into))
                           : FieldWords::tr("%1 of %2 +%3").arg(name, owner, hexNumber(into));
}

/// Bytes of one stored element of `width` bits, from a bit of the file on.
ByteRange bytesFrom(std::uint64_t bit, std::uint64_t width)
{
    return {FileOffset(bit / 8), ByteCount((bit + width + 7) / 8 - bit / 8)};
}

/// The place of an element, its own or a copy, that holds a bit; its own where none does.
std::uint64_t placeWith(const codec::ElementOrder &order, std::uint64_t element,
                        std::uint64_t width, std::uint64_t bit)
{
    std::uint64_t own = 0;
    order.positions(element, std::span(&own, 1));
    const auto holds = [&](std::uint64_t at) { return bit >= at && bit - at < width; };
    if (holds(own))
        return own;
    const auto copies = order.copies(element);
    const auto copy = std::find_if(copies.begin(), copies.end(), holds);
    return copy == copies.end() ? own : *copy;
}

/// Of a part whose elements have an order of their own; false where the byte is of none of them.
bool describeOrdered(ByteField &field, const Weight &weight, const Part &part,
                     const codec::ElementOrder &order, FileOffset offset, const Section &section)
{
    const ElementType type = storedType(weight, part);
    const std::uint64_t width = bitWidth(type), first = 8 * offset.value;
    if (width == 0)
        return false;
    std::vector<std::uint64_t> elements;
    for (std::uint64_t bit = first; bit < first + 8; bit += std::min<std::uint64_t>(width, 8)) {
        if (const auto element = order.elementAt(bit))
            elements.push_back(*element);
    }
    if (elements.empty())
        return false;
    const bool elementwise = isElementwise(weight, part.role);
    field.type = type;
    field.stored = elements.front();
    if (elementwise)
        field.element = elements.front();
    field.bytes = bytesFrom(placeWith(order, elements.front(), width, first), width);
    QStringList numbers;
    for (const std::uint64_t element : elements)
        numbers += elementwise && elements.size() <= kMostIndexed
                       ? groupedNumber(element) + u' ' + indexText(weight.shape, element)
                       : groupedNumber(element);
    const QString what = !elementwise           ? FieldWords::tr("entry %1")
                         : elements.size() == 1 ? FieldWords::tr("element %1")
                                                : FieldWords::tr("elements %1");
    const std::uint64_t into = offset.value - section.range.offset.value;
    field.text = FieldWords::tr("%1: %2 of %3, %4 +%5")
                     .arg(what.arg(numbers.join(FieldWords::tr("; "))), roleText(part.role),
                          fromUtf8(weight.name), nameWithin(section), hexNumber(into));
    return true;
}

/// Where the value of a kept element of a sparse weight lies, whose mask and values are rows of
/// elements: as many values before it as the mask keeps. Nothing for every other weight, and where
/// the mask leaves the element out. Reads the mask up to the element.
std::optional<ElementPlace> placeOfSurvivor(const Bundle &bundle, const Weight &weight,
                                            std::uint64_t element)
{
    const auto &encoding = weight.form.encoding();
    if (!encoding || !encoding->mask || (encoding->palette && encoding->palette->vector != 1))
        return std::nullopt;
    const Part *mask = weight.part(codec::PartRole::Mask);
    const auto *payload = codec::storedOperand(encoding->payload);
    const Part *values = payload ? weight.part(payload->role) : nullptr;
    if (!mask || !values || mask->order || values->order || values->isLiteral() ||
        bitWidth(storedType(weight, *mask)) != 1)
        return std::nullopt;
    const auto bits = bundle.partBytes(*mask);
    const auto keeps = [&](std::uint64_t i) {
        return (std::to_integer<unsigned>(bits[i / 8]) >> (i % 8) & 1u) != 0;
    };
    if (element / 8 >= bits.size() || !keeps(element))
        return std::nullopt;
    std::uint64_t rank = 0;
    for (std::uint64_t byte = 0; byte < element / 8; ++byte)
        rank += static_cast<unsigned>(std::popcount(std::to_integer<unsigned>(bits[byte])));
    for (std::uint64_t i = element / 8 * 8; i < element; ++i)
        rank += keeps(i) ? 1 : 0;
    const std::uint64_t width = bitWidth(storedType(weight, *values));
    const auto bit = checkedMultiply(rank, width);
    if (width == 0 || !bit)
        return std::nullopt;
    const ByteRange bytes{FileOffset(values->dataOffset.value + *bit / 8),
                          ByteCount((*bit + width + 7) / 8 - *bit / 8)};
    if (bytes.end() > values->range().end())
        return std::nullopt;
    return ElementPlace{values->file, bytes};
}

} // namespace

const codec::ElementOrder *BoundOrder::of(const Bundle &bundle, const Part &part)
{
    if (!part.order)
        return nullptr;
    for (const Kept &kept : m_kept) {
        if (kept.part == &part)
            return kept.order.get();
    }
    m_kept[1] = std::exchange(m_kept[0], {&part, nullptr});
    const auto bytes = bundle.partBytes(part);
    if (bytes.size() < part.order->extent())
        return nullptr;
    if (auto bound = part.order->bound(bytes))
        m_kept[0].order = *bound ? std::move(*bound) : part.order;
    return m_kept[0].order.get();
}

void BoundOrder::clear()
{
    m_kept = {};
}

ByteField fieldAt(const Bundle &bundle, std::size_t file, FileOffset offset)
{
    BoundOrder order;
    return fieldAt(bundle, file, offset, order);
}

ByteField fieldAt(const Bundle &bundle, std::size_t file, FileOffset offset, BoundOrder &order)
{
    ByteField field;
    field.bytes = {offset, ByteCount(1)};
    field.section = bundle.sectionAt(file, offset);
    if (field.section >= bundle.sections().size())
        return field;
    const Section &section = bundle.sections()[field.section];
    const std::uint64_t into = offset.value - section.range.offset.value;
    field.weight = section.weight;
    if (section.weight < bundle.weights().size()) {
        const Weight &weight = bundle.weights()[section.weight];
        for (const Part &part : weight.parts) {
            if (part.isLiteral() || part.file != file)
                continue;
            if (part.order) {
                const auto *bound =
                    part.holds({offset, ByteCount(1)}) ? order.of(bundle, part) : nullptr;
                if (bound && describeOrdered(field, weight, part, *bound, offset, section))
                    return field;
            } else if (part.range().contains(offset)) {
                describePart(field, weight, part, offset);
                return field;
            }
        }
    }
    if (bundle.hardware()) {
        const auto named =
            hwx::fieldAt(*bundle.hardware(), bundle.files()[file].file->bytes(), offset);
        if (named) {
            field.text = fromUtf8(named->name);
            field.bytes = named->range;
            field.type = named->range.bytes.value == 4 ? ElementType::Uint32 : ElementType::Unknown;
            return field;
        }
    }
    if (bundle.section()) {
        if (auto named = sectionFieldAt(*bundle.section(), offset)) {
            field.text = std::move(named->name);
            field.bytes = named->bytes;
            field.type = named->bytes.bytes.value == 4 ? ElementType::Uint32 : ElementType::Unknown;
            return field;
        }
    }
    field.text = sectionText(section, into);
    const bool blob = bundle.files()[file].role == SectionKind::Data;
    const FieldRow *row = nullptr;
    if (blob && section.kind == SectionKind::Header)
        row = rowAt(kHeaderFields, into);
    else if (blob && section.kind == SectionKind::Metadata)
        row = rowAt(kRecordFields, into);
    if (row) {
        field.text += FieldWords::tr(", %1").arg(FieldWords::tr(row->name));
        field.bytes = {FileOffset(section.range.offset.value + row->offset),
                       ByteCount(row->length)};
    }
    return field;
}

std::optional<ElementPlace> placeOfElement(const Bundle &bundle, std::size_t at,
                                           std::uint64_t element)
{
    BoundOrder order;
    return placeOfElement(bundle, at, element, order);
}

std::optional<ElementPlace> placeOfElement(const Bundle &bundle, std::size_t at,
                                           std::uint64_t element, BoundOrder &order)
{
    if (at >= bundle.weights().size() || element >= bundle.weights()[at].elements.value)
        return std::nullopt;
    const Weight &weight = bundle.weights()[at];
    if (const auto survivor = placeOfSurvivor(bundle, weight, element))
        return survivor;
    // Backwards: where mask and values lie in pieces, a stored value's place is its own.
    for (std::size_t i = weight.parts.size(); i-- > 0;) {
        const Part &part = weight.parts[i];
        if (part.isLiteral() || !isElementwise(weight, part.role))
            continue;
        const std::uint64_t width = bitWidth(storedType(weight, part));
        if (part.order) {
            const auto *bound = width == 0 ? nullptr : order.of(bundle, part);
            std::uint64_t place = codec::ElementOrder::kAbsent;
            if (bound && element < bound->elements())
                bound->positions(element, std::span(&place, 1));
            if (place != codec::ElementOrder::kAbsent)
                return ElementPlace{part.file, bytesFrom(place, width)};
            continue;
        }
        const auto bit = checkedMultiply(element, width);
        if (width == 0 || !bit)
            continue;
        const std::uint64_t begin = *bit / 8;
        const ByteRange bytes{FileOffset(part.dataOffset.value + begin),
                              ByteCount((*bit + width + 7) / 8 - begin)};
        if (bytes.end() <= part.range().end())
            return ElementPlace{part.file, bytes};
    }
    return std::nullopt;
}

} // namespace kernscope::ui
