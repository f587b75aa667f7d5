// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/container/mil/program.h"

#include <cstddef>
#include <span>
#include <string_view>

namespace kernscope::mil {

/// Parses `model.mil`: the long spelling (`tensor<int32, []>(1)`) and the compact one (`int32(1)`).
/// Time is linear in the text and nesting is bounded, whatever the text. Codes: "mil.syntax",
/// "mil.depth", "mil.number", "mil.string", "mil.encoding", "mil.empty", "mil.cut".
ParsedProgram readProgramText(std::span<const std::byte> text, std::string_view fileName);

/// Parses the protobuf `Model` of an .mlpackage. Codes: "proto.wire", "proto.depth",
/// "proto.kind" (no ML program inside), "proto.cut".
ParsedProgram readModelProtobuf(std::span<const std::byte> model, std::string_view fileName);

/// Manifest.json of an .mlpackage: path of the model, relative to the package.
/// Errors: "manifest.json", "manifest.root", "manifest.path" (leaves the package).
Result<std::string> modelPathFromManifest(std::span<const std::byte> manifest,
                                          std::string_view fileName);

} // namespace kernscope::mil
