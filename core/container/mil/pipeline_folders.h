// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>
#include <vector>

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
