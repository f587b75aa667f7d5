// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/container/mlir/module.h"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// A Core AI package: a folder NAME.aimodel of three files (coreai-format.md, section 1).
namespace kernscope::aimodel {

inline constexpr std::string_view kMetadataFile = "metadata.json", kModuleFile = "main.mlirb",
                                  kHashFile = "main.hash";
/// Modules up to this many bytes are hashed as they are opened, larger ones when payloads are
/// checked.
inline constexpr std::uint64_t kHashedOnOpening = std::uint64_t(64) << 20;

/// metadata.json; what is missing is empty.
struct Metadata {
    std::optional<std::string> assetVersion;
    std::string producer;
    std::string creationDate; ///< "20261126T143331Z"
    std::string author;
    std::string license;
    std::string description;
    std::vector<std::pair<std::string, std::string>> custom; ///< key and its value as JSON text
    std::vector<std::pair<std::string, std::string>> others; ///< keys that are not known
};

/// Errors: "aimodel.metadata" (no JSON, no object, too large), with the offset.
Result<Metadata> readMetadata(std::span<const std::byte> bytes, const std::string &file);

/// Findings on it: an asset version that is not known ("aimodel.asset_version"), none, no producer
/// ("aimodel.producer"). `metadata` null: there is no such file ("aimodel.no_metadata").
Diagnostics metadataFindings(const Metadata *metadata);

/// Whether main.hash is the SHA-256 of main.mlirb: reads all of it, 1 GiB in about a second, so do
/// not call it before something is shown. Nothing where it is; else a warning "aimodel.hash"
/// (wrong, another length) or "aimodel.no_hash" (`hash` is nothing: the file is missing).
std::optional<Error> hashFinding(std::span<const std::byte> module,
                                 std::optional<std::span<const std::byte>> hash);

/// A text of debug information that is a path from the root of the author's machine.
struct AuthorPath {
    std::uint32_t string = 0; ///< in Module::strings
    ByteRange range;          ///< of its text in main.mlirb, without the NUL
};
std::vector<AuthorPath> authorPaths(const mlir::Module &module);
/// One note "aimodel.author_paths" on all of them; nothing where there are none.
std::optional<Error> authorPathFinding(const std::vector<AuthorPath> &paths);

} // namespace kernscope::aimodel
