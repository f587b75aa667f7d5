// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/progress.h"
#include "core/bundle/bundle_fwd.h"
#include "core/bundle/weight.h"
#include "core/report/column.h"

/// The decoded weights of a bundle as one file: .safetensors (eight bytes of length, a JSON header,
/// and the values row by row), .npz (a zip archive with an array of NumPy for each weight) or, of a
/// single weight, .npy, .csv (a line an index of the first axis) or .bin (bare values).
namespace kernscope::report {

enum class TensorFile : std::uint8_t { Safetensors, Npz, Npy, Csv, Bin };
/// The kind by the ending of a file's name, in upper or lower case.
std::optional<TensorFile> tensorFileOf(std::string_view path);
/// Whether such a file holds several weights, each by its name.
inline bool holdsTensors(TensorFile kind)
{
    return kind == TensorFile::Safetensors || kind == TensorFile::Npz;
}
inline constexpr std::string_view kTensorEndings = ".npy, .csv, .bin, .npz or .safetensors";

/// One tensor of the file.
struct ExportedTensor {
    std::size_t weight = kNoIndex;
    std::string name; ///< the weight's name, or its address where several have that name
    ElementType type = ElementType::Fp16; ///< Fp16, Fp32, Fp64, Int64 or Uint64
    std::uint64_t bytes = 0;
    std::uint64_t first = 0; ///< element of the weight that it begins with
    Shape shape;
    std::string head; ///< .npz: the header of its array
};

/// What will be written.
struct TensorExport {
    TensorFile kind = TensorFile::Safetensors;
    std::string head; ///< what the file begins with: length and header, or that of an array
    std::vector<ExportedTensor> tensors; ///< in the order of their values
    Diagnostics notes; ///< faults of the weights that are left out; values that are rounded
    std::uint64_t elements = 0;
    std::uint64_t bytes = 0; ///< of the whole file; of .csv those of the values
};

/// Indices [first, last) of the first axis.
struct TensorRows {
    std::uint64_t first = 0, last = 0;
};

/// The file for these weights. Without `as` each has the narrowest of fp16, fp32 and fp64 that
/// holds its type, integers of 64 bits that type; where an operation makes them, those beyond 2^53
/// are rounded. What is rounded is noted ("decode.rounded").
/// Weights that cannot be read are left out, with their fault among the notes.
/// .npy, .csv and .bin take the first one that can be read, and write its `rows`.
/// Errors: "decode.size" where the sizes exceed 64 bits; of .npz those of archive::ZipWriter.
Result<TensorExport> planTensors(const Bundle &bundle, std::span<const std::size_t> weights,
                                 std::optional<ElementType> as,
                                 TensorFile kind = TensorFile::Safetensors,
                                 std::optional<TensorRows> rows = {});

using ByteSink = std::function<Result<void>(std::span<const std::byte>)>;
/// Head and values, block by block: memory does not grow with the weights. Progress in elements.
/// Gives a warning for each weight with finite values that were written as infinities
/// ("decode.overflow"). Errors: those of the sink and of Bundle::decoder, "task.cancelled".
Result<Diagnostics> writeTensors(const Bundle &bundle, const TensorExport &plan,
                                 const ByteSink &sink, Progress *progress = nullptr);

/// The values of a weight that `decode` wrote.
struct DecodedFile {
    std::string_view output, type; ///< file; "fp16" or "fp32"
    Shape shape;                   ///< of the values written
    std::uint64_t elements = 0, bytes = 0;
};
/// Everything of `decode`.
Json decodeJson(const Weight &weight, const DecodedFile &written);

/// Everything of `decode` into a file of tensors.
Json decodeJson(const Bundle &bundle, const TensorExport &written, std::string_view output);

} // namespace kernscope::report
