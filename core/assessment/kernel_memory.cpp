// SPDX-License-Identifier: GPL-3.0-or-later
// Caps on kernel memory, and the measured speed-ups.
#include "core/assessment/stream.h"

#include "core/format/tables.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace kernscope::decision {

namespace {

struct SpeedupRow {
    std::string target, form, measurement, condition, source;
    double low = 0, high = 0;
    format::Confidence confidence = format::Confidence::Documented;
};

const std::vector<SpeedupRow> &speedupRows()
{
    static const std::vector<SpeedupRow> speedups = [] {
        std::vector<SpeedupRow> rows;
        const auto table = tables::load("speedups");
        for (std::size_t i = 0; table && i < table->rows(); ++i) {
            SpeedupRow row;
            row.target = table->cell(i, "target");
            row.form = table->cell(i, "form");
            row.measurement = table->cell(i, "measurement");
            row.condition = table->cell(i, "condition");
            row.source = table->cell(i, "source");
            row.low = parseNumber(table->cell(i, "low")).value_or(0);
            row.high = parseNumber(table->cell(i, "high")).value_or(0);
            row.confidence = format::confidenceFromName(table->cell(i, "confidence"));
            rows.push_back(std::move(row));
        }
        return rows;
    }();
    return speedups;
}

/// The M6 and M4 figures are by share of zeros: the nearest of those that were measured.
std::string sparseKey(const WeightForm &form)
{
    return fmt::format("sparse{}", densityClass(form));
}

bool speaksOf(const SpeedupRow &row, const WeightForm &form, const std::string &key)
{
    if (row.form == key)
        return true;
    if (!form.masked)
        return false;
    return key == "sparse" ? row.form == sparseKey(form)
                           : key == "sparse+palette4" && row.form == "sparse50+palette4";
}

void addTo(std::string &list, const std::string &text)
{
    if (list.find(text) == std::string::npos)
        list += (list.empty() ? "" : "; ") + text;
}

} // namespace

int densityClass(const WeightForm &form)
{
    const double zeros = form.density ? 100 * (1 - *form.density) : 0;
    return zeros < 62.5 ? 50 : zeros < 82.5 ? 75 : 90;
}

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
    // The M1 lowers to the per-core layout: every core has a copy (chapter 25). From the A14 on
    // the cores share one kernel memory, each holding its part.
    memory.replicated = target.family == "A13";
    memory.cores = cores;
    return memory;
}

KernelMemory withDemand(KernelMemory memory, std::uint64_t bytes)
{
    const std::uint64_t share = memory.replicated ? 1 : std::max(memory.cores.value_or(1), 1U);
    memory.demand = bytes / share + (bytes % share == 0 ? 0 : 1);
    if (memory.cap) {
        memory.fits = memory.demand <= *memory.cap;
        memory.sublayers = std::max<std::uint64_t>(
            1, memory.demand / *memory.cap + (memory.demand % *memory.cap == 0 ? 0 : 1));
    }
    return memory;
}

std::optional<Speedup> measuredSpeedup(const WeightForm &form, const target::Target &target,
                                       Outcome outcome)
{
    if (outcome != Outcome::Streams && outcome != Outcome::Folds)
        return std::nullopt;
    // A figure of a form that streams says nothing of one that a stride made fold.
    const std::string key = form.key();
    std::optional<Speedup> found;
    for (const SpeedupRow &row : speedupRows()) {
        if (row.target != target.name || !speaksOf(row, form, key))
            continue;
        const bool ratio = row.measurement == "latency_ratio_vs_fp16";
        if (!ratio && !row.measurement.starts_with("speedup_vs_"))
            continue;
        if (row.low <= 0 || row.high <= 0)
            continue;
        const double low = ratio ? 1 / row.high : row.low;
        const double high = ratio ? 1 / row.low : row.high;
        if (outcome == Outcome::Folds && high > 1.05)
            continue;
        if (!found)
            found = Speedup{low, high, {}, {}, row.confidence};
        found->low = std::min(found->low, low);
        found->high = std::max(found->high, high);
        addTo(found->condition, row.condition);
        addTo(found->source, row.source);
    }
    return found;
}

} // namespace kernscope::decision
