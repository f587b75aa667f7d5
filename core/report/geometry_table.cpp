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
    if (consumer.op->starts_with("gather"))
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
                            consumer.op.value() + " " + consumer.name,
                            unplacedReason(weight, consumer)});
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
    static constexpr Column<Row> kColumns[] = {
        {"weight", "weight", "Weight that has no place among output-channel groups",
         [](const Row &row) -> Value { return View(row.weight); }},
        {kDocument, "address", "address", "Model, function and name of the weight",
         [](const Row &row) -> Value { return View(row.address); }},
        {"consumer", "in", "Operation that reads it",
         [](const Row &row) -> Value { return View(row.consumer); }},
        {"reason", "why it has no geometry", "What is missing",
         [](const Row &row) -> Value { return View(row.reason); }},
    };
    static const TableOf<Row> kTable{"without-geometry", kColumns};
    return kTable;
}

} // namespace kernscope::report
