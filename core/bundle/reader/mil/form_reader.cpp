// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bundle/reader/mil/form_reader.h"

#include "core/base/error_builder.h"
#include "core/base/find.h"
#include "core/bundle/stored_bytes.h"

#include <fmt/format.h>

namespace kernscope {

using codec::Scaling;

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

tl::unexpected<Error> OperandReader::fault(const mil::Operation &operation, std::string_view code,
                                           std::string_view field, std::string_view expected,
                                           std::string_view found, std::string_view message) const
{
    ErrorBuilder error(code);
    error.file(m_programFile)
        .at(FileOffset(operation.span.offset))
        .field(field)
        .expected(expected)
        .found(found)
        .message(message);
    if (operation.span.length > 0)
        error.length(ByteCount(operation.span.length));
    return error.unexpected();
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
        return fault(operation, "mil.operand", operand, "an operand", "none",
                     "An operand that the operation needs is missing.");
    return stored(operation, operand, *value, role);
}

Result<codec::Operand> OperandReader::stored(const mil::Operation &operation,
                                             std::string_view field, const mil::ProgramValue &value,
                                             codec::PartRole role)
{
    const mil::ProgramValue *constant = m_graph.constant(value);
    if (!constant)
        return fault(operation, "mil.operand", field, "a constant",
                     value.reference() ? value.reference()->name : "none",
                     "An operand is not a constant.");
    const mil::ValueType *declared = m_graph.typeOf(value);
    const mil::ValueType &type = constant->type;
    if (declared && (declared->element != type.element || declared->dims != type.dims))
        return fault(operation, "mil.type", field, shapedTypeText(*declared), shapedTypeText(type),
                     "A constant's value is not of the type that it declares.");
    const auto shape = type.isTensor() ? type.shape() : std::nullopt;
    const auto count = shape ? elementCount(*shape) : std::nullopt;
    const auto bytes = count ? packedBytes(*count, type.element) : std::nullopt;
    if (!bytes)
        return fault(operation, "mil.shape", field,
                     "a tensor of known extents whose size fits 64 bits",
                     type.isTensor() ? shapedTypeText(type) : type.text,
                     "The shape of a constant cannot be used.");
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
        return fault(operation, "mil.shape", field, fmt::format("{} elements", count->value),
                     fmt::format("{} elements", literal.count),
                     "A literal does not hold the elements of its type.");
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
        return fault(operation, "mil.operand", operand, "integers",
                     operation.operand(operand) ? "something else" : "none",
                     "An operand that gives numbers is missing.");
    auto numbers = literalIntegers(*literal);
    if (numbers.size() != literal->count)
        return fault(operation, "mil.type", operand, "integers", elementTypeName(literal->element),
                     "An operand that gives numbers has another type.");
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
    return fault(operation, "codec.type", name, std::move(expected), elementTypeName(type),
                 "An operand has an element type that this form lacks.");
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
        return fault(operation, "mil.unsupported", name, "a dense constant", maker->type,
                     "Compacted values are read as if dense.");
    auto inner = TRY(readAs(*maker, role));
    if (inner.type != inner.encoding.type)
        return fault(operation, "mil.unsupported", name, "a constant that is not cast", maker->type,
                     "A cast inside a stored form is not read.");
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
            return fault(operation, "codec.shape", "shape", "extents that are not negative",
                         fmt::format("{}", extent), "The shape holds a negative extent.");
        shape.push_back(static_cast<std::uint64_t>(extent));
    }
    const auto count = elementCount(shape);
    if (count && packedBytes(*count, ElementType::Fp64))
        return shape;
    return fault(operation, "codec.shape", "shape", "fewer than 2^64 bytes", shapeText(shape),
                 "The decoded shape overflows.");
}

Result<std::uint64_t> FormReader::axisOperand(const mil::Operation &operation,
                                              std::string_view name, std::size_t rank)
{
    auto numbers = TRY(m_operands.integers(operation, name));
    const auto extent = static_cast<std::int64_t>(rank);
    const std::int64_t axis = numbers.size() == 1 ? numbers.front() : INT64_MAX;
    if (axis >= -extent && axis < extent)
        return static_cast<std::uint64_t>(axis < 0 ? axis + extent : axis);
    return fault(operation, "codec.shape", name, fmt::format("an axis of {}", rank),
                 numbers.size() == 1 ? fmt::format("{}", axis) : "several numbers",
                 "The axis is not one of the tensor.");
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
        return fault(operation, "mil.operand", "val", "a value", "none",
                     "A constant has no value.");
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
        return fault(operation, "mil.operand", "source_val", "an operand", "none",
                     "An operand that the operation needs is missing.");
    const mil::Operation *maker = m_operands.graph().maker(*value);
    Outcome form = maker && isConstexpr(*maker) ? readAs(*maker, role)
                                                : readDense(operation, "source_val", *value, role);
    if (!form)
        return form;
    TRY(checkType(operation, "source_val", form->type, {ElementType::Fp16, ElementType::Fp32}));
    form->type =
        operation.outputs.empty() ? ElementType::Unknown : operation.outputs.front().type.element;
    if (form->type != ElementType::Fp32)
        return fault(operation, "codec.type", "output_dtype", "fp32", elementTypeName(form->type),
                     "Constants are only cast to fp32.");
    return form;
}

namespace {

/// An operation that makes weights, and who reads it: a row for each. A new one is a function
/// and a line here.
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
    return fault(operation, "mil.unsupported", "operation", "a constexpr operation that is known",
                 operation.type, "This way to store a weight is not known.");
}

/// The last output holds the values; the first of two is the mask.
Result<void> FormReader::checkOutput(const mil::Operation &operation, const ReadValue &form) const
{
    if (operation.outputs.empty())
        return fault(operation, "mil.shape", "output", "an output", "none",
                     "The operation makes nothing.");
    const mil::ValueType &type = operation.outputs.back().type;
    if (type.element != form.type)
        return fault(operation, "codec.type", "output", elementTypeName(form.type),
                     elementTypeName(type.element),
                     "The declared element type is not the one that the operands give.");
    if (operation.outputs.size() > 1)
        return {}; // compacted values: their number depends on the mask
    const auto shape = type.shape();
    if (shape == form.encoding.shape)
        return {};
    return fault(operation, "codec.shape", "output", shapeText(form.encoding.shape),
                 shape ? shapeText(*shape) : std::string("a shape that is not known"),
                 "The declared shape is not the one that the operands give.");
}

Result<ReadValue> FormReader::readAs(const mil::Operation &operation, PartRole role)
{
    if (m_depth >= codec::kMaxChainedOps)
        return fault(operation, "mil.unsupported", "operation",
                     fmt::format("at most {} in a row", codec::kMaxChainedOps), "more",
                     "Constexpr operations feed each other too deeply.");
    ++m_depth;
    Outcome form = dispatch(operation, role);
    --m_depth;
    if (form) {
        TRY(checkOutput(operation, *form));
    }
    return form;
}

// Forms with a mask.

bool makesSurvivors(const mil::Operation &operation)
{
    return operation.type == "constexpr_lut_to_sparse" ||
           operation.type == "constexpr_sparse_blockwise_shift_scale";
}

Result<void> checkSurvivors(const OperandReader &operands, const mil::Operation &operation,
                            const Shape &survivors, const Shape &mask)
{
    const auto bits = elementCount(mask);
    if (bits && survivors.size() == 1 && survivors[0] <= bits->value)
        return {};
    return operands.fault(operation, "codec.mask", "nonzero_data",
                          fmt::format("one dimension of at most {}", bits ? bits->value : 0),
                          shapeText(survivors),
                          "There cannot be more values than the mask has elements.");
}

/// The same record, or literals of the same bytes.
static bool sameBytes(const OperandPlace &a, const OperandPlace &b)
{
    if (a.literal && b.literal)
        return a.literal->bytes == b.literal->bytes;
    return a.literal == b.literal && a.file == b.file && a.metaOffset == b.metaOffset;
}

/// The compacted values' count is written once more in the declared type of a joint op's output.
codec::Operand survivorsOf(const mil::Operation &operation, codec::Operand operand)
{
    if (operation.outputs.size() < 2)
        return operand;
    return withCounts(std::move(operand), operation.outputs.back().type.dimSpans);
}

/// A joint op's mask is named again by the op that completes it: as its first output, or as the
/// same blob once more.
Result<void> FormReader::sameMask(const mil::Operation &operation, std::string_view name,
                                  const ReadValue &inner, const mil::Operation &maker)
{
    const ValueGraph &graph = m_operands.graph();
    const mil::ProgramValue *value = operation.operand(name);
    const Definition *definition = value ? graph.definition(*value) : nullptr;
    if (definition && definition->output == 0 && graph.maker(*definition) == &maker)
        return {};
    auto mask = TRY(m_operands.stored(operation, name, PartRole::Mask));
    if (inner.encoding.mask && mask.shape == inner.encoding.shape &&
        sameBytes(*mask.place, *inner.encoding.mask->place))
        return {};
    return fault(operation, "codec.mask", name, "the mask of " + maker.displayName(),
                 "another mask", "Two operations of one weight name different masks.");
}

/// The joint op whose second output, the compacted values, an op reads; null where it reads none.
const mil::Operation *FormReader::compactMaker(const mil::Operation &operation) const
{
    const ValueGraph &graph = m_operands.graph();
    const mil::ProgramValue *value = operation.operand("nonzero_data");
    const Definition *definition = value ? graph.definition(*value) : nullptr;
    const mil::Operation *maker = definition ? graph.maker(*definition) : nullptr;
    return maker && makesSurvivors(*maker) && definition->output == 1 ? maker : nullptr;
}

Result<ReadValue> FormReader::sparseMasked(const mil::Operation &operation, ReadValue inner)
{
    TRY(sameMask(operation, "mask", inner, *compactMaker(operation)));
    return inner;
}

Result<ReadValue> FormReader::sparse(const mil::Operation &operation, PartRole)
{
    if (const mil::Operation *maker = compactMaker(operation)) {
        auto inner = readAs(*maker, PartRole::NonzeroData);
        return inner ? sparseMasked(operation, std::move(*inner)) : inner;
    }
    const bool packed = operation.operand("shape") != nullptr;
    auto mask = TRY(stored(operation, "mask", PartRole::Mask,
                           {packed ? ElementType::Uint8 : ElementType::Uint1}));
    ReadValue form;
    form.encoding.shape = mask.shape;
    if (packed) {
        auto shape = TRY(shapeOperand(operation));
        const std::uint64_t bytes = packedBytes(*elementCount(shape), ElementType::Uint1)->value;
        if (mask.shape.size() != 1 || mask.shape[0] != bytes)
            return fault(operation, "codec.mask", "mask", fmt::format("[{}] bytes", bytes),
                         shapeText(mask.shape), "The mask does not have one bit for each element.");
        form.encoding.shape = std::move(shape);
    }
    auto data = TRY(source(operation, "nonzero_data", PartRole::NonzeroData));
    TRY(checkSurvivors(m_operands, operation, data.shape, form.encoding.shape));
    form.type = data.type;
    form.encoding.type = data.type;
    form.encoding.mask =
        kernscope::readAs(std::move(mask), ElementType::Uint1, form.encoding.shape);
    form.encoding.payload = std::move(data.source);
    return form;
}

// The forms that look values up in codebooks.

/// iOS 18: a codebook of shape [g0 .. g(R-1), K, V] behind an index tensor of rank R.
Result<void> FormReader::addPalette(const mil::Operation &operation, ReadValue &form,
                                    const Shape &indexShape, unsigned width)
{
    auto lut = TRY(source(operation, "lut", PartRole::Lut));
    const std::size_t rank = indexShape.size();
    const Shape &shape = lut.shape;
    if (shape.size() != rank + 2 || !codec::dividesInto(std::span(shape).first(rank), indexShape))
        return fault(
            operation, "codec.codebook", "lut",
            fmt::format("rank {} and extents that divide {}", rank + 2, shapeText(indexShape)),
            shapeText(shape), "The codebooks do not divide the indices into equal groups.");
    codec::Palette palette;
    palette.lut = lut.source;
    palette.grid.assign(shape.begin(), shape.end() - 2);
    palette.entries = shape[rank];
    palette.vector = shape[rank + 1];
    if (palette.entries != std::uint64_t(1) << width)
        return fault(operation, "codec.codebook", "lut",
                     fmt::format("{} entries for indices of {} bits", 1U << width, width),
                     fmt::format("{} entries", palette.entries),
                     "The codebook does not have one entry for every index.");
    form.encoding.shape = indexShape;
    if (palette.vector != 1) {
        auto axis = TRY(axisOperand(operation, "vector_axis", rank));
        palette.vectorAxis = axis;
        const auto extent = checkedMultiply(indexShape[axis], palette.vector);
        if (palette.vector == 0 || !extent)
            return fault(operation, "codec.codebook", "lut", "vectors of 1 or more elements",
                         fmt::format("{}", palette.vector),
                         "The codebook's vectors cannot be used.");
        form.encoding.shape[axis] = *extent;
    }
    const auto count = elementCount(form.encoding.shape);
    if (!count || !packedBytes(*count, ElementType::Fp64))
        return fault(operation, "codec.shape", "output", "fewer than 2^64 bytes",
                     shapeText(form.encoding.shape), "The decoded shape overflows.");
    form.type = lut.type;
    form.encoding.type = lut.type;
    form.encoding.palette = std::move(palette);
    return {};
}

Result<ReadValue> FormReader::lutToDense(const mil::Operation &operation, PartRole)
{
    return operation.operand("shape") ? paletteOfBytes(operation) : palette(operation);
}

Result<ReadValue> FormReader::palette(const mil::Operation &operation)
{
    auto indices = TRY(stored(operation, "indices", PartRole::Indices, kPaletteIndexTypes));
    ReadValue form;
    TRY(addPalette(operation, form, indices.shape, bitWidth(indices.type)));
    form.encoding.payload = std::move(indices);
    return form;
}

/// iOS 16: indices packed into plain bytes, one flat codebook, the shape beside them.
Result<ReadValue> FormReader::paletteOfBytes(const mil::Operation &operation)
{
    auto indices = TRY(stored(operation, "indices", PartRole::Indices, {ElementType::Uint8}));
    auto lut = TRY(source(operation, "lut", PartRole::Lut));
    auto shape = TRY(shapeOperand(operation));
    const std::uint64_t entries = lut.shape.size() == 1 ? lut.shape[0] : 0;
    const auto width = static_cast<unsigned>(std::countr_zero(entries));
    const ElementType type =
        std::has_single_bit(entries) ? unsignedType(width) : ElementType::Unknown;
    if (type == ElementType::Unknown)
        return fault(operation, "codec.codebook", "lut",
                     "one dimension of 2, 4, 8, 16, 64 or 256 entries", shapeText(lut.shape),
                     "The codebook does not fit any width of index.");
    const auto bytes = packedBytes(*elementCount(shape), type);
    if (!bytes || indices.shape.size() != 1 || indices.shape[0] != bytes->value)
        return fault(operation, "codec.shape", "indices",
                     fmt::format("[{}] bytes for {} indices of {} bits", bytes ? bytes->value : 0,
                                 shapeText(shape), width),
                     shapeText(indices.shape), "The indices do not fit the decoded shape.");
    ReadValue form;
    form.type = lut.type;
    form.encoding.type = lut.type;
    form.encoding.payload = kernscope::readAs(std::move(indices), type, shape);
    codec::Palette palette;
    palette.lut = lut.source;
    palette.grid.assign(shape.size(), 1);
    palette.entries = entries;
    form.encoding.palette = std::move(palette);
    form.encoding.shape = std::move(shape);
    return form;
}

Result<ReadValue> FormReader::lutToSparse(const mil::Operation &operation, PartRole)
{
    auto mask = TRY(stored(operation, "indices_mask", PartRole::Mask, {ElementType::Uint1}));
    ReadValue form;
    auto indices =
        TRY(stored(operation, "indices_nonzero_data", PartRole::Indices, kPaletteIndexTypes));
    TRY(checkSurvivors(m_operands, operation, indices.shape, mask.shape));
    TRY(addPalette(operation, form, mask.shape, bitWidth(indices.type)));
    form.encoding.mask = std::move(mask);
    form.encoding.payload = survivorsOf(operation, std::move(indices));
    return form;
}

// The forms that scale what is stored: affine, blockwise, sparse blockwise.

namespace {

/// What blocks of scales may multiply.
constexpr auto kBlockData = {ElementType::Int4,      ElementType::Uint4,  ElementType::Int8,
                             ElementType::Uint8,     ElementType::Fp16,   ElementType::Fp32,
                             ElementType::Fp8E4M3Fn, ElementType::Fp8E5M2};

/// A palette's result can be scaled in place; anything else stays an encoding of its own.
bool canScaleInPlace(const codec::Encoding &encoding)
{
    return encoding.palette && !encoding.scaling && !encoding.mask;
}

} // namespace

Result<ReadValue> FormReader::affine(const mil::Operation &operation, PartRole role)
{
    auto data =
        TRY(stored(operation, "quantized_data", role, {ElementType::Int8, ElementType::Uint8}));
    auto scale =
        TRY(stored(operation, "scale", PartRole::Scale, {ElementType::Fp16, ElementType::Fp32}));
    auto zero = TRY(stored(operation, "zero_point", PartRole::ZeroPoint,
                           {ElementType::Int8, ElementType::Uint8, ElementType::Fp32}));
    ReadValue form;
    form.type = scale.type;
    form.encoding.type = scale.type;
    form.encoding.shape = data.shape;
    Scaling scaling;
    scaling.kind = Scaling::Kind::Affine;
    for (const codec::Operand *vector : {&scale, &zero}) {
        if (vector->shape.empty())
            continue;
        auto axis = TRY(axisOperand(operation, "axis", data.shape.size()));
        scaling.axis = axis;
        if (vector->shape.size() != 1 || vector->shape[0] != data.shape[axis])
            return fault(operation, "codec.scale", codec::partRoleName(vector->role),
                         fmt::format("a scalar or [{}]", data.shape[axis]),
                         shapeText(vector->shape),
                         "A vector does not have one number for each index of the axis.");
    }
    form.encoding.payload = std::move(data);
    scaling.scale = std::move(scale);
    scaling.offset = std::move(zero);
    form.encoding.scaling = std::move(scaling);
    return form;
}

/// Reads scale and offset, which follow the data, and checks that they divide it.
Result<void> FormReader::addBlocks(const mil::Operation &operation, ReadValue &form,
                                   ElementType dataType)
{
    auto scale = TRY(source(operation, "scale", PartRole::Scale));
    TRY(checkType(operation, "scale", scale.type, {ElementType::Fp16, ElementType::Fp32}));
    const Shape &shape = form.encoding.shape;
    if (!codec::dividesInto(scale.shape, shape))
        return fault(operation, "codec.scale", "scale", "extents that divide " + shapeText(shape),
                     shapeText(scale.shape),
                     "The scales do not divide the data into equal blocks.");
    Scaling scaling;
    scaling.kind = Scaling::Kind::Blockwise;
    scaling.scale = scale.source;
    if (operation.operand("offset")) {
        auto offset = TRY(source(operation, "offset", PartRole::Offset));
        TRY(checkType(operation, "offset", offset.type,
                      {dataType, ElementType::Fp16, ElementType::Fp32}));
        if (offset.shape != scale.shape)
            return fault(operation, "codec.scale", "offset", shapeText(scale.shape),
                         shapeText(offset.shape), "The offsets do not match the scales.");
        scaling.offset = offset.source;
    }
    form.encoding.scaling = std::move(scaling);
    form.encoding.type = scale.type;
    form.type = scale.type;
    return {};
}

Result<ReadValue> FormReader::blockwise(const mil::Operation &operation, PartRole role)
{
    auto data = TRY(source(operation, "data", role));
    TRY(checkType(operation, "data", data.type, kBlockData));
    ReadValue form;
    if (data.made && canScaleInPlace(*data.made))
        form.encoding = *data.made;
    else
        form.encoding.payload = data.source;
    form.encoding.shape = data.shape;
    TRY(addBlocks(operation, form, data.type));
    return form;
}

Result<ReadValue> FormReader::sparseBlockwise(const mil::Operation &operation, PartRole)
{
    ReadValue form;
    ElementType dataType = ElementType::Unknown;
    if (const mil::Operation *maker = compactMaker(operation)) {
        auto inner = TRY(readAs(*maker, PartRole::NonzeroData));
        TRY(sameMask(operation, "data_mask", inner, *maker));
        if (inner.encoding.scaling)
            return fault(operation, "mil.unsupported", "nonzero_data",
                         "values that no operation has scaled yet", maker->type,
                         "Compacted values are scaled once at most.");
        dataType = inner.type;
        form = std::move(inner);
    } else {
        auto mask = TRY(stored(operation, "data_mask", PartRole::Mask, {ElementType::Uint1}));
        auto data = TRY(stored(operation, "nonzero_data", PartRole::NonzeroData, kBlockData));
        TRY(checkSurvivors(m_operands, operation, data.shape, mask.shape));
        dataType = data.type;
        form.encoding.shape = mask.shape;
        form.encoding.mask = std::move(mask);
        form.encoding.payload = survivorsOf(operation, std::move(data));
    }
    TRY(addBlocks(operation, form, dataType));
    return form;
}

} // namespace kernscope
