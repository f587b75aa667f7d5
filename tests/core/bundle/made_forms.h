// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/codec/decode/decoder.h"
#include "made_bundle.h"

#include <fmt/format.h>

/// Weights in every form, written statement by statement.
namespace kernscope::test {

inline std::string rolesOf(const Weight &weight)
{
    std::string roles;
    for (const codec::Operand &operand : weight.operands())
        roles +=
            fmt::format("{}{}:{}{}{}", roles.empty() ? "" : " ", partRoleName(operand.role),
                        elementTypeName(operand.declaredType()), shapeText(operand.declaredShape()),
                        operand.place->isLiteral() ? "!" : "");
    return roles;
}

inline void result(MadeBundle &made, std::string_view type, std::string_view shape,
                   std::string_view op, std::string_view inputs, std::string_view attributes)
{
    made.line(fmt::format("tensor<{}, {}> w = {}({})[{}name = string(\"w_op\")]", type, shape, op,
                          inputs, attributes));
    made.consume("w");
}

inline const Bytes kBook = halves({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15});

inline void sparseBits(MadeBundle &made)
{
    const auto mask = made.blob(ElementType::Uint1, "[2, 5]", hex("92 01"), 6);
    made.constant("tensor<uint1, [2, 5]>", "m", mask);
    const auto values = made.blob(ElementType::Fp16, "[4]", hex("00 3E 00 C0 00 34 00 42"));
    made.constant("tensor<fp16, [4]>", "v", values);
    result(made, "fp16", "[2, 5]", "constexpr_sparse_to_dense", "mask = m, nonzero_data = v", "");
}

inline void sparsePalette(MadeBundle &made)
{
    made.weight("m", "[2, 4]", hex("05"), ElementType::Uint1);
    const auto indices = made.blob(ElementType::Uint4, "[2]", hex("F3"));
    const auto lut = made.blob(ElementType::Fp16, "[1, 1, 16, 1]", kBook);
    made.line(fmt::format("tensor<uint1, [2, 4]> om, tensor<fp16, [2]> ov = "
                          "constexpr_lut_to_sparse(indices_mask = m, indices_nonzero_data = {}, "
                          "lut = {})[name = string(\"pal\")]",
                          indices, lut));
    result(made, "fp16", "[2, 4]", "constexpr_sparse_to_dense", "mask = om, nonzero_data = ov", "");
}

} // namespace kernscope::test
