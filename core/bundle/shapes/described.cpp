// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bundle/shapes/described.h"

#include "core/container/mil/model_description.h"
#include "core/container/mil/program.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

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

/// The shape that follows the name of an input behind "DefaultShapes", before the next list.
Dims shapeOfAttribute(const mil::Function &function, std::string_view input)
{
    std::vector<const mil::Literal *> leaves;
    for (const mil::Argument &attribute : function.attributes) {
        if (attribute.name == "FlexibleShapeInformation")
            for (const mil::ProgramValue &value : attribute.values)
                leavesOf(value, leaves);
    }
    const auto textOf = [&](std::size_t i) {
        return leaves[i]->strings.size() == 1 ? std::string_view(leaves[i]->strings.front())
                                              : std::string_view();
    };
    std::size_t at = 0;
    while (at < leaves.size() && textOf(at) != "DefaultShapes")
        ++at;
    // A program text writes an extent a literal, a protobuf all of them in one.
    for (++at; at < leaves.size() && !textOf(at).empty();) {
        const bool asked = textOf(at) == input;
        Dims shape;
        for (++at; at < leaves.size() && textOf(at).empty(); ++at) {
            const auto more = literalIntegers(*leaves[at]);
            shape.insert(shape.end(), more.begin(), more.end());
        }
        if (asked || shape.empty()) // the name of the next list has none
            return shape;
    }
    return {};
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
    return fitted(input.type.dims, shapeOfAttribute(function, input.name), false);
}

} // namespace

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
