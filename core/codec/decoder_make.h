// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/codec/decoder.h"

namespace kernscope::codec {

/// Private to the codec: makes decoders of encodings that are operands of other encodings.
class DecoderMaker
{
public:
    /// As Decoder::make; `depth` counts the ops above this one.
    static Result<Decoder> make(Encoding encoding, unsigned depth);
};

} // namespace kernscope::codec
