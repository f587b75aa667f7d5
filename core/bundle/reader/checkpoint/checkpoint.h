// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/reader/container_reader.h"

/// Checkpoints of training frameworks, read only: the other side of a comparison and the source of
/// a patch's values.
namespace kernscope::checkpoint {

/// .safetensors: a length of eight bytes, a JSON header, tensors (huggingface/safetensors).
/// Codes: "safetensors.header", "safetensors.tensor" (one tensor that cannot be read),
/// "checkpoint.limit".
const ContainerReader &safetensorsReader();

/// .npz and lone .npy: arrays of NumPy, stored or deflated. Codes: those of archive::readZip and
/// readNpyLayout, "npz.array" (one array that cannot be read), "checkpoint.limit".
const ContainerReader &npzReader();

} // namespace kernscope::checkpoint
