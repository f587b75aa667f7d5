// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/bundle.h"
#include "core/container/mlir/writer.h"
#include "core/numeric/element_type.h"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
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
