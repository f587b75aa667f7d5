// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/reader/checkpoint/tensor_weight.h"

#include <string>
#include <string_view>
#include <vector>

/// Private to checkpoints: codes and scales that are stored as tensors of their own
/// (formats/sources.md).
namespace kernscope::checkpoint {

/// What a folder of MLX says of its codes.
inline constexpr std::string_view kConfigName = "config.json";

/// Adds a weight for each set of tensors that are one quantised matrix, and takes them out of the
/// list: fp8 and int8 with scales (compressed-tensors, DeepSeek, MXFP8), packed integers of 1 to 8
/// bits (compressed-tensors), with zero points, MXFP4 as blocks and scales, packed or plain, NVFP4
/// with a scale of all (packed, which it divides, or ModelOpt, which multiplies), MLX (affine,
/// mxfp4, mxfp8, nvfp4). Bits, groups and blocks are those that config.json says where it does.
/// Sets that do not fit each other stay what they are, and sets that are known but not read or
/// whose layout stays open: these are noted in the log ("safetensors.set"), once a kind. Values are
/// fp32: codes by scales, before any rounding of a runtime.
void addScaledTensors(std::vector<StoredTensor> &tensors, const std::vector<BundleFile> &files,
                      const std::string &sourceOp, ContainerContents &out);

} // namespace kernscope::checkpoint
