// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/bundle_fwd.h"
#include "core/codec/encode/encoder.h"

namespace kernscope {

/// A bundle in memory in which one weight has another form: the statement that made it is replaced,
/// ops and records that served it alone are gone, and its weight file is laid out anew. Everything
/// else is as it was, byte for byte where no offset moved. Saved by saveCopy.
///
/// The program is a model.mil or the model of an .mlpackage. `encoded` holds the elements of the
/// weight, in its type; dense fp16 of a weight of fp32 is cast by the program, so that its
/// readers get fp32. Weights of an old neural network in a Model get dense fp16, codes
/// of 1 to 4, 6 or 8 bits with scales and biases, or one codebook.
/// Errors: "encode.type" (the form's result is not of the weight's type), "encode.opset" (the form
/// needs a later operation set than the function has), "encode.network" (a compiled old neural
/// network), "encode.program" (no program, or no statement to replace), "encode.blob" (a weight
/// file that cannot be laid out anew), "encode.verify" (the new bundle does not decode to what was
/// encoded; a defect).
Result<BundlePtr> reencodeWeight(const Bundle &bundle, std::size_t weight,
                                 const codec::EncodedWeight &encoded);

/// A weight and the form that it gets.
struct Reencoding {
    std::size_t weight = 0;
    const codec::EncodedWeight *encoded = nullptr;
};
/// The same for any number of weights in one pass over the program and the weight files. Each is
/// named once. Weights with the same EncodedWeight object get the same records.
Result<BundlePtr> reencodeWeights(const Bundle &bundle, std::span<const Reencoding> weights);

/// How the parts of such a weight are stored: by default as they are encoded.
struct StoredParts {
    /// In a Core AI package: one element stands for equal ones, and scaled codes have an offset.
    bool inModule = false;
    bool secondOffset = false; ///< and another one, in the weight's type
    /// Bytes that a part takes.
    std::uint64_t bytesOf(const codec::EncodedPart &part) const;
    /// Bytes of the offsets that no part is, which are 0.
    std::uint64_t offsetBytes(const codec::EncodedWeight &encoded) const;
};
/// How reencodeWeights() stores them.
StoredParts storedParts(const Bundle &bundle);

} // namespace kernscope
