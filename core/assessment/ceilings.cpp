// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/assessment/assess.h"
#include "core/assessment/geometry.h"
#include "core/base/error.h"
#include "core/format/table_rows.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace kernscope::roofline {

namespace {

struct Figures {
    std::vector<Ceiling> ceilings;
    std::vector<LayerRoof> roofs;  ///< in the table's order
    std::vector<LayerRoof> chosen; ///< each ceiling, as a user may choose it
};

Ceiling::Kind kindFromName(std::string_view name)
{
    return name == "compute"     ? Ceiling::Kind::Compute
           : name == "bandwidth" ? Ceiling::Kind::Bandwidth
                                 : Ceiling::Kind::Other;
}

Ceiling::Method methodFromName(std::string_view name)
{
    return name == "measured"  ? Ceiling::Method::Measured
           : name == "derived" ? Ceiling::Method::Derived
                               : Ceiling::Method::Marketed;
}

constexpr std::array<std::string_view, 3> kRoofKinds{"compute", "weights", "activations"};

void readKind(LayerRoof &row, std::string_view cell)
{
    const auto at = std::find(kRoofKinds.begin(), kRoofKinds.end(), cell);
    row.kind = LayerRoof::Kind(at - kRoofKinds.begin());
}

Figures readFigures()
{
    Figures read;
    read.ceilings = tables::loadRows<Ceiling>(
        "roofline",
        {{"target", &Ceiling::target},
         {"chip", &Ceiling::chip},
         {"quantity", &Ceiling::name},
         {"kind", [](Ceiling &row, std::string_view cell) { row.kind = kindFromName(cell); }},
         {"method", [](Ceiling &row, std::string_view cell) { row.method = methodFromName(cell); }},
         {"value", &Ceiling::value},
         {"unit", &Ceiling::unit},
         {"source", &Ceiling::source},
         {"confidence", &Ceiling::confidence}});
    read.roofs = tables::loadRows<LayerRoof>(
        "layer_roofs",
        {{"target", [](LayerRoof &row, std::string_view cell) { row.ceiling.target = cell; }},
         {"kind", readKind},
         {"ceiling", [](LayerRoof &row, std::string_view cell) { row.ceiling.name = cell; }},
         {"form", &LayerRoof::form},
         {"conditions", &LayerRoof::conditions},
         {"source", &LayerRoof::source},
         {"confidence", &LayerRoof::confidence},
         {"note", &LayerRoof::note}});
    for (const Ceiling &ceiling : read.ceilings) {
        for (LayerRoof &row : read.roofs) {
            if (row.ceiling.target == ceiling.target && row.ceiling.name == ceiling.name)
                row.ceiling = ceiling;
        }
        LayerRoof &row = read.chosen.emplace_back();
        row.ceiling = ceiling;
        row.note = "chosen";
    }
    return read;
}

const Figures &figures()
{
    static const Figures read = readFigures();
    return read;
}

std::optional<Ceiling> named(const std::vector<Ceiling> &all, std::string_view name)
{
    for (const Ceiling &ceiling : all) {
        if (ceiling.name == name)
            return ceiling;
    }
    return std::nullopt;
}

/// The ceiling that a user named; null where none was.
Result<const LayerRoof *> chosenRoof(const Roofs &roofs, Ceiling::Kind kind,
                                     const std::string &wanted)
{
    if (wanted.empty())
        return nullptr;
    std::string published;
    for (const LayerRoof &row : figures().chosen) {
        const Ceiling &ceiling = row.ceiling;
        if (ceiling.target != roofs.target->name || ceiling.kind != kind || !ceiling.isRoof())
            continue;
        if (ceiling.name == wanted && ceiling.value > 0)
            return &row;
        published += (published.empty() ? "" : ", ") + ceiling.name;
    }
    return refused("roofline.ceiling", ceilingKindName(kind),
                   published.empty() ? "none is published" : published, wanted,
                   fmt::format("{} has no {} ceiling of that name.", roofs.target->name,
                               ceilingKindName(kind)));
}

/// That of every layer which no other row is about.
const LayerRoof *roofOfAll(const target::Target &target, LayerRoof::Kind kind)
{
    for (const LayerRoof &row : figures().roofs) {
        if (row.kind == kind && row.ceiling.target == target.name && row.isOfAll())
            return &row;
    }
    return nullptr;
}

/// What conditions of roofs and parameters are evaluated on.
decision::MeasuredSubject subjectOf(const Layer &layer, const decision::WeightForm &form,
                                    const Roofs &roofs, std::uint64_t batch)
{
    decision::MeasuredSubject subject;
    subject.op = layer.op;
    subject.operation = layer.operation ? &*layer.operation : nullptr;
    const double times = static_cast<double>(batch);
    const auto above = [&](const std::optional<std::uint64_t> &bytes, double factor) {
        return bytes && static_cast<double>(*bytes) * factor > *roofs.workingSetBytes;
    };
    // The weight as the array takes it, so that all its forms are held against one roof.
    if (roofs.workingSetBytes)
        subject.aboveWorkingSet = above(form.denseBytes, 1) || above(layer.inputBytes, times) ||
                                  above(layer.outputBytes, times);
    return subject;
}

void setRidge(Roofs &roofs, const LayerRoof *compute, const LayerRoof *bandwidth)
{
    if (compute == nullptr || bandwidth == nullptr)
        return;
    roofs.ridge = compute->ceiling.value / bandwidth->ceiling.value;
    roofs.ridgeConfidence = std::max(compute->confidence, bandwidth->confidence);
    roofs.ridgeSource = compute->ceiling.name + " / " + bandwidth->ceiling.name;
    const auto published = named(roofs.all, "ridge_flop_per_byte");
    if (published && std::abs(published->value - *roofs.ridge) > 0.5)
        roofs.ridgeSource += fmt::format("; published of another pair: {:g} FLOP/B ({})",
                                         published->value, published->source);
}

} // namespace

std::string_view ceilingKindName(Ceiling::Kind kind)
{
    static constexpr std::array<std::string_view, 3> kNames{"compute", "bandwidth", "other"};
    return kNames[std::size_t(kind)];
}

std::string_view layerRoofKindName(LayerRoof::Kind kind)
{
    return kRoofKinds[std::size_t(kind)];
}

std::string_view ceilingMethodName(Ceiling::Method method)
{
    static constexpr std::array<std::string_view, 3> kNames{"measured", "derived", "marketed"};
    return kNames[std::size_t(method)];
}

std::vector<Ceiling> ceilings(const target::Target &target)
{
    std::vector<Ceiling> all;
    for (const Ceiling &ceiling : figures().ceilings) {
        if (ceiling.target == target.name)
            all.push_back(ceiling);
    }
    return all;
}

Result<Roofs> roofsOf(const target::Target &target, const RoofChoice &choice)
{
    Roofs roofs;
    roofs.target = &target;
    roofs.all = ceilings(target);
    const auto compute = TRY(chosenRoof(roofs, Ceiling::Kind::Compute, choice.compute));
    const auto bandwidth = TRY(chosenRoof(roofs, Ceiling::Kind::Bandwidth, choice.bandwidth));
    roofs.chosenCompute = compute;
    roofs.chosenBandwidth = bandwidth;
    const LayerRoof *computes =
        compute != nullptr ? compute : roofOfAll(target, LayerRoof::Kind::Compute);
    const LayerRoof *streams =
        bandwidth != nullptr ? bandwidth : roofOfAll(target, LayerRoof::Kind::Activations);
    if (computes != nullptr)
        roofs.compute = computes->ceiling;
    if (streams != nullptr)
        roofs.bandwidth = streams->ceiling;
    for (const LayerRoof &row : figures().roofs) {
        if (row.ceiling.target != target.name)
            continue;
        if (row.conditions.find("working_set=above") != std::string::npos)
            roofs.step = row.ceiling;
        if ((row.kind == LayerRoof::Kind::Compute ? compute : bandwidth) == nullptr)
            roofs.taken.insert(row.ceiling.name);
    }
    for (const LayerRoof *chosen : {compute, bandwidth}) {
        if (chosen != nullptr)
            roofs.taken.insert(chosen->ceiling.name);
    }
    setRidge(roofs, computes, streams);
    if (const auto fixed = named(roofs.all, "call_fixed_s"))
        roofs.callFixedS = fixed->value;
    if (const auto floor = named(roofs.all, "dispatch_floor_s")) {
        roofs.dispatchFloorS = floor->value;
        roofs.dispatchSource = floor->source;
    }
    const auto set = decision::workingSetCap(target);
    if (set.bytes)
        roofs.workingSetBytes = static_cast<double>(*set.bytes);
    roofs.workingSetSource = set.source;
    if (!set.disagreement.empty())
        roofs.workingSetSource += "; contested: " + set.disagreement;
    return roofs;
}

const LayerRoof *layerRoof(LayerRoof::Kind kind, const Layer &layer,
                           const decision::WeightForm &form, const Roofs &roofs,
                           std::uint64_t batch)
{
    const bool computes = kind == LayerRoof::Kind::Compute;
    if (const LayerRoof *chosen = computes ? roofs.chosenCompute : roofs.chosenBandwidth)
        return chosen;
    if (roofs.target == nullptr)
        return nullptr;
    const auto subject = subjectOf(layer, form, roofs, batch);
    for (const LayerRoof &row : figures().roofs) {
        if (row.kind == kind && row.ceiling.target == roofs.target->name &&
            decision::isKnownToHold(row.form, row.conditions, form, subject))
            return &row;
    }
    return nullptr;
}

const ModelParameter *modelParameter(std::string_view name, const Layer &layer,
                                     const decision::WeightForm &form, const Roofs &roofs)
{
    static const auto parameters = tables::loadRows<ModelParameter>(
        "model_parameters", {{"parameter", &ModelParameter::name},
                             {"target", &ModelParameter::target},
                             {"form", &ModelParameter::form},
                             {"conditions", &ModelParameter::conditions},
                             {"unit", &ModelParameter::unit},
                             {"fitted_on", &ModelParameter::fittedOn},
                             {"source", &ModelParameter::source},
                             {"note", &ModelParameter::note},
                             {"value", &ModelParameter::value}});
    const auto subject = subjectOf(layer, form, roofs, 1);
    for (const ModelParameter &row : parameters) {
        if (row.name == name && row.target == roofs.target->name &&
            decision::isKnownToHold(row.form, row.conditions, form, subject))
            return &row;
    }
    return nullptr;
}

} // namespace kernscope::roofline
