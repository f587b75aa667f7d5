// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/numeric/element_type.h"

#include <utility>

/// What a model says of itself beside its program: the description of a serialised Model
/// (Model.proto and FeatureTypes.proto of coremltools), or a compiled model's metadata.json.
namespace kernscope::mil {

struct WireBytes;
struct WireState;

/// Extents that an axis may have, both included.
struct AxisRange {
    static constexpr std::int64_t kNoEnd = -1;
    std::int64_t first = 0, last = kNoEnd; ///< kNoEnd: without an upper end
};

/// An input, an output or a state as an app sees it.
struct ModelFeature {
    std::string name;
    std::string words; ///< of its author; often empty
    std::string kind; ///< "multiArray", "image", "string", … (resources/tables/feature_types.csv)
    std::string detail; ///< of images their pixels ("RGB"), of dictionaries the kind of their keys
    ElementType element = ElementType::Unknown; ///< of arrays
    /// The default shape; of images [height, width]. Empty: a scalar, or it is not said.
    std::vector<std::int64_t> shape;
    std::vector<std::vector<std::int64_t>> allowed; ///< the only shapes; empty: not enumerated
    std::vector<AxisRange> ranges;                  ///< of each axis; empty: no ranges
    bool optional = false;

    /// "fp32 [1, 32]", "fp32" (no shape is said), "image RGB 224 x 448" (width by height),
    /// "dictionary string".
    std::string typeText() const;
    /// "[1, 3, 224, 224] or [1, 3, 448, 448]", "[1, 1 to 512]", "[1, 1 and more]"; empty: its
    /// shape.
    std::string allowedText() const;
};

/// A function as an app sees it; of a model without several functions the only one, without a name.
struct FunctionDescription {
    std::string name;
    std::vector<ModelFeature> inputs, outputs, states;
    std::string predictedFeature, predictedProbabilities; ///< of classifiers
};

struct ModelDescription {
    std::string model; ///< of a pipeline: "detector", "outer/inner"; empty: the outermost one
    std::vector<FunctionDescription> functions;
    std::string defaultFunction;     ///< that runs where the app names none; empty: it is not said
    std::vector<std::string> labels; ///< of classifiers that are no programs: their classes
    /// The texts of its metadata as "shortDescription", "version", "author" and "license", and the
    /// pairs of its user-defined map, in the order of the file. Empty texts are left out, as is
    /// what lies beyond 1 MiB of text.
    std::vector<std::pair<std::string, std::string>> metadata;
};

/// The function of that name, or the only one where it has no name; null where there is none.
const FunctionDescription *findFunction(const std::vector<ModelDescription> &descriptions,
                                        std::string_view model, std::string_view function);

/// The description message of a Model, and the labels in the content of one that is a classifier
/// (empty: none). What follows a fault is left out: the program's reader has reported it; text that
/// is not UTF-8 is reported here.
ModelDescription readDescription(const WireBytes &message, const WireBytes &classifier,
                                 WireState &told);
/// Of a compiled model's metadata.json, a list of one object a model. Nothing where it is no JSON
/// of the known form or larger than 1 MiB.
ModelDescription readCompiledDescription(std::span<const std::byte> json);
/// The kinds of the models of a compiled pipeline by its metadata.json, in their order:
/// "mlProgram", "glmRegressor". Nothing where it does not say them.
std::vector<std::string> readCompiledKinds(std::span<const std::byte> json);

} // namespace kernscope::mil
