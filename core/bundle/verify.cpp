// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bundle/bundle.h"
#include "core/bundle/diagnostic_log.h"
#include "core/bundle/part_fault.h"
#include "core/bundle/statistics.h"
#include "core/codec/decode/decoder.h"
#include "core/form/packed_bytes.h"

#include <algorithm>

namespace kernscope {

Diagnostics verifyPayload(const Bundle &bundle, std::size_t index, Progress *progress)
{
    const Weight &weight = bundle.weights()[index];
    const auto decoder = bundle.decoder(index);
    if (!decoder)
        return {{Severity::Error, decoder.error()}};
    Diagnostics all = decoder->verify(progress);
    for (Diagnostic &found : all) {
        placeFault(bundle, weight, found.error);
        found.error.field = weight.name + ": " + found.error.field;
    }
    return all;
}

Diagnostics verifyPayloads(const Bundle &bundle, Progress *progress)
{
    DiagnosticLog log;
    for (std::size_t i = 0; i < bundle.weights().size(); ++i) {
        if (progress && progress->cancelled())
            break;
        const auto packed = [](const codec::Operand &operand) {
            const auto *order = dynamic_cast<const codec::PackedBytes *>(operand.order.get());
            return order != nullptr && !order->isUnpacked();
        };
        const OperandList &operands = bundle.weights()[i].operands();
        if (bundle.weights()[i].fault || std::any_of(operands.begin(), operands.end(), packed))
            continue; // is among the bundle's diagnostics; is checked as it is unpacked
        for (Diagnostic &found : verifyPayload(bundle, i, progress))
            log.add(found.severity, std::move(found.error));
    }
    return log.take();
}

} // namespace kernscope
