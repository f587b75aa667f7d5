// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/assessment/roofline.h"
#include "core/assessment/working_set.h"
#include "core/base/error_builder.h"
#include "core/format/table_rows.h"

#include <array>
#include <cmath>

#include <fmt/format.h>

namespace kernscope::roofline {

namespace {

struct Pair {
    std::string target, compute, bandwidth, step, source;
    format::Confidence confidence = format::Confidence::Assumed;
};

struct Figures {
    std::vector<Ceiling> ceilings;
    std::vector<Pair> pairs;
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

Figures readFigures()
{
    return {
        tables::loadRows<Ceiling>(
            "roofline",
            {{"target", &Ceiling::target},
             {"chip", &Ceiling::chip},
             {"quantity", &Ceiling::name},
             {"kind", [](Ceiling &row, std::string_view cell) { row.kind = kindFromName(cell); }},
             {"method",
              [](Ceiling &row, std::string_view cell) { row.method = methodFromName(cell); }},
             {"value", &Ceiling::value},
             {"unit", &Ceiling::unit},
             {"source", &Ceiling::source},
             {"confidence", &Ceiling::confidence}}),
        tables::loadRows<Pair>("roofline_pairs", {{"target", &Pair::target},
                                                  {"compute", &Pair::compute},
                                                  {"bandwidth", &Pair::bandwidth},
                                                  {"step", &Pair::step},
                                                  {"source", &Pair::source},
                                                  {"confidence", &Pair::confidence}})};
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

Result<std::optional<Ceiling>> pick(const Roofs &roofs, Ceiling::Kind kind,
                                    const std::string &wanted, const std::string &standard)
{
    if (wanted.empty())
        return named(roofs.all, standard);
    const auto found = named(roofs.all, wanted);
    if (found && found->kind == kind && found->isRoof() && found->value > 0)
        return found;
    std::string published;
    for (const Ceiling &ceiling : roofs.all) {
        if (ceiling.kind == kind && ceiling.isRoof())
            published += (published.empty() ? "" : ", ") + ceiling.name;
    }
    return ErrorBuilder("roofline.ceiling")
        .field(ceilingKindName(kind))
        .expected(published.empty() ? "none is published" : published)
        .found(wanted)
        .message(fmt::format("{} has no {} ceiling of that name.", roofs.target->name,
                             ceilingKindName(kind)))
        .unexpected();
}

void setRidge(Roofs &roofs, bool standardPair, const Pair &pair)
{
    if (!roofs.compute || !roofs.bandwidth)
        return;
    roofs.computedRidge = roofs.compute->value / roofs.bandwidth->value;
    roofs.ridge = roofs.computedRidge;
    if (standardPair)
        roofs.ridgeConfidence = pair.confidence;
    roofs.ridgeSource = roofs.compute->name + " / " + roofs.bandwidth->name;
    const auto published = named(roofs.all, "ridge_flop_per_byte");
    // The published ridge of the pair holds where rounding alone does not explain it.
    if (standardPair && published && std::abs(published->value - *roofs.computedRidge) > 0.5) {
        roofs.ridge = published->value;
        roofs.ridgeSource = published->source;
    } else if (standardPair) {
        roofs.ridgeSource += " (" + pair.source + ")";
    }
}

} // namespace

std::string_view ceilingKindName(Ceiling::Kind kind)
{
    static constexpr std::array<std::string_view, 3> kNames{"compute", "bandwidth", "other"};
    return kNames[std::size_t(kind)];
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
    Pair pair;
    for (const Pair &each : figures().pairs) {
        if (each.target == target.name)
            pair = each;
    }
    auto compute = pick(roofs, Ceiling::Kind::Compute, choice.compute, pair.compute);
    if (!compute)
        return tl::unexpected(compute.error());
    auto bandwidth = pick(roofs, Ceiling::Kind::Bandwidth, choice.bandwidth, pair.bandwidth);
    if (!bandwidth)
        return tl::unexpected(bandwidth.error());
    roofs.compute = std::move(*compute);
    roofs.bandwidth = std::move(*bandwidth);
    roofs.step = named(roofs.all, pair.step);
    setRidge(roofs, choice.compute.empty() && choice.bandwidth.empty(), pair);
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

} // namespace kernscope::roofline
