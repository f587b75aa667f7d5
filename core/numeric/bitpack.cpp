// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/numeric/bitpack.h"

#include <algorithm>
#include <cstring>

namespace kernscope {

namespace {

/// Eight codes of `Width` bits are exactly `Width` bytes: the unit of the fast loop.
template <unsigned Width>
void packGroups(const std::uint8_t *in, std::byte *out, std::size_t groups)
{
    constexpr std::uint64_t kMask = (1u << Width) - 1u;
    for (std::size_t g = 0; g < groups; ++g, in += 8, out += Width) {
        std::uint64_t word = 0;
        for (unsigned i = 0; i < 8; ++i)
            word |= (in[i] & kMask) << (i * Width);
        std::memcpy(out, &word, Width); // little-endian hosts only, as everywhere in the project
    }
}

void packOne(std::span<std::byte> stream, unsigned width, std::uint64_t index, std::uint8_t code)
{
    const std::uint64_t bit = index * width;
    const auto at = static_cast<std::size_t>(bit / 8);
    const auto shift = static_cast<unsigned>(bit % 8);
    const unsigned mask = ((1u << width) - 1u) << shift;
    const unsigned bits = (static_cast<unsigned>(code) << shift) & mask;
    const auto merge = [&](std::size_t i, unsigned m, unsigned b) {
        stream[i] = (stream[i] & static_cast<std::byte>(~m & 0xffu)) | static_cast<std::byte>(b);
    };
    merge(at, mask & 0xffu, bits & 0xffu);
    if (shift + width > 8)
        merge(at + 1, mask >> 8, bits >> 8);
}

} // namespace

void packCodes(std::span<const std::uint8_t> codes, unsigned width, std::uint64_t first,
               std::span<std::byte> stream)
{
    if (width == 8) {
        if (!codes.empty())
            std::memcpy(stream.data() + first, codes.data(), codes.size());
        return;
    }
    std::size_t done = 0;
    const auto head = std::min<std::size_t>(codes.size(), (8 - first % 8) % 8);
    for (; done < head; ++done)
        packOne(stream, width, first + done, codes[done]);
    const std::size_t groups = (codes.size() - done) / 8;
    if (groups > 0) {
        std::byte *to = stream.data() + (first + done) / 8 * width;
        const std::uint8_t *in = codes.data() + done;
        switch (width) {
        case 1: packGroups<1>(in, to, groups); break;
        case 2: packGroups<2>(in, to, groups); break;
        case 3: packGroups<3>(in, to, groups); break;
        case 4: packGroups<4>(in, to, groups); break;
        case 5: packGroups<5>(in, to, groups); break;
        case 7: packGroups<7>(in, to, groups); break;
        default: packGroups<6>(in, to, groups); break;
        }
        done += 8 * groups;
    }
    for (; done < codes.size(); ++done)
        packOne(stream, width, first + done, codes[done]);
}

} // namespace kernscope
