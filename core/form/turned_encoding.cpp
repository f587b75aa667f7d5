// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/form/turned_encoding.h"

#include "core/form/constant_order.h"
#include "core/form/operand_place.h"

namespace kernscope::codec {

namespace {

Shape permuted(const Shape &shape, const std::vector<std::size_t> &axes)
{
    Shape result;
    for (const std::size_t axis : axes)
        result.push_back(shape[axis]);
    return result;
}

/// The operand with an order: its place is one piece of the file.
Operand orderedOperand(Operand operand, const Shape &shape,
                       std::shared_ptr<const ElementOrder> order)
{
    operand = readAs(std::move(operand), operand.type, shape);
    if (!operand.place->isLiteral())
        operand.place =
            std::make_shared<const OperandPlace>(inPieces(OperandPlace(*operand.place)));
    operand.order = std::move(order);
    return operand;
}

/// What a mask keeps, read with the axes of the whole permuted, and the mask as well. Both must lie
/// in the file, the mask's bits one after another.
bool turnKept(Encoding &encoding, const std::vector<std::size_t> &axes, const Shape &books)
{
    auto *payload = std::get_if<Operand>(&encoding.payload);
    Operand &mask = *encoding.mask;
    if (payload == nullptr || mask.order || mask.place->isLiteral() || payload->place->isLiteral())
        return false;
    const auto kept = elementCount(payload->shape).value_or(ElementCount()).value;
    auto order = keptOrder({encoding.shape, axes, bitWidth(payload->type), payload->order,
                            payload->place->dataOffset, books},
                           kept, mask.place->dataOffset);
    *payload =
        orderedOperand(std::move(*payload), permuted(encoding.shape, axes), std::move(order));
    mask = permutedOperand(readAs(std::move(mask), mask.type, encoding.shape), axes);
    return true;
}

/// The same of a table; axes beyond the permutation stay.
bool turnTable(OperandSource &source, const std::vector<std::size_t> &axes)
{
    const Shape &shape = sourceShape(source);
    if (elementCount(shape) == ElementCount(1))
        return true;
    if (shape.size() < axes.size())
        return false;
    if (auto *operand = std::get_if<Operand>(&source)) {
        *operand = permutedOperand(std::move(*operand), axes);
        return true;
    }
    Encoding inner = *std::get<std::shared_ptr<const Encoding>>(source);
    std::vector<std::size_t> all = axes;
    for (std::size_t i = axes.size(); i < shape.size(); ++i)
        all.push_back(i);
    if (!turnAxes(inner, all))
        return false;
    source = std::make_shared<const Encoding>(std::move(inner));
    return true;
}

} // namespace

Operand permutedOperand(Operand operand, std::vector<std::size_t> axes, const Shape &books)
{
    for (std::size_t i = axes.size(); i < operand.shape.size(); ++i)
        axes.push_back(i);
    auto order = permutedOrder({operand.shape, axes, bitWidth(operand.type), operand.order,
                                operand.place->dataOffset, books});
    const Shape shape = permuted(operand.shape, axes);
    return orderedOperand(std::move(operand), shape, std::move(order));
}

bool turnAxes(Encoding &encoding, const std::vector<std::size_t> &axes)
{
    Shape books; // along each axis, where there are several
    if (encoding.palette) {
        Palette &palette = *encoding.palette;
        if (palette.vector > 1)
            return false;
        palette.grid = palette.grid.empty() ? Shape() : permuted(palette.grid, axes);
        if (elementCount(palette.grid).value_or(ElementCount()) != ElementCount(1)) {
            books = palette.grid;
            if (!turnTable(palette.lut, axes))
                return false;
        }
    }
    if (encoding.mask) {
        if (!turnKept(encoding, axes, books))
            return false;
    } else if (auto *operand = std::get_if<Operand>(&encoding.payload)) {
        if (operand->shape.size() != axes.size())
            return false;
        *operand = permutedOperand(std::move(*operand), axes, books);
    } else if (sourceShape(encoding.payload) != encoding.shape ||
               !turnTable(encoding.payload, axes)) {
        return false;
    }
    if (auto &scaling = encoding.scaling) {
        for (std::optional<OperandSource> *table : {&scaling->offset, &scaling->bias}) {
            if (*table && !turnTable(**table, axes))
                return false;
        }
        if (!turnTable(scaling->scale, axes))
            return false;
    }
    encoding.shape = permuted(encoding.shape, axes);
    return true;
}

} // namespace kernscope::codec
