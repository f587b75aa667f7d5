// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/bundle.h"
#include "core/container/mlir/writer.h"
#include "core/numeric/element_type.h"
#include "core/patch/edit/edit.h"
#include "core/patch/reencode/reencode.h"

#include <cstdint>
#include <optional>
#include <utility>

/// Private to re-encoding weights: the module of a Core AI package.
namespace kernscope::patch {

inline constexpr std::string_view kAicode = "aicode.";
inline constexpr std::string_view kConstant = "aicode.primitive.constant_v1";

/// A module that is being changed, and what is added to it.
class ModuleChange
{
public:
    explicit ModuleChange(const Bundle &bundle);

    const mlir::Module &module() const { return m_module; }
    mlir::ModuleEdit &edit() { return m_edit; }

    /// The operation that makes a weight.
    Result<std::uint32_t> makerOf(const Weight &weight);
    /// The latest version of an operation that the package's library knows, else the first one.
    std::string versionOf(std::string_view operation, unsigned latest);
    Result<std::uint32_t> tensorType(ElementType element, const Shape &shape);
    Result<std::uint32_t> tensorType(std::string_view element, const Shape &shape,
                                     std::optional<std::uint64_t> nonZeros = {});
    /// Properties of a constant that holds those bytes, packed.
    Result<std::uint32_t> constantOf(std::span<const std::byte> bytes, std::uint64_t elements,
                                     unsigned bits, bool smallFloat);
    /// Properties of a constant with a blob of its own, so that nothing is shared by its bytes.
    Result<std::uint32_t> ownConstant(std::span<const std::byte> bytes);
    /// The changed module in a bundle in memory, with its hash.
    Result<BundlePtr> open();

private:
    void readVersion();
    Result<void> raiseVersion();

    const Bundle &m_bundle;
    std::size_t m_file;
    mlir::Module m_module;
    mlir::ModuleEdit m_edit;
    std::unordered_map<std::uint64_t, std::uint32_t> m_byOffset;
    std::map<std::pair<std::string, std::string>, std::uint64_t> m_makers; ///< of program values
    std::uint32_t m_asset = mlir::kNone;
    std::uint64_t m_version = 0, m_wanted = 0; ///< of the asset; 0: it says none
};

} // namespace kernscope::patch

/// Core AI packages with other operations in their module.
namespace kernscope::patch {

/// reencodeWeights() of a Core AI package: the operation that makes a weight gives way to those of
/// the form, constants and blobs that nothing reads any more are gone, main.hash is that of the new
/// module. Operations have the latest version that the library of the package knows (its asset's
/// `version`); where it knows none, the earliest one, and the version is raised to its date
/// (coreai_since.csv).
Result<BundlePtr> reencodeModule(const Bundle &bundle, std::span<const Reencoding> weights);

/// A bundle in which what edits change belongs to nothing else.
struct OwnConstants {
    BundlePtr bundle;  ///< in memory; null where nothing had to be done
    Diagnostics notes; ///< what got bytes of its own, and who shared them
    /// Edits of masks that are made in it already, by their numbers, and the values before.
    std::vector<std::pair<std::size_t, std::string>> before;
};

/// Constants share attributes and blobs by their bytes, whatever they are; one element may stand
/// for all; and types say how many values a sparse weight stores. Gives the parts that `edits`
/// change bytes of their own, in a module of another length, and makes there the edits of masks
/// that change the number. Errors: those of findWeight and of Editor::changeMask,
/// "encode.program", "encode.size", "encode.form" (a mask that keeps nothing).
Result<OwnConstants> withOwnConstants(const Bundle &bundle, const std::vector<Edit> &edits,
                                      double tolerance = 0);

} // namespace kernscope::patch
