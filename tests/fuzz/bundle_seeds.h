// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/container/milblob/milblob.h"

#include <string>
#include <string_view>
#include <vector>

namespace fuzz {

/// Between the program and the weight file in an input of fuzz_bundle.
inline constexpr std::string_view kWeightsMark = "\n%%WEIGHTS%%\n";

/// Sound bundles with a weight of each form, one of them with joint forms.
inline std::vector<std::string> bundleSeeds()
{
    using kernscope::ElementType;
    kernscope::milblob::Writer writer;
    const std::vector<std::byte> payload(32, std::byte(0x05));
    const auto blob = [&](ElementType type, const std::string &shape, std::size_t bytes,
                          std::uint64_t padding = 0) {
        const auto offset = writer.add(type, std::span(payload).first(bytes), padding).value;
        return "tensor<" + std::string(kernscope::elementTypeName(type)) + ", " + shape +
               ">(BLOBFILE(path = string(\"@model_path/weights/weight.bin\"), offset = uint64(" +
               std::to_string(offset) + ")))";
    };
    const std::string mask = blob(ElementType::Uint1, "[2, 4]", 1);
    const std::string scale = blob(ElementType::Fp16, "[2, 1]", 4);
    const std::string plain =
        "tensor<fp16, [2, 4]> a = const()[name = string(\"a\"), val = " +
        blob(ElementType::Fp16, "[2, 4]", 16) + "];\n" +
        "tensor<fp16, [2, 4]> b = constexpr_affine_dequantize()[axis = int32(0), name = "
        "string(\"b\"), quantized_data = " +
        blob(ElementType::Int8, "[2, 4]", 8) + ", scale = fp16(0x1p-1), zero_point = int8(3)];\n" +
        "tensor<fp16, [2, 4]> c = constexpr_lut_to_dense(indices = " +
        blob(ElementType::Uint4, "[2, 4]", 4) +
        ", lut = " + blob(ElementType::Fp16, "[1, 1, 16, 1]", 32) + ")[name = string(\"c\")];\n" +
        "tensor<fp16, [2, 4]> d = constexpr_sparse_to_dense(mask = " + mask +
        ", nonzero_data = " + blob(ElementType::Fp16, "[2]", 4) + ")[name = string(\"d\")];\n" +
        "tensor<fp16, [2, 4]> e = constexpr_blockwise_shift_scale(data = " +
        blob(ElementType::Int4, "[2, 4]", 4) + ", scale = " + scale + ")[name = string(\"e\")];\n" +
        "tensor<fp16, [1, 2]> y = linear(weight = a, x = x)[name = string(\"y\")];\n";
    const std::string joint =
        "tensor<uint1, [2, 4]> m, tensor<int8, [2]> v = constexpr_lut_to_sparse(indices_mask = " +
        mask + ", indices_nonzero_data = " + blob(ElementType::Uint1, "[2]", 1, 6) +
        ", lut = tensor<int8, [1, 1, 2, 1]>([3, -3]))[name = string(\"v\")];\n" +
        "tensor<uint1, [2, 4]> n, tensor<fp16, [2]> u = constexpr_sparse_blockwise_shift_scale("
        "data_mask = m, nonzero_data = v, scale = " +
        scale + ")[name = string(\"u\")];\n" +
        "tensor<fp16, [2, 4]> f = constexpr_sparse_to_dense(mask = n, nonzero_data = u)[name = "
        "string(\"f\")];\n" +
        "tensor<fp16, [4, 4]> g = constexpr_lut_to_dense(indices = " +
        blob(ElementType::Uint1, "[2, 4]", 1) +
        ", lut = tensor<fp16, [1, 1, 2, 2]>([0x1p0, 0x1p1, 0x1p2, nan]), vector_axis = "
        "int32(0))[name = string(\"g\")];\n";
    const auto file = writer.finish();
    const auto seed = [&file](const std::string &statements) {
        return "program(1.3)\n{\nfunc main<ios18>(tensor<fp16, [1, 4]> x) {\n" + statements +
               "} -> (x);\n}" + std::string(kWeightsMark) +
               std::string(reinterpret_cast<const char *>(file.data()), file.size());
    };
    return {seed(plain), seed(joint), seed(plain + joint)};
}

} // namespace fuzz
