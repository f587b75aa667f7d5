// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/form/operand_place.h"

#include <algorithm>

namespace kernscope {

bool OperandPlace::holds(ByteRange run) const
{
    const auto inside = [run](ByteRange place) {
        return place.offset <= run.offset && run.end() <= place.end();
    };
    if (pieces.empty())
        return inside(range());
    return std::ranges::any_of(pieces, inside) || std::ranges::any_of(copies, inside);
}

bool OperandPlace::overlaps(const OperandPlace &other) const
{
    if (isLiteral() || other.isLiteral())
        return literal != nullptr && literal == other.literal;
    if (file != other.file)
        return false;
    const auto runs = [](const OperandPlace &place) {
        std::vector<ByteRange> all = place.pieces;
        all.insert(all.end(), place.copies.begin(), place.copies.end());
        if (place.pieces.empty())
            all.push_back(place.range());
        std::ranges::sort(all);
        return all;
    };
    const auto mine = runs(*this), theirs = runs(other);
    for (auto a = mine.begin(), b = theirs.begin(); a != mine.end() && b != theirs.end();) {
        if (a->offset.value < b->end() && b->offset.value < a->end())
            return true;
        a->end() <= b->end() ? static_cast<void>(++a) : static_cast<void>(++b);
    }
    return false;
}

OperandPlace placeAt(std::size_t file, ByteRange bytes)
{
    OperandPlace place;
    place.file = file;
    place.dataOffset = place.metaOffset = bytes.offset;
    place.bytes = bytes.bytes;
    return place;
}

OperandPlace placeOf(std::shared_ptr<const mil::Literal> literal, ByteCount bytes)
{
    OperandPlace place;
    place.bytes = bytes;
    place.literal = std::move(literal);
    return place;
}

codec::Operand operandAt(codec::PartRole role, ElementType type, Shape shape, OperandPlace place,
                         std::shared_ptr<const codec::ElementOrder> order)
{
    codec::Operand operand;
    operand.role = role;
    operand.type = type;
    operand.shape = std::move(shape);
    operand.order = std::move(order);
    operand.place = std::make_shared<const OperandPlace>(std::move(place));
    return operand;
}

codec::Operand readAs(codec::Operand operand, ElementType type, Shape shape)
{
    if (operand.place && (operand.type != type || operand.shape != shape)) {
        OperandPlace place = *operand.place;
        place.declared = DeclaredTensor{operand.declaredType(), operand.declaredShape()};
        operand.place = std::make_shared<const OperandPlace>(std::move(place));
    }
    operand.type = type;
    operand.shape = std::move(shape);
    return operand;
}

} // namespace kernscope
