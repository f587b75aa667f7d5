// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bundle/diagnostic_log.h"
#include "core/bundle/statistics.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>

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
    std::atomic<std::size_t> next{0};
    std::mutex mutex;
    DiagnosticLog log;
    const auto work = [&] {
        for (std::size_t i = next++; i < order.size(); i = next++) {
            auto result = computeStatistics(bundle, order[i], options, progress);
            if (result)
                all.weights[order[i]] = std::move(*result);
            else if (result.error().code != "task.cancelled") {
                const std::lock_guard lock(mutex);
                log.add(Severity::Error, std::move(result.error()));
            }
        }
    };
    const std::size_t wanted = std::min<std::size_t>(
        {order.size(), std::max(1U, std::thread::hardware_concurrency()), 16});
    std::vector<std::thread> helpers;
    for (std::size_t i = 1; i < wanted; ++i)
        helpers.emplace_back(work);
    work();
    for (std::thread &helper : helpers)
        helper.join();
    all.diagnostics = log.take();
    return all;
}

} // namespace kernscope
