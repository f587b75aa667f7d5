// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/patch/save/follow_hash.h"

#include "core/base/sha256.h"
#include "core/bundle/bundle.h"
#include "core/container/aimodel/package.h"

namespace kernscope::patch {

namespace {

constexpr std::uint64_t kDigestBytes = 32;

std::optional<std::size_t> fileNamed(const Bundle &bundle, std::string_view name)
{
    return bundle.fileByPath(std::string(name));
}

} // namespace

std::optional<std::size_t> followingFile(const Bundle &bundle)
{
    if (bundle.kind() != BundleKind::Aimodel)
        return std::nullopt;
    const auto module = fileNamed(bundle, aimodel::kModuleFile);
    const auto hash = fileNamed(bundle, aimodel::kHashFile);
    const bool follows = module && hash && bundle.files()[*module].file->modified() &&
                         bundle.files()[*hash].file->size().value == kDigestBytes;
    return follows ? hash : std::nullopt;
}

Result<std::shared_ptr<OverlaidFile>> followed(const Bundle &bundle, std::size_t file)
{
    const auto module = fileNamed(bundle, aimodel::kModuleFile);
    Sha256 sum;
    sum.update(bundle.files()[*module].file->bytes());
    const auto digest = TRY(sum.finish());
    auto own = TRY(bundle.files()[file].file->fork());
    TRY(own->write(FileOffset(0), digest));
    return own;
}

} // namespace kernscope::patch
