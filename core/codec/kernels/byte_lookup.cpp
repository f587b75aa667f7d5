// SPDX-License-Identifier: GPL-3.0-or-later

#include "core/codec/kernels/palette_kernels.h"

#include <array>

namespace kernscope::codec {

namespace {

/// Codebooks of 256 entries, four lookups to a store, from entries that are shifted to each of the
/// four places: a load and an addition each.
void lookupMany(std::span<const std::uint8_t> codes, std::span<const std::byte> table,
                std::span<std::uint16_t> out)
{
    std::array<std::array<std::uint64_t, 256>, 4> shifted;
    for (std::size_t code = 0; code < 256; ++code) {
        const std::uint64_t entry = entryAt(table, code);
        for (unsigned place = 0; place < 4; ++place)
            shifted[place][code] = entry << (16 * place);
    }
    const auto four = [&](std::uint64_t word) {
        return shifted[0][word & 0xff] | shifted[1][word >> 8 & 0xff] |
               shifted[2][word >> 16 & 0xff] | shifted[3][word >> 24 & 0xff];
    };
    for (std::size_t i = 0; i + 8 <= out.size(); i += 8) {
        std::uint64_t word = 0;
        std::memcpy(&word, codes.data() + i, sizeof(word));
        const std::array<std::uint64_t, 2> eight{four(word), four(word >> 32)};
        std::memcpy(&out[i], eight.data(), sizeof(eight));
    }
    for (std::size_t i = out.size() / 8 * 8; i < out.size(); ++i)
        out[i] = entryAt(table, codes[i]);
}

/// The same in short runs, which are not worth tables of their own.
void lookupFew(std::span<const std::uint8_t> codes, std::span<const std::byte> table,
               std::span<std::uint16_t> out)
{
    std::size_t i = 0;
    for (; i + 4 <= out.size(); i += 4) {
        const std::uint64_t four = std::uint64_t{entryAt(table, codes[i])} |
                                   std::uint64_t{entryAt(table, codes[i + 1])} << 16 |
                                   std::uint64_t{entryAt(table, codes[i + 2])} << 32 |
                                   std::uint64_t{entryAt(table, codes[i + 3])} << 48;
        std::memcpy(&out[i], &four, sizeof(four));
    }
    for (; i < out.size(); ++i)
        out[i] = entryAt(table, codes[i]);
}

/// Entries whose size the compiler knows.
template <std::size_t Vector>
void copyVectorsOf(std::span<const std::uint8_t> codes, const std::uint16_t *table,
                   std::uint16_t *out)
{
    for (const std::uint8_t code : codes) {
        std::memcpy(out, table + code * Vector, Vector * sizeof(std::uint16_t));
        out += Vector;
    }
}

} // namespace

void lookupBytes(std::span<const std::uint8_t> codes, std::span<const std::byte> table,
                 std::span<std::uint16_t> out)
{
    constexpr std::size_t kMany = 4096;
    if (table.size() == 512 && out.size() >= kMany)
        lookupMany(codes, table, out);
    else
        lookupFew(codes, table, out);
}

void copyVectors(std::span<const std::uint8_t> codes, std::span<const std::uint16_t> table,
                 std::size_t vector, std::span<std::uint16_t> out)
{
    switch (vector) {
    case 2: copyVectorsOf<2>(codes, table.data(), out.data()); return;
    case 3: copyVectorsOf<3>(codes, table.data(), out.data()); return;
    case 4: copyVectorsOf<4>(codes, table.data(), out.data()); return;
    case 5: copyVectorsOf<5>(codes, table.data(), out.data()); return;
    case 8: copyVectorsOf<8>(codes, table.data(), out.data()); return;
    default: break;
    }
    for (std::size_t i = 0; i < codes.size(); ++i)
        std::memcpy(&out[i * vector], &table[codes[i] * vector], vector * sizeof(std::uint16_t));
}

void lookupFloats(std::span<const std::uint8_t> codes, std::span<const float> table,
                  std::span<float> out)
{
    for (std::size_t i = 0; i < out.size(); ++i)
        out[i] = table[codes[i]];
}

} // namespace kernscope::codec
