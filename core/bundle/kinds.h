// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string_view>

namespace kernscope {

/// What was opened.
enum class BundleKind : std::uint8_t {
    Mlmodelc,
    Mlpackage,
    MilBlob,
    MilText,
    Hwx,
    Anec,
    Section,
    Quantized,   ///< a folder that `quantize` wrote
    Network,     ///< a lone .mlmodel that is a neural network of the kind before programs
    Pipeline,    ///< a lone .mlmodel that is a pipeline
    Safetensors, ///< a checkpoint, read only
    Npz,         ///< an archive of NumPy arrays, read only
    Aimodel,     ///< a Core AI package
    Aimodelx,    ///< a compiled Core AI program
    Unknown,
    Model ///< a lone .mlmodel of a kind whose content is not read (trees, neighbours, …)
};
/// "mlmodelc", "mlpackage", "milblob", "mil", "hwx", "anec", "section", "quantized", "network",
/// "pipeline", "model", "safetensors", "npz", "aimodel", "aimodelx", "unknown".
std::string_view bundleKindName(BundleKind kind);

/// What a run of bytes is for; each has a colour token (window.md, Tokens).
enum class SectionKind : std::uint8_t {
    Header,
    Metadata,
    Program,
    Data,
    Indices,
    Codebook,
    Mask,
    Values,
    Scale,
    ZeroPoint,
    Manifest, ///< JSON and other files that describe the bundle
    Padding,
    Unknown,
};
/// "header", "metadata", "program", "data", "indices", "codebook", "mask", "values", "scale",
/// "zero_point", "manifest", "padding", "unknown".
std::string_view sectionKindName(SectionKind kind);

} // namespace kernscope
