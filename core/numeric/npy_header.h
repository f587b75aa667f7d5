// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/error.h"
#include "core/numeric/element_type.h"

#include <cstddef>
#include <string_view>

/// Private to the reader of .npy files.
namespace kernscope {

/// What the header of an array says.
struct NpyHeader {
    char kind = 0; ///< 'f', 'i', 'u' or 'b'
    std::size_t itemBytes = 0;
    bool bigEndian = false;
    bool fortranOrder = false;
    Shape shape;
    std::size_t dataAt = 0; ///< first byte of the elements
};

/// Reads the header at the start of a file. Errors: "npy.magic", "npy.header", "npy.type".
Result<NpyHeader> readNpyHeader(std::string_view text, std::string_view file);

} // namespace kernscope
