// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bundle/reader/mil/form_reader.h"

#include "core/base/error_builder.h"
#include "core/base/find.h"
#include "core/bundle/stored_bytes.h"

#include <fmt/format.h>

namespace kernscope {

namespace {

ErrorBuilder recordFault(std::string_view code, const BlobPlace &place, const std::string &file,
                         std::uint64_t at, std::uint64_t length)
{
    return ErrorBuilder(code)
        .file(file)
        .at(FileOffset(place.record.metaOffset.value + at))
        .length(ByteCount(length));
}

/// Booleans have no code of their own in weight files: a byte each.
bool sameStoredType(ElementType declared, ElementType stored)
{
    if (declared == ElementType::Bool)
        return stored == ElementType::Uint8 || stored == ElementType::Int8;
    return declared == stored;
}

} // namespace

Error OperandReader::fault(const mil::Operation &operation, std::string_view code,
                           std::string_view field, std::string expected, std::string found,
                           std::string message) const
{
    ErrorBuilder error(code);
    error.file(m_programFile)
        .at(FileOffset(operation.span.offset))
        .field(field)
        .expected(std::move(expected))
        .found(std::move(found))
        .message(std::move(message));
    if (operation.span.length > 0)
        error.length(ByteCount(operation.span.length));
    return error;
}

Result<void> OperandReader::fillFromBlob(OperandPlace &place, ElementType type, const Shape &shape,
                                         const mil::BlobReference &blob)
{
    auto found = TRY(m_blobs.find(blob));
    const milblob::Record &record = found.record;
    const std::string &file = m_blobs.fileName(found.file);
    const auto count = elementCount(shape);
    // Engines go by the program, and so may those who write such a record.
    const bool retyped = !sameStoredType(type, record.type) && count != record.elements &&
                         packedBytes(*count, type) == record.bytes;
    if (!sameStoredType(type, record.type)) {
        Error error =
            recordFault("blob.type", found, file, milblob::kCodeAt, 4)
                .field("dtype")
                .expected(fmt::format("{}, as the program declares", elementTypeName(type)))
                .found(elementTypeName(record.type))
                .message(retyped ? "The record's element type is not the one of the program, whose "
                                   "elements its bytes hold; they are read as the program says."
                                 : "The record's element type is not the one of the program.");
        if (!retyped)
            return tl::unexpected(std::move(error));
        m_log.add(Severity::Warning, std::move(error));
    }
    if (!retyped && count != record.elements) {
        return recordFault("blob.elements", found, file, milblob::kBytesAt, 8)
            .field("size")
            .expected(fmt::format("{} elements for {}", count->value, shapeText(shape)))
            .found(
                fmt::format("{} elements in {} bytes", record.elements.value, record.bytes.value))
            .message("The record does not hold the elements that the program declares.")
            .unexpected();
    }
    place.file = found.file;
    place.metaOffset = record.metaOffset;
    place.dataOffset = record.dataOffset;
    place.bytes = record.bytes;
    return {};
}

Result<codec::Operand> OperandReader::stored(const mil::Operation &operation,
                                             std::string_view operand, codec::PartRole role)
{
    const mil::ProgramValue *value = operation.operand(operand);
    if (!value)
        return tl::unexpected(fault(operation, "mil.operand", operand, "an operand", "none",
                                    "An operand that the operation needs is missing."));
    return stored(operation, operand, *value, role);
}

Result<codec::Operand> OperandReader::stored(const mil::Operation &operation,
                                             std::string_view field, const mil::ProgramValue &value,
                                             codec::PartRole role)
{
    const mil::ProgramValue *constant = m_graph.constant(value);
    if (!constant)
        return tl::unexpected(fault(operation, "mil.operand", field, "a constant",
                                    value.reference() ? value.reference()->name : "none",
                                    "An operand is not a constant."));
    const mil::ValueType *declared = m_graph.typeOf(value);
    const mil::ValueType &type = constant->type;
    if (declared && (declared->element != type.element || declared->dims != type.dims))
        return tl::unexpected(fault(operation, "mil.type", field, shapedTypeText(*declared),
                                    shapedTypeText(type),
                                    "A constant's value is not of the type that it declares."));
    const auto shape = type.isTensor() ? type.shape() : std::nullopt;
    const auto count = shape ? elementCount(*shape) : std::nullopt;
    const auto bytes = count ? packedBytes(*count, type.element) : std::nullopt;
    if (!bytes)
        return tl::unexpected(fault(operation, "mil.shape", field,
                                    "a tensor of known extents whose size fits 64 bits",
                                    type.isTensor() ? shapedTypeText(type) : type.text,
                                    "The shape of a constant cannot be used."));
    OperandPlace place;
    place.dimSpans = type.dimSpans;
    if (declared && declared != &type)
        place.countSpans = declared->dimSpans;
    if (const mil::BlobReference *blob = constant->blob()) {
        auto filled = fillFromBlob(place, type.element, *shape, *blob);
        if (!filled && !(m_takesDeclared && isMissingFile(filled.error())))
            return tl::unexpected(std::move(filled.error()));
        if (!filled)
            place.metaOffset = FileOffset(blob->offset); // which record it would be
        return operandAt(role, type.element, *shape, std::move(place));
    }
    const mil::Literal &literal = *constant->literal();
    if (literal.element != type.element || literal.count != count->value ||
        literal.bytes.size() != bytes->value)
        return tl::unexpected(fault(operation, "mil.shape", field,
                                    fmt::format("{} elements", count->value),
                                    fmt::format("{} elements", literal.count),
                                    "A literal does not hold the elements of its type."));
    auto &kept = m_literals[&literal];
    if (!kept)
        kept = std::make_shared<const mil::Literal>(literal);
    place.literal = kept;
    place.bytes = *bytes;
    return operandAt(role, type.element, *shape, std::move(place));
}

Result<std::vector<std::int64_t>> OperandReader::integers(const mil::Operation &operation,
                                                          std::string_view operand) const
{
    const mil::Literal *literal = m_graph.literal(operation, operand);
    if (!literal)
        return tl::unexpected(fault(operation, "mil.operand", operand, "integers",
                                    operation.operand(operand) ? "something else" : "none",
                                    "An operand that gives numbers is missing."));
    auto numbers = literalIntegers(*literal);
    if (numbers.size() != literal->count)
        return tl::unexpected(fault(operation, "mil.type", operand, "integers",
                                    std::string(elementTypeName(literal->element)),
                                    "An operand that gives numbers has another type."));
    return numbers;
}

bool isConstexpr(const mil::Operation &operation)
{
    return operation.type.starts_with("constexpr_");
}

codec::Operand withCounts(codec::Operand operand, const std::vector<SourceSpan> &spans)
{
    OperandPlace place = *operand.place;
    place.countSpans.insert(place.countSpans.end(), spans.begin(), spans.end());
    operand.place = std::make_shared<const OperandPlace>(std::move(place));
    return operand;
}

Result<void> FormReader::checkType(const mil::Operation &operation, std::string_view name,
                                   ElementType type, std::initializer_list<ElementType> types) const
{
    if (std::ranges::find(types, type) != types.end())
        return {};
    std::string expected;
    for (const ElementType allowed : types)
        expected += (expected.empty() ? "" : ", ") + std::string(elementTypeName(allowed));
    return tl::unexpected(m_operands.fault(operation, "codec.type", name, std::move(expected),
                                           std::string(elementTypeName(type)),
                                           "An operand has an element type that this form lacks."));
}

Result<codec::Operand> FormReader::stored(const mil::Operation &operation, std::string_view name,
                                          PartRole role, std::initializer_list<ElementType> types)
{
    auto operand = TRY(m_operands.stored(operation, name, role));
    m_known.push_back(operand);
    TRY(checkType(operation, name, operand.type, types));
    return operand;
}

Result<FormReader::Source> FormReader::source(const mil::Operation &operation,
                                              std::string_view name, PartRole role)
{
    const mil::ProgramValue *value = operation.operand(name);
    const mil::Operation *maker = value ? m_operands.graph().maker(*value) : nullptr;
    Source result;
    if (!maker || !isConstexpr(*maker)) {
        auto operand = TRY(m_operands.stored(operation, name, role));
        result.type = operand.type;
        result.shape = operand.shape;
        m_known.push_back(operand);
        result.source = std::move(operand);
        return result;
    }
    if (makesSurvivors(*maker))
        return tl::unexpected(m_operands.fault(operation, "mil.unsupported", name,
                                               "a dense constant", maker->type,
                                               "Compacted values are read as if dense."));
    auto inner = TRY(readAs(*maker, role));
    if (inner.type != inner.encoding.type)
        return tl::unexpected(m_operands.fault(operation, "mil.unsupported", name,
                                               "a constant that is not cast", maker->type,
                                               "A cast inside a stored form is not read."));
    result.type = inner.type;
    result.shape = inner.encoding.shape;
    result.made = std::make_shared<const codec::Encoding>(std::move(inner.encoding));
    result.source = result.made;
    return result;
}

Result<Shape> FormReader::shapeOperand(const mil::Operation &operation)
{
    auto numbers = TRY(m_operands.integers(operation, "shape"));
    Shape shape;
    for (const std::int64_t extent : numbers) {
        if (extent < 0)
            return tl::unexpected(
                m_operands.fault(operation, "codec.shape", "shape", "extents that are not negative",
                                 fmt::format("{}", extent), "The shape holds a negative extent."));
        shape.push_back(static_cast<std::uint64_t>(extent));
    }
    const auto count = elementCount(shape);
    if (count && packedBytes(*count, ElementType::Fp64))
        return shape;
    return tl::unexpected(m_operands.fault(operation, "codec.shape", "shape",
                                           "fewer than 2^64 bytes", shapeText(shape),
                                           "The decoded shape overflows."));
}

Result<std::uint64_t> FormReader::axisOperand(const mil::Operation &operation,
                                              std::string_view name, std::size_t rank)
{
    auto numbers = TRY(m_operands.integers(operation, name));
    const auto extent = static_cast<std::int64_t>(rank);
    const std::int64_t axis = numbers.size() == 1 ? numbers.front() : INT64_MAX;
    if (axis >= -extent && axis < extent)
        return static_cast<std::uint64_t>(axis < 0 ? axis + extent : axis);
    return tl::unexpected(
        m_operands.fault(operation, "codec.shape", name, fmt::format("an axis of {}", rank),
                         numbers.size() == 1 ? fmt::format("{}", axis) : "several numbers",
                         "The axis is not one of the tensor."));
}

Result<ReadValue> FormReader::readDense(const mil::Operation &operation, std::string_view field,
                                        const mil::ProgramValue &value, PartRole role)
{
    auto operand = TRY(m_operands.stored(operation, field, value, role));
    m_known.push_back(operand);
    ReadValue form;
    form.type = operand.type;
    form.encoding.type = operand.type;
    form.encoding.shape = operand.shape;
    form.encoding.payload = std::move(operand);
    return form;
}

Result<ReadValue> FormReader::readConst(const mil::Operation &operation)
{
    const mil::ProgramValue *value = operation.operand("val");
    if (!value || operation.outputs.empty())
        return tl::unexpected(m_operands.fault(operation, "mil.operand", "val", "a value", "none",
                                               "A constant has no value."));
    auto form = TRY(readDense(operation, "val", *value, PartRole::Data));
    TRY(checkOutput(operation, form));
    auto &values = std::get<codec::Operand>(form.encoding.payload);
    values = withCounts(std::move(values), operation.outputs.front().type.dimSpans);
    return form;
}

Result<ReadValue> FormReader::cast(const mil::Operation &operation, PartRole role)
{
    const mil::ProgramValue *value = operation.operand("source_val");
    if (!value)
        return tl::unexpected(m_operands.fault(operation, "mil.operand", "source_val", "an operand",
                                               "none",
                                               "An operand that the operation needs is missing."));
    const mil::Operation *maker = m_operands.graph().maker(*value);
    Outcome form = maker && isConstexpr(*maker) ? readAs(*maker, role)
                                                : readDense(operation, "source_val", *value, role);
    if (!form)
        return form;
    TRY(checkType(operation, "source_val", form->type, {ElementType::Fp16, ElementType::Fp32}));
    form->type =
        operation.outputs.empty() ? ElementType::Unknown : operation.outputs.front().type.element;
    if (form->type != ElementType::Fp32)
        return tl::unexpected(m_operands.fault(operation, "codec.type", "output_dtype", "fp32",
                                               std::string(elementTypeName(form->type)),
                                               "Constants are only cast to fp32."));
    return form;
}

namespace {

/// An operation that makes weights, and who reads it: a row for each. A new one is a file
/// form_NAME.cpp and a line here.
struct FormOperation {
    std::string_view type;
    /// `role`: that of the payload, as the operation which takes the result has it.
    Result<ReadValue> (FormReader::*read)(const mil::Operation &operation, codec::PartRole role);
};

constexpr std::array kOperations{
    FormOperation{"constexpr_affine_dequantize", &FormReader::affine},
    FormOperation{"constexpr_blockwise_shift_scale", &FormReader::blockwise},
    FormOperation{"constexpr_lut_to_dense", &FormReader::lutToDense},
    FormOperation{"constexpr_sparse_to_dense", &FormReader::sparse},
    FormOperation{"constexpr_lut_to_sparse", &FormReader::lutToSparse},
    FormOperation{"constexpr_sparse_blockwise_shift_scale", &FormReader::sparseBlockwise},
    FormOperation{"constexpr_cast", &FormReader::cast},
};

} // namespace

Result<ReadValue> FormReader::dispatch(const mil::Operation &operation, PartRole role)
{
    if (const auto *known = findBy(kOperations, &FormOperation::type, operation.type))
        return (this->*known->read)(operation, role);
    return tl::unexpected(m_operands.fault(operation, "mil.unsupported", "operation",
                                           "a constexpr operation that is known", operation.type,
                                           "This way to store a weight is not known."));
}

/// The last output holds the values; the first of two is the mask.
Result<void> FormReader::checkOutput(const mil::Operation &operation, const ReadValue &form) const
{
    if (operation.outputs.empty())
        return tl::unexpected(m_operands.fault(operation, "mil.shape", "output", "an output",
                                               "none", "The operation makes nothing."));
    const mil::ValueType &type = operation.outputs.back().type;
    if (type.element != form.type)
        return tl::unexpected(m_operands.fault(
            operation, "codec.type", "output", std::string(elementTypeName(form.type)),
            std::string(elementTypeName(type.element)),
            "The declared element type is not the one that the operands give."));
    if (operation.outputs.size() > 1)
        return {}; // compacted values: their number depends on the mask
    const auto shape = type.shape();
    if (shape == form.encoding.shape)
        return {};
    return tl::unexpected(
        m_operands.fault(operation, "codec.shape", "output", shapeText(form.encoding.shape),
                         shape ? shapeText(*shape) : std::string("a shape that is not known"),
                         "The declared shape is not the one that the operands give."));
}

Result<ReadValue> FormReader::readAs(const mil::Operation &operation, PartRole role)
{
    if (m_depth >= codec::kMaxChainedOps)
        return tl::unexpected(
            m_operands.fault(operation, "mil.unsupported", "operation",
                             fmt::format("at most {} in a row", codec::kMaxChainedOps), "more",
                             "Constexpr operations feed each other too deeply."));
    ++m_depth;
    Outcome form = dispatch(operation, role);
    --m_depth;
    if (form) {
        TRY(checkOutput(operation, *form));
    }
    return form;
}

} // namespace kernscope
