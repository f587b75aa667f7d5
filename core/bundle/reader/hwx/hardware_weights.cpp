// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bundle/reader/hwx/hardware_weights.h"

#include "core/bundle/reader/hwx/hardware_block.h"

#include <algorithm>

#include <fmt/format.h>

namespace kernscope {

HardwareWeights hardwareWeights(const hwx::Container &container, std::span<const std::byte> bytes,
                                const std::string &file)
{
    HardwareWeights out;
    const auto blocks = sliceBlocks(container, bytes, file, out.diagnostics);
    std::map<std::string, std::size_t> seen;
    for (const SliceBlock &block : blocks)
        ++seen[block.name];
    std::map<std::string, std::size_t> number;
    for (const SliceBlock &block : blocks) {
        const std::string name = seen[block.name] == 1
                                     ? block.name
                                     : fmt::format("{}[{}]", block.name, number[block.name]++);
        BlockReader(container.version, block, name, bytes, out).read();
    }
    for (Diagnostic &row : out.diagnostics)
        row.error.file = file;
    std::stable_sort(
        out.claims.begin(), out.claims.end(),
        [](const ByteClaim &a, const ByteClaim &b) { return a.range.offset < b.range.offset; });
    return out;
}

} // namespace kernscope
