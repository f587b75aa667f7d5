// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tests/bench/huge_buffer.h"

#include <functional>
#include <string_view>
#include <vector>

namespace kernscope::bench {

/// What the machine's memory allows, measured: how fast a result can be written and input read at
/// all, without any work between.
class Limits
{
public:
    /// `bytes`: the largest result and the largest input that rows have. Measures every kind of
    /// store on a result of that size and keeps the fastest for fill().
    explicit Limits(std::size_t bytes);

    /// Writes `bytes` of the result with the fastest kind of store.
    void fill(std::size_t bytes) { m_stores[m_best].fill(m_out.data(), bytes); }
    /// Reads `bytes` of input that no cache holds.
    void read(std::size_t bytes);
    /// memcpy of `bytes` of input to the result.
    void copy(std::size_t bytes);
    /// Half of the work in a second thread.
    void fillByTwo(std::size_t bytes);
    void readByTwo(std::size_t bytes);

    /// Share of the best fill that memcpy reaches.
    double copyShare() const { return m_copyRate / m_stores[m_best].rate; }
    /// Prints a line for each kind of store, reading and memcpy, in GB/s.
    void print() const;

private:
    struct Store {
        std::string_view name;
        std::function<void(std::byte *, std::size_t)> fill;
        double rate = 0; ///< bytes/s
    };
    HugeBuffer<std::byte> m_in;
    HugeBuffer<std::byte> m_out;
    std::vector<Store> m_stores;
    std::size_t m_best = 0;
    double m_readRate = 0; ///< bytes/s
    double m_copyRate = 0; ///< bytes/s
};

} // namespace kernscope::bench
