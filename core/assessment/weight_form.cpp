// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/assessment/weight_form.h"

#include <fmt/format.h>

namespace kernscope::decision {

std::string WeightForm::key() const
{
    std::string name;
    switch (kind) {
    case Kind::Dense:
        name = element == "fp8e4m3fn" ? "e4m3" : element == "fp8e5m2" ? "e5m2" : "dense";
        break;
    case Kind::Affine: name = "int8"; break;
    case Kind::Palette: name = fmt::format("palette{}", bits); break;
    case Kind::Blockwise:
        name = element == "fp8e4m3fn" ? "mxfp8"
               : element == "fp4e2m1" ? "mxfp4"
               : bits < 8             ? fmt::format("blockwise{}", bits)
                                      : "blockwise";
        break;
    }
    if (!masked)
        return name;
    return kind == Kind::Dense ? "sparse" : "sparse+" + name;
}

bool WeightForm::plain() const
{
    const bool bytes = element == "int8" || element == "uint8";
    switch (kind) {
    case Kind::Dense: return !masked || element == "fp16";
    case Kind::Affine: return bytes;
    case Kind::Palette: return element == "fp16" && vectorSize == 1;
    case Kind::Blockwise: return bytes || element == "int4" || element == "uint4";
    }
    return false;
}

std::string WeightForm::signature() const
{
    const auto flag = [](const std::optional<bool> &value) {
        return value ? (*value ? '1' : '0') : '?';
    };
    return fmt::format("{}/{}/{}/{}/{}/{}{}{}{}{}", key(), element, vectorSize, codebooks > 1,
                       zeroPoint, flag(use.unitStride), flag(use.dilated), flag(use.tileOverlap),
                       flag(use.immutable), flag(use.kernel));
}

} // namespace kernscope::decision
