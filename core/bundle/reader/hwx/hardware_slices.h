// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/bundle_fwd.h"
#include "core/container/hwx/kernels.h"
#include "core/lanes/layout.h"

/// Private to the readers of hardware images: the slices that the tasks of a hardware container
/// load.
namespace kernscope {

/// What a task says about the coefficients that it loads.
struct KernelFacts {
    std::uint32_t format = 2, paletteBits = 0;
    bool palette = false, sparse = false;
    std::optional<std::uint32_t> lanesLog2;
    lanes::WeightExtents geometry;
    bool shapeKnown = false;
    friend bool operator==(const KernelFacts &, const KernelFacts &) = default;
};

/// The slices that one or several tasks load.
struct SliceBlock {
    std::string name;              ///< of the kernel's symbol: "K<hash>"
    bool table = false;            ///< an activation table
    std::vector<ByteRange> slices; ///< by lane, in the file
    KernelFacts facts;
    std::size_t text = 0;
    std::uint32_t stream = 0;
    std::vector<Consumer> consumers;
    std::vector<std::vector<ByteRange>> copies; ///< the same slices for another stream
};

/// In the order of the first tasks that load them. Slices past the file are left out, with a row.
std::vector<SliceBlock> sliceBlocks(const hwx::Container &container,
                                    std::span<const std::byte> bytes, const std::string &file,
                                    Diagnostics &diagnostics);

} // namespace kernscope
