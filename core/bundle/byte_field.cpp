// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bundle/byte_field.h"

#include "core/base/overlaid_file.h"
#include "core/base/text.h"
#include "core/bundle/bundle.h"
#include "core/container/anec/anec.h"
#include "core/container/espresso/espresso.h"
#include "core/container/mlir/module.h"
#include "core/container/odix/field_at.h"
#include "core/container/section/section.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace kernscope {

namespace {

/// Elements of one byte whose indices are written out.
constexpr std::size_t kMostIndexed = 2;

/// Of an operand whose elements lie row by row: those in the byte, or `wanted` alone.
void describeRows(ByteField &field, const Weight &weight, const codec::Operand &operand,
                  FileOffset offset, std::optional<std::uint64_t> wanted)
{
    const std::uint64_t start = operand.place->dataOffset.value, into = offset.value - start;
    field.text = fmt::format("{} of {} +{:#x}", partWords(weight, operand.role), weight.name, into);
    field.type = operand.type;
    const std::uint64_t width = bitWidth(field.type);
    if (width == 0 || into > UINT64_MAX / 8)
        return;
    const auto count = elementCount(operand.shape);
    const std::uint64_t first = wanted.value_or(into * 8 / width);
    std::uint64_t last = wanted.value_or((into * 8 + 7) / width);
    if (count && last >= count->value) // bits behind the last one
        last = std::max(first, count->value - std::min<std::uint64_t>(1, count->value));
    field.entries = last - first + 1;
    const std::uint64_t begin = first * width / 8;
    field.bytes = {FileOffset(start + begin), ByteCount(((first + 1) * width + 7) / 8 - begin)};
    field.stored = first;
    const bool elementwise = isElementwise(weight, operand.role);
    if (elementwise && first < weight.elements.value)
        field.element = first;
    const std::string_view one = elementwise ? "element" : "entry";
    const std::string_view many = elementwise ? "elements" : "entries";
    field.text += first == last ? fmt::format(", {} {}", one, grouped(first))
                                : fmt::format(", {} {} to {}", many, grouped(first), grouped(last));
}

/// A section's name without the weight's in front of it.
std::string nameWithin(const Bundle &bundle, const Section &section, std::string_view owner)
{
    std::string name = bundle.nameOf(section);
    const bool named =
        !owner.empty() && name.size() > owner.size() + 1 && name.substr(0, owner.size()) == owner;
    return named ? name.substr(name.find_first_not_of(": ", owner.size())) : name;
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
    const auto copy = std::ranges::find_if(copies, holds);
    return copy == copies.end() ? own : *copy;
}

/// Whether one stored element stands for all of the operand.
bool isOneForAll(const codec::ElementOrder &order)
{
    std::array<std::uint64_t, 2> places{};
    if (order.elements() < 2)
        return false;
    order.positions(0, std::span(places).first(1));
    order.positions(order.elements() - 1, std::span(places).last(1));
    return places[0] == places[1] && places[0] != codec::ElementOrder::kAbsent;
}

/// "si4, ui4 and 3 more": the weights that a part of is stored there.
std::string weightsStoredAt(const Bundle &bundle, const OperandPlace &place)
{
    constexpr std::size_t kMostNamed = 4;
    std::vector<std::string> names;
    for (const Weight &weight : bundle.weights()) {
        if (std::ranges::any_of(weight.operands(), [&place](const codec::Operand &each) {
                return !each.place->isLiteral() && each.place->file == place.file &&
                       each.place->dataOffset == place.dataOffset;
            }))
            names.push_back(weight.findableName());
    }
    const std::size_t more = names.size() - std::min(names.size(), kMostNamed);
    names.resize(names.size() - more);
    return fmt::format("{}{}", fmt::join(names, ", "),
                       more == 0 ? "" : fmt::format(" and {} more", more));
}

/// Of an operand whose elements have an order of their own: those in the byte, or `wanted` alone;
/// false where the byte is of none of them.
bool describeOrdered(ByteField &field, const Bundle &bundle, const Weight &weight,
                     const codec::Operand &operand, const codec::ElementOrder &order,
                     FileOffset offset, std::optional<std::uint64_t> wanted)
{
    const Section &section = bundle.sections()[field.section];
    const std::uint64_t width = bitWidth(operand.type), first = 8 * offset.value;
    if (width == 0)
        return false;
    std::vector<std::uint64_t> elements;
    for (std::uint64_t bit = first; bit < first + 8; bit += std::min<std::uint64_t>(width, 8)) {
        const auto element = order.elementAt(bit);
        if (element && (elements.empty() || elements.back() != *element)) // a code may fill a byte
            elements.push_back(*element);
    }
    if (elements.empty())
        return false;
    const bool elementwise = isElementwise(weight, operand.role), splat = isOneForAll(order);
    if (wanted && (splat || std::ranges::find(elements, *wanted) != elements.end()))
        elements = {*wanted};
    field.type = operand.type;
    field.entries = elements.size();
    field.stored = elements.front();
    if (elementwise)
        field.element = elements.front();
    field.bytes = bitsAsBytes(placeWith(order, elements.front(), width, first), width);
    std::vector<std::string> numbers;
    for (const std::uint64_t element : elements)
        numbers.push_back(elementwise && elements.size() <= kMostIndexed
                              ? grouped(element) + ' ' + indexText(weight.shape, element)
                              : grouped(element));
    const std::string_view what = !elementwise           ? "entry"
                                  : elements.size() == 1 ? "element"
                                                         : "elements";
    const std::uint64_t into = offset.value - section.range.offset.value;
    if (splat)
        field.text =
            fmt::format("all {} {} (one stored value): {} of {} +{:#x}", grouped(order.elements()),
                        elementwise ? "elements" : "entries", partWords(weight, operand.role),
                        weightsStoredAt(bundle, *operand.place), into);
    else
        field.text = fmt::format("{} {}: {} of {}, {} +{:#x}", what, fmt::join(numbers, "; "),
                                 partWords(weight, operand.role), weight.name,
                                 nameWithin(bundle, section, weight.name), into);
    return true;
}

/// Describes the part of the weight that holds the byte, of several elements in it `element` where
/// that is given; false where none of its parts does.
bool describeWeight(ByteField &field, const Bundle &bundle, std::size_t file, FileOffset offset,
                    BoundOrder &order, std::optional<std::uint64_t> element)
{
    const Section &section = bundle.sections()[field.section];
    if (section.weight >= bundle.weights().size())
        return false;
    const Weight &weight = bundle.weights()[section.weight];
    const auto code = element && weight.form.encoding()
                          ? codeOfElement(bundle, *weight.form.encoding(), *element, &order)
                          : std::nullopt;
    for (std::size_t i = 0; i < weight.operands().size(); ++i) {
        const codec::Operand &operand = weight.operands()[i];
        const OperandPlace &place = *operand.place;
        if (place.isLiteral() || place.file != file)
            continue;
        field.operand = i;
        if (operand.order) {
            const auto *bound =
                place.holds({offset, ByteCount(1)}) ? order.of(bundle, operand) : nullptr;
            if (bound && describeOrdered(field, bundle, weight, operand, *bound, offset, element))
                return true;
        } else if (place.range().contains(offset)) {
            const bool wanted = code && code->operand == &operand;
            describeRows(field, weight, operand, offset,
                         wanted ? std::optional(code->entry) : std::nullopt);
            return true;
        }
    }
    field.operand = kNoIndex;
    return false;
}

void setNamed(ByteField &field, std::string name, const ByteRange &bytes, ElementType type,
              format::Confidence confidence, std::string source)
{
    field.text = std::move(name);
    field.bytes = bytes;
    field.type = type;
    field.named = true;
    field.confidence = confidence;
    field.source = std::move(source);
}

bool setPlaced(ByteField &field, std::optional<format::PlacedField> placed)
{
    if (placed)
        setNamed(field, std::move(placed->name), placed->bytes, placed->type, placed->confidence,
                 std::move(placed->source));
    return placed.has_value();
}

/// Describes the field of a hardware container or of a weight section; false where none is named.
bool describeNamed(ByteField &field, const Bundle &bundle, std::size_t file, FileOffset offset,
                   BoundOrder &order)
{
    if (const mlir::Module *module = file == bundle.programFile() ? order.module(bundle) : nullptr)
        return setPlaced(field, mlir::fieldAt(*module, offset));
    if (const odix::FieldMap *fields = order.fields(bundle, file)) {
        const std::string_view record =
            file == bundle.programFile() ? "odix header" : "dbginfo header";
        return setPlaced(field, fields->at(offset)) ||
               setPlaced(field, format::placedField("stored_fields", record, 0, offset, "header"));
    }
    if (bundle.hardware()) {
        if (auto named =
                hwx::fieldAt(*bundle.hardware(), bundle.files()[file].file->bytes(), offset)) {
            named->type =
                named->bytes.bytes.value == 4 ? ElementType::Uint32 : ElementType::Unknown;
            return setPlaced(field, std::move(named));
        }
    }
    if (bundle.kind() == BundleKind::Anec)
        return setPlaced(field, anec::fieldAt(offset));
    if (bundle.sections()[field.section].kind == SectionKind::Header &&
        espresso::isWeightFile(bundle.files()[file].path))
        return setPlaced(field, espresso::fieldAt(offset));
    return bundle.section() && setPlaced(field, section::fieldAt(*bundle.section(), offset));
}

/// Adds the field of a weight file's header or record to the section's text.
void describeStored(ByteField &field, const Section &section, FileOffset offset)
{
    const std::string_view record = section.kind == SectionKind::Header     ? "blob header"
                                    : section.kind == SectionKind::Metadata ? "blob record"
                                                                            : "";
    const std::uint64_t begin = section.range.offset.value;
    const auto *row =
        format::fieldHolding(format::recordFields("stored_fields", record), offset.value - begin);
    if (row == nullptr)
        return;
    setNamed(field, fmt::format("{}, {}", field.text, row->text()),
             {FileOffset(begin + row->offset), ByteCount(row->bytes)}, row->type, row->confidence,
             row->source);
}

} // namespace

std::string_view partWords(const Weight &weight, codec::PartRole role)
{
    const auto &encoding = weight.form.encoding();
    switch (role) {
    case codec::PartRole::Data: return "values";
    case codec::PartRole::Indices: return "indices";
    case codec::PartRole::Lut: return "codebook";
    case codec::PartRole::Mask: return "mask";
    case codec::PartRole::NonzeroData: return "stored values";
    case codec::PartRole::Scale: return "scale";
    case codec::PartRole::ZeroPoint: return "zero point";
    case codec::PartRole::Offset: return "offset";
    case codec::PartRole::Bias:
        return encoding && encoding->scaling && encoding->scaling->bias ? "second offset" : "bias";
    }
    return "";
}

std::string indexText(const Shape &shape, std::uint64_t element)
{
    std::vector<std::uint64_t> axes;
    for (std::size_t axis = shape.size(); axis-- > 0 && shape[axis] != 0;) {
        axes.insert(axes.begin(), element % shape[axis]);
        element /= shape[axis];
    }
    return fmt::format("[{}]", fmt::join(axes, ", "));
}

ByteField fieldAt(const Bundle &bundle, std::size_t file, FileOffset offset)
{
    BoundOrder order;
    return fieldAt(bundle, file, offset, order);
}

ByteField fieldAt(const Bundle &bundle, std::size_t file, FileOffset offset, BoundOrder &order,
                  std::optional<std::uint64_t> element)
{
    ByteField field;
    field.bytes = {offset, ByteCount(1)};
    field.section = bundle.sectionAt(file, offset);
    if (field.section >= bundle.sections().size())
        return field;
    const Section &section = bundle.sections()[field.section];
    field.weight = section.weight;
    if (describeWeight(field, bundle, file, offset, order, element) ||
        describeNamed(field, bundle, file, offset, order))
        return field;
    const std::uint64_t into = offset.value - section.range.offset.value;
    const std::string_view owner = bundle.ownerOf(section);
    const std::string name = nameWithin(bundle, section, owner);
    field.text = owner.empty() ? fmt::format("{} +{:#x}", name, into)
                               : fmt::format("{} of {} +{:#x}", name, owner, into);
    if (bundle.files()[file].blobVersion != 0)
        describeStored(field, section, offset);
    return field;
}

} // namespace kernscope
