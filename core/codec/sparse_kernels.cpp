// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codec/sparse_kernels.h"

#include "core/numeric/bitpack.h"

#include <cstring>

namespace kernscope::codec {

namespace {

template <class T>
void expand(std::span<const std::byte> mask, std::uint64_t first, const std::byte *survivors,
            std::size_t available, std::span<T> out)
{
    std::size_t next = 0;
    for (std::size_t i = 0; i < out.size(); ++i) {
        out[i] = T{};
        if (unpackCode(mask, 1, first + i) != 0) {
            if (next < available)
                std::memcpy(&out[i], survivors + next * sizeof(T), sizeof(T));
            ++next;
        }
    }
}

template <class T>
void clear(std::span<const std::byte> mask, std::uint64_t first, std::span<T> out)
{
    for (std::size_t i = 0; i < out.size(); ++i) {
        if (unpackCode(mask, 1, first + i) == 0)
            out[i] = T{};
    }
}

} // namespace

void expandHalves(std::span<const std::byte> mask, std::uint64_t first,
                  std::span<const std::byte> survivors, std::span<std::uint16_t> out)
{
    expand(mask, first, survivors.data(), survivors.size() / 2, out);
}

void expandBytes(std::span<const std::byte> mask, std::uint64_t first,
                 std::span<const std::uint8_t> survivors, std::span<std::uint8_t> out)
{
    expand(mask, first, std::as_bytes(survivors).data(), survivors.size(), out);
}

void expandFloats(std::span<const std::byte> mask, std::uint64_t first,
                  std::span<const float> survivors, std::span<float> out)
{
    expand(mask, first, std::as_bytes(survivors).data(), survivors.size(), out);
}

void clearGaps(std::span<const std::byte> mask, std::uint64_t first, std::span<std::uint16_t> out)
{
    clear(mask, first, out);
}

void clearGaps(std::span<const std::byte> mask, std::uint64_t first, std::span<float> out)
{
    clear(mask, first, out);
}

} // namespace kernscope::codec
