// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/bundle_fwd.h"
#include "core/bundle/kinds.h"
#include "core/bundle/weight.h"

#include <filesystem>
#include <map>
#include <shared_mutex>

namespace kernscope {

namespace hwx {
struct Container;
}
namespace mil {
struct Program;
} // namespace mil
namespace odix {
struct Compiled;
}
namespace section {
struct WeightSection;
}
namespace shapes {
struct ShapeBinding;
struct OpenInput;
} // namespace shapes

/// A leaf of the section map. The sections of a file cover every byte of it exactly once.
struct Section {
    ByteRange range;
    /// Its name, where that does not follow from the other members: Bundle::nameOf() has all.
    std::string givenName;
    std::size_t file = 0;
    std::size_t weight = kNoIndex;  ///< that it belongs to: Bundle::ownerOf() has its name
    std::size_t record = kNoIndex;  ///< whose metadata it is
    std::size_t operand = kNoIndex; ///< among Weight::operands()
    SectionKind kind = SectionKind::Unknown;
};

/// One file of the bundle with its overlay.
struct BundleFile {
    std::shared_ptr<OverlaidFile> file;
    std::string path;                        ///< relative to the bundle, with '/'
    SectionKind role = SectionKind::Unknown; ///< Data: a weight file; Program; Manifest; Unknown
    std::uint32_t blobVersion = 0, blobCount = 0; ///< weight files: header fields
    std::size_t records = 0;                      ///< weight files: records found
    std::size_t unusedRecords = 0; ///< weight files: records that no weight or constant names
    ByteCount payloadBytes;
};
/// The number of the file with that path; kNoIndex where there is none.
std::size_t indexOfPath(const std::vector<BundleFile> &files, std::string_view path);

/// The file of each model's program, by the model's path, where they lie in files of their own.
using ProgramFiles = std::map<std::string, std::size_t, std::less<>>;

struct Totals {
    std::size_t weights = 0;
    ByteCount storedBytes; ///< an operand that several weights share counts once
    ByteCount denseFp16Bytes;
    double ratio = 0;
    std::vector<std::pair<std::string, std::size_t>> forms; ///< in order of first appearance
};

struct ContainerReader;

struct OpenOptions {
    /// Files that exist in memory instead of on disk: path relative to the bundle -> content.
    std::vector<std::pair<std::string, std::vector<std::byte>>> memory;
    /// Beside `memory`, files that are open already, under their paths in the bundle.
    std::vector<std::pair<std::string, std::shared_ptr<OverlaidFile>>> files = {};

    /// Called with each file of the disk once it is mapped, before any of it is read.
    std::function<void(const std::shared_ptr<OverlaidFile> &)> mapped = {};
    /// True for files in the bundle's folder that are none of its content.
    std::function<bool(const std::filesystem::path &)> leftOut = {};
    /// Asked once when all is read: rows to begin the diagnostics with, also after reread().
    std::function<Diagnostics()> notes = {};
    /// Reads the file in place of the registry's readers: of a format that is not among them.
    const ContainerReader *reader = nullptr;
};

/// The one model that views, reports, diffs and patches read: an immutable snapshot of the tables,
/// over files that it shares with the snapshots made before and after it.
///
/// Opening maps files and reads tables; no payload is touched. A damaged bundle still opens, with
/// rows in diagnostics(); only what cannot be opened at all is an Error ("io.open", "bundle.kind").
class Bundle
{
public:
    /// A .mlmodelc or .mlpackage folder, a model.mil, a model.mlmodel, a weight.bin, a .hwx, a
    /// .anec, a .ksec, a compiled Core AI program (.aimodelx) or a folder that `quantize` wrote.
    /// The kind is found by content, names are hints only. Files that are written meanwhile are
    /// opened again; "io.changed" where that does not end.
    static Result<std::shared_ptr<const Bundle>> open(const std::filesystem::path &path,
                                                      const OpenOptions &options = {});
    /// Reads the tables again through the overlays, sharing the files: after an edit that touched
    /// the program text, a header or a record. Shapes that were bound are bound again.
    Result<std::shared_ptr<const Bundle>> reread() const;

    BundleKind kind() const { return m_kind; }
    const std::filesystem::path &path() const { return m_path; }
    const std::string &name() const { return m_name; } ///< last component: "x.mlmodelc"
    const std::vector<BundleFile> &files() const { return m_files; }
    const std::vector<Section> &sections() const { return m_sections; } ///< by file, then offset
    const std::vector<Weight> &weights() const { return m_weights; }
    /// Never null; of a kind without a program it has no functions.
    const std::shared_ptr<const mil::Program> &program() const { return m_program; }
    /// The inputs whose extents the program leaves open, those that are bound left out.
    const std::vector<shapes::OpenInput> &openInputs() const { return *m_openInputs; }
    /// kNoIndex where there is none; of a compiled pipeline that of its first program.
    std::size_t programFile() const { return m_programFile; }
    /// The file that the program of a model (Weight::model, mil::Function::model) is written in: of
    /// a compiled pipeline its own, else programFile().
    std::size_t programFileOf(std::string_view model) const;
    const ProgramFiles &programFiles() const { return m_programFiles; } ///< of compiled pipelines
    bool isProgramFile(std::size_t file) const;
    /// The inputs whose shapes were bound (bindShapes); null where none was.
    const std::shared_ptr<const std::vector<shapes::ShapeBinding>> &shapeBindings() const
    {
        return m_shapeBindings;
    }
    const Diagnostics &diagnostics() const { return m_diagnostics; }
    /// Tables of a hardware container (.hwx, .anec), whose one file is files().front(); null for
    /// every other kind.
    const std::shared_ptr<const hwx::Container> &hardware() const { return m_hardware; }
    /// Tables of a weight section (.ksec), whose one file is files().front(); null for every
    /// other kind.
    const std::shared_ptr<const section::WeightSection> &section() const { return m_section; }
    /// Tables of a compiled Core AI program; null for every other kind.
    const std::shared_ptr<const odix::Compiled> &compiled() const { return m_compiled; }
    const Totals &totals() const { return m_totals; } ///< added up once, as the bundle was opened

    /// Name of a section of this bundle: "encoder.weight: mask", "record 3: metadata", "padding".
    std::string nameOf(const Section &section) const;
    /// nameOf(section) == name, without making the names of those that begin otherwise.
    bool isNamed(const Section &section, std::string_view name) const;
    /// Name of the weight that a section of this bundle belongs to; empty where none.
    std::string_view ownerOf(const Section &section) const
    {
        return section.weight < m_weights.size() ? std::string_view(m_weights[section.weight].name)
                                                 : std::string_view();
    }
    /// By its address, or by its name where no other weight has that.
    std::optional<std::size_t> weightByName(std::string_view name) const;
    /// Why no byte of it can be changed; empty where they can.
    const std::string &readOnlyReason() const { return m_readOnlyReason; }
    std::optional<std::size_t> fileByPath(std::string_view path) const;
    /// Index of the section that holds a byte: O(log sections). kNoIndex past the end.
    std::size_t sectionAt(std::size_t file, FileOffset offset) const;
    /// Sections of one file as a half-open range of indices.
    std::pair<std::size_t, std::size_t> sectionsOf(std::size_t file) const;

    /// A decoder over the current bytes. It keeps its tables (codebooks, scales, ranks): make a
    /// new one after an edit. Hold fileLocks() shared while it reads on another thread.
    Result<codec::Decoder> decoder(std::size_t weight) const;
    /// Current bytes of an operand (a literal's packed bytes, or the mapped file's); of one in
    /// pieces, those of the whole file; of one without a place, its own.
    std::span<const std::byte> operandBytes(const codec::Operand &operand) const;
    /// Current bytes of an operand by its pieces; of one that is whole, a single run.
    std::vector<std::span<const std::byte>> operandRuns(const codec::Operand &operand) const;

    bool modified() const; ///< any file's overlay differs from the disk
    /// Error "io.changed" where another program changed a file since it was opened: what was read
    /// of it may be half old, half new, and no answer that was made of it holds. A file that was
    /// replaced by another one still reads as it did. From any thread; needs no lock.
    Result<void> checkUnchanged() const;
    ByteCount totalBytes() const;

private:
    friend class BundleBuilder;
    Bundle() = default;
    Totals addUp() const;

    BundleKind m_kind = BundleKind::Unknown;
    std::filesystem::path m_path;
    std::string m_name;
    std::vector<BundleFile> m_files;
    std::vector<Section> m_sections;
    std::vector<Weight> m_weights;
    Totals m_totals; ///< of m_weights
    std::shared_ptr<const mil::Program> m_program;
    std::shared_ptr<const std::vector<shapes::OpenInput>> m_openInputs;
    std::size_t m_programFile = kNoIndex;
    ProgramFiles m_programFiles;
    std::shared_ptr<const std::vector<shapes::ShapeBinding>> m_shapeBindings;
    Diagnostics m_notes; ///< of OpenOptions::notes
    Diagnostics m_diagnostics;
    std::shared_ptr<const hwx::Container> m_hardware;
    std::shared_ptr<const section::WeightSection> m_section;
    std::shared_ptr<const odix::Compiled> m_compiled;
    std::string m_readOnlyReason;
    const ContainerReader *m_reader = nullptr; ///< of OpenOptions
};

/// Holds every file of a bundle, or of two, for reading, so that no edit lands in between. Each
/// file is locked once, all in one order: two snapshots of one bundle share their files.
class BundleReadLock
{
public:
    explicit BundleReadLock(const Bundle &bundle) : BundleReadLock(bundle, bundle) {}
    BundleReadLock(const Bundle &a, const Bundle &b);

private:
    std::vector<std::shared_lock<std::shared_mutex>> m_locks;
};

} // namespace kernscope
