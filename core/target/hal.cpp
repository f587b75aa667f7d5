// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/target/hal.h"

#include "core/target/registry.h"

#include <algorithm>

#include <fmt/format.h>

namespace kernscope::target {

std::string_view halLayoutName(HalLayout layout)
{
    return layout == HalLayout::Chapters ? "9.509" : "10.26.6";
}

std::string halOffsetText(HalOffset offset)
{
    return fmt::format("{:#05x}", offset.value);
}

std::span<const HalField> halFields()
{
    return Registry::get().fields;
}

const HalField *halField(HalLayout layout, HalOffset offset)
{
    const auto fields = halFields();
    const auto at = std::find_if(fields.begin(), fields.end(), [&](const HalField &field) {
        return field.layout == layout && field.offset == offset;
    });
    return at == fields.end() ? nullptr : &*at;
}

std::vector<const HalField *> findHalFields(HalLayout layout, std::string_view text)
{
    const std::string wanted = lowerCase(text);
    std::vector<const HalField *> found;
    for (const HalField &field : halFields()) {
        if (field.layout == layout && lowerCase(field.name).find(wanted) != std::string::npos)
            found.push_back(&field);
    }
    return found;
}

const HalValue *halValue(const Target &target, HalLayout layout, HalOffset offset)
{
    const Registry &registry = Registry::get();
    if (target.index >= registry.valueOf.size())
        return nullptr;
    const auto &known = registry.valueOf[target.index];
    const auto at = known.find(halKey(layout, offset));
    return at == known.end() ? nullptr : &registry.values[at->second];
}

std::optional<bool> halBit(const Target &target, HalOffset offset)
{
    const HalValue *value = halValue(target, HalLayout::Chapters, offset);
    if (!value || !value->number)
        return std::nullopt;
    return (*value->number & 1) != 0;
}

std::span<const ChipFact> chipFacts()
{
    return Registry::get().facts;
}

} // namespace kernscope::target
