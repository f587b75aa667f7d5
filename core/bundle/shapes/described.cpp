// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bundle/shapes/described.h"

#include <algorithm>

namespace kernscope::shapes {

namespace {

using Dims = std::vector<std::int64_t>;

/// The declared extents with those of the default shape, which of images are height and width; no
/// shape where the two contradict each other.
std::optional<Dims> fitted(const std::vector<std::int64_t> &declared, const Dims &shape, bool image)
{
    Dims dims(declared.begin(), declared.end());
    if (shape.empty() || (image ? shape.size() > dims.size() : shape.size() != dims.size()))
        return std::nullopt;
    const std::size_t first = dims.size() - shape.size();
    for (std::size_t i = 0; i < shape.size(); ++i) {
        if (shape[i] < 1 || (dims[first + i] >= 0 && dims[first + i] != shape[i]))
            return std::nullopt;
        dims[first + i] = shape[i];
    }
    return dims;
}

void leavesOf(const mil::ProgramValue &value, std::vector<const mil::Literal *> &leaves)
{
    if (const auto *members = std::get_if<mil::Values>(&value.content)) {
        for (const mil::ProgramValue &member : *members)
            leavesOf(member, leaves);
    } else if (const mil::Literal *literal = value.literal()) {
        leaves.push_back(literal);
    }
}

/// The feature of that name among a function's inputs in its description; made where the model has
/// no such description.
mil::ModelFeature &featureOf(mil::Program &program, const mil::Function &function,
                             std::string_view input)
{
    auto &all = program.descriptions;
    auto *described = const_cast<mil::FunctionDescription *>(
        mil::findFunction(all, function.model, function.name));
    if (described == nullptr) {
        auto own = std::ranges::find_if(
            all, [&](const auto &each) { return each.model == function.model; });
        if (own == all.end()) {
            own = all.emplace(all.end());
            own->model = function.model;
        }
        described = &own->functions.emplace_back();
        described->name = function.name;
        for (const mil::NamedType &each : function.inputs) {
            mil::ModelFeature &feature = described->inputs.emplace_back();
            feature.name = each.name;
            feature.kind = "multiArray";
            feature.element = each.type.element;
        }
    }
    for (mil::ModelFeature &feature : described->inputs) {
        if (feature.name == input)
            return feature;
    }
    mil::ModelFeature &feature = described->inputs.emplace_back();
    feature.name = input;
    return feature;
}

std::optional<Dims> describedShape(const mil::Program &program, const mil::Function &function,
                                   const mil::NamedType &input)
{
    const mil::FunctionDescription *described =
        mil::findFunction(program.descriptions, function.model, function.name);
    if (described != nullptr) {
        for (const mil::ModelFeature &feature : described->inputs) {
            if (feature.name != input.name)
                continue;
            const Dims &first = feature.shape.empty() && !feature.allowed.empty()
                                    ? feature.allowed.front()
                                    : feature.shape;
            if (auto dims = fitted(input.type.dims, first, feature.kind == "image"))
                return dims;
        }
    }
    return std::nullopt;
}

} // namespace

void describeFlexibleShapes(mil::Program &program)
{
    for (const mil::Function &function : program.functions) {
        std::vector<const mil::Literal *> leaves;
        for (const mil::Argument &attribute : function.attributes) {
            if (attribute.name == "FlexibleShapeInformation")
                for (const mil::ProgramValue &value : attribute.values)
                    leavesOf(value, leaves);
        }
        // Lists by their names, in them inputs (of the allowed ones by a key each), then extents: a
        // program text writes an extent a literal, a protobuf all of them in one.
        std::string_view list, name;
        Dims shape;
        const auto take = [&] {
            const auto has = [&name](const auto &input) { return input.name == name; };
            if (shape.empty() || std::ranges::none_of(function.inputs, has))
                return;
            mil::ModelFeature &feature = featureOf(program, function, name);
            if (list == "DefaultShapes" && feature.shape.empty())
                feature.shape = shape;
            else if (list == "EnumeratedShapes" && std::ranges::count(feature.allowed, shape) == 0)
                feature.allowed.push_back(shape);
        };
        for (const mil::Literal *leaf : leaves) {
            if (leaf->strings.size() == 1) {
                take();
                shape.clear();
                name = leaf->strings.front();
                if (name == "DefaultShapes" || name == "EnumeratedShapes" || name == "RangeDims")
                    list = name;
            } else {
                const auto more = literalIntegers(*leaf);
                shape.insert(shape.end(), more.begin(), more.end());
            }
        }
        take();
    }
}

std::vector<ShapeBinding> describedShapes(const mil::Program &program)
{
    std::vector<ShapeBinding> bindings;
    for (const OpenInput &open : openInputs(program)) {
        const std::size_t slash = open.input.rfind('/');
        const std::string of = slash == std::string::npos ? "" : open.input.substr(0, slash);
        for (const mil::Function &function : program.functions) {
            const std::string name =
                function.model.empty() ? function.name : function.model + "/" + function.name;
            if (!of.empty() && of != name)
                continue;
            for (const mil::NamedType &input : function.inputs) {
                if (input.name != open.input.substr(of.empty() ? 0 : slash + 1))
                    continue;
                if (auto dims = describedShape(program, function, input))
                    bindings.push_back({open.input, std::move(*dims)});
            }
            break;
        }
    }
    return bindings;
}

} // namespace kernscope::shapes
