// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/structure_symbols.h"

#include "core/bundle/bundle.h"
#include "core/container/hwx/container.h"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

namespace kernscope::report {

namespace {

/// Things of one side by their names; a name may be there several times, then in their order.
using ByName = std::map<std::string, std::vector<std::string>>;

void addDifferent(StructureFacts::Kind kind, const ByName &a, const ByName &b,
                  std::vector<StructureFacts> &rows)
{
    static const std::vector<std::string> kNone;
    std::map<std::string,
             std::pair<const std::vector<std::string> *, const std::vector<std::string> *>>
        both;
    for (const auto &[name, texts] : a)
        both[name] = {&texts, &kNone};
    for (const auto &[name, texts] : b) {
        const auto at = both.try_emplace(name, &kNone, &kNone).first;
        at->second.second = &texts;
    }
    for (const auto &[name, sides] : both) {
        const auto &[inA, inB] = sides;
        for (std::size_t i = 0; i < std::max(inA->size(), inB->size()); ++i) {
            const std::string ofA = i < inA->size() ? (*inA)[i] : std::string();
            const std::string ofB = i < inB->size() ? (*inB)[i] : std::string();
            if (ofA != ofB)
                rows.push_back({kind, name.empty() ? "without a name" : name, ofA, ofB});
        }
    }
}

std::string sectionName(const hwx::SegmentSection &section)
{
    return section.segment + ',' + section.name;
}

ByName symbolsOf(const hwx::Container &container)
{
    ByName names;
    for (const hwx::Symbol &symbol : container.symbols) {
        const hwx::SegmentSection *section = container.section(symbol.section);
        const std::string where = section ? " in " + sectionName(*section) : std::string();
        names[symbol.name].push_back(fmt::format(
            "{} {:#x}{}{}", hwx::symbolKindName(symbol.type), symbol.value, where,
            symbol.desc == 0 ? std::string() : fmt::format(", desc {:#x}", symbol.desc)));
    }
    return names;
}

/// What a slot refers to, by name: numbers of symbols and sections move with any that is inserted.
std::string targetOf(const hwx::Container &container, const hwx::Relocation &slot)
{
    if (slot.external()) {
        return slot.symbolNumber() < container.symbols.size()
                   ? container.symbols[slot.symbolNumber()].name
                   : fmt::format("symbol {}", slot.symbolNumber());
    }
    const hwx::SegmentSection *section = container.section(slot.symbolNumber());
    return section ? sectionName(*section) : fmt::format("section {}", slot.symbolNumber());
}

ByName slotsOf(const hwx::Container &container)
{
    ByName names;
    for (const hwx::Segment &segment : container.segments) {
        for (const hwx::SegmentSection &section : segment.sections) {
            for (const hwx::Relocation &slot : section.relocations)
                names[fmt::format("{} +{:#x}", sectionName(section), slot.address)].push_back(
                    fmt::format("{}, {} B, type {}{}", targetOf(container, slot),
                                1u << slot.length(), slot.type(),
                                slot.pcRelative() ? ", relative" : ""));
        }
    }
    return names;
}

ByName portsOf(const hwx::Container &container)
{
    ByName names;
    for (const hwx::Binding &port : container.bindings)
        names[port.name].push_back(fmt::format("{:#x}", port.address));
    return names;
}

} // namespace

std::vector<StructureFacts> symbolRows(const Bundle &a, const Bundle &b)
{
    std::vector<StructureFacts> rows;
    if (!a.hardware() || !b.hardware())
        return rows;
    const hwx::Container &from = *a.hardware(), &to = *b.hardware();
    addDifferent(StructureFacts::Kind::Symbol, symbolsOf(from), symbolsOf(to), rows);
    addDifferent(StructureFacts::Kind::Slot, slotsOf(from), slotsOf(to), rows);
    addDifferent(StructureFacts::Kind::Port, portsOf(from), portsOf(to), rows);
    return rows;
}

} // namespace kernscope::report
