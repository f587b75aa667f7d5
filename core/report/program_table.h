// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/shapes/infer.h"
#include "core/container/mil/plain_models.h"
#include "core/graph/neighbourhood.h"
#include "core/report/json.h"

/// The program of a bundle, as `inspect` lists it. Rows point into the bundle.
namespace kernscope::report {

/// A model of a pipeline, or the only one.
struct ModelFacts {
    const mil::ModelNode *node = nullptr;
    std::size_t weights = 0; ///< of the bundle that are its own
};
std::vector<ModelFacts> modelFacts(const Bundle &bundle);
extern const TableOf<ModelFacts> modelTable;

/// The numbers of trees, linear models and support vectors; `cut`: some are left out.
std::vector<mil::NumberTable> numberTables(const Bundle &bundle, bool &cut);
/// `"numbers"` of the document of `inspect`: `[{"model","table","columns","rows"}]`.
void addNumbers(Json &document, const std::vector<mil::NumberTable> &tables, bool cut);

/// An input, an output or a state as the model's description has it, for an app.
struct FeatureFacts {
    std::string_view model, function;
    std::string_view use; ///< "in", "out", "state"
    const mil::ModelFeature *feature = nullptr;
};
/// Those of every model of the bundle, or of the one of that path.
std::vector<FeatureFacts> featureFacts(const Bundle &bundle);
extern const TableOf<FeatureFacts> featureTable;
/// What else a description says, a line each: the function that runs by default, the outputs of a
/// classifier and its classes (at most `mostLabels` of them), what the author says.
std::vector<std::string> descriptionLines(const mil::ModelDescription &description,
                                          std::size_t mostLabels);

/// The type of what a function gives back, by the operation that makes it; null where it is not
/// known.
const mil::ValueType *outputType(const mil::Function &function, std::string_view output);

/// An operation that the compiler annotated: where it runs, as far as the compiler says so.
struct AnnotatedOperation {
    const mil::Function *function = nullptr;
    const mil::Operation *operation = nullptr;
    mil::BackendNotes notes;
};
/// `segment`: the backend that the function runs on as a whole (mil::SegmentBackends).
std::vector<AnnotatedOperation> annotatedOperations(const mil::Function &function,
                                                    const std::string &segment);
extern const TableOf<AnnotatedOperation> annotatedOperationTable;

/// A record of a file that several weights store: each of them counts its bytes as its own, the
/// totals only once.
struct SharedRecord {
    std::string_view file;
    FileOffset offset; ///< of the record
    ByteCount bytes;
    List weights; ///< names of those that store it
};
std::vector<SharedRecord> sharedRecords(const Bundle &bundle);
extern const TableOf<SharedRecord> sharedRecordTable;

/// Adds what became of the open extents of a program, where shapes were bound: the key "shapes",
/// `{"bound":[{"input","shape"}],"values","open","inferred","unknown":[{"function",…}],"from"}`.
/// `described`: to the model's own defaults.
void addBoundShapes(Json &document, const std::optional<shapes::Summary> &shapes, bool described);

/// A box of a drawing, which is shared with the other rows.
struct GraphRow {
    std::shared_ptr<const graph::Neighbourhood> drawn;
    std::size_t unit = 0;
};
std::vector<GraphRow> graphRows(const std::shared_ptr<const graph::Neighbourhood> &drawn);
/// What is drawn as a table: as `graph` lists it and the Graph dock shows it to those who do not
/// see the drawing.
extern const TableOf<GraphRow> graphTable;

/// Everything of `graph`; `output` is empty where nothing was drawn to a file.
Json graphJson(std::string_view path, std::string_view output, const graph::Neighbourhood &drawn);
/// "function", "hops", "centers", "nodes", "edges", "left_out" of the document of `graph`.
void addGraph(Json &document, const graph::Neighbourhood &drawn);

} // namespace kernscope::report
