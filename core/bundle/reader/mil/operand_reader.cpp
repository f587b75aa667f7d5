// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bundle/reader/mil/operand_reader.h"

#include "core/base/error_builder.h"

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

bool isMissingFile(const Error &fault)
{
    return fault.code == "blob.file" || fault.code == "bundle.lfs";
}

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
                                    "An operand is no constant."));
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
    const mil::ProgramValue *value = operation.operand(operand);
    const mil::ProgramValue *constant = value ? m_graph.constant(*value) : nullptr;
    if (!constant || !constant->literal())
        return tl::unexpected(fault(operation, "mil.operand", operand, "integers",
                                    value ? "something else" : "none",
                                    "An operand that gives numbers is missing."));
    auto numbers = literalIntegers(*constant->literal());
    if (numbers.size() != constant->literal()->count)
        return tl::unexpected(fault(operation, "mil.type", operand, "integers",
                                    std::string(elementTypeName(constant->literal()->element)),
                                    "An operand that gives numbers has another type."));
    return numbers;
}

} // namespace kernscope
