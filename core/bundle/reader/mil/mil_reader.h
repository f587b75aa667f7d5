// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/reader/container_reader.h"

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

} // namespace kernscope
