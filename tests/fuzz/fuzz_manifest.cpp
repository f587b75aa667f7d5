// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/mil/reader.h"
#include "tests/fuzz/fuzz_check.h"

#include <filesystem>

/// A path that the manifest gives stays inside the package.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const auto path =
        kernscope::mil::modelPathFromManifest(fuzz::bytesOf(data, size), "Manifest.json");
    if (!path)
        return 0;
    const std::filesystem::path inside(*path);
    fuzz::require(inside.is_relative() && path->starts_with("Data/"));
    for (const auto &part : inside)
        fuzz::require(part != ".." && part != "." && !part.empty());
    return 0;
}
