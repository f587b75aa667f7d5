// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/compact.h"
#include "core/base/error.h"
#include "core/base/overlaid_file.h"
#include "core/base/shared_value.h"
#include "core/base/small_index.h"
#include "core/codec/decode/decoder.h"
#include "core/container/mil/program_store.h"
#include "core/form/storage_form.h"
#include "core/numeric/element_type.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace kernscope {

namespace hwx {
struct Container;
}
namespace section {
struct Section;
}
namespace shapes {
struct Binding;
struct OpenInput;
} // namespace shapes

/// What was opened.
enum class BundleKind : std::uint8_t {
    Mlmodelc,
    Mlpackage,
    MilBlob,
    MilText,
    Hwx,
    Anec,
    Section,
    Quantized,   ///< a folder that `quantize` wrote
    Network,     ///< a lone .mlmodel that is a neural network of the kind before programs
    Pipeline,    ///< a lone .mlmodel that is a pipeline
    Safetensors, ///< a checkpoint, read only
    Npz,         ///< an archive of NumPy arrays, read only
    Unknown
};
/// "mlmodelc", "mlpackage", "milblob", "mil", "hwx", "anec", "section", "quantized", "network",
/// "pipeline", "safetensors", "npz", "unknown".
std::string_view bundleKindName(BundleKind kind);

/// What a run of bytes is for; each has a colour token (window.md, Tokens).
enum class SectionKind : std::uint8_t {
    Header,
    Metadata,
    Program,
    Data,
    Indices,
    Codebook,
    Mask,
    Values,
    Scale,
    ZeroPoint,
    Manifest, ///< JSON and other files that describe the bundle
    Padding,
    Unknown,
};
/// "header", "metadata", "program", "data", "indices", "codebook", "mask", "values", "scale",
/// "zero_point", "manifest", "padding", "unknown".
std::string_view sectionKindName(SectionKind kind);

/// A leaf of the section map. The sections of a file cover every byte of it exactly once.
struct Section {
    std::string name; ///< "encoder.weight: mask", "record 3: metadata", "padding"
    ByteRange range;
    SmallIndex file = 0;
    SmallIndex weight = kNoIndex;  ///< that it belongs to: Bundle::ownerOf() has its name
    SmallIndex operand = kNoIndex; ///< and of the operand among Weight::operands()
    SectionKind kind = SectionKind::Unknown;
};

/// How the consumer uses the weight. Fields that the program does not say stay empty.
struct ConsumerGeometry {
    CompactVector<std::uint64_t> strides, dilations, pads;
    RareText padType;
    std::uint64_t groups = 1;
    bool transposeX = false, transposeY = false;
    std::optional<Shape> input;  ///< of the activation operand
    std::optional<Shape> output; ///< declared output
    bool insideLoop = false;     ///< sits in a while_loop or cond body
    RareText equation;           ///< of einsum: "bij,jk->bik"
    std::size_t operand = 0;     ///< which of the values of an einsum the weight is
    std::size_t axis = 0;        ///< of gather: the axis that it picks along
    /// Of a weight that is read through transpose, reshape or their like: by axis of what is read
    /// that of the stored weight, kNoIndex where it is none. Empty: the same axes.
    CompactVector<std::size_t> storedAxes;

    friend bool operator==(const ConsumerGeometry &, const ConsumerGeometry &) = default;
};

struct Consumer {
    std::string op;                     ///< "conv"
    std::string name;                   ///< displayName of the op
    std::string param;                  ///< "weight"
    CompactVector<std::string> via;     ///< ops between: "cast", "transpose"
    std::optional<std::uint64_t> flops; ///< multiply and add count as two; empty: shape unknown
    /// All arithmetic that the operation does with this operand, those of lstm, gru, rnn and einsum
    /// included, which `flops` counts as 0 (resources/formats/programs.md). Empty: an extent is
    /// unknown.
    std::optional<std::uint64_t> layerFlops;
    SharedValue<ConsumerGeometry> geometry;
    /// Where the compiler runs the op; empty where it does not say.
    SharedValue<mil::BackendNotes> backends;
};

/// A run of output channels: [first, first + count).
struct ChannelRun {
    std::uint64_t first = 0, count = 0;
    friend bool operator==(const ChannelRun &, const ChannelRun &) = default;
};

/// What one engine core of a hardware container loads of a weight: a plane of its slice, or the
/// whole slice where its planes are not told apart without reading it.
struct LanePiece {
    std::uint64_t lane = 0;           ///< engine core: N of the symbol's "_ne_N"
    std::uint64_t plane = 0;          ///< within the slice
    std::vector<ChannelRun> channels; ///< ascending; empty where they are not known
    ByteRange bytes;
    std::uint64_t copy = 0; ///< 1 and on: the same again, for a further stream of tasks
};

/// Whether the order of the coefficients in a container's slices is published.
enum class OrderState : std::uint8_t { Known, Assumed, Unknown };

/// How a container deals a weight's channels to engine cores (sections, hardware containers).
struct Dealing {
    std::optional<std::uint64_t> groups; ///< of the convolution; empty: its consumers say
    CompactVector<std::uint64_t> lanes;  ///< of the first 64 chunks
    OrderState order = OrderState::Known;
    std::uint64_t copies = 1; ///< of the slices in all, one for each stream of tasks
    RareText sliceLaw;        ///< "round_up(2 x 16 x 25, 64) = 832 bytes (0x340)"
};

/// What a weight serves. Of a program's constants the consumers say it: all of them are weights.
enum class WeightRole : std::uint8_t {
    Weight,
    Bias,            ///< of a container: one value an output channel, beside its weight
    ActivationTable, ///< of a container: a function of all channels
};

struct Weight {
    std::string name;     ///< of the value that the consumer reads
    std::string opName;   ///< attributes["name"] of the op that makes it
    std::string function; ///< "main"; empty where there are no functions
    std::string model;    ///< of a pipeline: "detector", "outer/inner"; empty: the model itself
    std::string sourceOp; ///< "const", "constexpr_lut_to_dense", …; "blob" in a bare weight file
    StorageForm form;     ///< formText() writes it; its operands know their places
    Shape shape;
    ElementType type = ElementType::Unknown; ///< decoded, before the conversion to fp16
    ElementCount elements;
    ByteCount storedBytes; ///< an operand used twice counts once
    Detail detail;         ///< further figures of its form and container, for people
    std::vector<Consumer> consumers;
    WeightRole role = WeightRole::Weight;
    std::size_t beside = kNoIndex; ///< biases and tables of a section, biases of a container: of
                                   ///< which weight
    SharedValue<Dealing> dealing;
    /// Of a hardware container's weight, by lane and then plane, then the copies of its slices in
    /// the same order; of any other weight, and of an activation table, none.
    CompactVector<LanePiece> lanePieces;

    ByteCount denseFp16Bytes() const { return ByteCount(elements.value * 2); } ///< checked on open
    double ratio() const; ///< stored bytes over dense fp16 bytes
    /// "MODEL/FUNCTION/NAME" without the parts that are empty.
    std::string address() const;
    bool sharesName = false; ///< another weight of the bundle has its name
    /// Its name where that is enough to find it, else its address.
    std::string findableName() const { return sharesName ? address() : name; }
    /// Of its form; each has a place.
    const OperandList &operands() const { return form.operands(); }
    const codec::Operand *operand(codec::PartRole wanted) const { return form.operand(wanted); }
    bool has(codec::PartRole wanted) const { return operand(wanted) != nullptr; }

    BoxedOptional<Error> fault; ///< why it is unsound: `form` then has no encoding
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

struct Totals {
    std::size_t weights = 0;
    ByteCount storedBytes; ///< an operand that several weights share counts once
    ByteCount denseFp16Bytes;
    double ratio = 0;
    std::vector<std::pair<std::string, std::size_t>> forms; ///< in order of first appearance
};

struct OpenOptions {
    /// Files that exist in memory instead of on disk: path relative to the bundle -> content.
    std::vector<std::pair<std::string, std::vector<std::byte>>> memory;

    /// Called with each file of the disk once it is mapped, before any of it is read.
    std::function<void(const std::shared_ptr<OverlaidFile> &)> mapped = {};
    /// True for files in the bundle's folder that are none of its content.
    std::function<bool(const std::filesystem::path &)> leftOut = {};
    /// Asked once when all is read: rows to begin the diagnostics with, also after reread().
    std::function<Diagnostics()> notes = {};
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
    /// .anec, a .ksec or a folder that `quantize` wrote. The kind is found by content, names are
    /// hints only. Files that are written meanwhile are opened again; "io.changed" where that does
    /// not end.
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
    /// The program with all its operations. Whoever keeps a pointer into it keeps this one as well;
    /// see mil::ProgramStore::whole() for what asking may cost.
    std::shared_ptr<const mil::Program> program() const { return m_program->whole(); }
    /// The program without what its functions compute, always at hand: mil::ProgramStore::outline.
    const mil::Program &programOutline() const { return m_program->outline(); }
    /// Keeps the operations in a twentieth of their memory while nobody uses them. From any thread.
    void setProgramAside() const { m_program->setAside(); }
    /// The inputs whose extents the program leaves open, those that are bound left out.
    const std::vector<shapes::OpenInput> &openInputs() const { return *m_openInputs; }
    std::size_t programFile() const { return m_programFile; } ///< kNoIndex where there is none
    /// The inputs whose shapes were bound (bindShapes); null where none was.
    const std::shared_ptr<const std::vector<shapes::Binding>> &shapeBindings() const
    {
        return m_shapeBindings;
    }
    const Diagnostics &diagnostics() const { return m_diagnostics; }
    /// Tables of a hardware container (.hwx, .anec), whose one file is files().front(); null for
    /// every other kind.
    const std::shared_ptr<const hwx::Container> &hardware() const { return m_hardware; }
    /// Tables of a weight section (.ksec), whose one file is files().front(); null for every
    /// other kind.
    const std::shared_ptr<const section::Section> &section() const { return m_section; }
    Totals totals() const;

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

    BundleKind m_kind = BundleKind::Unknown;
    std::filesystem::path m_path;
    std::string m_name;
    std::vector<BundleFile> m_files;
    std::vector<Section> m_sections;
    std::vector<Weight> m_weights;
    std::shared_ptr<const mil::ProgramStore> m_program;
    std::shared_ptr<const std::vector<shapes::OpenInput>> m_openInputs;
    std::size_t m_programFile = kNoIndex;
    std::shared_ptr<const std::vector<shapes::Binding>> m_shapeBindings;
    Diagnostics m_notes; ///< of OpenOptions::notes
    Diagnostics m_diagnostics;
    std::shared_ptr<const hwx::Container> m_hardware;
    std::shared_ptr<const section::Section> m_section;
    std::string m_readOnlyReason;
};

using BundlePtr = std::shared_ptr<const Bundle>;

/// Holds every file of a bundle for reading, so that no edit lands in between.
class BundleReadLock
{
public:
    explicit BundleReadLock(const Bundle &bundle);

private:
    std::vector<std::shared_lock<std::shared_mutex>> m_locks;
};

} // namespace kernscope
