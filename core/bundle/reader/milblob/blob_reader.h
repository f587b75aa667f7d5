// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/reader/container_reader.h"

namespace kernscope {

/// A lone weight file: each record is a weight of its own, one row of elements. Codes: those of
/// milblob::readBlobFile.
const ContainerReader &blobReader();

} // namespace kernscope
