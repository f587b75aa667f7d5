// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/milblob/milblob.h"

namespace kernscope::milblob {

namespace {

// resources/formats/blob-storage.md. The index is the code; 0 is none.
constexpr std::array<ElementType, 18> kTypes{
    ElementType::Unknown,   ElementType::Fp16,    ElementType::Fp32,  ElementType::Uint8,
    ElementType::Int8,      ElementType::Bf16,    ElementType::Int16, ElementType::Uint16,
    ElementType::Int4,      ElementType::Uint1,   ElementType::Uint2, ElementType::Uint4,
    ElementType::Uint3,     ElementType::Uint6,   ElementType::Int32, ElementType::Uint32,
    ElementType::Fp8E4M3Fn, ElementType::Fp8E5M2,
};

} // namespace

ElementType elementTypeFromCode(std::uint32_t code)
{
    return code < kTypes.size() ? kTypes[code] : ElementType::Unknown;
}

std::uint32_t codeOf(ElementType type)
{
    for (std::uint32_t code = 1; code < kTypes.size(); ++code) {
        if (kTypes[code] == type)
            return code;
    }
    return 0;
}

} // namespace kernscope::milblob
