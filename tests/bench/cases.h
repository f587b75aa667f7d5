// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/form/encoding.h"
#include "tests/bench/huge_buffer.h"

#include <cstdint>
#include <functional>
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

using Buffer = std::shared_ptr<HugeBuffer<std::byte>>;

/// A whole decoder of parts, which are kept as long as the case.
Case decoderCase(std::string name, double wanted, const codec::Encoding &encoding,
                 std::vector<Buffer> parts, std::span<std::uint16_t> out,
                 std::function<void()> plain = {});

/// Decoders write into `out`, which is reused for all of them.
std::vector<Case> decodeCases(std::span<std::uint16_t> out);
std::vector<Case> encodeCases();
/// Decoders of vectors of codebooks and of the slices of engines, into `out`.
std::vector<Case> orderCases(std::span<std::uint16_t> out);
/// Two builds of one weight: every figure of a comparison, and the same bytes twice.
std::vector<Case> compareCases();
/// Counting decoded values, from which every figure of statistics and histograms follows.
std::vector<Case> statisticsCases();

/// Prints what the memory allows and the table of codecs: each as a share of that limit, and
/// against memcpy of the same fp16 bytes. Medians of interleaved rounds, buffers warm, reused and
/// out of cache, one thread but where the row says two. Returns how many rows stay below what is
/// wanted. `only`: the rows whose name contains it.
int printRatios(std::string_view only = {});

/// Prints what each method of encoding loses against the plainest encoder at the same bytes, and
/// how fast it is: on weights with normal and Laplace distributions, and on those of a bundle.
/// `bundle`: empty for the largest weights of the dense silero network below $KERNSCOPE_DATA, if it
/// is there. Inputs are made up: rectified, correlated, of log-normal power. Returns how many rows
/// lose more than the plain encoder.
int printErrors(std::string_view bundle = {});

} // namespace kernscope::bench
