// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/error.h"
#include "core/base/progress.h"
#include "core/bundle/bundle.h"
#include "core/codec/analysis/accuracy.h"
#include "core/codec/encode/form_spec.h"
#include "core/patch/reencode/raise_opset.h"
#include "core/report/json.h"

#include <cstdint>
#include <optional>
#include <string>

/// The work of `encode`: one weight of a bundle in another form.
namespace kernscope::cli {

struct EncodeOptions {
    std::string path;
    std::string weight;
    std::string output;
    std::string form; ///< dense, affine, palette, sparse, blockwise
    unsigned bits = 4;
    std::uint64_t codebooks = 1;
    std::uint64_t vector = 1;
    std::string entries = "fp16";      ///< palettes: fp16, int8, e4m3
    std::string type;                  ///< codes: int4, uint4, int8, uint8
    std::optional<std::uint64_t> axis; ///< affine, blockwise, n:m
    std::uint64_t block = 32;
    bool perTensor = false;
    bool zeroPoint = false; ///< affine: zero points; blockwise: offsets
    std::optional<double> density;
    std::optional<float> threshold;
    std::string pattern;             ///< "2:4"
    std::string survivors = "plain"; ///< sparse: plain, palette, blockwise
    std::string opset;               ///< "ios16"; empty: only as far as the form needs it
};

/// The form that the options ask for. Errors: "encode.usage".
Result<codec::FormSpec> formOf(const EncodeOptions &options);

/// What came of it; `made` is in memory until it is saved.
struct EncodedBundle {
    BundlePtr made;
    std::size_t before = 0; ///< index of the weight in the old bundle
    std::size_t after = 0;  ///< and in the new one
    codec::AccuracyError error;
    std::optional<RaisedBundle> raised; ///< where the operation set had to follow the form
};
/// `opset`: "ios16" to raise the program to; empty: where the form needs it, to the earliest that
/// has it. Errors: "encode.…", those of the codec.
Result<EncodedBundle> encodeWeight(const Bundle &bundle, std::size_t weight,
                                   const codec::FormSpec &form, const std::string &opset = {});

report::Json accuracyJson(const codec::AccuracyError &error);
void addEncodeJson(report::Json &document, const Bundle &bundle, const EncodedBundle &encoded,
                   const codec::FormSpec &form, const EncodeOptions &options);
std::string encodeText(const Bundle &bundle, const EncodedBundle &encoded,
                       const codec::FormSpec &form, const EncodeOptions &options);

} // namespace kernscope::cli
