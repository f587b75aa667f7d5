// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

/// Many pieces of work on several threads.
namespace kernscope {

/// Threads for `pieces` pieces of work: `asked`, or one per processor where that is 0; at most 16.
inline std::size_t threadsFor(std::size_t pieces, unsigned asked)
{
    const std::size_t processors = std::max(1U, std::thread::hardware_concurrency());
    return std::max<std::size_t>(
        1, std::min<std::size_t>({pieces, asked == 0 ? processors : asked, 16}));
}

/// Calls `work(piece, thread)` for each piece, in their order, until one returns false; those that
/// have begun are ended. Where the system gives no more threads, with those that there are. The
/// first exception of any of them ends the work and is the caller's.
template <class Work>
void onThreads(std::size_t pieces, std::size_t threads, const Work &work)
{
    std::atomic<std::size_t> next{0};
    std::once_flag first;
    std::exception_ptr failure;
    const auto run = [&](std::size_t thread) {
        try {
            for (std::size_t i = next++; i < pieces; i = next++) {
                if (!work(i, thread))
                    next = pieces;
            }
        } catch (...) {
            next = pieces;
            std::call_once(first, [&] { failure = std::current_exception(); });
        }
    };
    std::vector<std::thread> helpers;
    helpers.reserve(threads);
    try {
        for (std::size_t i = 1; i < threads; ++i)
            helpers.emplace_back(run, i);
    } catch (const std::exception &) { // the others do it
    }
    run(0);
    for (std::thread &helper : helpers)
        helper.join();
    if (failure)
        std::rethrow_exception(failure);
}

/// The same without the number of the thread; `threads` 0: one a processor.
template <class Work>
void inParallel(std::size_t pieces, unsigned threads, const Work &work)
{
    onThreads(pieces, threadsFor(pieces, threads),
              [&work](std::size_t piece, std::size_t) { return work(piece); });
}

} // namespace kernscope
