// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/container/hwx/container.h"
#include "core/container/hwx/slots.h"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace kernscope::cli {

/// The whole of a container, for people: header, commands, segments, ports, tasks (with their
/// registers where asked for), lanes, slots and kernels.
std::string hwxText(const hwx::Container &container, std::span<const std::byte> bytes,
                    const std::string &name, bool registers);

/// The tasks of it: shapes, header, registers, lanes.
std::string hwxTasksText(const hwx::Container &container, std::span<const std::byte> bytes,
                         bool registers);

/// Slots with the words that a loader would write.
std::string hwxLoadText(const std::vector<hwx::Slot> &places,
                        const std::vector<hwx::LoadedSlot> &loaded);

} // namespace kernscope::cli
