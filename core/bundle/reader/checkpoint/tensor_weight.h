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

/// Of a file; what is behind them is not shown, so that opening stays within 512 MiB.
inline constexpr std::size_t kMostTensors = 100'000;
Error tooMany(const std::string &file, std::size_t found);

/// Adds the weight and the claim of its bytes.
void addTensor(const StoredTensor &tensor, const std::string &sourceOp, ContainerContents &out);

inline constexpr std::string_view kReadOnly =
    "A checkpoint is opened for reading only: compare with it, or take values from it";

} // namespace kernscope::checkpoint
