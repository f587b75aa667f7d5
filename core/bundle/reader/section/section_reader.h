// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/reader/container_reader.h"

namespace kernscope {

/// A weight section (.ksec): each weight of its units. Codes: those of section::readSection, and
/// "section.form" (a warning: a unit that cannot be decoded).
const ContainerReader &sectionReader();

} // namespace kernscope
