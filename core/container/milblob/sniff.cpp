// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/milblob/sniff.h"

#include "core/base/little_endian.h"
#include "core/container/milblob/milblob.h"

namespace kernscope {

bool looksLikeBlobFile(std::span<const std::byte> bytes, std::string_view name)
{
    const bool named = name == "weight.bin" || name.ends_with("/weight.bin");
    if (bytes.size() < milblob::kHeaderBytes)
        return named;
    const std::uint32_t version = loadLittle<std::uint32_t>(bytes, 4);
    if (bytes.size() >= milblob::kHeaderBytes + milblob::kMetadataBytes &&
        loadLittle<std::uint32_t>(bytes, milblob::kHeaderBytes) == milblob::kSentinel)
        return named || version <= milblob::kVersion;
    return named || (version == milblob::kVersion && name.ends_with(".bin"));
}

} // namespace kernscope
