// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bundle/diagnostic_log.h"
#include "core/bundle/part_fault.h"
#include "core/bundle/statistics.h"

namespace kernscope {

Diagnostics verifyPayloads(const Bundle &bundle, Progress *progress)
{
    DiagnosticLog log;
    for (std::size_t i = 0; i < bundle.weights().size(); ++i) {
        const Weight &weight = bundle.weights()[i];
        if (progress && progress->cancelled())
            break;
        if (weight.fault)
            continue; // is among the bundle's diagnostics
        const auto decoder = bundle.decoder(i);
        if (!decoder) {
            log.add(Severity::Error, decoder.error());
            continue;
        }
        for (Diagnostic &found : decoder->verify(progress)) {
            placeFault(bundle, weight, found.error);
            found.error.field = weight.name + ": " + found.error.field;
            log.add(found.severity, std::move(found.error));
        }
    }
    return log.take();
}

} // namespace kernscope
