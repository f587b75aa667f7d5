// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/chip_json.h"
#include "core/report/json_values.h"

#include <algorithm>

namespace kernscope::report {

namespace {

using namespace decision;

Json winogradJson(const WinogradGate &gate)
{
    Json json;
    json["eligible"] = optionalJson(gate.eligible);
    json["work"] = numberJson(gate.work);
    json["threshold"] = gate.threshold;
    json["threshold_reason"] = gate.thresholdReason;
    json["conditions"] = Json::array();
    for (const Condition &condition : gate.conditions)
        json["conditions"].push_back(conditionJson(condition));
    json["selection"] = Json::array();
    for (const Condition &condition : gate.selection)
        json["selection"].push_back(conditionJson(condition));
    json["tiles"] = Json::array();
    for (const auto &tile : gate.tiles) {
        Json row;
        row["output_tile"] = tile.output;
        row["input_tile"] = tile.input;
        row["saving_per_axis"] = ratioJson(tile.saving);
        json["tiles"].push_back(std::move(row));
    }
    return json;
}

/// Which channels each core makes: the rule, how many, and the first of them.
Json channelMapJson(std::uint64_t channels, const target::ChosenFigure &cores)
{
    Json json;
    if (!cores.value || *cores.value == 0)
        return nullptr;
    const std::uint64_t count = *cores.value;
    json["rule"] = "channel mod " + std::to_string(count);
    json["cores"] = Json::array();
    for (std::uint64_t core = 0; core < std::min(count, channels); ++core) {
        Json row;
        row["core"] = core;
        row["channels"] = numberJson((channels - core - 1) / count + 1);
        row["first"] = Json::array();
        for (std::uint64_t c = core; c < channels && c < core + 4 * count; c += count)
            row["first"].push_back(c);
        json["cores"].push_back(std::move(row));
    }
    return json;
}

Json cyclesJson(const CycleEstimate &cycles)
{
    Json json;
    json["macs"] = numberJson(cycles.macs);
    json["lanes"] = cycles.lanes;
    json["lanes_reason"] = cycles.lanesReason;
    json["double_mac"] = cycles.doubleMac;
    json["fixed_cycles"] = numberJson(cycles.fixedCycles);
    json["estimate"] = optionalJson(cycles.dense);
    json["with_zero_skip"] = optionalJson(cycles.withZeroSkip);
    json["zero_skip_share"] = optionalJson(cycles.skipShare);
    json["sparse_store_ratio"] = optionalJson(cycles.sparseRatio);
    json["measured_macs_per_s"] = optionalJson(cycles.measuredRate);
    json["time_at_measured_rate_s"] = nullptr; // the loop of table 20.5 is paced by its dispatch
    json["rate_source"] = cycles.rateSource;
    json["note"] = "the printed product of cores and lanes; a spatial factor is missing from it";
    return json;
}

Json workingSetJson(const WorkingSet &set)
{
    Json json;
    json["cap"] = numberJson(set.cap);
    json["weight_bytes"] = numberJson(set.weightBytes);
    json["input_bytes"] = numberJson(set.inputBytes);
    json["output_bytes"] = numberJson(set.outputBytes);
    json["largest"] = numberJson(set.largest);
    json["fits"] = optionalJson(set.fits);
    json["source"] = set.source;
    return json;
}

Json operationJson(const LayerOperation &operation)
{
    Json json;
    json["input_channels"] = numberJson(operation.inputChannels);
    json["output_channels"] = numberJson(operation.outputChannels);
    json["groups"] = numberJson(operation.groups);
    json["kernel"] = {numberJson(operation.kernelWidth), numberJson(operation.kernelHeight),
                      numberJson(operation.kernelDepth)};
    json["output"] = operation.outputKnown ? Json{numberJson(operation.outputWidth),
                                                  numberJson(operation.outputHeight),
                                                  numberJson(operation.outputDepth)}
                                           : Json(nullptr);
    json["stride"] = {numberJson(operation.strideX), numberJson(operation.strideY),
                      numberJson(operation.strideZ)};
    json["weight_bits"] = operation.weightBits;
    json["density"] = optionalJson(operation.density);
    json["padded_zero"] = optionalJson(operation.paddedZero);
    json["activation_format"] = operation.tensorFormat;
    json["work_unit_mode"] = operation.workUnitMode;
    return json;
}

} // namespace

Json conditionJson(const Condition &condition)
{
    Json json;
    json["condition"] = condition.name;
    json["holds"] = optionalJson(condition.holds);
    json["found"] = condition.found;
    json["required"] = condition.required;
    json["offset"] =
        condition.offset ? Json(target::halOffsetText(*condition.offset)) : Json(nullptr);
    json["source"] = condition.source;
    json["confidence"] = format::confidenceName(condition.confidence);
    return json;
}

Json geometryJson(const LayerOperation &operation, const Geometry &geometry)
{
    Json json;
    json["operation"] = operationJson(operation);
    Json ocg;
    ocg["size"] = numberJson(geometry.group);
    ocg["reading"] = ocgReadingName(geometry.reading);
    ocg["kernel_elements"] = numberJson(geometry.kernel);
    ocg["source_mode"] = sourceModeName(geometry.mode);
    ocg["source_mode_reason"] = geometry.modeReason;
    ocg["channels_per_accumulator"] = geometry.perAccumulator;
    ocg["accumulator_offset"] = target::halOffsetText(accumulatorOffset(geometry.mode));
    ocg["byte_cap"] = byteCap(geometry.cap);
    ocg["byte_cap_offset"] = target::halOffsetText(byteCapOffset(geometry.cap));
    ocg["byte_cap_confidence"] = "assumed";
    Json other;
    other["reading"] = ocgReadingName(
        geometry.reading == OcgReading::Listing ? OcgReading::Formula : OcgReading::Listing);
    other["size"] = numberJson(geometry.otherGroup);
    other["passes"] = numberJson(geometry.otherPasses);
    other["cores_lit"] = numberJson(geometry.otherLit);
    ocg["other_reading"] = std::move(other);
    json["ocg"] = std::move(ocg);
    json["passes"] = numberJson(geometry.passes);
    json["cores"] = figureJson(geometry.cores);
    json["cores_lit"] = numberJson(geometry.lit);
    json["cores_lit_measured"] = numberJson(geometry.litMeasured);
    json["cores_lit_contested"] = geometry.litMeasured && geometry.litMeasured != geometry.lit;
    json["disagreements"] = geometry.disagreements;
    json["channel_map"] = channelMapJson(operation.outputChannels, geometry.cores);
    Json buffering;
    buffering["demand"] = numberJson(geometry.demand);
    buffering["mode"] = bufferingName(geometry.buffering);
    buffering["double"] = geometry.buffering == Buffering::Double;
    json["double_buffering"] = std::move(buffering);
    json["winograd"] = winogradJson(geometry.winograd);
    json["working_set"] = workingSetJson(geometry.workingSet);
    json["cycles"] = cyclesJson(geometry.cycles);
    json["costed"] = Json::array();
    for (const Geometry::CostFact &fact : geometry.costed) {
        Json row;
        row["name"] = fact.name;
        row["value"] = fact.value;
        row["unit"] = fact.unit;
        row["source"] = fact.source;
        row["note"] = fact.note;
        json["costed"].push_back(std::move(row));
    }
    return json;
}

Json judgedJson(const JudgedLayer &layer, const LayerOperation &operation, const Geometry &geometry,
                const roofline::Assessment &assessment)
{
    Json row;
    row["weight"] = layer.weight.empty() ? Json(nullptr) : Json(layer.weight);
    row["address"] = layer.address.empty() ? Json(nullptr) : Json(layer.address);
    row["function"] = layer.function;
    row["consumer"] = layer.consumer;
    row["op"] = layer.op;
    row.update(geometryJson(operation, geometry));
    row["assessment"] = assessmentJson(assessment);
    return row;
}

} // namespace kernscope::report
