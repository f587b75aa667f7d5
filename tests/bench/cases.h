// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace kernscope::bench {

/// One row of the table: a codec at work on a tensor that no cache holds.
struct Case {
    std::string name;
    double wanted = 0;        ///< least ratio to memcpy; 0: shown only
    double wantedShare = 0;   ///< least share of what the memory allows; 0: shown only
    std::size_t elements = 0; ///< fp16 elements: memcpy moves twice as many bytes
    std::size_t read = 0;     ///< bytes of input
    std::size_t written = 0;  ///< bytes of the result
    std::function<void()> ours;
    std::function<void()> plain; ///< the plainest loop for the same; empty: none
    bool threads = false;        ///< more than one: timed by the wall clock
    std::shared_ptr<void> data;  ///< what both of them use
};

/// Decoders write into `out`, which is reused for all of them.
std::vector<Case> decodeCases(std::span<std::uint16_t> out);
std::vector<Case> encodeCases();

} // namespace kernscope::bench
