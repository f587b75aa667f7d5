// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codec/kernels/byte_counts.h"
#include "core/codec/kernels/palette_kernels.h"

namespace kernscope::codec {

namespace {

/// For every byte of a mask, the bits that stay of eight numbers.
template <class Bits>
constexpr auto kKeptBits = [] {
    std::array<std::array<Bits, 8>, 256> kept{};
    for (unsigned mask = 0; mask < 256; ++mask) {
        for (unsigned i = 0; i < 8; ++i)
            kept[mask][i] = static_cast<Bits>((mask >> i & 1u) != 0 ? ~Bits{0} : Bits{0});
    }
    return kept;
}();

template <class Bits, class T>
void clear(std::span<const std::byte> mask, std::uint64_t first, std::span<T> out)
{
    const auto *bytes = reinterpret_cast<const std::uint8_t *>(mask.data());
    const auto masked = [&](std::size_t at, std::size_t count) {
        const auto &kept = kKeptBits<Bits>[maskByte(bytes, first + at, bytes + mask.size() - 1)];
        std::array<Bits, 8> numbers{};
        std::memcpy(numbers.data(), &out[at], count * sizeof(T));
        for (std::size_t i = 0; i < 8; ++i)
            numbers[i] &= kept[i];
        std::memcpy(&out[at], numbers.data(), count * sizeof(T));
    };
    std::size_t at = 0;
    for (; at + 8 <= out.size(); at += 8)
        masked(at, 8);
    if (at < out.size())
        masked(at, out.size() - at);
}

} // namespace

void clearGaps(std::span<const std::byte> mask, std::uint64_t first, std::span<std::uint16_t> out)
{
    clear<std::uint16_t>(mask, first, out);
}

void clearGaps(std::span<const std::byte> mask, std::uint64_t first, std::span<float> out)
{
    clear<std::uint32_t>(mask, first, out);
}

} // namespace kernscope::codec
