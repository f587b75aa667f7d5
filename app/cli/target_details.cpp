// SPDX-License-Identifier: GPL-3.0-or-later
// `targets --bytes`: the hardware-abstraction table of one chip and what else is known of it.
#include "app/cli/chips.h"
#include "app/cli/engine.h"
#include "app/cli/text_output.h"
#include "core/report/engine_json.h"
#include "core/target/hal.h"
#include "core/target/rules.h"

#include <fmt/format.h>

namespace kernscope::cli {

namespace {

std::string halText(const target::Target &target)
{
    std::string text;
    for (const target::HalLayout layout : {target::HalLayout::Chapters, target::HalLayout::Later}) {
        Table table({{"offset"},
                     {"field", Table::Align::Name},
                     {"kind"},
                     {"value", Table::Align::Right},
                     {"known for"},
                     {"source", Table::Align::Name}});
        std::size_t unknown = 0;
        for (const target::HalField &field : target::halFields()) {
            if (field.layout != layout)
                continue;
            const report::HalShown shown = report::halShown(target, field);
            if (shown.scope.empty() && !field.isByte) { // bytes decide: unknown ones are shown
                ++unknown;
                continue;
            }
            table.add({target::halOffsetText(field.offset), field.name,
                       field.isByte ? "byte" : "scalar", shown.text, shown.scope, shown.source});
        }
        text += heading(fmt::format("Table of compiler {}", target::halLayoutName(layout))) +
                table.text();
        if (unknown > 0)
            text += fmt::format("  and {} scalars whose value is not known (--json)\n", unknown);
    }
    return text;
}

std::string floorsText(const target::Target &target)
{
    Table table({{"floor"}, {"family"}, {"reached"}, {"operations"}, {"source"}});
    for (const target::FamilyFloor &floor : target::familyFloors())
        table.add({floor.floor, floor.family, yesNo(target::reachesFloor(target, floor)),
                   floor.operations, floor.source});
    return heading("MinimumFamily floors") + table.text();
}

std::string otherFactsText(const target::Target &target)
{
    Table table({{"place"}, {"fact"}, {"value"}, {"source", Table::Align::Name}});
    for (const target::ChipFact &fact : target::chipFacts()) {
        if (fact.target == target.name || fact.target == "*")
            table.add({fact.place, fact.name, fact.value, fact.source});
    }
    for (const target::TargetRule &rule : target::targetRules()) {
        if (target::targetRule(target, rule.rule) == &rule)
            table.add({"rule", rule.rule, rule.value, rule.source});
    }
    return table.empty() ? std::string() : heading("Facts and rules") + table.text();
}

} // namespace

std::string targetDetailsText(const target::Target &target)
{
    const auto readings = format::readingsAbout(target.name);
    return halText(target) + floorsText(target) + otherFactsText(target) +
           (readings.empty() ? std::string() : heading("Contested") + readingsText(readings));
}

} // namespace kernscope::cli
