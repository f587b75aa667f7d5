// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/numeric/npy_types.h"

#include <algorithm>
#include <array>

namespace kernscope {

namespace {

struct NumpyType {
    ElementType type;
    char kind;
    std::size_t bytes;
};

constexpr std::array kNumpyTypes{
    NumpyType{ElementType::Fp16, 'f', 2},   NumpyType{ElementType::Fp32, 'f', 4},
    NumpyType{ElementType::Fp64, 'f', 8},   NumpyType{ElementType::Int8, 'i', 1},
    NumpyType{ElementType::Int16, 'i', 2},  NumpyType{ElementType::Int32, 'i', 4},
    NumpyType{ElementType::Int64, 'i', 8},  NumpyType{ElementType::Uint8, 'u', 1},
    NumpyType{ElementType::Uint16, 'u', 2}, NumpyType{ElementType::Uint32, 'u', 4},
    NumpyType{ElementType::Uint64, 'u', 8}, NumpyType{ElementType::Bool, 'b', 1},
};

} // namespace

std::string numpyTypeName(ElementType type)
{
    const auto *const row =
        std::find_if(kNumpyTypes.begin(), kNumpyTypes.end(),
                     [type](const NumpyType &each) { return each.type == type; });
    // Weights hold eight booleans in a byte, NumPy one.
    if (row == kNumpyTypes.end() || type == ElementType::Bool)
        return {};
    return (row->bytes > 1 ? "<" : "") + std::string(1, row->kind) + std::to_string(row->bytes);
}

std::optional<ElementType> numpyElementType(char kind, std::size_t bytes)
{
    const auto *const row =
        std::find_if(kNumpyTypes.begin(), kNumpyTypes.end(), [=](const NumpyType &each) {
            return each.kind == kind && each.bytes == bytes;
        });
    return row == kNumpyTypes.end() ? std::nullopt : std::optional(row->type);
}

} // namespace kernscope
