// SPDX-License-Identifier: GPL-3.0-or-later
// Checks an encoding and works out its tables. Nothing here trusts a number of the operands.
#include "core/codec/decode/decoder_make.h"

#include "core/base/error_builder.h"
#include "core/codec/decode/ordered.h"
#include "core/form/packed_bytes.h"
#include "core/numeric/convert.h"

#include <cstring>
#include <memory>
#include <utility>

#include <fmt/format.h>

namespace kernscope::codec {

namespace {

constexpr std::uint64_t kMaxTable = std::uint64_t{1} << 26; // elements of a codebook or scale
                                                            // that another op makes

bool isNumeric(ElementType type)
{
    return bitWidth(type) != 0;
}

} // namespace

Error makeFault(std::string code, std::string_view field, std::string expected, std::string found,
                std::string message)
{
    return ErrorBuilder(code)
        .field(field)
        .expected(std::move(expected))
        .found(std::move(found))
        .message(std::move(message));
}

Result<std::uint64_t> checkOperand(const Operand &operand)
{
    const std::string_view field = partRoleName(operand.role);
    if (!isNumeric(operand.type))
        return tl::unexpected(makeFault("codec.type", field, "a numeric element type",
                                        std::string(elementTypeName(operand.type)),
                                        "The operand's element type cannot be decoded"));
    const auto count = elementCount(operand.shape);
    const auto bytes = count ? packedBytes(*count, operand.type) : std::nullopt;
    if (!bytes)
        return tl::unexpected(makeFault("codec.shape", field, "fewer than 2^64 bits",
                                        shapeText(operand.shape), "The operand's shape overflows"));
    if (operand.order && (operand.order->elements() != count->value ||
                          operand.bytes.size() < operand.order->extent()))
        return tl::unexpected(
            makeFault("codec.length", field,
                      fmt::format("{} elements in {} bytes", operand.order->elements(),
                                  operand.order->extent()),
                      fmt::format("{} in {} bytes", count->value, operand.bytes.size()),
                      "The operand is not as long as its order"));
    if (!operand.order && operand.bytes.size() < bytes->value)
        return tl::unexpected(
            makeFault("codec.length", field,
                      fmt::format("{} bytes for {} of {}", bytes->value, shapeText(operand.shape),
                                  elementTypeName(operand.type)),
                      fmt::format("{} bytes", operand.bytes.size()),
                      "The operand is shorter than its shape"));
    return count->value;
}

Result<std::shared_ptr<const Decoder::State>> EncodingMaker::make()
{
    if (m_depth >= kMaxChainedOps)
        return tl::unexpected(makeFault("codec.shape", "data",
                                        fmt::format("at most {} ops in a row", kMaxChainedOps),
                                        "more", "Weight ops feed each other too deeply"));
    for (const auto step :
         {&EncodingMaker::elements, &EncodingMaker::payload, &EncodingMaker::palette,
          &EncodingMaker::mask, &EncodingMaker::payloadLength, &EncodingMaker::scaling,
          &EncodingMaker::resultType}) {
        if (auto done = (this->*step)(); !done)
            return tl::unexpected(done.error());
    }
    return m_state;
}

EncodingMaker::Step EncodingMaker::elements()
{
    if (!isNumeric(encoding().type))
        return tl::unexpected(makeFault("codec.type", "output", "a numeric element type",
                                        std::string(elementTypeName(encoding().type)),
                                        "The decoded element type is not a number"));
    const auto count = elementCount(encoding().shape);
    // Twice: fp16 bytes of the decoded tensor must be countable as well.
    if (!count || !packedBytes(*count, ElementType::Fp64))
        return tl::unexpected(makeFault("codec.shape", "output", "fewer than 2^64 bits",
                                        shapeText(encoding().shape),
                                        "The decoded shape overflows"));
    m_state->elements = count->value;
    m_state->indexElements = count->value;
    return {};
}

EncodingMaker::Step EncodingMaker::payload()
{
    if (const auto *operand = std::get_if<Operand>(&encoding().payload)) {
        const auto count = checkOperand(*operand);
        if (!count)
            return tl::unexpected(count.error());
        m_state->payload = *operand;
        m_state->payloadElements = *count;
        return operand->order ? bindOrder() : Step();
    }
    const auto &source = std::get<std::shared_ptr<const Encoding>>(encoding().payload);
    if (!source || encoding().palette)
        return tl::unexpected(makeFault("codec.type", "data", "stored bytes", "another op's result",
                                        "The payload must be stored"));
    auto inner = DecoderMaker::make(*source, m_depth + 1);
    if (!inner)
        return tl::unexpected(inner.error());
    m_state->payload.type = inner->type();
    m_state->payload.shape = source->shape;
    m_state->payloadElements = inner->elements().value;
    m_state->payloadDecoder = std::move(*inner);
    return {};
}

EncodingMaker::Step EncodingMaker::bindOrder()
{
    const auto &mask = encoding().mask;
    const bool strange = mask && !(mask->order && m_state->payload.order->skipsZeros());
    if (strange || (encoding().palette && encoding().palette->vector != 1))
        return tl::unexpected(makeFault("codec.shape", partRoleName(m_state->payload.role),
                                        "neither mask nor vectors", "one of them",
                                        "A payload with an order of its own has neither"));
    auto bound = m_state->payload.order->bound(m_state->payload.bytes);
    if (!bound)
        return tl::unexpected(bound.error());
    if (const auto *unpacked = dynamic_cast<const UnpackedBytes *>(bound->get())) {
        // The operand's place keeps the bytes alive.
        Operand &payload = m_state->payload;
        const auto owner = std::make_shared<
            std::pair<std::shared_ptr<const ElementOrder>, std::shared_ptr<const OperandPlace>>>(
            *bound, payload.place);
        payload.place = std::shared_ptr<const OperandPlace>(owner, owner->second.get());
        payload.bytes = unpacked->bytes();
        payload.order = unpacked->order();
        m_state->encoding.payload = payload;
    } else if (*bound) {
        m_state->payload.order = std::move(*bound);
        m_state->encoding.payload = m_state->payload;
        if (m_state->encoding.mask)
            m_state->encoding.mask->order = m_state->payload.order->mask();
    }
    m_state->tiles = dynamic_cast<const TiledOrder *>(m_state->payload.order.get());
    return {};
}

EncodingMaker::Step EncodingMaker::mask()
{
    if (!encoding().mask)
        return {};
    const Operand &mask = *encoding().mask;
    const auto count = checkOperand(mask);
    if (!count)
        return tl::unexpected(count.error());
    const std::uint64_t bits = m_state->indexElements;
    const std::uint64_t bytes = bits / 8 + (bits % 8 != 0 ? 1 : 0);
    const bool packed = mask.type == ElementType::Uint8 && !mask.order;
    if (!packed && mask.type != ElementType::Uint1)
        return tl::unexpected(makeFault("codec.type", "mask",
                                        "uint1, or uint8 with eight bits each",
                                        std::string(elementTypeName(mask.type)),
                                        "The mask's element type is not one of a mask"));
    if (packed ? *count < bytes : *count != bits)
        return tl::unexpected(
            makeFault(packed ? "codec.length" : "codec.shape", "mask",
                      packed ? fmt::format("{} bytes", bytes) : fmt::format("{} elements", bits),
                      shapeText(mask.shape), "The mask does not fit the decoded shape"));
    if (!mask.order) {
        m_state->mask.emplace(mask.bytes, bits);
        return {};
    }
    if (!m_state->payload.order)
        return tl::unexpected(makeFault("codec.shape", "mask", "bits one after another",
                                        "an order of its own",
                                        "Only a payload in pieces has a mask in pieces"));
    return {};
}

Result<Operand> EncodingMaker::resolve(const OperandSource &source, PartRole role)
{
    if (const auto *operand = std::get_if<Operand>(&source)) {
        const auto count = checkOperand(*operand);
        if (!count)
            return tl::unexpected(count.error());
        if (!operand->order)
            return *operand;
        if (*count > kMaxTable || bitWidth(operand->type) < 8)
            return tl::unexpected(makeFault("codec.shape", partRoleName(role),
                                            fmt::format("at most {} elements", kMaxTable),
                                            fmt::format("{}", *count), "The table is too large"));
        Operand table = *operand;
        table.order = nullptr;
        table.bytes = m_state->tables.emplace_back(gathered(*operand, *count));
        return table;
    }
    return decodedTable(std::get<std::shared_ptr<const Encoding>>(source), role);
}

Result<Operand> EncodingMaker::decodedTable(const std::shared_ptr<const Encoding> &inner,
                                            PartRole role)
{
    if (!inner)
        return tl::unexpected(makeFault("codec.type", partRoleName(role), "an operand", "none",
                                        "The operand is missing"));
    auto decoder = DecoderMaker::make(*inner, m_depth + 1);
    if (!decoder)
        return tl::unexpected(decoder.error());
    const std::uint64_t count = decoder->elements().value;
    if (count > kMaxTable)
        return tl::unexpected(makeFault("codec.shape", partRoleName(role),
                                        fmt::format("at most {} elements", kMaxTable),
                                        fmt::format("{}", count), "The table is too large"));
    Operand table;
    table.role = role;
    table.shape = inner->shape;
    // Every type but fp16 fits fp32 exactly as far as fp32 arithmetic can tell.
    table.type = inner->type == ElementType::Fp16 ? ElementType::Fp16 : ElementType::Fp32;
    auto &bytes = m_state->tables.emplace_back();
    if (table.type == ElementType::Fp16) {
        std::vector<std::uint16_t> values(count);
        decoder->decodeHalf(0, values);
        bytes.resize(2 * count);
        if (count > 0)
            std::memcpy(bytes.data(), values.data(), bytes.size());
    } else {
        std::vector<float> values(count);
        decoder->decodeFloat(0, values);
        bytes.resize(4 * count);
        if (count > 0)
            std::memcpy(bytes.data(), values.data(), bytes.size());
    }
    table.bytes = bytes;
    return table;
}

EncodingMaker::Step EncodingMaker::payloadLength()
{
    if (m_state->mask)
        return {}; // the survivors' number is the mask's affair: verify() compares them
    if (m_state->payloadElements != m_state->indexElements)
        return tl::unexpected(makeFault("codec.shape", partRoleName(m_state->payload.role),
                                        fmt::format("{} elements", m_state->indexElements),
                                        fmt::format("{} elements", m_state->payloadElements),
                                        "The payload does not fit the decoded shape"));
    return {};
}

EncodingMaker::Step EncodingMaker::resultType()
{
    ElementType type = m_state->payload.type;
    std::string_view field = partRoleName(m_state->payload.role);
    if (m_state->scaling) {
        type = m_state->scaling->scale.type;
        if (type == ElementType::Fp8E8M0) // powers of two: worked on in fp32
            type = ElementType::Fp32;
        field = "scale";
    } else if (m_state->palette) {
        const auto *inner = std::get_if<std::shared_ptr<const Encoding>>(&encoding().palette->lut);
        type = inner != nullptr ? (*inner)->type : m_state->palette->lut.type;
        field = "lut";
    }
    if (type == encoding().type)
        return {};
    return tl::unexpected(makeFault("codec.type", field,
                                    std::string(elementTypeName(encoding().type)),
                                    std::string(elementTypeName(type)),
                                    "The decoded type is not the one that the operands give"));
}

Result<Decoder> DecoderMaker::make(Encoding encoding, unsigned depth)
{
    auto state = EncodingMaker(std::move(encoding), depth).make();
    if (!state)
        return tl::unexpected(state.error());
    return Decoder(std::move(*state));
}

Result<Decoder> Decoder::make(Encoding encoding)
{
    return DecoderMaker::make(std::move(encoding), 0);
}

} // namespace kernscope::codec
