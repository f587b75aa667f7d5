// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/overlaid_file.h"
#include "core/codec/decode/decoder.h"
#include "made_bundle.h"
#include "tests/test_program.h"

namespace kernscope::test {

/// The first promise that a bundle breaks, whatever its files hold: every byte lies in one section,
/// parts lie in their files, a weight without a fault decodes to as many elements as it has.
/// Empty where it keeps all.
inline std::string brokenPromise(const Bundle &bundle)
{
    if (const std::string fault = sectionFault(bundle); !fault.empty())
        return fault;
    for (std::size_t i = 0; i < bundle.weights().size(); ++i) {
        const Weight &weight = bundle.weights()[i];
        for (const codec::Operand &operand : weight.operands()) {
            if (!operand.place)
                return fmt::format("an operand of {} has no place", weight.name);
            const OperandPlace &place = *operand.place;
            if (!place.isLiteral() &&
                place.range().end() > bundle.files()[place.file].file->size().value)
                return fmt::format("an operand of {} ends at {}", weight.name, place.range().end());
        }
        const auto decoder = bundle.decoder(i);
        if (weight.fault && decoder)
            return weight.name + " has a fault and decodes";
        if (!decoder && decoder.error().code.empty())
            return weight.name + " does not decode and does not say why";
        if (!decoder)
            continue;
        if (decoder->elements() != weight.elements)
            return weight.name + " decodes to another number of elements";
        if (weight.elements.value <= 100000) {
            std::vector<std::uint16_t> values(weight.elements.value);
            decoder->decodeHalf(0, values);
        }
    }
    return {};
}

} // namespace kernscope::test
