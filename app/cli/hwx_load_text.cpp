// SPDX-License-Identifier: GPL-3.0-or-later
// `hwx --load-at`: the load plan of a container, as the Relocations dock computes it.
#include "app/cli/hwx_text.h"
#include "app/cli/text_output.h"

#include <array>

#include <fmt/format.h>

namespace kernscope::cli {

namespace {

std::string loadWordsText(const std::array<std::uint32_t, 2> &words, unsigned count)
{
    return count == 2 ? fmt::format("{:08x} {:08x}", words[0], words[1])
                      : fmt::format("{:08x}", words[0]);
}

} // namespace

std::string hwxLoadText(const std::vector<hwx::Slot> &places,
                        const std::vector<hwx::LoadedSlot> &loaded)
{
    Table table({{"offset", Table::Align::Right},
                 {"kind"},
                 {"register", Table::Align::Name},
                 {"role", Table::Align::Name},
                 {"target", Table::Align::Name},
                 {"before"},
                 {"after"},
                 {"remark", Table::Align::Name}});
    std::size_t changed = 0;
    for (const hwx::LoadedSlot &each : loaded) {
        const hwx::Slot &slot = places[each.slot];
        changed += each.changes() ? 1 : 0;
        table.add({fmt::format("{:#x}", slot.place.value),
                   std::string(hwx::slotKindName(slot.kind)), slot.registerName, slot.role,
                   slot.target.name, loadWordsText(each.before, slot.words),
                   each.changes() ? loadWordsText(each.after, slot.words) : "the same",
                   each.fault ? each.fault->message : ""});
    }
    return heading("Load plan") + table.text() +
           fmt::format("\n  {} of {} slots change; of the others the engine adds the aperture "
                       "itself, or the reason is named\n",
                       changed, loaded.size());
}

} // namespace kernscope::cli
