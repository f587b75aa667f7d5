// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/progress.h"
#include "core/bundle/bundle_fwd.h"
#include "core/bundle/weight.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

/// The decoded weights of a bundle as one .safetensors file: eight bytes of length, a JSON header,
/// and the values row by row.
namespace kernscope::report {

/// One tensor of the file.
struct ExportedTensor {
    std::size_t weight = kNoIndex;
    std::string name; ///< the weight's name, or its address where several have that name
    ElementType type = ElementType::Fp16; ///< Fp16, Fp32 or Fp64
    std::uint64_t bytes = 0;
};

/// What will be written.
struct TensorExport {
    std::string head;                    ///< length and header: what the file begins with
    std::vector<ExportedTensor> tensors; ///< in the order of their values
    Diagnostics notes; ///< faults of the weights that are left out; values that are rounded
    std::uint64_t elements = 0;
    std::uint64_t bytes = 0; ///< of the whole file
};

/// The file for these weights. Without `as` each has the narrowest of fp16, fp32 and fp64 that
/// holds its type; integers of 64 bits beyond 2^53 are rounded, which is noted ("decode.rounded").
/// Weights that cannot be read are left out, with their fault among the notes.
/// Errors: "decode.size" where the sizes exceed 64 bits.
Result<TensorExport> planTensors(const Bundle &bundle, std::span<const std::size_t> weights,
                                 std::optional<ElementType> as);

using ByteSink = std::function<Result<void>(std::span<const std::byte>)>;
/// Head and values, block by block: memory does not grow with the weights. Progress in elements.
/// Errors: those of the sink and of Bundle::decoder, "task.cancelled".
Result<void> writeTensors(const Bundle &bundle, const TensorExport &plan, const ByteSink &sink,
                          Progress *progress = nullptr);

} // namespace kernscope::report
