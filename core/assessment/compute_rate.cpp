// SPDX-License-Identifier: GPL-3.0-or-later
// Rates of arithmetic that were measured for some cases only.
#include "core/assessment/assess.h"
#include "core/format/table_rows.h"

#include <algorithm>

namespace kernscope::roofline {

namespace {

struct RateRow {
    std::string target, insteadOf, ceiling, form, conditions, source;
    format::Confidence confidence = format::Confidence::Documented;
};

const std::vector<RateRow> &rateRows()
{
    static const auto rows =
        tables::loadRows<RateRow>("compute_rates", {{"target", &RateRow::target},
                                                    {"instead_of", &RateRow::insteadOf},
                                                    {"ceiling", &RateRow::ceiling},
                                                    {"form", &RateRow::form},
                                                    {"conditions", &RateRow::conditions},
                                                    {"source", &RateRow::source},
                                                    {"confidence", &RateRow::confidence}});
    return rows;
}

bool appliesTo(const RateRow &row, const Layer &layer, const decision::WeightForm &form)
{
    decision::MeasuredSubject subject;
    subject.op = layer.op;
    subject.operation = layer.operation ? &*layer.operation : nullptr;
    const auto conditions =
        decision::conditionsOn(row.conditions, form, subject, row.source, row.confidence);
    return std::all_of(
        conditions.begin(), conditions.end(),
        [](const decision::Condition &condition) { return condition.holds.value_or(false); });
}

} // namespace

std::optional<Ceiling> computeRateOf(const Layer &layer, const decision::WeightForm &form,
                                     const Roofs &roofs)
{
    // A weight with zeros is not dense, however it is stored.
    const bool dense = !form.masked && form.density.value_or(1) >= 1;
    for (const RateRow &row : rateRows()) {
        if (!dense || roofs.target == nullptr || row.target != roofs.target->name ||
            !roofs.compute || row.insteadOf != roofs.compute->name || !appliesTo(row, layer, form))
            continue;
        for (const Ceiling &ceiling : roofs.all) {
            if (ceiling.name == row.ceiling)
                return ceiling;
        }
    }
    return std::nullopt;
}

} // namespace kernscope::roofline
