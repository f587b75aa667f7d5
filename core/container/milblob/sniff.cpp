// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/milblob/sniff.h"

#include "core/base/error_builder.h"
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

std::optional<LfsPointer> lfsPointer(std::span<const std::byte> bytes)
{
    constexpr std::size_t kLongest = 1024; // the format's own limit
    if (bytes.size() > kLongest)
        return std::nullopt;
    const std::string_view text(reinterpret_cast<const char *>(bytes.data()), bytes.size());
    if (!text.starts_with("version https://git-lfs.github.com/spec/"))
        return std::nullopt;
    const auto valueOf = [text](std::string_view key) {
        const auto at = text.find(key);
        if (at == std::string_view::npos)
            return std::string();
        const auto from = at + key.size();
        return std::string(text.substr(from, text.find_first_of("\r\n", from) - from));
    };
    return LfsPointer{valueOf("\noid "), valueOf("\nsize ")};
}

Error lfsError(const LfsPointer &pointer, const std::string &path)
{
    return ErrorBuilder("bundle.lfs")
        .file(path)
        .expected(pointer.bytes + " bytes, " + pointer.oid)
        .found("a pointer of Git LFS")
        .message("The file was not downloaded: run git lfs pull.");
}

} // namespace kernscope
