// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/reader/container_reader.h"

namespace kernscope {

/// An image in the form that a Linux driver loads (.anec). Codes: those of anec::readAnec, and
/// "hwx.slices".
const ContainerReader &anecReader();

} // namespace kernscope
