// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/overlaid_file.h"
#include "core/bundle/bundle.h"
#include "core/bundle/diagnostic_log.h"
#include "core/bundle/section_map.h"
#include "core/bundle/shapes/infer.h"

namespace kernscope {

/// What a reader is given.
struct ContainerInput {
    /// Mapped, in the order of their names. A reader may add files that are only in memory (members
    /// of an archive that are compressed) and those that `openBeside` finds; on a second call they
    /// are there already.
    std::vector<BundleFile> &files;
    std::string programPath; ///< of the program among `files` (ContainerReader::programPath)
    /// Maps files that lie beside a lone file, by their paths, and adds them to `files` in the
    /// order of names; what is not there is left out. Does nothing for folders and content in
    /// memory.
    std::function<void(const std::vector<std::string> &)> openBeside;
    /// Shapes of inputs that the program leaves open; null where none are given.
    const std::vector<shapes::ShapeBinding> *bindings = nullptr;
};

/// What a reader makes of it.
struct ContainerContents {
    std::vector<Weight> weights;
    std::vector<std::vector<ByteClaim>>
        claims;                     ///< by file; what is not claimed is padding or unknown
    DiagnosticLog log;              ///< faults; opening may have left some there
    std::string readOnlyReason;     ///< why no byte can be changed; empty: as opening found it
    std::optional<BundleKind> kind; ///< where the tables tell more than the first bytes did
    mil::Program program;
    std::size_t programFile = kNoIndex;
    ProgramFiles programFiles; ///< of a compiled pipeline
    std::shared_ptr<const hwx::Container> hardware;
    std::shared_ptr<const section::WeightSection> section;
    std::shared_ptr<const odix::Compiled> compiled;
    std::optional<Result<shapes::Summary>> shapes; ///< where shapes were bound
};

/// One kind of container: how it is told from others, and how its tables become weights and
/// sections. A reader copies no payload and decodes nothing. Stateless, safe to share.
struct ContainerReader {
    BundleKind kind = BundleKind::Unknown; ///< what Bundle::kind() says of what it reads
    std::string_view key;                  ///< in JSON and in tests: "safetensors" (bundleKindName)
    std::string_view name;                 ///< for people: "a safetensors checkpoint"
    std::string_view wanted; ///< in the sentence that says what can be opened: "a .hwx"
    /// How names of its files and folders end, with the dot; none where any name will do.
    std::vector<std::string_view> endings = {};
    /// Paths of files each of which makes a folder one of this kind; none where no folder is. "*"
    /// in front: how the name of a file of the folder itself ends.
    std::vector<std::string_view> folderMarks = {};
    /// True where a lone file is of this kind, by its first bytes; names are hints only.
    bool (*knows)(std::span<const std::byte> bytes, std::string_view path) = [](auto, auto) {
        return false;
    };
    /// Path of the program among the files; empty where the kind holds none.
    Result<std::string> (*programPath)(const std::vector<BundleFile> &) = [](const auto &) {
        return Result<std::string>();
    };
    /// Reads the tables. Faults become diagnostics.
    void (*read)(ContainerInput &input, ContainerContents &out) = nullptr;
    std::string_view helpPage;   ///< where it is documented: a page of resources/formats
    std::string_view fuzzTarget; ///< a source of tests/fuzz, without its ending
};

/// The readers, in the order in which a lone file is shown to them and a folder looked for their
/// mark.
std::span<const ContainerReader *const> containerReaders();
/// The reader of a kind; null for kinds that have none.
const ContainerReader *containerReader(BundleKind kind);

} // namespace kernscope
