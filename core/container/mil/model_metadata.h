// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace kernscope::mil {

/// What a serialised Model says of itself, in the order of the file: the texts of
/// description.metadata as "shortDescription", "version", "author" and "license", as a compiled
/// model's metadata.json names them, and the pairs of its userDefined map. Texts that are empty are
/// left out, as is what follows a fault and what lies beyond 1 MiB of text. Malformed UTF-8 is
/// replaced. Source: Model.proto of coremltools (Model 2, ModelDescription 100, Metadata).
std::vector<std::pair<std::string, std::string>> modelMetadata(std::span<const std::byte> file);

} // namespace kernscope::mil
