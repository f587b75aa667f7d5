// SPDX-License-Identifier: GPL-3.0-or-later
// Loops of plain words: measured, gathers of vectors take longer than as many loads.
#include "core/codec/kernels/map_kernels.h"

#include <cstring>

namespace kernscope::codec {

namespace {

/// Lanes of two words that differ; `ones`: the lowest bit of each lane of `bits` bits.
std::uint64_t lanesThatDiffer(std::uint64_t before, std::uint64_t after, std::uint64_t ones,
                              unsigned bits)
{
    const std::uint64_t highs = ones << (bits - 1), lows = ~highs, differs = before ^ after;
    const std::uint64_t highest = (((differs & lows) + lows) | differs) & highs;
    return ((highest >> (bits - 1)) * ones) >> (64 - bits); // the product adds the lanes up
}

} // namespace

MappedRun mapHalves(std::span<const std::byte> codes, HalfMap map, std::span<std::byte> out)
{
    constexpr std::uint64_t kOnes = 0x0001000100010001;
    MappedRun mapped;
    std::uint32_t all = 0;
    std::size_t at = 0;
    for (; at + 8 <= codes.size(); at += 8) {
        std::uint64_t before = 0;
        std::memcpy(&before, codes.data() + at, sizeof before);
        const std::uint32_t first = map[before & 0xffff], second = map[before >> 16 & 0xffff];
        const std::uint32_t third = map[before >> 32 & 0xffff], fourth = map[before >> 48];
        all |= first | second | third | fourth;
        const std::uint64_t after = (first & 0xffff) | (second & 0xffff) << 16 |
                                    std::uint64_t{third & 0xffff} << 32 |
                                    std::uint64_t{fourth} << 48;
        std::memcpy(out.data() + at, &after, sizeof after);
        mapped.changed += lanesThatDiffer(before, after, kOnes, 16);
    }
    for (; at + 2 <= codes.size(); at += 2) {
        std::uint16_t before = 0;
        std::memcpy(&before, codes.data() + at, sizeof before);
        const std::uint32_t found = map[before];
        const auto after = static_cast<std::uint16_t>(found & 0xffff);
        all |= found;
        mapped.changed += after != before ? 1 : 0;
        std::memcpy(out.data() + at, &after, sizeof after);
    }
    mapped.marked = all >> 16 != 0;
    return mapped;
}

MappedRun mapBytes(std::span<const std::uint8_t> codes, const ByteMap &map,
                   std::span<std::uint8_t> out)
{
    constexpr std::uint64_t kOnes = 0x0101010101010101;
    MappedRun mapped;
    unsigned all = 0;
    std::size_t at = 0;
    for (; at + 8 <= codes.size(); at += 8) {
        std::uint64_t before = 0, after = 0;
        std::memcpy(&before, codes.data() + at, sizeof before);
        for (unsigned i = 0; i < 64; i += 8) {
            const unsigned found = map[before >> i & 0xff];
            all |= found;
            after |= std::uint64_t{found & 0xff} << i;
        }
        std::memcpy(out.data() + at, &after, sizeof after);
        mapped.changed += lanesThatDiffer(before, after, kOnes, 8);
    }
    for (; at < codes.size(); ++at) {
        const unsigned found = map[codes[at]];
        all |= found;
        out[at] = static_cast<std::uint8_t>(found & 0xff);
        mapped.changed += out[at] != codes[at] ? 1 : 0;
    }
    mapped.marked = all >> 8 != 0;
    return mapped;
}

} // namespace kernscope::codec
