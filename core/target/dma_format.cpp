// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/target/dma_format.h"

namespace kernscope::target {

DmaFormat checkDmaFormat(const Target &target, format::TensorFormat tensorFormat)
{
    constexpr std::uint32_t kFirstWithByte = 0xb;
    if (tensorFormat.value < kFirstWithByte)
        return {std::nullopt, true};
    const format::CatalogueRow *row = format::find(tensorFormat);
    if (row == nullptr || !row->capabilityByte)
        return {};
    const HalOffset byte{*row->capabilityByte};
    return {byte, halBit(target, byte)};
}

} // namespace kernscope::target
