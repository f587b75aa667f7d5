// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/error.h"

#include <cstddef>
#include <span>

namespace kernscope {

/// The path within the bundle that a blob reference means: "@model_path" replaced, "." and empty
/// parts removed. Errors: "blob.path" for absolute paths, "..", other "@" prefixes and names that
/// hold a NUL.
Result<std::string> resolveBlobPath(std::string_view written, std::string_view modelFolder);

/// What "@model_path" stands for, given the program's path: "" or "Data/com.apple.CoreML/".
std::string modelFolderOf(std::string_view programPath);

/// True where a file is the text of a program, by its first word or its name.
bool looksLikeProgramText(std::span<const std::byte> bytes, std::string_view name);
/// True where a program is a serialised Model rather than text.
bool isModelProtobuf(std::span<const std::byte> bytes, std::string_view name);

} // namespace kernscope

/// Compiled pipelines: a folder whose models lie in folders model0, model1, … within it, each as a
/// compiled model of its own (model0/model.mil, model0/weights/…), pipelines among them again.
namespace kernscope::mil {

/// A model of a compiled pipeline.
struct PipelineMember {
    std::string path; ///< "model0", "model0/model2": that of the model and of its folder
    bool program = false, network = false, pipeline = false; ///< what its folder holds
    bool metadata = false;                                   ///< a metadata.json of its own
};

/// The models that the paths of a folder's files show, in the order of their numbers, pipelines
/// before their members: at most 4,096, nested up to 16 deep.
std::vector<PipelineMember> pipelineMembers(const std::vector<std::string_view> &files);

/// True for "…/model3/": a folder that is a model of the pipeline around it.
bool isMemberFolder(std::string_view path);

} // namespace kernscope::mil
