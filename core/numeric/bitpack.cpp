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

} // namespace

void putBits(std::span<std::byte> stream, std::uint64_t bit, unsigned width, std::uint64_t code,
             bool highestFirst)
{
    const auto at = static_cast<unsigned>(bit % 8);
    std::byte *to = stream.data() + bit / 8;
    if (width >= 8) {
        for (unsigned i = 0; i < width / 8; ++i, code >>= 8)
            *to++ = static_cast<std::byte>(code & 0xffu);
        return;
    }
    // Of the two bytes as one number the code is in the middle.
    const unsigned shift = highestFirst ? 16 - at - width : at;
    const unsigned mask = ((1u << width) - 1u) << shift;
    const unsigned bits = (static_cast<unsigned>(code) << shift) & mask;
    for (unsigned i = 0; i < (at + width > 8 ? 2u : 1u); ++i) {
        const unsigned place = highestFirst ? 8 - 8 * i : 8 * i;
        to[i] = (to[i] & ~static_cast<std::byte>(mask >> place & 0xffu)) |
                static_cast<std::byte>(bits >> place & 0xffu);
    }
}

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
        putBits(stream, (first + done) * width, width, codes[done]);
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
        putBits(stream, (first + done) * width, width, codes[done]);
}

} // namespace kernscope
