// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/target/hal.h"

#include "core/target/registry.h"

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

DmaFormat checkDmaFormat(const Target &target, format::TensorFormat tensorFormat)
{
    constexpr std::uint32_t kFirstWithByte = 0xb;
    if (tensorFormat.value < kFirstWithByte)
        return {std::nullopt, true};
    const format::CatalogueRow *row = format::find(tensorFormat);
    if (row == nullptr || !row->capabilityByte)
        return {};
    const HalOffset byte{*row->capabilityByte};
    return {byte, halBit(target, byte)};
}

} // namespace kernscope::target
