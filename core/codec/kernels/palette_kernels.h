// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

/// Looking codes up in one codebook. Codebooks of fp16 may lie at any address.
namespace kernscope::codec {

/// out[i] = the entry that code first + i of a packed stream names; `table` holds 2^width halves.
/// `streamed`: stored past the caches where streamsPacked() allows it; flushStream() is the
/// caller's.
void lookupPacked(std::span<const std::byte> stream, unsigned width, std::uint64_t first,
                  std::span<const std::byte> table, bool streamed, std::span<std::uint16_t> out);

/// Whether the lines of `out` begin where groups of eight codes, and so whole bytes, do.
bool streamsPacked(unsigned width, std::uint64_t first, std::span<const std::uint16_t> out);

/// The same for codes already unpacked, one a byte, each below 2^width.
void lookupCodes(std::span<const std::uint8_t> codes, unsigned width,
                 std::span<const std::byte> table, std::span<std::uint16_t> out);

/// Entries of `vector` halves each, one after the other: `table` holds 2^width of them, `lanes` the
/// first halves of all, then the second ones and so on, and `out` codes.size() of them.
/// `streamed`: past the caches, for vectors of two or four from the start of a line on;
/// flushStream() is the caller's.
void lookupVectors(std::span<const std::uint8_t> codes, unsigned width,
                   std::span<const std::byte> lanes, std::span<const std::uint16_t> table,
                   std::size_t vector, bool streamed, std::span<std::uint16_t> out);

/// The same for fp32 entries.
void lookupFloats(std::span<const std::uint8_t> codes, std::span<const float> table,
                  std::span<float> out);

// Spreading the values that a mask keeps over the places it keeps them at.

/// out[i] = the next survivor where bit `first` + i of the mask is set, 0 where it is clear or the
/// survivors have run out. `survivors` starts at the one of the first set bit. `streamed`: stored
/// past the caches; flushStream() is the caller's.
void expandHalves(std::span<const std::byte> mask, std::uint64_t first,
                  std::span<const std::byte> survivors, bool streamed,
                  std::span<std::uint16_t> out);
void expandKept(std::span<const std::byte> mask, std::uint64_t first,
                std::span<const std::uint8_t> survivors, std::span<std::uint8_t> out);
void expandKept(std::span<const std::byte> mask, std::uint64_t first,
                std::span<const float> survivors, std::span<float> out);

/// Sets out[i] to +0 where bit `first` + i of the mask is clear.
void clearGaps(std::span<const std::byte> mask, std::uint64_t first, std::span<std::uint16_t> out);
void clearGaps(std::span<const std::byte> mask, std::uint64_t first, std::span<float> out);

struct KeptGroups {
    std::span<const std::byte> bytes;
    std::size_t at = 0;  ///< byte of the first group's first stored number
    std::size_t gap = 0; ///< bytes between the numbers of a group and those of the next
    std::span<const std::byte> masks; ///< one a group
    unsigned lane = 0, rows = 1;      ///< lanes [lane, lane + rows) of eight are wanted
    bool lines = false; ///< past the caches: groups are a multiple of 32, `out` and `step` begin
                        ///< cache lines
};

/// out[row x step + group] = the number of lane `lane + row` of the group, 0 where it is not
/// stored. Returns the byte behind the last group and its gap. What the masks name lies in `bytes`.
std::size_t expandGroups(const KeptGroups &groups, std::uint16_t *out, std::size_t step);

// Private to the codec: looking codes up one by one.

/// The half with that number of a codebook at any address.
inline std::uint16_t entryAt(std::span<const std::byte> table, std::size_t code)
{
    std::uint16_t half = 0;
    std::memcpy(&half, table.data() + 2 * code, sizeof(half));
    return half;
}

/// out[i] = the entry that codes[i] names, of codebooks of at most 256 entries.
void lookupBytes(std::span<const std::uint8_t> codes, std::span<const std::byte> table,
                 std::span<std::uint16_t> out);

/// The entries of `vector` halves that the codes name, one after the other.
void copyVectors(std::span<const std::uint8_t> codes, std::span<const std::uint16_t> table,
                 std::size_t vector, std::span<std::uint16_t> out);

// Private to the codec: E4M3FN bytes and E2M1 nibbles times powers of two, as fp16.

/// A run of stored elements and the exponents that go with it.
struct MxRun {
    std::span<const std::uint8_t> data; ///< the whole matrix
    std::uint64_t first = 0;            ///< element of `data` that out[0] is
    bool mxfp4 = false;
    /// Exponents from that of out[0] on: one an element, or one for each 32 (groups start at
    /// multiples of 32 of the matrix).
    bool perElement = false;
    std::span<const std::uint8_t> exponents;
    /// Where every element has one: the same as microscaledFactors(), and whether some are NaN.
    std::span<const std::uint16_t> factors;
    bool nanFactors = false;
    /// MXFP4, where every element has one: what microscaledShifts() found, or empty.
    std::span<const std::uint16_t> shifts;
    /// The result outgrows the caches: stored past them where streamsMicroscaled() allows it.
    /// flushStream() is the caller's.
    bool streamed = false;
};

/// fp32 arithmetic, one rounding to fp16.
void microscaledRunToHalf(const MxRun &run, std::span<std::uint16_t> out);

/// What the vector code multiplies elements by, of exponents.size() of them (`out` as long), so
/// that it is worked out once for the 32 rows that share them: powers of two, of which the upper
/// halves of fp32 say all and which take half the room in the first cache. Returns whether some are
/// NaN.
bool microscaledFactors(std::span<const std::uint8_t> exponents, bool mxfp4,
                        std::span<std::uint16_t> out);

/// What is added to the halves of E2M1 elements that are not zero, so that they are multiplied by
/// 2^(exponent - 127), exactly. False, and no use of `out` (as long as `exponents`), where one of
/// them may leave the normal numbers of fp16.
bool microscaledShifts(std::span<const std::uint8_t> exponents, std::span<std::uint16_t> out);

/// Whether the lines of `out` begin where groups do, or whole bytes with an exponent an element.
bool streamsMicroscaled(const MxRun &run, std::span<const std::uint16_t> out);

} // namespace kernscope::codec
