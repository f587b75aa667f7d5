// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/assessment/calibration_rows.h"

#include "core/format/table_rows.h"

#include <algorithm>

namespace kernscope::roofline::calibration {

using decision::WeightForm;

namespace {

/// A count that is 1 where the table has none.
auto count(std::uint64_t Timed::*member)
{
    return [member](Timed &row, std::string_view cell) {
        tables::readCell(cell, row.*member);
        row.*member = std::max<std::uint64_t>(1, row.*member);
    };
}

std::vector<Timed> readTimed()
{
    return tables::loadRows<Timed>("measurements", {{"group", &Timed::group},
                                                    {"target", &Timed::target},
                                                    {"name", &Timed::name},
                                                    {"op", &Timed::op},
                                                    {"form", &Timed::form},
                                                    {"quantity", &Timed::quantity},
                                                    {"condition", &Timed::condition},
                                                    {"source", &Timed::source},
                                                    {"kernel_w", count(&Timed::kernelWidth)},
                                                    {"kernel_h", count(&Timed::kernelHeight)},
                                                    {"inputs", count(&Timed::inputs)},
                                                    {"outputs", count(&Timed::outputs)},
                                                    {"width", count(&Timed::width)},
                                                    {"height", count(&Timed::height)},
                                                    {"layers", count(&Timed::layers)},
                                                    {"engines", count(&Timed::engines)},
                                                    {"value_s", &Timed::seconds}});
}

} // namespace

const std::vector<Timed> &timedRows()
{
    static const std::vector<Timed> rows = readTimed();
    return rows;
}

Layer layerOf(const Timed &row)
{
    Layer layer;
    layer.op = row.op;
    layer.form.shape = {row.outputs, row.inputs, row.kernelHeight, row.kernelWidth};
    layer.form.elements = row.kernelWidth * row.kernelHeight * row.inputs * row.outputs;
    layer.form.storedBytes = layer.form.denseBytes = 2 * layer.form.elements;
    layer.form.use = {true, false, std::nullopt, true, true};
    layer.flops = 2 * layer.form.elements * row.width * row.height;
    layer.inputBytes = 2 * row.inputs * row.width * row.height;
    layer.outputBytes = 2 * row.outputs * row.width * row.height;
    decision::LayerOperation operation;
    operation.inputChannels = row.inputs;
    operation.outputChannels = row.outputs;
    operation.kernelWidth = row.kernelWidth;
    operation.kernelHeight = row.kernelHeight;
    operation.outputWidth = row.width;
    operation.outputHeight = row.height;
    layer.operation = operation;
    return layer;
}

std::optional<WeightForm> formNamed(const Layer &layer, std::string_view name)
{
    WeightForm facts = layer.form;
    if (name == "dense" || name == "w8a8")
        return name == "dense" ? std::optional(facts) : std::nullopt;
    if (name.ends_with(" grouped"))
        name.remove_suffix(8);
    if (name == "sparse32") // that of the guide's chapter 10 is 32 percent dense
        name = "sparse68";
    if (name.starts_with("sparse")) {
        const std::string_view digits = name.substr(6, 2);
        facts.density = 1 - static_cast<double>(parseInteger(digits).value_or(63)) / 100;
        if (name.size() > 8 && name[8] == '+') {
            auto both = asForm(facts, "sparse");
            const double kept = static_cast<double>(facts.elements) * *facts.density;
            if (both) {
                both->node = FormNode::Palette;
                both->bits = 4;
                both->storedBytes = facts.elements / 8 + static_cast<std::uint64_t>(kept / 2) + 32;
            }
            return both;
        }
        return asForm(facts, "sparse");
    }
    if (name.starts_with("palette") && name.size() == 8) {
        auto form = asForm(facts, "palette8");
        form->bits = static_cast<unsigned>(name[7] - '0');
        form->storedBytes = facts.elements * form->bits / 8 + (2U << form->bits);
        return form;
    }
    return asForm(facts, name);
}

} // namespace kernscope::roofline::calibration
