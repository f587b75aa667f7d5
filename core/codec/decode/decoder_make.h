// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/codec/decode/decoder_state.h"

#include <memory>
#include <string>
#include <string_view>

/// Private to the codec: checks an encoding and works out its tables.
namespace kernscope::codec {

Error makeFault(std::string code, std::string_view field, std::string expected, std::string found,
                std::string message);

/// Elements of an operand's shape, where it has the bytes for them.
Result<std::uint64_t> checkOperand(const Operand &operand);

/// Makes decoders of encodings that are operands of other encodings.
class DecoderMaker
{
public:
    /// As Decoder::make; `depth` counts the ops above this one.
    static Result<Decoder> make(Encoding encoding, unsigned depth);
};

/// Builds the state of one encoding, step by step.
class EncodingMaker
{
public:
    EncodingMaker(Encoding encoding, unsigned depth)
        : m_state(std::make_shared<Decoder::State>()), m_depth(depth)
    {
        m_state->encoding = std::move(encoding);
    }

    Result<std::shared_ptr<const Decoder::State>> make();

private:
    using Step = Result<void>;
    const Encoding &encoding() const { return m_state->encoding; }
    Step elements();
    Step payload();
    Step bindOrder();
    Step mask();
    Step palette();
    Step paletteShape(PaletteState &palette, Shape &indexShape);
    Step orderedBooks(PaletteState &palette);
    Step paletteIndices(PaletteState &palette);
    void paletteTables(PaletteState &palette);
    Step scaling();
    Step affineGrid(ScalingState &scaling, std::uint64_t scales, std::uint64_t offsets);
    Step blockwiseGrid(ScalingState &scaling, std::uint64_t scales, std::uint64_t offsets);
    ScalingState::MxGroups microscaledGroups(const ScalingState &scaling) const;
    Step payloadLength();
    Step resultType();
    /// The operand itself, or the table that another op makes of its own operands.
    Result<Operand> resolve(const OperandSource &source, PartRole role);
    Result<Operand> decodedTable(const std::shared_ptr<const Encoding> &inner, PartRole role);

    std::shared_ptr<Decoder::State> m_state;
    unsigned m_depth;
};

} // namespace kernscope::codec
