// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/overlaid_file.h"
#include "core/bundle/bundle_fwd.h"
#include "core/codec/decode/decoder.h"
#include "core/numeric/npy.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace kernscope::patch {

/// The values that an edit takes from a file, read in runs: "a.npy", or a tensor of a checkpoint or
/// another bundle, "a.safetensors#encoder.weight" (without '#': the one of the weight's own name).
class ArraySource
{
public:
    /// The shape must be that of the weight but for extents of 1. Errors: those of readNpyLayout,
    /// Bundle::open and findWeight, "patch.shape".
    static Result<ArraySource> open(const std::string &source, const Weight &weight);

    /// Elements [first, first + out.size()), row-major: of an array as it has them, of a tensor at
    /// fp32. From any thread.
    void read(std::uint64_t first, std::span<double> out) const;
    /// To be asked after the last read. Errors: "io.changed" where another program changed the
    /// file meanwhile: what was read may be half old, half new.
    Result<void> checkUnchanged() const;

private:
    static Result<ArraySource> ofArray(const std::string &path);
    static Result<ArraySource> ofTensor(const std::string &path, const std::string &name,
                                        const Weight &weight);

    Shape m_shape;
    std::shared_ptr<OverlaidFile> m_file; ///< of an array
    NpyLayout m_layout;
    BundlePtr m_bundle; ///< of a tensor
    std::optional<codec::Decoder> m_decoder;
};

} // namespace kernscope::patch
