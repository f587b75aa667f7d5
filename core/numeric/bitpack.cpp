// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/numeric/bitpack.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace kernscope {

namespace {

/// Eight codes of `Width` bits are exactly `Width` bytes: the unit of the fast loops.
template <unsigned Width>
std::uint64_t loadGroup(const std::byte *in)
{
    std::uint64_t word = 0;
    std::memcpy(&word, in, Width); // little-endian hosts only, as everywhere in the project
    return word;
}

template <unsigned Width>
void unpackGroups(const std::byte *in, std::uint8_t *out, std::size_t groups)
{
    constexpr std::uint64_t kMask = (1u << Width) - 1u;
    for (std::size_t g = 0; g < groups; ++g, in += Width, out += 8) {
        const std::uint64_t word = loadGroup<Width>(in);
        for (unsigned i = 0; i < 8; ++i)
            out[i] = static_cast<std::uint8_t>((word >> (i * Width)) & kMask);
    }
}

template <unsigned Width>
void packGroups(const std::uint8_t *in, std::byte *out, std::size_t groups)
{
    constexpr std::uint64_t kMask = (1u << Width) - 1u;
    for (std::size_t g = 0; g < groups; ++g, in += 8, out += Width) {
        std::uint64_t word = 0;
        for (unsigned i = 0; i < 8; ++i)
            word |= (in[i] & kMask) << (i * Width);
        std::memcpy(out, &word, Width);
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

void unpackCodes(std::span<const std::byte> stream, unsigned width, std::uint64_t first,
                 std::span<std::uint8_t> out)
{
    if (width == 8) {
        if (!out.empty())
            std::memcpy(out.data(), stream.data() + first, out.size());
        return;
    }
    std::size_t done = 0;
    // Up to the next group of eight codes, which starts at a whole byte.
    const auto head = std::min<std::size_t>(out.size(), (8 - first % 8) % 8);
    for (; done < head; ++done)
        out[done] = unpackCode(stream, width, first + done);
    const std::size_t groups = (out.size() - done) / 8;
    if (groups > 0) {
        const std::byte *in = stream.data() + (first + done) / 8 * width;
        std::uint8_t *to = out.data() + done;
        switch (width) {
        case 1: unpackGroups<1>(in, to, groups); break;
        case 2: unpackGroups<2>(in, to, groups); break;
        case 3: unpackGroups<3>(in, to, groups); break;
        case 4: unpackGroups<4>(in, to, groups); break;
        default: unpackGroups<6>(in, to, groups); break;
        }
        done += 8 * groups;
    }
    for (; done < out.size(); ++done)
        out[done] = unpackCode(stream, width, first + done);
}

void unpackInt4(std::span<const std::byte> stream, std::uint64_t first, std::span<std::int8_t> out)
{
    const std::span<std::uint8_t> codes(reinterpret_cast<std::uint8_t *>(out.data()), out.size());
    unpackCodes(stream, 4, first, codes);
    for (std::int8_t &code : out)
        code = signExtendNibble(static_cast<std::uint8_t>(code));
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
        default: packGroups<6>(in, to, groups); break;
        }
        done += 8 * groups;
    }
    for (; done < codes.size(); ++done)
        packOne(stream, width, first + done, codes[done]);
}

std::uint64_t countBits(std::span<const std::byte> stream, std::uint64_t first, std::uint64_t count)
{
    if (count == 0)
        return 0;
    const auto byteAt = [&](std::uint64_t i) {
        return std::to_integer<unsigned>(stream[static_cast<std::size_t>(i)]);
    };
    const std::uint64_t last = first + count - 1;
    const unsigned headMask = 0xffu << (first % 8);
    const unsigned tailMask = 0xffu >> (7 - last % 8);
    if (first / 8 == last / 8)
        return static_cast<std::uint64_t>(std::popcount(byteAt(first / 8) & headMask & tailMask));
    auto bits = static_cast<std::uint64_t>(std::popcount(byteAt(first / 8) & headMask & 0xffu));
    const std::byte *in = stream.data() + first / 8 + 1;
    auto bytes = static_cast<std::size_t>(last / 8 - first / 8 - 1);
    for (; bytes >= 8; bytes -= 8, in += 8) {
        std::uint64_t word = 0;
        std::memcpy(&word, in, sizeof(word));
        bits += static_cast<std::uint64_t>(std::popcount(word));
    }
    for (; bytes > 0; --bytes, ++in)
        bits += static_cast<std::uint64_t>(std::popcount(std::to_integer<unsigned>(*in)));
    return bits + static_cast<std::uint64_t>(std::popcount(byteAt(last / 8) & tailMask));
}

} // namespace kernscope
