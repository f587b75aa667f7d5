// SPDX-License-Identifier: GPL-3.0-or-later
// `targets --bytes`: the hardware-abstraction table of one chip and what else is known of it.
#include "app/cli/chips.h"
#include "app/cli/engine.h"
#include "app/cli/text_output.h"
#include "core/report/chip_table.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace kernscope::cli {

namespace {

std::string halText(const target::Target &target)
{
    std::string text;
    for (const target::HalLayout layout : {target::HalLayout::Chapters, target::HalLayout::Later}) {
        const std::string_view name = target::halLayoutName(layout);
        std::vector<report::TargetFact> rows;
        std::size_t unknown = 0;
        for (report::TargetFact &row : report::halRows(target)) {
            if (row.table != name)
                continue;
            if (row.value.scope.empty() && !*row.byte) // bytes decide: unknown ones are shown
                ++unknown;
            else
                rows.push_back(std::move(row));
        }
        text += heading(fmt::format("Table of compiler {}", name)) +
                terminalText(textTable(report::targetFactTable(), rows));
        if (unknown > 0)
            text += fmt::format("  and {} scalars whose value is not known (--json)\n", unknown);
    }
    return text;
}

std::string otherFactsText(const target::Target &target)
{
    const auto facts = report::placedFacts(target);
    return facts.empty() ? std::string()
                         : heading("Facts and rules") +
                               terminalText(textTable(report::placedFactTable(), facts));
}

} // namespace

std::string targetDetailsText(const target::Target &target)
{
    const auto readings = format::readingsAbout(target.name);
    return halText(target) + heading("MinimumFamily floors") +
           terminalText(textTable(report::floorTable(), report::floorRows(target))) +
           otherFactsText(target) +
           (readings.empty() ? std::string() : heading("Contested") + readingsText(readings));
}

} // namespace kernscope::cli
