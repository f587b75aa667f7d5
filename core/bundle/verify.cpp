// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/overlaid_file.h"
#include "core/bundle/bundle.h"
#include "core/bundle/diagnostic_log.h"
#include "core/bundle/part_fault.h"
#include "core/bundle/statistics.h"
#include "core/codec/decode/decoder.h"

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
        const Weight &weight = bundle.weights()[i];
        const auto packed = [&bundle](const codec::Operand &operand) {
            return operand.place && !operand.place->isLiteral() &&
                   !bundle.files()[operand.place->file].file->isReady();
        };
        if (weight.fault || std::any_of(weight.operands().begin(), weight.operands().end(), packed))
            continue; // is among the bundle's diagnostics; is checked as it is unpacked
        for (Diagnostic &found : verifyPayload(bundle, i, progress))
            log.add(found.severity, std::move(found.error));
    }
    return log.take();
}

} // namespace kernscope
