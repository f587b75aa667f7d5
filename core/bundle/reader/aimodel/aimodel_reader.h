// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/reader/container_reader.h"

namespace kernscope {

/// A Core AI package: a folder with main.mlirb, metadata.json and main.hash, or a lone main.mlirb.
/// Codes: those of mlir::readModule and aimodel::readMetadata, "aimodel.constant", "aimodel.form"
/// (of weights), and the findings "aimodel.hash", "aimodel.no_hash", "aimodel.asset_version",
/// "aimodel.producer", "aimodel.no_metadata", "aimodel.author_paths", "aimodel.operation",
/// "aimodel.one_code_a_byte", "aimodel.constant_long", "aimodel.mixed_scale",
/// "aimodel.sparse_vectors", "aimodel.absent_not_zero".
const ContainerReader &aimodelReader();

} // namespace kernscope
