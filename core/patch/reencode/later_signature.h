// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/bundle_fwd.h"
#include "core/bundle/weight.h"

/// Private to raising operation sets.
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
