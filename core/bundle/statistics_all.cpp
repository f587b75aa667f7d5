// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/parallel.h"
#include "core/bundle/bundle.h"
#include "core/bundle/diagnostic_log.h"
#include "core/bundle/statistics.h"

#include <algorithm>
#include <mutex>

namespace kernscope {

namespace {

/// Sound weights, the largest first, so that the threads end together.
std::vector<std::size_t> orderOfWork(const Bundle &bundle)
{
    const std::vector<Weight> &weights = bundle.weights();
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < weights.size(); ++i) {
        if (!weights[i].fault)
            order.push_back(i);
    }
    std::stable_sort(order.begin(), order.end(), [&weights](std::size_t a, std::size_t b) {
        return weights[a].elements > weights[b].elements;
    });
    return order;
}

} // namespace

AllStatistics computeAllStatistics(const Bundle &bundle, const StatisticsOptions &options,
                                   Progress *progress)
{
    AllStatistics all;
    all.weights.resize(bundle.weights().size());
    const std::vector<std::size_t> order = orderOfWork(bundle);
    std::mutex mutex;
    DiagnosticLog log;
    inParallel(order.size(), 0, [&](std::size_t i) {
        auto result = computeStatistics(bundle, order[i], options, progress);
        if (result) {
            all.weights[order[i]] = std::move(*result);
            return true;
        }
        if (result.error().code == "task.cancelled")
            return false;
        const std::lock_guard lock(mutex);
        log.add(Severity::Error, std::move(result.error()));
        return true;
    });
    all.diagnostics = log.take();
    return all;
}

} // namespace kernscope
