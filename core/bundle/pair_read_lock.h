// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/overlaid_file.h"
#include "core/bundle/bundle.h"

#include <algorithm>
#include <array>
#include <shared_mutex>

namespace kernscope {

/// Holds the files of two or more bundles for reading. Two snapshots of one bundle share their
/// files, and a mutex must not be locked twice by one thread: each is taken once, in one order.
class PairReadLock
{
public:
    PairReadLock(const Bundle &a, const Bundle &b)
        : PairReadLock(std::array<const Bundle *, 2>{&a, &b})
    {
    }
    explicit PairReadLock(std::span<const Bundle *const> bundles)
    {
        std::vector<std::shared_mutex *> mutexes;
        for (const Bundle *bundle : bundles) {
            for (const BundleFile &file : bundle->files())
                mutexes.push_back(&file.file->mutex());
        }
        std::sort(mutexes.begin(), mutexes.end(), std::less<>());
        mutexes.erase(std::unique(mutexes.begin(), mutexes.end()), mutexes.end());
        for (std::shared_mutex *mutex : mutexes)
            m_locks.emplace_back(*mutex);
    }

private:
    std::vector<std::shared_lock<std::shared_mutex>> m_locks;
};

} // namespace kernscope
