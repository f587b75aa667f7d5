// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/container/hwx/slots.h"
#include "core/descriptor/task_diff.h"
#include "core/report/json.h"

namespace kernscope::report {

/// Everything of `hwx`. The value of its key "hwx" has the keys and notations of the expected
/// answers beside the real files, and more. `bytes` are the container's, `file` its name.
/// `registers`: each task's registers with their fields.
Json hwxDocument(const hwx::Container &container, std::span<const std::byte> bytes,
                 const std::string &file, bool registers = true);

/// Words that are left for the loader: the key "relocations" of `inspect`, "relocation_slots" here.
Json hwxSlotsJson(const hwx::Container &container, std::span<const std::byte> bytes,
                  const std::string &file);

/// Everything of `hwx --load-at`: base address, start of the image, whether the addresses are taken
/// back, and what a loader would write: `[{"offset","section","task","register","role","target",
/// "before","after","changes","device_address","fault"}]`, words in hexadecimal.
Json hwxLoadDocument(const hwx::Container &container, const hwx::LoadPlan &plan, bool strip,
                     const std::vector<hwx::Slot> &places,
                     const std::vector<hwx::LoadedSlot> &loaded);

/// Tasks that differ, with their fields: the key "tasks" of `hwx --diff`.
Json hwxDifferencesJson(const std::vector<descriptor::TaskDifference> &differences);

} // namespace kernscope::report
