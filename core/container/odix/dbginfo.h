// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/error.h"
#include "core/format/coreai_operations.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>

/// Debug information beside a compiled program (.dbginfo; resources/formats/odix.md).
namespace kernscope::odix {

struct DebugLocation {
    std::uint32_t file = 0, line = 0, column = 0; ///< line 0: not known
    std::vector<std::uint32_t> entries;
};

struct DebugInfo {
    std::uint64_t begin = 0, end = 0; ///< of its FlatBuffer
    std::string format;               ///< "ODIE-1.0"
    std::vector<std::string> files;   ///< source files, as written: paths of the author's machine
    std::string producer;             ///< of the first compile unit: "torch"
    std::vector<DebugEntry> entries;  ///< of metadata, shared between locations
    std::vector<DebugLocation> locations;
    std::unordered_map<std::uint32_t, std::uint32_t> operations; ///< op id -> location
    Diagnostics diagnostics;

    /// What is said of an operation by its op id; nothing where nothing is.
    /// Operations of the package that it came from: its own, then those that its outputs map to.
    std::vector<std::uint32_t> sourceOps(std::uint32_t opId) const;
    std::vector<std::string> callStack(std::uint32_t opId) const;
    std::string name(std::uint32_t opId) const;
    /// Call stack, outermost first, and node, as readers of packages write them:
    /// "Tiny_1/Conv2d_1/convolution".
    std::string scope(std::uint32_t opId) const;
    std::string position(std::uint32_t opId) const; ///< "tiny.py:8:0"

private:
    const DebugLocation *of(std::uint32_t opId) const;
    /// Of its entries, the first that is not empty.
    template <class Part>
    Part first(std::uint32_t opId, Part DebugEntry::*part) const;
};

bool isDebugInfo(std::span<const std::byte> bytes);

/// Errors: "odix.header", "odix.flatbuffer" and "odix.content" where nothing can be read; faults of
/// one location or operation are diagnostics.
Result<DebugInfo> readDebugInfo(std::span<const std::byte> bytes, const std::string &file);

} // namespace kernscope::odix
