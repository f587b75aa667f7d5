// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/lanes/sparse.h"
#include "synthetic.h"

/// SYNTHETIC containers around slices of any kernel, for the laws of
/// resources/formats/kernel-bytes.md.
namespace kernscope::test {

struct MadeKernel {
    lanes::WeightExtents geometry;
    std::uint32_t lanesLog2 = 0;
    bool sparse = false;
    std::vector<lanes::Slice> slices;
};

/// fp16 bits that count up from a number.
std::vector<std::uint16_t> numbered(std::uint64_t count, std::uint16_t from);

/// A 1x1 kernel of 96 outputs and 5 inputs with biases, two planes a lane, whose every third
/// weight is zero, in the form of its slices.
struct SparseKernel {
    MadeKernel kernel;
    std::vector<std::uint16_t> weights, bias;
};
SparseKernel sparseKernel(lanes::SparseForm form);

/// H13: one task that loads these slices, end to end.
Bytes containerOf(const MadeKernel &kernel);
/// H14: two streams, whose tasks load slices of their own under one kernel's name.
Bytes twoStreams(const MadeKernel &first, const MadeKernel &second);

} // namespace kernscope::test
