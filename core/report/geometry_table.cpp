// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/geometry_table.h"

#include "core/assessment/assess.h"
#include "core/bundle/bundle.h"

namespace kernscope::report {

namespace {

/// Why a layer has no geometry.
std::string unplacedReason(const Weight &weight, const Consumer &consumer)
{
    if (weight.elements.value == 0)
        return "it has no elements";
    if (consumer.op.starts_with("gather"))
        return "fetches rows: no multiplication";
    if (consumer.op == "einsum")
        return "its equation is no product of two matrices, or an extent of it is not known";
    if (consumer.op == "scaled_dot_product_attention" && consumer.via.empty())
        return "an extent of its operands is not known";
    return consumer.via.empty() ? "its weight is not of the shape that the operation takes"
                                : "reads its weight in another shape than it is stored in";
}

} // namespace

std::vector<UnplacedWeight> unplacedWeights(const Bundle &bundle)
{
    std::vector<UnplacedWeight> rows;
    for (const roofline::Layer &layer : layersOf(bundle, weightForms(bundle))) {
        const Weight &weight = bundle.weights()[layer.weight];
        const Consumer &consumer = weight.consumers[layer.consumer];
        if (!layer.operation)
            rows.push_back({weight.findableName(), weight.address(),
                            consumer.op + " " + consumer.name, unplacedReason(weight, consumer)});
    }
    for (const Unassessed &rest : unassessedWeights(bundle)) {
        const Weight &weight = bundle.weights()[rest.weight];
        rows.push_back({weight.findableName(), weight.address(), {}, rest.reason});
    }
    return rows;
}

const TableOf<UnplacedWeight> &unplacedTable()
{
    using Row = UnplacedWeight;
    static const TableOf<Row> kTable{
        "without-geometry",
        {{.key = "weight",
          .title = "weight",
          .explanation = "Weight that has no place among output-channel groups",
          .value = [](const Row &row) -> Value { return View(row.weight); }},
         {.key = "address",
          .title = "address",
          .explanation = "Model, function and name of the weight",
          .shown = kDocument,
          .value = [](const Row &row) -> Value { return View(row.address); }},
         {.key = "consumer",
          .title = "in",
          .explanation = "Operation that reads it",
          .value = [](const Row &row) -> Value { return View(row.consumer); }},
         {.key = "reason",
          .title = "why it has no geometry",
          .explanation = "What is missing",
          .value = [](const Row &row) -> Value { return View(row.reason); }}}};
    return kTable;
}

} // namespace kernscope::report
