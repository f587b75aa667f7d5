// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/reader/container_reader.h"

/// The readers of all kinds of containers; each has the codes that its tables' reader has, and
/// those that are named here.
namespace kernscope {

/// A compiled model: a folder with model.mil. Codes: those of mil::readProgramText, BlobTable,
/// FormReader and milblob::readBlobFile.
const ContainerReader &compiledModelReader();

/// A package: a folder with Manifest.json, which names a serialised Model. Codes: those of
/// mil::modelPathFromManifest and mil::readModelProtobuf, and those above.
const ContainerReader &modelPackageReader();

/// A lone program, as text or as a serialised Model; a network or a pipeline of the latter. Weight
/// files beside it that it names are opened too.
const ContainerReader &programReader();

/// A Core AI package: a folder with main.mlirb, metadata.json and main.hash, or a lone main.mlirb.
/// Codes: those of mlir::readModule and aimodel::readMetadata, "aimodel.constant", "aimodel.form"
/// (of weights), and the findings "aimodel.hash", "aimodel.no_hash", "aimodel.asset_version",
/// "aimodel.producer", "aimodel.no_metadata", "aimodel.author_paths", "aimodel.operation",
/// "aimodel.one_code_a_byte", "aimodel.constant_long", "aimodel.mixed_scale",
/// "aimodel.sparse_vectors", "aimodel.absent_not_zero", "aimodel.joined_casts",
/// "aimodel.negative_axis".
const ContainerReader &aimodelReader();

/// A compiled Core AI program: a folder with a .odix and mostly a .dbginfo, or the .odix alone.
const ContainerReader &odixReader();

/// A hardware container (.hwx). Codes: those of hwx::readContainer, and "hwx.slices".
const ContainerReader &hardwareReader();

/// An image in the form that a Linux driver loads (.anec). Codes: those of anec::readAnec, and
/// "hwx.slices".
const ContainerReader &anecReader();

/// A weight section (.ksec): each weight of its units. Codes: those of section::readSection, and
/// "section.form" (a warning: a unit that cannot be decoded).
const ContainerReader &sectionReader();

/// A lone weight file: each record is a weight of its own, one row of elements. Codes: those of
/// milblob::readBlobFile.
const ContainerReader &blobReader();

/// A folder that `quantize` wrote: quantize.json, data.bin, and exp.bin or scale.bin and
/// offset.bin. Code: "quantize.manifest". Matrices in boxes are named and not read ("layout", a
/// warning).
const ContainerReader &quantizedReader();

/// A file of the format to copy (skeleton.h): one dense weight. Not in the registry; tests open it
/// with OpenOptions::reader.
const ContainerReader &skeletonReader();

/// Checkpoints of training frameworks, read only: the other side of a comparison and the source of
/// a patch's values.
namespace checkpoint {

/// .safetensors: a length of eight bytes, a JSON header, tensors (huggingface/safetensors).
/// Codes: "safetensors.header", "safetensors.tensor" (one tensor that cannot be read),
/// "safetensors.set" (tensors that are a weight and are not read as one),
/// "safetensors.cut", "safetensors.layout" (a warning: what the format's library refuses),
/// "safetensors.index" (it and the files differ), "safetensors.shard" (a file that is not read),
/// "checkpoint.limit".
const ContainerReader &safetensorsReader();

/// .npz and lone .npy: arrays of NumPy, stored or deflated. Codes: those of archive::readZip and
/// readNpyLayout, "npz.array" (one array that cannot be read), "checkpoint.limit".
const ContainerReader &npzReader();

} // namespace checkpoint

} // namespace kernscope
