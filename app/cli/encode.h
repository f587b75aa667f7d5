// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/report/encode_table.h"

/// The work of `encode`: weights of a bundle in another form.
namespace kernscope::cli {

struct EncodeOptions {
    std::string path;
    std::vector<std::string> weights; ///< names and patterns
    bool all = false;
    std::uint64_t minElements = 0; ///< weights with fewer are left as they are
    bool skipRefused = false;
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
    std::string pattern;                    ///< "2:4"
    std::string survivors = "plain";        ///< sparse: plain, palette, blockwise
    std::string opset;                      ///< "ios16"; empty: only as far as the form needs it
    std::string method;                     ///< plain, fitted, feedback; empty: by `activations`
    std::string activations;                ///< .npz with statistics of the inputs; empty: none
    std::optional<std::uint64_t> inputAxis; ///< of those statistics, in place of the consumer's
};

/// The form that the options ask for.
struct WantedForm {
    codec::FormSpec spec;
    /// An axis was given; else each weight has its scales, blocks and patterns along the
    /// channels of the layer that reads it (alongChannels).
    bool ownAxis = false;
};
/// Errors: "encode.usage".
Result<WantedForm> formOf(const EncodeOptions &options);

/// The names and patterns, or all, without those that have too few elements. Errors: "cli.weight".
Result<std::vector<std::size_t>> weightsOf(const Bundle &bundle, const EncodeOptions &options);

using InputStatisticsPtr = std::shared_ptr<const codec::InputStatistics>;

using report::EncodedBundle;
using report::EncodedOne;
using report::RefusedWeight;

/// All in one pass; what is refused is left out. `all`: no weight was named, and those that have no
/// other form, may not be compressed or would take no fewer bytes than as dense are kept. `inputs`:
/// by weight of the bundle, or empty. `opset`: "ios16" to raise the program to; empty: where the
/// form needs it, to the earliest that has it. Errors: "encode.…", "task.cancelled".
Result<EncodedBundle> encodeWeights(const Bundle &bundle, std::span<const std::size_t> weights,
                                    const WantedForm &form, bool all,
                                    std::span<const InputStatisticsPtr> inputs,
                                    const std::string &opset, Progress &progress);

std::string encodeText(const Bundle &bundle, const EncodedBundle &encoded,
                       const EncodeOptions &options);

} // namespace kernscope::cli
