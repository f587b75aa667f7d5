// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codec/palette_kernels.h"

#include "core/numeric/bitpack.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace kernscope::codec {

void lookupCodes(std::span<const std::uint8_t> codes, unsigned width,
                 std::span<const std::byte> table, std::span<std::uint16_t> out)
{
    static_cast<void>(width);
    for (std::size_t i = 0; i < out.size(); ++i)
        std::memcpy(&out[i], table.data() + 2 * std::size_t{codes[i]}, sizeof(out[i]));
}

void lookupPacked(std::span<const std::byte> stream, unsigned width, std::uint64_t first,
                  std::span<const std::byte> table, std::span<std::uint16_t> out)
{
    std::array<std::uint8_t, 1024> codes;
    for (std::size_t done = 0; done < out.size(); done += codes.size()) {
        const auto part = out.subspan(done, std::min(codes.size(), out.size() - done));
        const auto some = std::span(codes).first(part.size());
        unpackCodes(stream, width, first + done, some);
        lookupCodes(some, width, table, part);
    }
}

void lookupFloats(std::span<const std::uint8_t> codes, std::span<const float> table,
                  std::span<float> out)
{
    for (std::size_t i = 0; i < out.size(); ++i)
        out[i] = table[codes[i]];
}

} // namespace kernscope::codec
