// SPDX-License-Identifier: GPL-3.0-or-later
// What the devices have, how the instruction is written, what sources disagree on.
#include "core/container/quantized/quantize.h"

#include "core/base/error_builder.h"

#include <algorithm>

namespace kernscope::quantized {

Result<void> checkDevice(const QuantizeOptions &options, Quantized &made)
{
    const bool groups = options.format.starts_with("mx");
    for (const format::TquantFact &fact : format::tquantFacts()) {
        const bool about = groups == (fact.feature == "microscaled");
        if (about && (options.device.empty() || options.device == fact.device))
            made.devices.push_back(fact);
    }
    if (options.device.empty())
        return {};
    if (const auto *fact = format::tquantFact(options.device, "microscaled");
        groups && fact != nullptr && fact->value != "yes") {
        made.diagnostics.push_back(
            {Severity::Warning,
             ErrorBuilder("quantize.device")
                 .field("--device")
                 .expected(format::tquantDevicesWith("microscaled", "yes"))
                 .found(options.device)
                 .message("Nothing published says that this device has MXFP8 or MXFP4: " +
                          fact->note)});
    }
    for (const codec::MxConstraint &rule : made.constraints) {
        if (!rule.padded || rule.name == "columns") // the document pads columns itself
            continue;
        return ErrorBuilder("mx.constraint")
            .field(rule.name)
            .expected(rule.required)
            .found(rule.found)
            .message(options.device + " takes no such matrix (without --device zeros are added)")
            .unexpected();
    }
    return {};
}

std::string chainOf(const QuantizeOptions &options)
{
    const bool named =
        std::find(options.given.begin(), options.given.end(), "--chain") != options.given.end();
    const auto *fact = format::tquantFact(options.device, "int8_chain");
    return !named && fact != nullptr ? fact->value : options.chain;
}

void describeInstruction(const QuantizeOptions &options, Quantized &made)
{
    const auto *tmp = format::tquantFact(options.device, "tmp");
    format::TquantUse use;
    use.format = options.format;
    use.algorithm = options.algorithm;
    use.axis = options.axis;
    use.source = made.folder.manifest.value("source", std::string());
    use.tmp = tmp == nullptr || tmp->value == "needed";
    use.nz = options.layout == "nz";
    use.zz = made.folder.matrix.microscaled() && made.folder.matrix.exponents == "zz";
    made.lines = format::tquantLines(use);
    if (!use.tmp)
        std::erase_if(made.tiles, [](const codec::TquantTile &tile) { return tile.name == "tmp"; });
    const auto contested = [&made](std::string_view topic) {
        const auto readings = format::readingsOf(topic);
        made.contested.insert(made.contested.end(), readings.begin(), readings.end());
    };
    if (options.format == "mxfp4")
        contested("mxfp4_exponent");
    if (options.format == "uint8")
        contested("tquant_offset");
    contested(options.format.starts_with("mx") ? "mx_rounding" : "tquant_chain");
}

} // namespace kernscope::quantized
