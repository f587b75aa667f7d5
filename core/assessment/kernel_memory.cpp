// SPDX-License-Identifier: GPL-3.0-or-later
// Caps on kernel memory.
#include "core/assessment/stream.h"

#include "core/target/rules.h"

#include <algorithm>

namespace kernscope::decision {

KernelMemory kernelMemoryCap(const target::Target &target, bool streamed,
                             std::optional<unsigned> cores)
{
    KernelMemory memory;
    memory.offset = streamed ? target::hal::kStreamedCap : target::hal::kDenseCap;
    const target::HalValue *cap =
        target::halValue(target, target::HalLayout::Chapters, memory.offset);
    if (!cap) {
        const auto later = streamed ? target::hal::kLaterStreamedCap : target::hal::kLaterDenseCap;
        cap = target::halValue(target, target::HalLayout::Later, later);
        if (cap) {
            memory.layout = target::HalLayout::Later;
            memory.offset = later;
        }
    }
    if (cap && cap->number && *cap->number > 0) {
        memory.cap = static_cast<std::uint64_t>(*cap->number);
        memory.source = cap->source;
    }
    // Where the cores do not share one kernel memory, every core has a copy (chapter 25).
    memory.replicated = !target::sharesKernelMemory(target).value_or(true);
    memory.cores = cores;
    const target::TargetRule *rule = target::targetRule(target, "kernel_memory");
    memory.contested = rule && rule->confidence == format::Confidence::Contested;
    memory.atMost = !memory.replicated && (!rule || !cores);
    return memory;
}

KernelMemory withDemand(KernelMemory memory, const std::optional<std::uint64_t> &weight)
{
    if (!weight)
        return memory;
    const std::uint64_t bytes = *weight;
    const std::uint64_t cores = std::max(memory.cores.value_or(1), 1U);
    const auto demandOf = [&](std::uint64_t share) {
        return bytes / share + (bytes % share == 0 ? 0 : 1);
    };
    const std::uint64_t demand = demandOf(memory.replicated || memory.atMost ? 1 : cores);
    memory.demand = demand;
    if (memory.contested && memory.cores)
        memory.otherDemand = demandOf(memory.replicated ? cores : 1);
    if (memory.cap) {
        memory.fits = demand <= *memory.cap;
        if (memory.atMost && !*memory.fits)
            memory.fits.reset(); // a share of it may fit
        if (memory.otherDemand)
            memory.otherFits = *memory.otherDemand <= *memory.cap;
        memory.sublayers =
            std::max<std::uint64_t>(1, demand / *memory.cap + (demand % *memory.cap == 0 ? 0 : 1));
    }
    return memory;
}

} // namespace kernscope::decision
