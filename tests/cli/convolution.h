// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "cli_process.h"

/// A program of one convolution.
namespace kernscope::test {

/// A program with one convolution of 64 by 64 channels whose weight is of that form.
inline MadeBundle convolution(const QString &form, const char *stride = "1, 1")
{
    MadeBundle made;
    const std::string shape = "[64, 64, 1, 1]";
    made.parameters = "tensor<fp16, [1, 64, 8, 8]> x";
    if (form == u"int8") {
        const std::string data = made.blob(ElementType::Int8, shape, Bytes(4096, std::byte{3}));
        const std::string scale = made.blob(ElementType::Fp16, "[64]", Bytes(128, std::byte{0x3c}));
        made.line("tensor<fp16, " + shape +
                  "> w = constexpr_affine_dequantize()[axis = int32(0), name = string(\"w\"), "
                  "quantized_data = " +
                  data + ", scale = " + scale + ", zero_point = int8(0)]");
    } else if (form == u"lut4") {
        const std::string indices = made.blob(ElementType::Uint4, shape, Bytes(2048, std::byte{}));
        const std::string lut =
            made.blob(ElementType::Fp16, "[1, 1, 1, 1, 16, 1]", Bytes(32, std::byte{0x3c}));
        made.line("tensor<fp16, " + shape + "> w = constexpr_lut_to_dense(indices = " + indices +
                  ", lut = " + lut + ")[name = string(\"w\")]");
    } else {
        made.weight("w", shape, Bytes(8192, std::byte{0x3c}));
    }
    made.line("tensor<int32, [2]> strides = const()[name = string(\"strides\"), val = "
              "tensor<int32, [2]>([" +
              std::string(stride) + "])]");
    made.op("y", "[1, 64, 8, 8]", "conv(strides = strides, weight = w, x = x)");
    made.result = "y";
    return made;
}

/// Runs a command on that program, which is written into the folder.
inline CliResult runOnConvolution(const QTemporaryDir &folder, QStringList arguments,
                                  const QString &form, const char *stride = "1, 1")
{
    const QByteArray name = form.toUtf8() + ".mlmodelc";
    arguments << writeBundle(folder, name.constData(), convolution(form, stride));
    return runCli(arguments);
}

inline QString string(const nlohmann::ordered_json &json, const char *key)
{
    return QString::fromStdString(json.value(key, std::string()));
}

} // namespace kernscope::test
