// SPDX-License-Identifier: GPL-3.0-or-later
// Forms with a mask.
#include "core/bundle/reader/mil/form_reader.h"

#include <fmt/format.h>

namespace kernscope {

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
    return tl::unexpected(operands.fault(
        operation, "codec.mask", "nonzero_data",
        fmt::format("one dimension of at most {}", bits ? bits->value : 0), shapeText(survivors),
        "There cannot be more values than the mask has elements."));
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
    return tl::unexpected(m_operands.fault(operation, "codec.mask", name,
                                           "the mask of " + maker.displayName(), "another mask",
                                           "Two operations of one weight name different masks."));
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
            return tl::unexpected(m_operands.fault(
                operation, "codec.mask", "mask", fmt::format("[{}] bytes", bytes),
                shapeText(mask.shape), "The mask does not have one bit for each element."));
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

} // namespace kernscope
