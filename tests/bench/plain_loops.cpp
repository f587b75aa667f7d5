// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/bench/plain_loops.h"

#include "core/numeric/bitpack.h"
#include "core/numeric/half.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace kernscope::bench {

void plainCopy(std::span<const std::byte> stored, std::span<std::uint16_t> out)
{
    for (std::size_t i = 0; i < out.size(); ++i)
        out[i] = std::uint16_t(std::to_integer<unsigned>(stored[2 * i]) |
                               std::to_integer<unsigned>(stored[2 * i + 1]) << 8);
}

void plainPalette(std::span<const std::byte> indices, unsigned bits,
                  std::span<const std::uint16_t> table, std::size_t perTable,
                  std::span<std::uint16_t> out)
{
    for (std::size_t i = 0; i < out.size(); ++i)
        out[i] = table[(i / perTable << bits) + unpackCode(indices, bits, i)];
}

void plainSparse(std::span<const std::byte> mask, std::span<const std::uint16_t> values,
                 std::span<std::uint16_t> out)
{
    std::size_t next = 0;
    for (std::size_t i = 0; i < out.size(); ++i) {
        const bool kept = (std::to_integer<unsigned>(mask[i / 8]) >> i % 8 & 1u) != 0;
        out[i] = kept ? values[next++] : std::uint16_t{0};
    }
}

void plainScaled(std::span<const std::int8_t> codes, std::span<const std::uint16_t> scales,
                 std::size_t block, std::span<std::uint16_t> out)
{
    for (std::size_t i = 0; i < out.size(); ++i)
        out[i] = floatToHalf(halfToFloat(scales[i / block]) * float(codes[i]));
}

void plainScaled4(std::span<const std::byte> nibbles, std::span<const std::uint16_t> scales,
                  std::size_t block, std::span<std::uint16_t> out)
{
    for (std::size_t i = 0; i < out.size(); ++i)
        out[i] = floatToHalf(halfToFloat(scales[i / block]) *
                             float(signExtendNibble(unpackCode(nibbles, 4, i))));
}

void plainMicroscaled(std::span<const std::uint8_t> data, bool mxfp4,
                      std::span<const std::uint8_t> exponents, std::span<std::uint16_t> out)
{
    for (std::size_t i = 0; i < out.size(); ++i) {
        const float element =
            mxfp4 ? e2m1ToFloat(std::uint8_t(data[i / 2] >> (4 * (i % 2)))) : e4m3ToFloat(data[i]);
        out[i] = floatToHalf(element * e8m0ToFloat(exponents[i / 32]));
    }
}

void plainPaletteEncode(std::span<const float> values, std::span<const float> centres,
                        std::span<std::uint8_t> out)
{
    for (std::size_t i = 0; i < values.size(); ++i) {
        std::size_t nearest = 0;
        for (std::size_t c = 1; c < centres.size(); ++c) {
            if (std::abs(values[i] - centres[c]) < std::abs(values[i] - centres[nearest]))
                nearest = c;
        }
        out[i] = std::uint8_t(nearest);
    }
}

std::size_t plainSparseEncode(std::span<const float> values, float threshold,
                              std::span<std::byte> mask, std::span<std::uint16_t> survivors)
{
    std::size_t next = 0;
    std::ranges::fill(mask, std::byte{0});
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (std::abs(values[i]) < threshold)
            continue;
        mask[i / 8] |= static_cast<std::byte>(1u << (i % 8));
        survivors[next++] = floatToHalf(values[i]);
    }
    return next;
}

std::size_t plainDensityEncode(std::span<const float> values, std::size_t count,
                               std::span<std::byte> mask, std::span<std::uint16_t> survivors)
{
    std::vector<float> magnitudes(values.size());
    for (std::size_t i = 0; i < values.size(); ++i)
        magnitudes[i] = std::abs(values[i]);
    const auto cut = magnitudes.end() - std::ptrdiff_t(count);
    std::nth_element(magnitudes.begin(), cut, magnitudes.end());
    return plainSparseEncode(values, *cut, mask, survivors);
}

std::size_t plainPatternEncode(std::span<const float> values, std::size_t row, std::size_t keep,
                               std::size_t of, bool alongRows, std::span<std::byte> mask,
                               std::span<std::uint16_t> survivors)
{
    std::ranges::fill(mask, std::byte{0});
    const std::size_t step = alongRows ? 1 : row;
    std::vector<std::size_t> group(of);
    for (std::size_t number = 0; number < values.size() / of; ++number) {
        const std::size_t first = alongRows ? number * of : number / row * of * row + number % row;
        for (std::size_t i = 0; i < of; ++i)
            group[i] = first + i * step;
        std::ranges::sort(group, [&](std::size_t a, std::size_t b) {
            return std::abs(values[a]) > std::abs(values[b]);
        });
        for (std::size_t i = 0; i < keep; ++i)
            mask[group[i] / 8] |= static_cast<std::byte>(1u << (group[i] % 8));
    }
    std::size_t next = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if ((mask[i / 8] >> (i % 8) & std::byte{1}) != std::byte{0})
            survivors[next++] = floatToHalf(values[i]);
    }
    return next;
}

void plainAffineEncode(std::span<const float> values, std::size_t channel,
                       std::span<std::int8_t> codes, std::span<std::uint16_t> scales)
{
    for (std::size_t c = 0; c < scales.size(); ++c) {
        float largest = 0;
        for (std::size_t i = c * channel; i < (c + 1) * channel; ++i)
            largest = std::max(largest, std::abs(values[i]));
        scales[c] = floatToHalf(largest / 127.0f);
        const float scale = halfToFloat(scales[c]);
        for (std::size_t i = c * channel; i < (c + 1) * channel; ++i)
            codes[i] = std::int8_t(std::clamp(std::nearbyint(values[i] / scale), -127.0f, 127.0f));
    }
}

} // namespace kernscope::bench
