// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/error.h"
#include "core/numeric/element_type.h"

#include <filesystem>

/// What NumPy calls the element types that it has.
namespace kernscope {

/// "<f2", "i1": little-endian; of a single byte there is no order. Empty where NumPy has no such
/// type, or weights pack it otherwise.
std::string numpyTypeName(ElementType type);
/// By NumPy's letter of the kind ('f', 'i', 'u' or 'b') and the bytes of an element; empty where
/// none is.
std::optional<ElementType> numpyElementType(char kind, std::size_t bytes);

/// NumPy array file, format version 1.0 (NEP 1): header for little-endian fp16, fp32 or fp64, C
/// order.
std::string npyHeader(ElementType type, const Shape &shape);

/// An array read from a .npy file: f2, f4, f8, i1, u1, i2, i4, …, C or Fortran order, as fp64.
struct NpyArray {
    ElementType type = ElementType::Unknown; ///< as stored
    Shape shape;
    std::vector<double> values;
};
/// Where the elements of a .npy file lie.
struct NpyLayout {
    ElementType type = ElementType::Unknown;
    Shape shape;
    bool fortranOrder = false; ///< the first axis innermost
    bool bigEndian = false;    ///< of elements of several bytes
    std::uint64_t dataAt = 0;
    ByteCount bytes; ///< of the elements; they lie inside the file
};
/// The header alone. Errors as those of readNpy.
Result<NpyLayout> readNpyLayout(std::span<const std::byte> file, std::string_view fileName);
/// The same of a file of `fileBytes` bytes; `head`: its first bytes.
Result<NpyLayout> readNpyLayout(std::span<const std::byte> head, std::uint64_t fileBytes,
                                std::string_view fileName);
/// Elements [first, first + out.size()) in row-major order, as fp64. `file` is what the layout was
/// read from, and holds them.
void readNpyElements(std::span<const std::byte> file, const NpyLayout &layout, std::uint64_t first,
                     std::span<double> out);
/// The same as fp32, of types that it holds exactly: fp16 and fp32.
void readNpyElements(std::span<const std::byte> file, const NpyLayout &layout, std::uint64_t first,
                     std::span<float> out);
/// The same of integers, as they are stored: of uint64 the bits.
void readNpyElements(std::span<const std::byte> file, const NpyLayout &layout, std::uint64_t first,
                     std::span<std::int64_t> out);
/// Errors: "npy.magic", "npy.header", "npy.type", "npy.length".
Result<NpyArray> readNpy(std::span<const std::byte> file, std::string_view fileName);

} // namespace kernscope
