// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/bound_shapes.h"
#include "core/report/json.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
} // namespace CLI

namespace kernscope::cli {

/// Adds --shape INPUT=EXTENT,…, which may be given several times.
CLI::Option *addShapeOption(CLI::App &command, std::vector<std::string> &shapes);

/// The inputs that a program leaves open bound to the defaults that the model says. Nothing where
/// it says none, or none that fit.
std::optional<BoundShapes> bindDefaults(const Bundle &bundle);

/// A bundle that was opened for reading, with the shapes of --shape bound, or without any the
/// defaults that the model says.
struct ShapedBundle {
    BundlePtr bundle;
    std::optional<shapes::Summary> shapes; ///< nothing where no shape was bound
    bool described = false;                ///< the shapes are the model's own defaults
};
/// Errors: those of openBundle and bindShapes, "cli.option".
Result<ShapedBundle> openBundle(const std::filesystem::path &path,
                                const std::vector<std::string> &shapes);

/// `"shapes"` of a document, where --shape was given.
void addShapes(report::Json &document, const ShapedBundle &opened);
/// The same for people; empty where --shape was not given.
std::string shapesText(const ShapedBundle &opened);

} // namespace kernscope::cli
