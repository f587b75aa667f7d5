// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/assessment/calibration_rows.h"

#include "core/format/table_rows.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

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

/// A straight line through points (bytes, seconds), by least squares: where it begins, and its
/// slope.
std::optional<std::pair<double, double>>
fitted(const std::vector<std::pair<double, double>> &points)
{
    if (points.size() < 2)
        return std::nullopt;
    double x = 0, y = 0, xx = 0, xy = 0;
    const auto n = static_cast<double>(points.size());
    for (const auto &[bytes, seconds] : points) {
        x += bytes / n;
        y += seconds / n;
    }
    for (const auto &[bytes, seconds] : points) {
        xx += (bytes - x) * (bytes - x);
        xy += (bytes - x) * (seconds - y);
    }
    if (xx <= 0)
        return std::nullopt;
    return std::pair(y - xy / xx * x, xy / xx);
}

} // namespace

const std::vector<Timed> &timedRows()
{
    static const std::vector<Timed> rows = readTimed();
    return rows;
}

Layer chained(const Timed &row)
{
    Layer layer;
    layer.op = row.op;
    layer.form.shape = {row.outputs, row.inputs, row.kernelHeight, row.kernelWidth};
    layer.form.elements = row.kernelWidth * row.kernelHeight * row.inputs * row.outputs;
    layer.form.storedBytes = layer.form.denseBytes = 2 * layer.form.elements;
    layer.form.use = {true, false, std::nullopt, true, true};
    layer.flops = 2 * layer.form.elements * row.width * row.height;
    layer.inputBytes = layer.outputBytes = 0;
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

std::uint64_t streamedBytes(const Timed &row)
{
    const Layer layer = chained(row);
    // "sparse32" of the guide's chapter 10 is 32 percent dense.
    const auto form = formNamed(layer, row.form == "sparse32" ? "sparse68" : row.form);
    return form ? form->storedBytes.value_or(0) : layer.form.denseBytes;
}

std::optional<CallModel> callModel(const std::string &target, const std::string &without)
{
    std::vector<std::string> groups;
    for (const Timed &row : timedRows()) {
        if (row.target == target && row.op == "matmul" && row.group != without &&
            std::find(groups.begin(), groups.end(), row.group) == groups.end())
            groups.push_back(row.group);
    }
    for (const std::string &group : groups) {
        std::vector<std::pair<double, double>> points;
        for (const Timed &row : timedRows()) {
            if (row.target == target && row.group == group)
                points.emplace_back(static_cast<double>(streamedBytes(row)), row.seconds);
        }
        if (const auto line = fitted(points))
            return CallModel{line->first, line->second,
                             fmt::format("{} ({} rows)", group, points.size())};
    }
    return std::nullopt;
}

std::string CallModel::text() const
{
    return fmt::format("{:.3g} s a call and {:.3g} GB/s", fixed, 1e-9 / perByte);
}

Result<Roofs> roofsFor(const target::Target &target, std::uint64_t engines)
{
    RoofChoice choice;
    if (engines == 2)
        choice.compute = "peak_fp16_flops_two_engines";
    return roofsOf(target, choice);
}

} // namespace kernscope::roofline::calibration
