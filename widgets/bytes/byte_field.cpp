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

/// Elements of one byte whose indices are written out.
constexpr std::size_t kMostIndexed = 2;

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

void describeOperand(ByteField &field, const Weight &weight, const codec::Operand &operand,
                     FileOffset offset)
{
    const std::uint64_t start = operand.place->dataOffset.value, into = offset.value - start;
    field.text = FieldWords::tr("%1 of %2 +%3")
                     .arg(roleText(operand.role), fromUtf8(weight.name), hexNumber(into));
    field.type = operand.type;
    const std::uint64_t width = bitWidth(field.type);
    if (width == 0 || into > UINT64_MAX / 8)
        return;
    const std::uint64_t first = into * 8 / width, last = (into * 8 + 7) / width;
    const std::uint64_t begin = first * width / 8;
    field.bytes = {FileOffset(start + begin), ByteCount(((first + 1) * width + 7) / 8 - begin)};
    field.stored = first;
    const bool elementwise = isElementwise(weight, operand.role);
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

/// Of an operand whose elements have an order of their own; false where the byte is of none of
/// them.
bool describeOrdered(ByteField &field, const Weight &weight, const codec::Operand &operand,
                     const codec::ElementOrder &order, FileOffset offset, const Section &section)
{
    const std::uint64_t width = bitWidth(operand.type), first = 8 * offset.value;
    if (width == 0)
        return false;
    std::vector<std::uint64_t> elements;
    for (std::uint64_t bit = first; bit < first + 8; bit += std::min<std::uint64_t>(width, 8)) {
        if (const auto element = order.elementAt(bit))
            elements.push_back(*element);
    }
    if (elements.empty())
        return false;
    const bool elementwise = isElementwise(weight, operand.role);
    field.type = operand.type;
    field.stored = elements.front();
    if (elementwise)
        field.element = elements.front();
    field.bytes = bitsAsBytes(placeWith(order, elements.front(), width, first), width);
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
                     .arg(what.arg(numbers.join(FieldWords::tr("; "))), roleText(operand.role),
                          fromUtf8(weight.name), nameWithin(section), hexNumber(into));
    return true;
}

} // namespace

namespace {

/// Describes the part of the weight that holds the byte; false where none of its parts does.
bool describeWeight(ByteField &field, const Bundle &bundle, std::size_t file, FileOffset offset,
                    BoundOrder &order)
{
    const Section &section = bundle.sections()[field.section];
    if (section.weight >= bundle.weights().size())
        return false;
    const Weight &weight = bundle.weights()[section.weight];
    for (const codec::Operand &operand : weight.operands()) {
        const OperandPlace &place = *operand.place;
        if (place.isLiteral() || place.file != file)
            continue;
        if (operand.order) {
            const auto *bound =
                place.holds({offset, ByteCount(1)}) ? order.of(bundle, operand) : nullptr;
            if (bound && describeOrdered(field, weight, operand, *bound, offset, section))
                return true;
        } else if (place.range().contains(offset)) {
            describeOperand(field, weight, operand, offset);
            return true;
        }
    }
    return false;
}

void setNamed(ByteField &field, QString name, const ByteRange &bytes)
{
    field.text = std::move(name);
    field.bytes = bytes;
    field.type = bytes.bytes.value == 4 ? ElementType::Uint32 : ElementType::Unknown;
}

/// Describes the field of a hardware container or of a weight section; false where it names none.
bool describeNamed(ByteField &field, const Bundle &bundle, std::size_t file, FileOffset offset)
{
    if (bundle.hardware()) {
        const auto named =
            hwx::fieldAt(*bundle.hardware(), bundle.files()[file].file->bytes(), offset);
        if (named) {
            setNamed(field, fromUtf8(named->name), named->range);
            return true;
        }
    }
    if (bundle.section()) {
        if (auto named = sectionFieldAt(*bundle.section(), offset)) {
            setNamed(field, std::move(named->name), named->bytes);
            return true;
        }
    }
    return false;
}

} // namespace

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
    if (describeWeight(field, bundle, file, offset, order) ||
        describeNamed(field, bundle, file, offset))
        return field;
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

} // namespace kernscope::ui
