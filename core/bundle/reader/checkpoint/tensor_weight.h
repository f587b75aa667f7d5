// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/reader/container_reader.h"

/// Private to checkpoints: one dense tensor.
namespace kernscope::checkpoint {

struct StoredTensor {
    std::string name;
    ElementType type = ElementType::Unknown;
    Shape shape = Shape(1, 0); ///< of no element where it cannot be read
    std::size_t file = 0;
    ByteRange bytes;
    bool firstAxisInnermost = false; ///< Fortran order
    /// Of one whose `bytes` are packed: unpacks them, and where the elements begin then.
    std::function<Result<std::vector<std::byte>>()> packed = nullptr;
    std::uint64_t packedAt = 0;
    std::optional<Error> fault;
    bool isCut = false; ///< the file ends before it does: said once for all of them
};

/// Of a file; what is behind them is not shown, so that opening stays within 512 MiB. Bytes of one
/// name and of all.
inline constexpr std::size_t kMostTensors = 100'000, kMostName = 4096,
                             kMostNames = std::size_t(32) << 20;
Error tooMany(const std::string &file, std::size_t found);

/// Takes out what is beyond these limits; false, with a row in the log, where anything is.
template <class Tensor>
bool keepWithinLimits(std::vector<Tensor> &tensors, std::string Tensor::*name,
                      const std::string &file, DiagnosticLog &log)
{
    const std::size_t found = tensors.size();
    std::size_t names = 0, kept = 0;
    for (std::size_t i = 0; i < found; ++i) {
        const std::size_t bytes = (tensors[i].*name).size();
        if (bytes > kMostName || names + bytes > kMostNames || kept == kMostTensors)
            continue;
        names += bytes;
        if (kept++ < i)
            tensors[kept - 1] = std::move(tensors[i]);
    }
    if (kept == found)
        return true;
    tensors.resize(kept);
    log.add(Severity::Error, tooMany(file, found));
    return false;
}

/// Adds the weight and the claim of its bytes.
void addTensor(const StoredTensor &tensor, const std::string &sourceOp, ContainerContents &out);

inline constexpr std::string_view kReadOnly =
    "A checkpoint is opened for reading only: compare with it, or take values from it";

} // namespace kernscope::checkpoint
