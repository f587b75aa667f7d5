// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/codec/analysis/accuracy.h"
#include "core/container/quantized/quantize.h"
#include "core/patch/reencode/convert_half.h"
#include "core/patch/reencode/raise_opset.h"
#include "core/report/json.h"

#include <nlohmann/json.hpp>

/// What `encode` says of a weight's values and of a program that got a later operation set.
namespace kernscope::report {

/// A weight that has its new form.
struct EncodedOne {
    std::size_t before = 0; ///< index of the weight in the old bundle
    std::size_t after = 0;  ///< and in the new one
    std::string asked;      ///< the form that its encoder was asked for
    codec::AccuracyError error;
    /// Root of the share of what the outputs are expected to be that they are expected to be off
    /// by, by the statistics of the inputs; empty without them.
    std::optional<double> inputRelative;
};
/// A weight that keeps its form, and why.
struct RefusedWeight {
    std::size_t weight = 0;
    Error error;
};
/// What came of it; `made` is in memory until it is saved.
struct EncodedBundle {
    BundlePtr made; ///< null where nothing could be encoded
    std::vector<EncodedOne> weights;
    std::vector<RefusedWeight> refused;
    std::vector<RefusedWeight> kept;  ///< of "all": those that are better left as they are
    std::vector<RaisedBundle> raised; ///< where the operation set had to follow the form, by model
};
/// The forms that the weights were asked in: several where their channels lie along other axes.
std::string askedText(const EncodedBundle &encoded);
/// Everything of `encode`; `verified`: the copy was read back and compared.
Json encodeJson(const Bundle &bundle, const EncodedBundle &encoded, codec::EncodeMethod method,
                std::string_view output, bool verified);

/// `{"before","after","changes":[{"operation","function","count","opset","change","rewritten"}]}`
Json raisedJson(std::string_view before, std::string_view after,
                std::span<const OpsetChange> changes);

// Weights in their new form, as `encode` lists them. Rows point into the bundles.

/// A weight before, or after.
struct EncodedSide {
    std::string_view name; ///< "before", "after"
    const Bundle *bundle = nullptr;
    const Weight *weight = nullptr;
};
/// Of the only weight that was encoded.
std::vector<EncodedSide> encodedSides(const Bundle &bundle, const EncodedBundle &encoded);
extern const TableOf<EncodedSide> encodedSideTable;

/// One of several weights.
struct EncodedFacts {
    const Weight *before = nullptr, *after = nullptr;
    const EncodedOne *one = nullptr;
};
std::vector<EncodedFacts> encodedFacts(const Bundle &bundle, const EncodedBundle &encoded);
extern const TableOf<EncodedFacts> encodedTable;

// What `convert` makes of a program.

extern const TableOf<HalfOperations> halfOperationTable;
/// A weight that is fp16 now.
struct HalfFacts {
    const Weight *weight = nullptr; ///< as it is now
    const HalfWeight *half = nullptr;
};
std::vector<HalfFacts> halfFacts(const HalfBundle &converted);
extern const TableOf<HalfFacts> halfWeightTable;
/// Everything of `convert`; `verified`: the copy was read back and compared. `output`: empty where
/// nothing was written.
Json convertJson(const Bundle &bundle, const HalfBundle &converted, std::string_view output,
                 bool verified);

// What `quantize` writes, and the tiles of the instruction that would make it.

/// Rows of `files` of the folder's description.
extern const TableOf<Json> quantizedFileTable;
extern const TableOf<codec::TquantTile> quantizeTileTable;

// What `quantize` and `relayout` say of a folder.

/// Everything of `quantize`: what the folder's own description says, sizes, constraints, the
/// instruction with its tiles and devices, and what sources disagree on.
Json quantizeJson(const quantized::Quantized &made, std::string_view input,
                  std::string_view output);
/// Everything of `relayout`: layouts before and after, files and constraints.
Json relayoutJson(const quantized::Folder &before, const quantized::Relaid &after,
                  std::string_view input, std::string_view output);

/// The values of a folder that `dequantize` wrote.
struct DequantizedFile {
    std::string_view folder, output;
    ElementType type = ElementType::Unknown;
    std::size_t elements = 0;
    std::string_view figuresFrom; ///< "reference" or "recorded"
};
/// Everything of `dequantize`.
Json dequantizeJson(const quantized::Folder &folder, const DequantizedFile &written,
                    const std::optional<quantized::ErrorFigures> &figures);

} // namespace kernscope::report
