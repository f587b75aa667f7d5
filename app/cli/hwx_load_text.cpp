// SPDX-License-Identifier: GPL-3.0-or-later
// `hwx --load-at`: the load plan of a container, as the Relocations dock computes it.
#include "app/cli/hwx_text.h"
#include "app/cli/text_output.h"
#include "core/report/task_table.h"

#include <algorithm>

#include <fmt/format.h>

namespace kernscope::cli {

std::string hwxLoadText(const std::vector<hwx::Slot> &places,
                        const std::vector<hwx::LoadedSlot> &loaded)
{
    const auto changed = std::count_if(loaded.begin(), loaded.end(),
                                       [](const auto &each) { return each.changes(); });
    return heading("Load plan") +
           terminalText(
               textTable(report::loadedSlotTable(), report::loadedSlotRows(places, loaded))) +
           fmt::format("\n  {} of {} slots change; of the others the engine adds the aperture "
                       "itself, or the reason is named\n",
                       changed, loaded.size());
}

} // namespace kernscope::cli
