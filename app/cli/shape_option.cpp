// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/shape_option.h"

#include "app/cli/command.h"
#include "app/cli/text_output.h"
#include "core/bundle/bundle.h"
#include "core/bundle/shapes/described.h"
#include "core/bundle/shapes/tensor.h"
#include "core/report/command_json.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace kernscope::cli {

CLI::Option *addShapeOption(CLI::App &command, std::vector<std::string> &shapes)
{
    return command
        .add_option("--shape", shapes,
                    "Shape of an input whose extents the program leaves open, for the whole "
                    "program: x=1,3,640,640 (once an input; ? leaves an extent open)")
        ->type_name("INPUT=N,N,...")
        ->expected(1)
        ->take_all();
}

std::optional<BoundShapes> bindDefaults(const Bundle &bundle)
{
    if (bundle.openInputs().empty())
        return std::nullopt;
    const auto found = shapes::describedShapes(*bundle.program());
    if (found.empty())
        return std::nullopt;
    auto bound = bindShapes(bundle, found);
    return bound ? std::optional(*std::move(bound)) : std::nullopt;
}

Result<ShapedBundle> openBundle(const std::filesystem::path &path,
                                const std::vector<std::string> &shapes)
{
    std::vector<shapes::ShapeBinding> bindings;
    for (const std::string &text : shapes) {
        auto binding = shapes::parseBinding(text);
        if (!binding)
            return tl::unexpected(std::move(binding.error()));
        bindings.push_back(std::move(*binding));
    }
    auto bundle = openBundle(path);
    if (!bundle)
        return tl::unexpected(std::move(bundle.error()));
    if (bindings.empty()) {
        if (auto bound = bindDefaults(**bundle))
            return ShapedBundle{std::move(bound->bundle), std::move(bound->summary), true};
        return ShapedBundle{std::move(*bundle), {}, false};
    }
    auto bound = bindShapes(**bundle, bindings);
    if (!bound)
        return tl::unexpected(std::move(bound.error()));
    return ShapedBundle{std::move(bound->bundle), std::move(bound->summary), false};
}

void addShapes(report::Json &document, const ShapedBundle &opened)
{
    report::addBoundShapes(document, opened.shapes, opened.described);
}

std::string shapesText(const ShapedBundle &opened)
{
    if (!opened.shapes)
        return {};
    std::string bound;
    for (const shapes::ShapeBinding &each : opened.shapes->bound)
        bound += fmt::format("{}{} = {}", bound.empty() ? "" : ", ", printable(each.input),
                             shapes::dimsText(each.dims));
    return fmt::format("\n  with {}{}: {} of {} open shapes follow{}\n", bound,
                       opened.described ? " (the model's own default; --shape takes another)" : "",
                       opened.shapes->inferred, opened.shapes->open,
                       opened.shapes->unknown.empty()
                           ? std::string()
                           : fmt::format(", the others are behind {}",
                                         printable(opened.shapes->unknown.front().operation)));
}

} // namespace kernscope::cli
