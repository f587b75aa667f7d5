// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/bundle.h"
#include "core/bundle/section_map.h"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kernscope {

/// What a reader makes of the files of a container.
struct ContainerContents {
    std::vector<Weight> weights;
    std::vector<std::vector<Claim>> claims; ///< by file; what is not claimed is padding or unknown
    Diagnostics diagnostics;
    std::string readOnlyReason; ///< why no byte can be changed; empty where they can
};

/// One kind of container: how it is told from others, and how its tables become weights and
/// sections. A reader copies no payload and decodes nothing. Stateless, safe to share.
class ContainerReader
{
public:
    virtual ~ContainerReader() = default;

    virtual BundleKind kind() const = 0;
    /// For people: "a safetensors checkpoint".
    virtual std::string_view name() const = 0;
    /// True where a lone file is of this kind, by its first bytes; names are hints only.
    virtual bool knows(std::span<const std::byte> bytes, std::string_view path) const = 0;
    /// Reads the tables. Files that are only in memory may be added (members of an archive that are
    /// compressed); on a second call they are there already. Faults become diagnostics.
    virtual void read(std::vector<BundleFile> &files, ContainerContents &out) const = 0;
};

/// The readers of lone files, in the order in which they are asked.
std::span<const ContainerReader *const> containerReaders();
/// The reader of a kind; null for kinds that have none here.
const ContainerReader *containerReader(BundleKind kind);

} // namespace kernscope
