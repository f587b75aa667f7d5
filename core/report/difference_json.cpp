// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bundle/bundle.h"
#include "core/diff/task_comparison.h"
#include "core/report/edit_table.h"
#include "core/report/hwx_json.h"
#include "core/report/json_table.h"

#include <algorithm>
#include <cmath>

namespace kernscope::report {

namespace {

Json bytesJson(const std::optional<ByteCount> &bytes)
{
    return bytes ? numberJson(bytes->value) : Json(nullptr);
}

Json finiteJson(double number)
{
    return std::isfinite(number) ? Json(number) : Json(nullptr);
}

/// What explains the difference of a pair.
Json ruleJson(const ValueRule &rule)
{
    return {{"kind", ruleName(rule.kind)},
            {"codes", rule.codes},
            {"factors", {rule.least, rule.most}},
            {"block", rule.block > 0 ? Json(rule.block) : Json(nullptr)},
            {"remaining_rmse", finiteJson(rule.left)}};
}

Json valuesJson(const ValueDifference &values)
{
    Json json;
    json["equal"] = numberJson(values.equal);
    json["changed"] = numberJson(values.changed);
    json["zeroed"] = numberJson(values.zeroed);
    json["revived"] = numberJson(values.revived);
    json["relative_rmse"] = finiteJson(values.relativeRmse);
    json["snr_db"] = finiteJson(values.snr);
    json["max_abs"] = finiteJson(values.maxAbs);
    json["mean_abs"] = finiteJson(values.meanAbs);
    json["rmse"] = finiteJson(values.rmse);
    json["cosine"] = finiteJson(values.cosine);
    json["max_rel"] = finiteJson(values.maxRel);
    json["not_finite"] = numberJson(values.notFinite);
    json["nonfinite_a"] = numberJson(values.nonfiniteA);
    json["nonfinite_b"] = numberJson(values.nonfiniteB);
    json["max_ulp"] = values.ulp() ? numberJson(*values.ulp()) : Json(nullptr);
    json["ulp_type"] = values.oneType ? Json(elementTypeName(values.ulpType)) : Json(nullptr);
    json["ulp_histogram"] = values.oneType ? numbersJson(values.ulpHistogram) : Json(nullptr);
    json["beyond_tolerance"] = numberJson(values.beyondTolerance);
    json["bit_faithful"] = values.faithful();
    json["unfaithful"] = numberJson(values.unfaithful);
    return json;
}

Json changeJson(const ProgramChange &change)
{
    Json json;
    json["change"] = programChangeName(change.kind);
    json["what"] = programPartName(change.what);
    json["function"] = change.function;
    json["operation"] = change.operation;
    json["type"] = change.type;
    json["details"] = change.details;
    return json;
}

Json structureJson(const Bundle &a, const Bundle &b, const Difference &difference)
{
    const ProgramDifference &program = difference.program.detail;
    Json json;
    json["summary"] = differenceSummary(a, b, difference);
    json["operations_a"] = program.operationsA;
    json["operations_b"] = program.operationsB;
    json["operations_matched"] = program.matched;
    json["operations"] = Json::array();
    for (const ProgramChange &change : program.changes)
        json["operations"].push_back(changeJson(change));
    if (const auto tasks = compareTasks(a, b)) {
        json["tasks_a"] = tasks->tasksA;
        json["tasks_b"] = tasks->tasksB;
        json["tasks"] = hwxDifferencesJson(tasks->differences);
    }
    json["sections_a"] = a.sections().size();
    json["sections_b"] = b.sections().size();
    return json;
}

/// Channels of B for those of A along one axis; what differs once they stand in that order.
Json orderJson(const ComparedPair &pair)
{
    const ChannelOrder &order = *pair.order;
    Json json;
    json["correlation"] = order.correlation;
    json["outputs_moved"] = ChannelOrder::moved(order.outputs);
    json["inputs_moved"] = ChannelOrder::moved(order.inputs);
    json["outputs"] = order.outputs;
    json["inputs"] = order.inputs;
    if (const auto &values = pair.reordered) {
        json["equal"] = numberJson(values->equal);
        json["different"] = numberJson(values->different);
        json["max_abs"] = finiteJson(values->maxAbs);
        json["rmse"] = values->rmse;
    }
    return json;
}

Json pairJson(const Bundle &a, const Bundle &b, const ComparedPair &pair)
{
    Json json;
    json["name"] = a.weights()[pair.a].name;
    json["name_b"] = b.weights()[pair.b].name;
    json["address"] = a.weights()[pair.a].address();
    json["address_b"] = b.weights()[pair.b].address();
    json["pairing"] = pairingName(pair.pairing);
    json["pairing_confidence"] = pairConfidenceName(pair.confidence);
    json["pairing_reason"] = pairingReason(a, b, pair);
    if (pair.content != ContentKind::None)
        json["pairing_content"] = contentKindName(pair.content);
    if (pair.similarity)
        json["similarity"] = {{"correlation", *pair.similarity}, {"next", pair.nextSimilarity}};
    json["changes"] = Json::array();
    for (const std::string_view change : pairChanges(a, b, pair))
        json["changes"].push_back(change);
    json["a"] = weightJson(a, pair.a, std::nullopt, {});
    json["b"] = weightJson(b, pair.b, std::nullopt, {});
    json["stored_ratio"] = pair.storedRatio ? ratioJson(*pair.storedRatio) : Json(nullptr);
    json["layout_equal"] = pair.damaged ? Json(nullptr) : Json(pair.layoutEqual);
    json["stored_equal"] = pair.damaged ? Json(nullptr) : Json(pair.storedEqual);
    json["reshaped"] = pair.reshaped;
    json["values"] = pair.values ? valuesJson(*pair.values) : Json(nullptr);
    json["explained"] = pair.rule ? ruleJson(*pair.rule) : Json(nullptr);
    if (pair.step)
        json["step"] = *pair.step;
    if (pair.order)
        json["reordered"] = orderJson(pair);
    json["verdict"] = verdict(pair, a, b);
    if (pair.fault)
        json["fault"] = diagnosticJson({Severity::Error, *pair.fault});
    return json;
}

/// A weight of one side that is several of the other.
Json joinedJson(const Bundle &a, const Bundle &b, std::span<const ComparedPair> parts)
{
    const WeightSlice &slice = *parts.front().slice;
    Json json;
    json["kind"] = slice.name();
    json["whole"] = slice.ofA ? weightJson(a, parts.front().a, std::nullopt, {})
                              : weightJson(b, parts.front().b, std::nullopt, {});
    json["axis"] = slice.axis;
    const bool compared = std::all_of(parts.begin(), parts.end(), [](const ComparedPair &each) {
        return each.values.has_value();
    });
    const bool exact = std::all_of(parts.begin(), parts.end(),
                                   [](const ComparedPair &each) { return each.exact(); });
    // Of samples alone it is not known.
    json["exact"] = compared ? Json(exact) : Json(nullptr);
    json["parts"] = Json::array();
    for (const ComparedPair &one : parts) {
        Json row;
        row["weight"] = slice.ofA ? weightJson(b, one.b, std::nullopt, {})
                                  : weightJson(a, one.a, std::nullopt, {});
        row["first"] = numberJson(one.slice->first);
        row["count"] = numberJson(one.slice->count);
        row["exact"] = one.values ? Json(one.exact()) : Json(nullptr);
        row["similarity"] = one.similarity.value_or(0);
        row["values"] = one.values ? valuesJson(*one.values) : Json(nullptr);
        row["verdict"] = verdict(one, a, b);
        if (one.fault)
            row["fault"] = diagnosticJson({Severity::Error, *one.fault});
        json["parts"].push_back(std::move(row));
    }
    return json;
}

Json onlyJson(const Bundle &bundle, const std::vector<std::size_t> &weights)
{
    Json list = Json::array();
    for (const std::size_t weight : weights)
        list.push_back(weightJson(bundle, weight, std::nullopt, {}));
    return list;
}

} // namespace

Json differenceJson(const Bundle &a, const Bundle &b, const Difference &difference)
{
    Json json = document("diff");
    json["a"] = a.name();
    json["b"] = b.name();
    json["identical"] = difference.identical;
    json["files"] = jsonArray(fileDifferenceTable(), difference.files);
    json["program"] = {{"equal", difference.program.equal},
                       {"same_computation", difference.program.sameComputation},
                       {"same_bytes", difference.program.sameBytes},
                       {"bytes_a", bytesJson(difference.program.bytesA)},
                       {"bytes_b", bytesJson(difference.program.bytesB)}};
    json["structure"] = structureJson(a, b, difference);
    json["weights"] = Json::array();
    for (const ComparedPair &pair : wholePairs(difference.weights))
        json["weights"].push_back(pairJson(a, b, pair));
    json["joined"] = Json::array();
    for (const auto &parts : slicedPairs(difference.weights))
        json["joined"].push_back(joinedJson(a, b, parts));
    json["only_a"] = onlyJson(a, difference.onlyA);
    json["only_b"] = onlyJson(b, difference.onlyB);
    return json;
}

} // namespace kernscope::report
