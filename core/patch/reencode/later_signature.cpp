// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/patch/reencode/later_signature.h"

#include "core/base/error_builder.h"
#include "core/bundle/bundle.h"
#include "core/patch/reencode/reencode.h"
#include "core/patch/reencode/reencode_visit.h"

#include <bit>

namespace kernscope::patch {

namespace {

using codec::EncodedPart;
using codec::EncodedWeight;
using codec::Operand;

/// Before iOS 18 the operands are attributes, and the shape of the result is one of them.
bool hasOldSignature(const mil::Operation &operation)
{
    return operation.inputs.empty() || operation.operand("shape") != nullptr;
}

EncodedPart partOf(const Operand &operand, ElementType type, Shape shape)
{
    EncodedPart part{operand.role, type, std::move(shape), {}};
    const auto count = elementCount(part.shape).value_or(ElementCount());
    const auto bytes = packedBytes(count, type).value_or(ByteCount());
    const auto raw = operand.bytes.first(std::min<std::size_t>(bytes.value, operand.bytes.size()));
    part.bytes.assign(raw.begin(), raw.end());
    return part;
}

/// A palette of one codebook of single values, or values with a mask, in the operands of iOS 18.
EncodedWeight laterParts(const codec::Encoding &encoding)
{
    EncodedWeight weight;
    weight.type = encoding.type;
    weight.shape = encoding.shape;
    const Operand &payload = *codec::storedOperand(encoding.payload);
    if (encoding.palette) {
        const Operand &lut = *codec::storedOperand(encoding.palette->lut);
        weight.entries = encoding.palette->entries;
        weight.grid = Shape(encoding.shape.size(), 1);
        Shape table = weight.grid;
        table.push_back(weight.entries);
        table.push_back(1);
        // Indices were declared as bytes: their width is what the codebook asks for.
        const auto width = static_cast<unsigned>(std::bit_width(weight.entries) - 1);
        weight.parts.push_back(partOf(payload, unsignedType(width), encoding.shape));
        weight.parts.push_back(partOf(lut, lut.type, std::move(table)));
    } else {
        weight.parts.push_back(partOf(*encoding.mask, ElementType::Uint1, encoding.shape));
        weight.parts.push_back(partOf(payload, payload.type, payload.shape));
    }
    return weight;
}

/// Whether laterParts() can write it: both operands are stored, row by row.
bool isPlain(const codec::Encoding &encoding)
{
    const Operand *payload = codec::storedOperand(encoding.payload);
    if (payload == nullptr || payload->order || encoding.scaling)
        return false;
    if (!encoding.palette)
        return encoding.mask && !encoding.mask->order;
    return !encoding.mask && codec::storedOperand(encoding.palette->lut) != nullptr &&
           encoding.palette->vector == 1;
}

tl::unexpected<Error> notRewritten(const mil::Function &function, const mil::Operation &operation)
{
    return ErrorBuilder("encode.opset")
        .field(operation.type)
        .expected("a weight that can be read")
        .found(operation.outputs.empty() ? operation.displayName() : operation.outputs[0].name)
        .message("An operation of " + function.opset +
                 " cannot be written in the signature of iOS 18")
        .unexpected();
}

} // namespace

Result<std::vector<std::size_t>> oldSignatureWeights(const Bundle &bundle, const std::string &model,
                                                     const std::vector<std::string> &operations)
{
    std::map<std::pair<std::string, std::string>, std::size_t> byName;
    for (std::size_t i = 0; i < bundle.weights().size(); ++i) {
        const Weight &weight = bundle.weights()[i];
        if (weight.model == model)
            byName.emplace(std::pair(weight.function, weight.name), i);
    }
    std::vector<std::size_t> found;
    Result<void> sound;
    const auto program = bundle.program();
    for (const mil::Function &function : program->functions) {
        if (function.model != model)
            continue;
        visitOperations(function.body, [&](const mil::Operation &operation) {
            if (std::find(operations.begin(), operations.end(), operation.type) ==
                    operations.end() ||
                !hasOldSignature(operation) || !sound)
                return;
            const auto at = operation.outputs.size() != 1
                                ? byName.end()
                                : byName.find({function.name, operation.outputs[0].name});
            const codec::Encoding *encoding =
                at == byName.end() ? nullptr : bundle.weights()[at->second].form.encoding().get();
            if (encoding == nullptr || !isPlain(*encoding))
                sound = notRewritten(function, operation);
            else
                found.push_back(at->second);
        });
    }
    if (!sound)
        return tl::unexpected(std::move(sound.error()));
    return found;
}

Result<BundlePtr> inLaterSignature(const Bundle &bundle, const std::vector<std::size_t> &weights)
{
    // Weights of the same bytes become one object, whose records are written once.
    std::map<std::pair<std::vector<const std::byte *>, Shape>, std::unique_ptr<EncodedWeight>> made;
    std::vector<Reencoding> wanted;
    for (const std::size_t index : weights) {
        const codec::Encoding encoding = codec::withOperands(
            *bundle.weights()[index].form.encoding(),
            [&bundle](Operand &operand) { operand.bytes = bundle.operandBytes(operand); });
        std::vector<const std::byte *> key;
        for (const Operand *operand : codec::operandsOf(encoding))
            key.push_back(operand->bytes.data());
        auto &one = made[{std::move(key), encoding.shape}];
        if (!one)
            one = std::make_unique<EncodedWeight>(laterParts(encoding));
        wanted.push_back({index, one.get()});
    }
    return reencodeWeights(bundle, wanted);
}

} // namespace kernscope::patch
