// SPDX-License-Identifier: GPL-3.0-or-later
#include "sample.h"

#include <cstring>

namespace kernscope::codec::test {

namespace {

using Random = std::mt19937_64;

std::uint64_t below(Random &random, std::uint64_t limit)
{
    return random() % limit;
}

/// Puts random, finite and moderate numbers into a table's bytes.
std::vector<std::byte> tableBytes(ElementType type, std::uint64_t count, Random &random)
{
    std::vector<std::byte> bytes = randomBytes((count * bitWidth(type) + 7) / 8, random);
    for (std::uint64_t i = 0; i < count; ++i) {
        if (type == ElementType::Fp16) {
            // Exponent field 1 to 24, now and then 0: subnormal.
            const std::uint64_t exponent = below(random, 25);
            const auto half = std::uint16_t((random() & 0x83ff) | (exponent << 10));
            std::memcpy(bytes.data() + 2 * i, &half, 2);
        } else if (type == ElementType::Fp32) {
            const std::uint64_t exponent = 110 + below(random, 30);
            const auto bits = std::uint32_t((random() & 0x807fffff) | exponent << 23);
            std::memcpy(bytes.data() + 4 * i, &bits, 4);
        }
    }
    return bytes;
}

Operand operand(Sample &sample, PartRole role, ElementType type, Shape shape,
                std::vector<std::byte> bytes)
{
    const auto &kept = sample.storage.emplace_back(std::move(bytes));
    return {role, type, std::move(shape), kept};
}

Operand table(Sample &sample, PartRole role, ElementType type, const Shape &shape, Random &random)
{
    const std::uint64_t count = elementCount(shape)->value;
    return operand(sample, role, type, shape, tableBytes(type, count, random));
}

/// Extents that divide those of `shape`, at random.
Shape dividing(const Shape &shape, Random &random)
{
    Shape grid(shape.size(), 1);
    for (std::size_t i = 0; i < shape.size(); ++i) {
        std::vector<std::uint64_t> divisors;
        for (std::uint64_t d = 1; d <= shape[i]; ++d) {
            if (shape[i] % d == 0)
                divisors.push_back(d);
        }
        grid[i] = divisors[below(random, divisors.size())];
    }
    return grid;
}

/// int8 codes times a scale, as another op would make a table of `shape`.
OperandSource codedTable(Sample &sample, PartRole role, const Shape &shape, ElementType type,
                         Random &random)
{
    auto inner = std::make_shared<Encoding>();
    inner->type = type;
    inner->shape = shape;
    inner->payload = operand(sample, PartRole::Data, ElementType::Int8, shape,
                             randomBytes(elementCount(shape)->value, random));
    Scaling scaling;
    scaling.kind = Scaling::Kind::Blockwise;
    scaling.scale = table(sample, PartRole::Scale, type, dividing(shape, random), random);
    inner->scaling = std::move(scaling);
    static_cast<void>(role);
    return std::shared_ptr<const Encoding>(std::move(inner));
}

void addPalette(Sample &sample, const Form &form, const Shape &indexShape, Random &random)
{
    Palette palette;
    palette.entries = std::uint64_t{1} << form.bits;
    palette.vector = form.vector;
    palette.vectorAxis = form.vectorAxis;
    palette.grid.assign(indexShape.size(), 1);
    if (form.grouped)
        palette.grid = dividing(indexShape, random);
    Shape shape = palette.grid;
    shape.push_back(palette.entries);
    shape.push_back(palette.vector);
    if (form.packedIndices)
        shape = {palette.entries};
    if (form.lutScaled)
        palette.lut = codedTable(sample, PartRole::Lut, shape, form.lut, random);
    else
        palette.lut = table(sample, PartRole::Lut, form.lut, shape, random);
    sample.encoding.palette = std::move(palette);
}

void addScaling(Sample &sample, const Form &form, Random &random)
{
    const Shape &shape = sample.encoding.shape;
    Scaling scaling;
    scaling.kind = *form.scaling;
    if (scaling.kind == Scaling::Kind::Affine) {
        scaling.axis = shape.empty() ? 0 : below(random, shape.size());
        const Shape vector = shape.empty() ? Shape{} : Shape{shape[scaling.axis]};
        scaling.scale =
            table(sample, PartRole::Scale, form.scale, form.oneScale ? Shape{} : vector, random);
        if (form.offset != ElementType::Unknown)
            scaling.offset = table(sample, PartRole::ZeroPoint, form.offset,
                                   form.oneOffset ? Shape{} : vector, random);
    } else {
        const Shape grid = dividing(shape, random);
        if (form.scaleCoded)
            scaling.scale = codedTable(sample, PartRole::Scale, grid, form.scale, random);
        else
            scaling.scale = table(sample, PartRole::Scale, form.scale, grid, random);
        if (form.offset != ElementType::Unknown)
            scaling.offset = table(sample, form.addsOffset ? PartRole::Bias : PartRole::Offset,
                                   form.offset, grid, random);
        scaling.addsOffset = form.addsOffset;
    }
    sample.encoding.scaling = std::move(scaling);
}

Shape randomShape(const Form &form, Random &random)
{
    static const std::vector<std::uint64_t> kExtents{1, 2, 3, 4, 5, 6, 8, 9, 12, 16, 30, 64};
    Shape shape(1 + below(random, 4));
    do {
        for (std::uint64_t &extent : shape)
            extent = kExtents[below(random, kExtents.size())];
    } while (elementCount(shape)->value > 2500);
    if (form.vector > 1) {
        while (shape.size() <= form.vectorAxis)
            shape.push_back(3);
        shape[form.vectorAxis] *= form.vector;
    }
    return shape;
}

} // namespace

std::vector<std::byte> randomBytes(std::uint64_t count, std::mt19937_64 &random)
{
    std::vector<std::byte> bytes(count);
    for (std::byte &byte : bytes)
        byte = static_cast<std::byte>(random());
    return bytes;
}

std::vector<std::byte> &Sample::bytesBehind(std::span<const std::byte> view)
{
    for (std::vector<std::byte> &bytes : storage) {
        if (bytes.data() == view.data())
            return bytes;
    }
    return storage.front();
}

Sample makeSample(const Form &form, std::mt19937_64 &random)
{
    Sample sample;
    Encoding &encoding = sample.encoding;
    encoding.shape = randomShape(form, random);
    Shape indexShape = encoding.shape;
    if (form.bits > 0 && form.vector > 1)
        indexShape[form.vectorAxis] /= form.vector;
    const std::uint64_t indexElements = elementCount(indexShape)->value;
    std::uint64_t survivors = indexElements;
    if (form.mask) {
        auto bytes = randomBytes((indexElements + 7) / 8, random);
        const std::uint64_t density = below(random, 4);
        for (std::byte &byte : bytes) {
            if (density == 0)
                byte &= static_cast<std::byte>(random() & random());
            else if (density == 1)
                byte |= static_cast<std::byte>(random() | random());
        }
        if (indexElements % 8 != 0)
            bytes.back() &= static_cast<std::byte>((1u << (indexElements % 8)) - 1u);
        const Shape shape = form.packedMask ? Shape{bytes.size()} : indexShape;
        const ElementType type = form.packedMask ? ElementType::Uint8 : ElementType::Uint1;
        encoding.mask = operand(sample, PartRole::Mask, type, shape, std::move(bytes));
        survivors = referenceRank(*encoding.mask, indexElements);
    }
    const PartRole role = form.bits > 0 ? PartRole::Indices
                          : form.mask   ? PartRole::NonzeroData
                                        : PartRole::Data;
    ElementType type = form.payload;
    Shape shape = form.mask ? Shape{survivors} : indexShape;
    if (form.packedIndices)
        shape = {(indexElements * form.bits + 7) / 8};
    const std::uint64_t bits = elementCount(shape)->value * bitWidth(type);
    if (form.payloadCoded && survivors > 0)
        encoding.payload = codedTable(sample, role, shape, ElementType::Fp16, random);
    else
        encoding.payload = operand(sample, role, type, shape,
                                   isFloatingPoint(type) && bitWidth(type) > 8 && random() % 2 == 0
                                       ? tableBytes(type, bits / bitWidth(type), random)
                                       : randomBytes((bits + 7) / 8, random));
    encoding.type = type;
    if (form.bits > 0) {
        addPalette(sample, form, indexShape, random);
        encoding.type = form.lut;
    }
    if (form.scaling) {
        addScaling(sample, form, random);
        encoding.type = form.scale;
    }
    sample.text = shapeText(encoding.shape);
    return sample;
}

} // namespace kernscope::codec::test
