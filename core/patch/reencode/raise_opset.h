// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/bundle_fwd.h"
#include "core/bundle/weight.h"
#include "core/codec/encode/encoder.h"

namespace kernscope {

/// An operation whose definition a later operation set changed.
struct OpsetChange {
    std::string operation;  ///< "gather"
    std::string function;   ///< "main"
    std::size_t count = 0;  ///< such operations in it
    std::string change;     ///< "batch_dims was added (default 0)"
    unsigned opset = 0;     ///< that changed it: 16
    bool rewritten = false; ///< it is written in the later signature, with the bytes that it had
};

/// A bundle in memory whose functions have a later operation set.
struct RaisedBundle {
    BundlePtr bundle;
    std::string before, after;        ///< "ios15", "ios16"
    std::vector<OpsetChange> changes; ///< those with the same meaning as before
};

/// Raises every function of a model (empty: the outermost) that has an earlier operation set to
/// `opset` (16 to 18), with the specification version that goes with it. Palettes and sparse
/// weights that get another signature there (iOS 18) are written in it, with the same indices,
/// codebooks, masks and values; nothing else changes. Saved by saveCopy. Errors: "encode.opset"
/// (not a known set, none earlier, or an operation has another meaning there:
/// resources/tables/opset_changes.csv), "encode.program".
Result<RaisedBundle> raiseOpset(const Bundle &bundle, const std::string &model, unsigned opset);

/// Whether raiseOpset can raise the functions of a model to `opset`, without doing it: looks at the
/// operations alone. Errors: those of raiseOpset.
Result<void> checkOpset(const Bundle &bundle, const std::string &model, unsigned opset);

/// The earliest of the operation sets from `from` on (15: iOS 15) that has operations for a form.
/// Errors: "encode.opset", "encode.form".
Result<unsigned> requiredOpset(const codec::EncodedWeight &encoded, unsigned from);

} // namespace kernscope

namespace kernscope::patch {

/// The weights of a model that operations with the signature from before iOS 18 make, of the
/// types that iOS 18 defines anew (`operations`: "constexpr_lut_to_dense", ...).
/// Errors: "encode.opset" where such an operation makes no weight that can be read: what it means
/// cannot be written in the later signature then.
Result<std::vector<std::size_t>> oldSignatureWeights(const Bundle &bundle, const std::string &model,
                                                     const std::vector<std::string> &operations);

/// A bundle in memory in which those weights are made by the operations of iOS 18 (their functions
/// have that set): the same indices, codebooks, masks and values, so the same elements. Weights
/// that share their records go on sharing them. Errors: those of reencodeWeights.
Result<BundlePtr> inLaterSignature(const Bundle &bundle, const std::vector<std::size_t> &weights);

} // namespace kernscope::patch
