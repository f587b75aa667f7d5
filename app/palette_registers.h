// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/palette_index.h"
#include "widgets/common/session.h"

namespace kernscope::app {

/// The registers that the tasks of a hardware container write, and their fields: "Common ConvCfg",
/// "Common ConvCfg Ox". Each goes to its place in the task of the common position, or in the first
/// task that writes it. Reads every task once; empty where the bundle is no hardware container.
PaletteIndex::Group registersOf(const BundlePtr &bundle, ui::Session &session, QObject *origin);

} // namespace kernscope::app
