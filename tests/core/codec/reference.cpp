// SPDX-License-Identifier: GPL-3.0-or-later
#include "sample.h"

#include <bit>
#include <cmath>

namespace kernscope::codec::test {

namespace {

/// Value of a narrow floating-point code, by the definition of resources/formats/numbers.md.
double smallFloat(std::uint64_t code, unsigned exponentBits, unsigned fractionBits, int bias)
{
    const std::uint64_t fraction = code & ((1u << fractionBits) - 1u);
    const auto exponent = int((code >> fractionBits) & ((1u << exponentBits) - 1u));
    const double sign = ((code >> (exponentBits + fractionBits)) & 1u) != 0 ? -1.0 : 1.0;
    const int m = int(fractionBits);
    if (exponent == 0)
        return sign * std::ldexp(double(fraction), 1 - bias - m);
    return sign *
           std::ldexp(double((std::uint64_t{1} << fractionBits) + fraction), exponent - bias - m);
}

double ieeeFloat(std::uint64_t code, unsigned exponentBits, unsigned fractionBits)
{
    const std::uint64_t exponent = (code >> fractionBits) & ((1u << exponentBits) - 1u);
    const std::uint64_t fraction = code & ((1u << fractionBits) - 1u);
    if (exponent == (1u << exponentBits) - 1u) {
        const double sign = ((code >> (exponentBits + fractionBits)) & 1u) != 0 ? -1.0 : 1.0;
        return fraction != 0 ? std::nan("") : sign * HUGE_VAL;
    }
    return smallFloat(code, exponentBits, fractionBits, (1 << (exponentBits - 1)) - 1);
}

/// Nearest fp16 number, ties to even, by searching the grid of the number's exponent.
double roundToHalf(double value)
{
    if (std::isnan(value) || std::isinf(value) || value == 0)
        return value;
    int exponent = 0;
    std::frexp(value, &exponent);
    const double step = std::ldexp(1.0, std::max(exponent - 11, -24));
    const double rounded = std::nearbyint(value / step) * step;
    return std::abs(rounded) > 65504 ? std::copysign(HUGE_VAL, value) : rounded;
}

double roundTo(ElementType type, double value)
{
    return type == ElementType::Fp16 ? roundToHalf(value) : double(float(value));
}

double valueOf(ElementType type, std::int64_t code)
{
    const auto bits = std::uint64_t(code);
    switch (type) {
    case ElementType::Fp16: return ieeeFloat(bits, 5, 10);
    case ElementType::Bf16: return ieeeFloat(bits, 8, 7);
    case ElementType::Fp32: return std::bit_cast<float>(std::uint32_t(bits));
    case ElementType::Fp64: return std::bit_cast<double>(bits);
    case ElementType::Fp8E5M2: return ieeeFloat(bits, 5, 2);
    case ElementType::Fp8E4M3Fn:
        return (bits & 0x7f) == 0x7f ? std::nan("") : smallFloat(bits, 4, 3, 7);
    default: return double(code);
    }
}

std::vector<std::uint64_t> coordinates(const Shape &shape, std::uint64_t element)
{
    std::vector<std::uint64_t> at(shape.size());
    for (std::size_t i = shape.size(); i-- > 0;) {
        at[i] = element % shape[i];
        element /= shape[i];
    }
    return at;
}

std::uint64_t flat(const Shape &shape, const std::vector<std::uint64_t> &at)
{
    std::uint64_t index = 0;
    for (std::size_t i = 0; i < shape.size(); ++i)
        index = index * shape[i] + at[i];
    return index;
}

double sourceValue(const OperandSource &source, std::uint64_t index)
{
    if (const auto *operand = std::get_if<Operand>(&source))
        return valueOf(operand->type, referenceCode(operand->bytes, operand->type, index));
    return referenceValue(*std::get<std::shared_ptr<const Encoding>>(source), index);
}

std::uint64_t sourceElements(const OperandSource &source)
{
    if (const auto *operand = std::get_if<Operand>(&source))
        return elementCount(operand->shape)->value;
    return elementCount(std::get<std::shared_ptr<const Encoding>>(source)->shape)->value;
}

double scaledValue(const Encoding &encoding, const std::vector<std::uint64_t> &at, double q,
                   ElementType dataType)
{
    const Scaling &scaling = *encoding.scaling;
    if (scaling.kind == Scaling::Kind::Affine) {
        const std::uint64_t channel = encoding.shape.empty() ? 0 : at[scaling.axis];
        const auto pick = [&](const OperandSource &source) {
            return sourceValue(source, sourceElements(source) == 1 ? 0 : channel);
        };
        float difference = float(q);
        if (scaling.offset)
            difference -= float(pick(*scaling.offset));
        const float product = float(pick(scaling.scale)) * difference;
        return roundTo(encoding.type, double(product));
    }
    const Shape &grid = std::holds_alternative<Operand>(scaling.scale)
                            ? std::get<Operand>(scaling.scale).shape
                            : std::get<std::shared_ptr<const Encoding>>(scaling.scale)->shape;
    std::vector<std::uint64_t> cell(at.size());
    for (std::size_t i = 0; i < at.size(); ++i)
        cell[i] = at[i] / (encoding.shape[i] / grid[i]);
    const std::uint64_t index = flat(grid, cell);
    if (scaling.addsOffset) {
        const float product = float(sourceValue(scaling.scale, index)) * float(q);
        const float bias = float(sourceValue(*scaling.offset, index));
        return roundTo(encoding.type, double(product + bias));
    }
    // Everything in T; integers of up to 8 bits and their differences are exact in fp16 as well.
    const auto inT = [&](ElementType from, double value) {
        return isFloatingPoint(from) ? roundTo(encoding.type, value) : value;
    };
    double difference = inT(dataType, q);
    if (scaling.offset)
        difference = roundTo(encoding.type, difference - inT(sourceType(*scaling.offset),
                                                             sourceValue(*scaling.offset, index)));
    return roundTo(encoding.type, sourceValue(scaling.scale, index) * difference);
}

} // namespace

std::int64_t referenceCode(std::span<const std::byte> bytes, ElementType type, std::uint64_t index)
{
    const unsigned width = bitWidth(type);
    std::uint64_t code = 0;
    for (unsigned b = 0; b < width; ++b) {
        const std::uint64_t t = index * width + b;
        const unsigned bit = std::to_integer<unsigned>(bytes[t / 8]) >> (t % 8) & 1u;
        code |= std::uint64_t(bit) << b;
    }
    if (isSignedInteger(type) && width < 64 && ((code >> (width - 1)) & 1u) != 0)
        code |= ~std::uint64_t{0} << width;
    return std::int64_t(code);
}

unsigned referenceIndexWidth(const Encoding &encoding)
{
    return unsigned(std::bit_width(encoding.palette->entries) - 1);
}

std::uint64_t referenceRank(const Operand &mask, std::uint64_t element)
{
    std::uint64_t rank = 0;
    for (std::uint64_t i = 0; i < element; ++i)
        rank += std::uint64_t(referenceCode(mask.bytes, ElementType::Uint1, i));
    return rank;
}

double referenceValue(const Encoding &encoding, std::uint64_t element)
{
    const std::vector<std::uint64_t> at = coordinates(encoding.shape, element);
    std::vector<std::uint64_t> indexAt = at;
    Shape indexShape = encoding.shape;
    std::uint64_t lane = 0;
    if (encoding.palette && encoding.palette->vector > 1) {
        const std::uint64_t axis = encoding.palette->vectorAxis;
        indexShape[axis] /= encoding.palette->vector;
        indexAt[axis] /= encoding.palette->vector;
        lane = at[axis] % encoding.palette->vector;
    }
    std::uint64_t place = flat(indexShape, indexAt);
    const std::uint64_t dense = place;
    if (encoding.mask) {
        if (referenceCode(encoding.mask->bytes, ElementType::Uint1, dense) == 0)
            return 0;
        place = referenceRank(*encoding.mask, dense);
        if (place >= sourceElements(encoding.payload))
            return 0;
    }
    double value = 0;
    ElementType type = sourceType(encoding.payload);
    if (encoding.palette) {
        const Palette &palette = *encoding.palette;
        const auto &indices = std::get<Operand>(encoding.payload);
        const unsigned width = referenceIndexWidth(encoding);
        std::uint64_t index = 0;
        for (unsigned b = 0; b < width; ++b)
            index |=
                std::uint64_t(referenceCode(indices.bytes, ElementType::Uint1, place * width + b))
                << b;
        std::uint64_t codebook = 0;
        for (std::size_t i = 0; i < palette.grid.size(); ++i)
            codebook = codebook * palette.grid[i] + indexAt[i] / (indexShape[i] / palette.grid[i]);
        value =
            sourceValue(palette.lut, (codebook * palette.entries + index) * palette.vector + lane);
        type = sourceType(palette.lut);
    } else {
        value = sourceValue(encoding.payload, place);
    }
    return encoding.scaling ? scaledValue(encoding, at, value, type) : value;
}

std::uint16_t referenceHalf(const Encoding &encoding, std::uint64_t element)
{
    const double value = referenceValue(encoding, element);
    // An fp16 source keeps its bits: NaN payloads are compared as NaN by the caller.
    const double rounded =
        encoding.type == ElementType::Fp16 ? value : roundToHalf(double(float(value)));
    if (std::isnan(rounded))
        return 0x7e00;
    const std::uint16_t sign = std::signbit(rounded) ? 0x8000 : 0;
    const double magnitude = std::abs(rounded);
    if (std::isinf(magnitude))
        return std::uint16_t(sign | 0x7c00);
    if (magnitude < 0x1p-14)
        return std::uint16_t(sign | std::uint16_t(magnitude * 0x1p24));
    int exponent = 0;
    const double fraction = std::frexp(magnitude, &exponent); // [0.5, 1)
    const auto bits = std::uint32_t(fraction * 2048) - 1024u;
    return std::uint16_t(sign | (std::uint32_t(exponent + 14) << 10) | bits);
}

} // namespace kernscope::codec::test
