// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/section/section.h"

#include "core/base/error_builder.h"

#include <algorithm>

#include <fmt/format.h>

namespace kernscope::section {

namespace {

Error addressError(std::string_view field, std::string expected, std::uint64_t found)
{
    return ErrorBuilder("section.address")
        .field(std::string(field))
        .expected(std::move(expected))
        .found(fmt::format("{:#x}", found))
        .message("The address cannot be loaded into a slot");
}

Result<void> fill(GroupRecord &record, std::size_t word, std::optional<std::uint64_t> address)
{
    record.words[word] = kUnresolved;
    if (!address)
        return {};
    if (*address >= kUnresolved)
        return tl::unexpected(
            addressError(recordSlots()[word - 2].name, "an address below 0xffffffff", *address));
    record.words[word] = static_cast<std::uint32_t>(*address);
    return {};
}

Result<void> relocateUnit(Unit &unit, const LoadAddresses &addresses)
{
    const auto sectionAt = [&](Kind kind) -> std::optional<std::uint64_t> {
        if (!unit.has(kind))
            return std::nullopt;
        return checkedAdd(addresses.base, unit.range(kind).offset.value);
    };
    for (GroupRecord &record : unit.records) {
        const auto weights = sectionAt(Kind::Weights);
        const auto coefficients = weights ? checkedAdd(*weights, record.offset()) : std::nullopt;
        const std::array<std::optional<std::uint64_t>, 10> targets{
            addresses.inputTile,   addresses.outputTile,   coefficients,
            std::nullopt,          std::nullopt,           std::nullopt,
            sectionAt(Kind::Bias), sectionAt(Kind::Scale), sectionAt(Kind::Pal),
            sectionAt(Kind::Lut)};
        for (std::size_t slot = 0; slot < targets.size(); ++slot) {
            if (auto filled = fill(record, slot + 2, targets[slot]); !filled)
                return filled;
        }
    }
    return {};
}

} // namespace

Result<void> relocate(WeightSection &section, const LoadAddresses &addresses)
{
    const std::array<std::pair<std::string_view, std::optional<std::uint64_t>>, 3> given{
        std::pair{"base", std::optional(addresses.base)},
        {"input tile", addresses.inputTile},
        {"output tile", addresses.outputTile}};
    for (const auto &[name, address] : given) {
        if (address && *address % kAlignment != 0)
            return tl::unexpected(addressError(name, "a multiple of 64", *address));
    }
    WeightSection changed = section;
    for (Unit &unit : changed.units) {
        if (unit.fault)
            return tl::unexpected(*unit.fault);
        if (auto done = relocateUnit(unit, addresses); !done)
            return done;
    }
    changed.flags |= kResolvedFlag;
    section = std::move(changed);
    return {};
}

void strip(WeightSection &section)
{
    for (Unit &unit : section.units) {
        for (GroupRecord &record : unit.records)
            std::fill(record.words.begin() + 2, record.words.begin() + 12, kUnresolved);
    }
    section.flags = static_cast<std::uint16_t>(section.flags & ~kResolvedFlag);
}

} // namespace kernscope::section
