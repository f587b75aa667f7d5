// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/container/mil/program.h"

namespace kernscope::mil {

/// What texts that are held together have taken of the limits of one.
struct SpentOnText {
    std::size_t nodes = 0, bytes = 0;
};

/// Parses `model.mil`: the long notation (`tensor<int32, []>(1)`) and the compact one (`int32(1)`).
/// Time is linear in the text and nesting is bounded, whatever the text. Codes: "mil.syntax",
/// "mil.depth", "mil.number", "mil.string", "mil.encoding" (NUL bytes; a warning for bad UTF-8),
/// "mil.empty", "mil.cut", "mil.shape" (a negative dimension, a product beyond 64 bits),
/// "mil.count" (a literal has not as many elements as its type), "mil.limit" (more values than
/// are held in memory), "mil.type" (a warning: element type not known), "mil.more" (a note: how
/// many faults are not listed). Of names: "mil.duplicate", "mil.undefined", "mil.order" (use
/// before definition, so every cycle). A statement with a fault is left out where it cannot be
/// read, and kept where only a shape, a count or a name is wrong.
ParsedProgram readProgramText(std::span<const std::byte> text, std::string_view fileName,
                              SpentOnText *spent = nullptr);

/// Parses the protobuf `Model` of an .mlpackage. Codes: "proto.wire", "proto.depth",
/// "proto.kind" (no model, or of a kind that is not known), "proto.cut", "proto.size" (over 2 GiB),
/// "proto.value" (values that do not fit their type), "proto.block" (a function without a body),
/// "proto.opset" (a warning: no body for the function's opset), and of those above "mil.empty",
/// "mil.number", "mil.encoding", "mil.shape", "mil.count", "mil.limit", "mil.more" and those of
/// names. Opsets are named as in program text ("ios16" for "CoreML6"). Spans are positions in
/// `model`.
ParsedProgram readModelProtobuf(std::span<const std::byte> model, std::string_view fileName);

/// Manifest.json of an .mlpackage: path of the model, relative to the package.
/// Errors: "manifest.json", "manifest.root", "manifest.path" (leaves the package).
Result<std::string> modelPathFromManifest(std::span<const std::byte> manifest,
                                          std::string_view fileName);

} // namespace kernscope::mil
