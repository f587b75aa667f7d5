// SPDX-License-Identifier: GPL-3.0-or-later
// Weights of neural networks of the kind before programs: a WeightParams message takes the place of
// another one (NeuralNetwork.proto of coremltools).
#include "core/base/error_builder.h"
#include "core/base/little_endian.h"
#include "core/base/overlaid_file.h"
#include "core/bundle/build_facts.h"
#include "core/codec/decode/decoder.h"
#include "core/codec/encode/form_spec.h"
#include "core/container/mil/model_files.h"
#include "core/container/mil/wire.h"
#include "core/container/network/network.h"
#include "core/numeric/convert.h"
#include "core/patch/reencode/reencoder.h"

#include <bit>
#include <cmath>
#include <functional>

#include <fmt/format.h>

namespace kernscope::patch {

namespace {

using Message = std::vector<std::byte>;

/// Codes of that number of bits, lowest bit first in a program, highest first in a network, where
/// they are unsigned: 0 is the smallest of signed ones.
Message highestFirst(std::span<const std::byte> bytes, std::uint64_t count, unsigned bits,
                     bool isSigned)
{
    Message out((count * bits + 7) / 8);
    for (std::uint64_t i = 0; i < count * bits; ++i) {
        const std::uint64_t from = i / bits * bits + (bits - 1 - i % bits);
        const bool set = (std::to_integer<unsigned>(bytes[from / 8]) >> (from % 8) & 1U) != 0;
        if (set != (isSigned && i % bits == 0))
            out[i / 8] |= static_cast<std::byte>(0x80U >> (i % 8));
    }
    return out;
}

/// A float of each number.
Message floatsOf(std::size_t count, const std::function<float(std::size_t)> &number)
{
    Message floats(4 * count);
    for (std::size_t i = 0; i < count; ++i)
        storeLittle<std::uint32_t>(floats, 4 * i, std::bit_cast<std::uint32_t>(number(i)));
    return floats;
}

float floatAt(const codec::EncodedPart &part, std::size_t index)
{
    return static_cast<float>(loadValue(part.bytes, part.type, index));
}

/// rawValue (30) and quantization (40): numberOfBits (1), and the numbers of its kind.
Message codedMessage(const codec::EncodedPart &codes, std::uint64_t count, std::uint32_t kind,
                     const Message &numbers)
{
    const unsigned bits = bitWidth(codes.type);
    Message message, quantization;
    appendBytes(message, 30, highestFirst(codes.bytes, count, bits, isSignedInteger(codes.type)));
    appendVarint(quantization, 1 << 3);
    appendVarint(quantization, bits);
    appendBytes(quantization, kind, numbers);
    appendBytes(message, 40, quantization);
    return message;
}

/// Codes become unsigned and zero points biases: w = scale * code + bias. With a scale of few
/// digits, as the encoder's are, every step is exact, so the values stay as announced.
Message linearMessage(const codec::EncodedWeight &encoded, const codec::EncodedPart &scale)
{
    const auto &codes = *encoded.part(codec::PartRole::Data);
    const auto *zero = encoded.part(codec::PartRole::ZeroPoint);
    const float least =
        isSignedInteger(codes.type) ? -std::ldexp(0.5F, static_cast<int>(bitWidth(codes.type))) : 0;
    const auto count = elementCount(encoded.shape).value_or(ElementCount()).value;
    const auto scales = elementCount(scale.shape).value_or(ElementCount()).value;
    Message numbers;
    appendBytes(numbers, 1, floatsOf(scales, [&](std::size_t i) { return floatAt(scale, i); }));
    appendBytes(numbers, 2, floatsOf(scales, [&](std::size_t i) {
                    const float offset = zero == nullptr ? 0 : floatAt(*zero, i);
                    return floatAt(scale, i) * (least - offset);
                }));
    return codedMessage(codes, count, 101, numbers);
}

/// WeightParams: float16Value (2), or codes with linearQuantization (101: scale, bias) or
/// lookupTableQuantization (102: floats). `axis`: along which scales may lie.
Result<Message> messageOf(const codec::EncodedWeight &encoded, const std::string &weight,
                          std::size_t axis)
{
    const auto *data = encoded.part(codec::PartRole::Data);
    if (data != nullptr && encoded.parts.size() == 1 && data->type == ElementType::Fp16) {
        Message message;
        appendBytes(message, 2, data->bytes);
        return message;
    }
    const auto *scale = encoded.part(codec::PartRole::Scale);
    if (data != nullptr && scale != nullptr && encoded.scaling == codec::Scaling::Kind::Affine) {
        if (!scale->shape.empty() && encoded.axis != axis)
            return refused("encode.form", weight, fmt::format("scales along axis {}", axis),
                           fmt::format("along axis {}", encoded.axis),
                           "A neural network of the kind before programs has scales for the "
                           "layer's outputs, or one for all (--per-tensor)");
        return linearMessage(encoded, *scale);
    }
    const auto *indices = encoded.part(codec::PartRole::Indices);
    const auto *lut = encoded.part(codec::PartRole::Lut);
    const auto count = elementCount(encoded.shape);
    const unsigned bits = indices == nullptr ? 0 : bitWidth(indices->type);
    const auto entries = lut == nullptr ? std::nullopt : elementCount(lut->shape);
    if (encoded.parts.size() != 2 || bits < 1 || bits > 8 || encoded.vector != 1 || !count ||
        !entries || entries->value != std::uint64_t(1) << bits ||
        (lut->type != ElementType::Fp16 && lut->type != ElementType::Fp32))
        return refused("encode.form", weight,
                       "dense fp16, affine, or a palette of one codebook of fp16",
                       encoded.part(codec::PartRole::Mask) ? "a mask" : "another form",
                       "A neural network of the kind before programs has no such form");
    Message table;
    appendBytes(table, 1,
                floatsOf(entries->value, [&](std::size_t i) { return floatAt(*lut, i); }));
    return codedMessage(*indices, count->value, 102, table);
}

/// Readers before iOS 11.2 know no fp16, those before iOS 12 no codes: the specification versions
/// of the model and of the pipelines around it follow (coremltools: MINIMUM_FP16_SPEC_VERSION,
/// MINIMUM_QUANTIZED_MODEL_SPEC_VERSION).
void raiseSpecification(const Bundle &bundle, const BundleFile &file, std::uint64_t least,
                        std::vector<Splice> &splices)
{
    const auto bytes = file.file->bytes();
    mil::WireState state{mil::Faults(file.path), bytes.size(), false, false};
    for (const mil::ModelNode &node : bundle.program()->models) {
        if (!node.isNetwork() && !node.isPipeline())
            continue;
        mil::WireMessage model(
            {bytes.subspan(node.span.offset, node.span.length), node.span.offset}, state);
        for (mil::WireField field; model.next(field);) {
            if (field.number == 1 && field.type == mil::WireField::Type::Varint &&
                field.value < least)
                splices.push_back({field.content.span(), {{static_cast<std::byte>(least)}}});
        }
    }
}

} // namespace

Result<BundlePtr> reencodeNetwork(const Bundle &bundle, std::span<const Reencoding> weights)
{
    const std::size_t number = bundle.programFile();
    const std::string first = bundle.weights()[weights.front().weight].findableName();
    if (number == kNoIndex ||
        !isModelProtobuf(bundle.files()[number].file->bytes(), bundle.files()[number].path))
        return tl::unexpected(oldNetworkError("encode.network", first));
    const BundleFile &file = bundle.files()[number];
    std::vector<network::StoredWeight> stored;
    for (const mil::ModelNode &node : bundle.program()->models) {
        if (!node.isNetwork())
            continue;
        auto own = network::readNetwork(file.file->bytes(), node.content, file.path).weights;
        std::move(own.begin(), own.end(), std::back_inserter(stored));
    }
    std::vector<Splice> splices;
    bool coded = false;
    for (const Reencoding &each : weights) {
        const Weight &weight = bundle.weights()[each.weight];
        const std::string name = weight.findableName();
        if (!isOfOldNetwork(weight))
            return tl::unexpected(oldNetworkError("encode.network", first));
        const OperandList &operands = weight.operands();
        const std::uint64_t at =
            operands.empty() || !operands[0].place ? 0 : operands[0].place->dataOffset.value;
        const auto found = std::ranges::find_if(stored, [at](const auto &one) {
            return at >= one.message.offset && at - one.message.offset < one.message.length;
        });
        if (found == stored.end() || found->byColumns || weight.shape != each.encoded->shape)
            return refused("encode.program", name, "values row by row, in a message of their own",
                           found == stored.end() ? "none" : "values in another order",
                           "The weight's message cannot be replaced");
        Message message = TRY(messageOf(*each.encoded, name, found->axis));
        coded = coded || each.encoded->parts.size() > 1;
        splices.push_back({found->message, {std::move(message)}});
    }
    raiseSpecification(bundle, file, coded ? 3 : 2, splices);
    auto model = TRY(spliceProtobuf(file.file->bytes(), std::move(splices)));
    const BundlePtr made = TRY(openWith(bundle, {{number, std::move(model)}}));
    for (const Reencoding &each : weights) {
        const std::string name = bundle.weights()[each.weight].findableName();
        codec::EncodedWeight announced = *each.encoded;
        if (announced.parts.size() > 1 && announced.type == ElementType::Fp16)
            codec::widenToFp32(announced); // as a network has what codes make
        std::string found =
            differenceTo(announced, made->weights().size() == bundle.weights().size()
                                        ? made->decoder(each.weight)
                                        : tl::unexpected(Error{}));
        if (!found.empty())
            return refused("encode.verify", name, "the values that were encoded", std::move(found),
                           "The new model does not hold what it should");
    }
    return made;
}

} // namespace kernscope::patch
