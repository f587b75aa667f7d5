// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/form/storage_form.h"
#include "core/lanes/layout.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// The sizes of slices, and what is known of forms whose order of bytes is not published.
namespace kernscope::lanes {

/// A slice's size as a case of the rule: bytes = round_up(2 x lanes x rows, 64).
struct SizeCase {
    std::uint64_t lanes = 1;
    std::uint64_t fewestRows = 1, mostRows = 1; ///< reduction steps plus a bias row, one plane
    std::vector<std::string> examples;          ///< "1x1 with 24 input channels and bias"
};
/// Cases of one plane with 1, 2, 4 … 32 lanes that give that size; empty for a size that is no
/// multiple of 64.
std::vector<SizeCase> casesOfSliceSize(std::uint64_t bytes);
/// In words, with a few examples: why a stride such as 0xC0 or 0x40 is no constant of a format.
std::string explainSliceSize(std::uint64_t bytes);
/// The sum that gives the size of one engine's slice.
std::string explainSliceSize(const SliceLayout &layout, std::uint64_t engine);

struct SizeCheck {
    std::uint64_t smallest = 0, largest = 0; ///< bytes of the slice by the law
    std::uint64_t found = 0;
    bool holds = false;
    std::string law;   ///< the sum in words
    std::string order; ///< "order assumed", "order unknown": never certain
};
/// Checks the size of one engine's slice, of a form whose size is known but whose order of bytes
/// is not:
///   Dense    fp16, version 17 on: size as on H13; order assumed to be the same
///   Affine   int8: one byte an element and one fp16 scale a channel
///   Palette  packed indices of `paletteBits`, one fp16 codebook a slice padded to 64 bytes
///   Sparse   the numbers that are not zero (`nonzeros`; empty: anything from none to all), a bit
///   an
///            element, about one block of 64 bytes
/// Errors: "lanes.geometry", also for any other form.
Result<SizeCheck> checkSliceSize(const SliceLayout &layout, std::uint64_t engine, FormNode form,
                                 std::uint64_t found, unsigned paletteBits = 0,
                                 std::optional<std::uint64_t> nonzeros = std::nullopt);

} // namespace kernscope::lanes
