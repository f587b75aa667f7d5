// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/error_builder.h"
#include "core/base/little_endian.h"
#include "core/container/hwx/slots.h"

#include <algorithm>

#include <fmt/format.h>

namespace kernscope::hwx {

namespace {

Error slotError(std::string_view code, const Slot *slot, std::string expected, std::string found,
                std::string message)
{
    ErrorBuilder error(code);
    error.expected(std::move(expected)).found(std::move(found)).message(std::move(message));
    if (slot != nullptr)
        return error.at(slot->place).field(slot->registerName);
    return error.field("device address");
}

std::array<std::uint32_t, 2> wordsOf(std::uint64_t value)
{
    return {static_cast<std::uint32_t>(value), static_cast<std::uint32_t>(value >> 32)};
}

/// Device address of a slot's target, by a plan.
Result<std::uint64_t> targetAddress(const Container &container, const Slot &slot,
                                    const LoadPlan &plan)
{
    const std::uint64_t start = imageStart(container);
    if (!slot.target.address || *slot.target.address < start)
        return tl::unexpected(slotError("slot.target", &slot, "a target whose address is known",
                                        slot.target.name,
                                        "nothing in the file says where this target lies"));
    const auto sum = checkedAdd(plan.base, *slot.target.address - start);
    if (!sum)
        return tl::unexpected(slotError("slot.range", &slot, "an address below 2^42", {},
                                        "the target's address wraps around"));
    return *sum;
}

/// A one-word record counts from its target's aperture: loading leaves it alone.
bool staysRelative(const Slot &slot)
{
    return slot.kind == SlotKind::Aperture ||
           (slot.kind == SlotKind::Relocation && slot.words == 1);
}

void loadSlot(const Container &container, const Slot &slot, const LoadPlan &plan,
              LoadedSlot &loaded)
{
    const auto target = targetAddress(container, slot, plan);
    if (!target) {
        loaded.fault = target.error();
        return;
    }
    const auto sum = checkedAdd(*target, slot.stored);
    const std::uint64_t address = sum.value_or(UINT64_MAX);
    if (auto sound = checkDeviceAddress(address); !sound) {
        loaded.fault = std::move(sound.error());
        loaded.fault->offset = slot.place;
        return;
    }
    loaded.deviceAddress = address;
    if (staysRelative(slot))
        return;
    if (slot.words == 1 && address > UINT32_MAX) {
        loaded.fault =
            slotError("slot.range", &slot, "an address of 32 bits", fmt::format("{:#x}", address),
                      "a slot of one word cannot hold this address");
        return;
    }
    loaded.after = wordsOf(address);
}

void stripSlot(const Container &container, const Slot &slot, const LoadPlan &plan,
               LoadedSlot &loaded)
{
    const auto target = targetAddress(container, slot, plan);
    if (!target) {
        loaded.fault = target.error();
        return;
    }
    if (staysRelative(slot))
        return;
    if (slot.stored < *target) {
        loaded.fault =
            slotError("slot.range", &slot, fmt::format("{:#x} or more", *target),
                      fmt::format("{:#x}", slot.stored), "the slot holds no address of this load");
        return;
    }
    loaded.deviceAddress = slot.stored;
    loaded.after = wordsOf(slot.stored - *target);
}

template <class Step>
std::vector<LoadedSlot> forEach(const std::vector<Slot> &places, const Step &step)
{
    std::vector<LoadedSlot> all;
    all.reserve(places.size());
    for (std::size_t i = 0; i < places.size(); ++i) {
        LoadedSlot loaded;
        loaded.slot = i;
        loaded.before = loaded.after = wordsOf(places[i].stored);
        step(places[i], loaded);
        all.push_back(std::move(loaded));
    }
    return all;
}

} // namespace

Result<void> checkDeviceAddress(std::uint64_t address)
{
    if ((address >> kDeviceAddressBits) != 0)
        return tl::unexpected(slotError("slot.range", nullptr, "an address below 2^42",
                                        fmt::format("{:#x}", address),
                                        "a device address has 42 bits"));
    if (address % kDeviceAddressAlign != 0)
        return tl::unexpected(slotError("slot.alignment", nullptr, "a multiple of 64",
                                        fmt::format("{:#x}", address),
                                        "a device address is aligned to 64 bytes"));
    return {};
}

std::uint64_t imageStart(const Container &container)
{
    std::optional<std::uint64_t> lowest;
    for (const Segment &segment : container.segments) {
        // The guard page at address 0 has no contents and no sections.
        const bool guard = segment.vmAddress == 0 && !segment.hasBytes();
        if (!guard)
            lowest = std::min(lowest.value_or(segment.vmAddress), segment.vmAddress);
    }
    return lowest.value_or(0);
}

std::vector<LoadedSlot> computeLoad(const Container &container, const std::vector<Slot> &places,
                                    const LoadPlan &plan)
{
    return forEach(places, [&](const Slot &slot, LoadedSlot &loaded) {
        loadSlot(container, slot, plan, loaded);
    });
}

std::vector<LoadedSlot> computeStrip(const Container &container, const std::vector<Slot> &places,
                                     const LoadPlan &plan)
{
    return forEach(places, [&](const Slot &slot, LoadedSlot &loaded) {
        stripSlot(container, slot, plan, loaded);
    });
}

} // namespace kernscope::hwx
