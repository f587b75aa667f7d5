// SPDX-License-Identifier: GPL-3.0-or-later
// Weights of neural networks of the kind before programs: a WeightParams message takes the place of
// another one (NeuralNetwork.proto of coremltools).
#include "core/base/error_builder.h"
#include "core/base/little_endian.h"
#include "core/base/overlaid_file.h"
#include "core/bundle/build_facts.h"
#include "core/codec/decode/decoder.h"
#include "core/container/mil/model_files.h"
#include "core/container/network/network.h"
#include "core/numeric/half.h"
#include "core/patch/reencode/reencoder.h"

#include <bit>

#include <fmt/format.h>

namespace kernscope::patch {

namespace {

using Message = std::vector<std::byte>;

void putVarint(Message &out, std::uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        out.push_back(static_cast<std::byte>((value & 0x7f) | 0x80));
    out.push_back(static_cast<std::byte>(value));
}

void putBytes(Message &out, std::uint32_t field, std::span<const std::byte> content)
{
    putVarint(out, std::uint64_t(field) << 3 | 2);
    putVarint(out, content.size());
    out.insert(out.end(), content.begin(), content.end());
}

const codec::EncodedPart *partWithRole(const codec::EncodedWeight &encoded, codec::PartRole role)
{
    for (const codec::EncodedPart &part : encoded.parts) {
        if (part.role == role)
            return &part;
    }
    return nullptr;
}

/// Codes of that number of bits, lowest bit first in a program, highest first in a network.
Message highestFirst(std::span<const std::byte> bytes, std::uint64_t count, unsigned bits)
{
    Message out((count * bits + 7) / 8);
    for (std::uint64_t i = 0; i < count * bits; ++i) {
        const std::uint64_t from = i / bits * bits + (bits - 1 - i % bits);
        const bool set = (std::to_integer<unsigned>(bytes[from / 8]) >> (from % 8) & 1U) != 0;
        if (set)
            out[i / 8] |= static_cast<std::byte>(0x80U >> (i % 8));
    }
    return out;
}

/// WeightParams: float16Value (2), or rawValue (30) with quantization (40): numberOfBits (1) and
/// lookupTableQuantization (102) of floats (1).
Result<Message> messageOf(const codec::EncodedWeight &encoded, const std::string &weight)
{
    Message message;
    const auto *data = partWithRole(encoded, codec::PartRole::Data);
    if (data != nullptr && encoded.parts.size() == 1 && data->type == ElementType::Fp16) {
        putBytes(message, 2, data->bytes);
        return message;
    }
    const auto *indices = partWithRole(encoded, codec::PartRole::Indices);
    const auto *lut = partWithRole(encoded, codec::PartRole::Lut);
    const auto count = elementCount(encoded.shape);
    const unsigned bits = indices == nullptr ? 0 : bitWidth(indices->type);
    const auto entries = lut == nullptr ? std::nullopt : elementCount(lut->shape);
    if (encoded.parts.size() != 2 || bits < 1 || bits > 8 || encoded.vector != 1 || !count ||
        !entries || entries->value != std::uint64_t(1) << bits ||
        (lut->type != ElementType::Fp16 && lut->type != ElementType::Fp32))
        return refused("encode.form", weight, "dense fp16, or a palette of one codebook",
                       "another form",
                       "A neural network of the kind before programs has no such form");
    putBytes(message, 30, highestFirst(indices->bytes, count->value, bits));
    Message floats(4 * entries->value);
    for (std::uint64_t i = 0; i < entries->value; ++i) {
        const float value = lut->type == ElementType::Fp32
                                ? std::bit_cast<float>(loadLittle<std::uint32_t>(lut->bytes, 4 * i))
                                : halfToFloat(loadLittle<std::uint16_t>(lut->bytes, 2 * i));
        storeLittle<std::uint32_t>(floats, 4 * i, std::bit_cast<std::uint32_t>(value));
    }
    Message table, quantization;
    putBytes(table, 1, floats);
    putVarint(quantization, 1 << 3);
    putVarint(quantization, bits);
    putBytes(quantization, 102, table);
    putBytes(message, 40, quantization);
    return message;
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
    for (const Reencoding &each : weights) {
        const Weight &weight = bundle.weights()[each.weight];
        const std::string name = weight.findableName();
        if (!isOfOldNetwork(weight))
            return tl::unexpected(oldNetworkError("encode.network", first));
        const OperandList &operands = weight.operands();
        const std::uint64_t at =
            operands.empty() || !operands[0].place ? 0 : operands[0].place->dataOffset.value;
        const auto found = std::find_if(stored.begin(), stored.end(), [at](const auto &one) {
            return at >= one.message.offset && at - one.message.offset < one.message.length;
        });
        if (found == stored.end() || found->byColumns || weight.shape != each.encoded->shape)
            return refused("encode.program", name, "values row by row, in a message of their own",
                           found == stored.end() ? "none" : "values in another order",
                           "The weight's message cannot be replaced");
        Message message = TRY(messageOf(*each.encoded, name));
        splices.push_back({found->message, {std::move(message)}});
    }
    OpenOptions options;
    for (std::size_t i = 0; i < bundle.files().size(); ++i) {
        auto content = i == number ? TRY(spliceProtobuf(file.file->bytes(), splices))
                                   : TRY(copiedFile(bundle.files()[i]));
        options.memory.emplace_back(bundle.files()[i].path, std::move(content));
    }
    const BundlePtr made = TRY(Bundle::open(bundle.name(), options));
    for (const Reencoding &each : weights) {
        const std::string name = bundle.weights()[each.weight].findableName();
        const auto wanted = codec::Decoder::make(each.encoded->encoding());
        const auto decoder = made->weights().size() == bundle.weights().size()
                                 ? made->decoder(each.weight)
                                 : tl::unexpected(Error{});
        if (!decoder || !wanted || decoder->elements() != wanted->elements())
            return refused("encode.verify", name, "the values that were encoded", "none",
                           "The new model does not hold what it should");
        std::vector<float> a(65536), b(65536);
        for (std::uint64_t at = 0; at < wanted->elements().value; at += a.size()) {
            const auto count = static_cast<std::size_t>(
                std::min<std::uint64_t>(a.size(), wanted->elements().value - at));
            decoder->decodeFloat(at, std::span(a).first(count));
            wanted->decodeFloat(at, std::span(b).first(count));
            if (!std::equal(a.begin(), a.begin() + std::ptrdiff_t(count), b.begin()))
                return refused("encode.verify", name, "the values that were encoded",
                               "other values", "The new model does not hold what it should");
        }
    }
    return made;
}

} // namespace kernscope::patch
