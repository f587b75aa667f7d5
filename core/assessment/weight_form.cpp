// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/assessment/weight_form.h"

#include <fmt/format.h>

namespace kernscope::decision {

std::string WeightForm::key() const
{
    std::string name;
    switch (node) {
    case FormNode::Unknown: return "unknown";
    case FormNode::Dense:
    case FormNode::Sparse:
    case FormNode::ActivationTable:
        name = element == ElementType::Fp8E4M3Fn ? "e4m3"
               : element == ElementType::Fp8E5M2 ? "e5m2"
                                                 : "dense";
        break;
    case FormNode::Affine: name = "int8"; break;
    case FormNode::Palette: name = fmt::format("palette{}", bits); break;
    case FormNode::Blockwise:
        name = bits < 8 ? fmt::format("blockwise{}", bits) : "blockwise";
        break;
    case FormNode::Microscaled: name = element == ElementType::Fp4E2M1 ? "mxfp4" : "mxfp8"; break;
    }
    if (!masked)
        return name;
    return node == FormNode::Dense ? "sparse" : "sparse+" + name;
}

bool WeightForm::plain() const
{
    const bool bytes = element == ElementType::Int8 || element == ElementType::Uint8;
    switch (node) {
    case FormNode::Dense: return !masked || element == ElementType::Fp16;
    case FormNode::Affine: return bytes;
    case FormNode::Palette: return element == ElementType::Fp16 && vectorSize == 1;
    case FormNode::Blockwise:
        return bytes || element == ElementType::Int4 || element == ElementType::Uint4;
    case FormNode::Sparse:
    case FormNode::Microscaled:
    case FormNode::ActivationTable:
    case FormNode::Unknown: break;
    }
    return false;
}

std::string WeightForm::signature() const
{
    const auto flag = [](const std::optional<bool> &value) {
        return value ? (*value ? '1' : '0') : '?';
    };
    return fmt::format("{}/{}/{}/{}/{}/{}{}{}{}{}{}", key(), elementTypeName(element), vectorSize,
                       codebooks, zeroPoint, flag(use.unitStride), flag(use.dilated),
                       flag(use.tileOverlap), flag(use.immutable), flag(use.kernel),
                       elements == 0 ? "/none" : "");
}

} // namespace kernscope::decision
