// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "made_bundle.h"

#include "core/bundle/section_map.h"
#include "core/container/mil/model_files.h"

#include <functional>

#include <fmt/format.h>

/// Weights whose operands do not fit, as programs.
namespace kernscope::test {

using Make = std::function<void(MadeBundle &)>;

inline void result(MadeBundle &made, std::string_view shape, std::string_view op,
                   std::string_view inputs, std::string_view attributes = {})
{
    made.line(fmt::format("tensor<fp16, {}> w = {}({})[{}name = string(\"w_op\")]", shape, op,
                          inputs, attributes));
    made.consume("w");
}

inline Make palette(std::string shape, std::string lut, std::string more = {})
{
    return [=](MadeBundle &made) {
        const auto indices = made.blob(ElementType::Uint1, "[2, 2]", hex("06"), 4);
        result(made, shape, "constexpr_lut_to_dense",
               fmt::format("indices = {}, lut = {}{}", indices, lut, more));
    };
}

inline Make affine(std::string attributes)
{
    return [=](MadeBundle &made) {
        const auto data = made.blob(ElementType::Int8, "[2, 4]", Bytes(8));
        result(made, "[2, 4]", "constexpr_affine_dequantize", "",
               fmt::format("quantized_data = {}, {}, ", data, attributes));
    };
}

/// A joint form whose two ops name different masks.
inline void twoMasks(MadeBundle &made)
{
    const auto first = made.blob(ElementType::Uint1, "[2, 2]", hex("06"), 4);
    const auto second = made.blob(ElementType::Uint1, "[2, 2]", hex("06"), 4);
    made.line(fmt::format("tensor<uint1, [2, 2]> m, tensor<fp16, [2]> v = "
                          "constexpr_sparse_blockwise_shift_scale(data_mask = {}, nonzero_data = "
                          "tensor<int8, [2]>([1, 2]), scale = tensor<fp16, [1, 1]>([0x1p0]))[name "
                          "= string(\"q\")]",
                          first));
    result(made, "[2, 2]", "constexpr_sparse_to_dense",
           fmt::format("mask = {}, nonzero_data = v", second));
}

/// Sixty ops in a row, each scaling the one before.
inline void longChain(MadeBundle &made)
{
    made.weight("c0", "[2]", Bytes(2), ElementType::Int8);
    std::string before = "c0";
    for (int i = 1; i <= 60; ++i) {
        const std::string name = i == 60 ? "w" : fmt::format("c{}", i);
        made.line(fmt::format("tensor<fp16, [2]> {} = constexpr_blockwise_shift_scale(data = {}, "
                              "scale = tensor<fp16, [1]>([0x1p0]))[name = string(\"n\")]",
                              name, before));
        before = name;
    }
    made.consume("w");
}

} // namespace kernscope::test
