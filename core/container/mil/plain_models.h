// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/container/mil/program.h"

/// Models that are neither programs nor networks: their numbers as tables (TreeEnsemble.proto,
/// GLMRegressor.proto, GLMClassifier.proto, SVM.proto of coremltools).
namespace kernscope::mil {

/// "nodes" of trees, "weights" of a linear model, "support vectors": a row each. Choices have their
/// name in that of the table: "post-evaluation transform (Probit)". NaN: a leaf has no such number.
struct NumberTable {
    std::string model; ///< "pipe/trees"; empty: the model itself
    std::string name;
    std::vector<std::string> columns;
    std::vector<std::vector<double>> rows; ///< as many numbers as columns; of vectors any number
};

/// What a node of a tree does, for a number of the column "behavior": "LeafNode"; empty where the
/// number has no name.
std::string_view treeBehavior(double number);

/// Whether such tables are read of that kind of model.
bool hasNumberTables(const ModelNode &node);
/// The tables of a model that lies in a serialised Model: at most four million numbers, what is
/// beyond is left out and `cut` says so. A damaged message gives what comes before the fault.
std::vector<NumberTable> numberTables(std::span<const std::byte> model, const ModelNode &node,
                                      std::string_view fileName, bool &cut);

} // namespace kernscope::mil
