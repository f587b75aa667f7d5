// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/patch/binary/apply_binary.h"

#include <vector>

namespace kernscope::test {

/// A file with a patch applied, in memory.
struct PatchedBytes : patch::PatchedFile {
    std::vector<std::byte> content;
};

inline Result<PatchedBytes> patchedBytes(std::span<const std::byte> file,
                                         std::span<const std::byte> patch, std::string_view name,
                                         Progress *progress = nullptr)
{
    PatchedBytes made;
    const auto room = [&made](std::uint64_t bytes) -> Result<std::span<std::byte>> {
        made.content.resize(bytes);
        return std::span(made.content);
    };
    const auto applied = patch::applyBinaryPatch(file, patch, name, room, progress);
    if (!applied)
        return tl::unexpected(applied.error());
    static_cast<patch::PatchedFile &>(made) = *applied;
    made.content.resize(applied->bytes);
    return made;
}

} // namespace kernscope::test
