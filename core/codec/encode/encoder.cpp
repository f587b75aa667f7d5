// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codec/encode/encoder.h"

#include "core/base/memory.h"
#include "core/codec/edit/element_candidates.h"
#include "core/codec/microscaled/quantize.h"
#include "core/numeric/convert.h"

#include <array>

namespace kernscope::codec {

namespace {

Operand operandOf(const EncodedPart &part)
{
    return {part.role, part.type, part.shape, part.bytes};
}

/// The values as fp16 at the end of `bytes`, a part at a time that stays in a cache.
void appendHalves(std::span<const float> values, std::vector<std::byte> &bytes)
{
    constexpr std::size_t kPart = 4096;
    std::array<std::uint16_t, kPart> halves;
    reserveLarge(bytes, 2 * values.size());
    for (std::size_t at = 0; at < values.size(); at += kPart) {
        const auto part = values.subspan(at, std::min(kPart, values.size() - at));
        const auto some = std::span(halves).first(part.size());
        convertFloatToHalf(part, some);
        const auto more = std::as_bytes(some);
        bytes.insert(bytes.end(), more.begin(), more.end());
    }
}

} // namespace

Encoding EncodedWeight::encoding() const
{
    Encoding result;
    result.type = type;
    result.shape = shape;
    for (const EncodedPart &part : parts) {
        const Operand operand = operandOf(part);
        switch (part.role) {
        case PartRole::Mask: result.mask = operand; break;
        case PartRole::Data:
        case PartRole::Indices:
        case PartRole::NonzeroData: result.payload = operand; break;
        case PartRole::Lut:
            result.palette = Palette{operand, grid, entries, vector, vectorAxis};
            break;
        case PartRole::Scale:
        case PartRole::ZeroPoint:
        case PartRole::Bias:
        case PartRole::Offset: break;
        }
    }
    const EncodedPart *scale = part(PartRole::Scale);
    if (scaling && scale != nullptr) {
        Scaling scales;
        scales.kind = *scaling;
        scales.scale = operandOf(*scale);
        scales.axis = axis;
        for (const PartRole role : {PartRole::ZeroPoint, PartRole::Offset, PartRole::Bias}) {
            const EncodedPart *offset = part(role);
            if (offset == nullptr)
                continue;
            scales.offset = operandOf(*offset);
            scales.addsOffset = role == PartRole::Bias;
        }
        result.scaling = std::move(scales);
    }
    return result;
}

Result<EncodedWeight> encodeDense(std::span<const float> values, const Shape &shape,
                                  ElementType type)
{
    TRY(checkValues(values, shape));
    if (bitWidth(type) == 0)
        return tl::unexpected(badArgument("type", "a numeric element type",
                                          std::string(elementTypeName(type)),
                                          "Dense weights need a numeric type"));
    EncodedWeight weight;
    weight.type = type;
    weight.shape = shape;
    // Bytes of fp32 and fp16 are appended: nothing is written twice.
    const bool appended = type == ElementType::Fp32 || type == ElementType::Fp16;
    EncodedPart part = makePart(PartRole::Data, type, appended ? Shape{0} : shape);
    part.shape = shape;
    if (type == ElementType::Fp32) {
        const auto bytes = std::as_bytes(values);
        reserveLarge(part.bytes, bytes.size());
        part.bytes.assign(bytes.begin(), bytes.end());
    } else if (type == ElementType::Fp16) {
        appendHalves(values, part.bytes);
    } else {
        for (std::size_t i = 0; i < values.size(); ++i)
            storeCode(part, i, nearestCode(type, static_cast<double>(values[i])));
    }
    weight.parts.push_back(std::move(part));
    return weight;
}

} // namespace kernscope::codec
