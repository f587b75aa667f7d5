// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/error.h"
#include "core/base/error_builder.h"

#include <cstddef>
#include <span>

namespace kernscope::patch {

/// Reads a binary patch from its start on. Every error names the place in the patch.
class PatchCursor
{
public:
    PatchCursor(std::span<const std::byte> bytes, std::string_view name)
        : m_bytes(bytes), m_name(name)
    {
    }

    std::uint64_t at() const { return m_at; }
    std::uint64_t left() const { return m_bytes.size() - m_at; }
    const std::string &name() const { return m_name; }

    /// Error "binary_patch.cut".
    Result<std::span<const std::byte>> take(std::uint64_t count, std::string_view what);
    /// A number of so many bytes, the highest first. Error "binary_patch.cut".
    Result<std::uint64_t> big(std::uint64_t bytes, std::string_view what);
    /// A number of BPS. Errors: "binary_patch.cut", "binary_patch.number" (beyond 64 bits).
    Result<std::uint64_t> number(std::string_view what);
    /// Whether these bytes come next; goes past them.
    bool magic(std::string_view text);

    /// An error at a place in the patch.
    ErrorBuilder error(std::string_view code, std::uint64_t at) const;

private:
    std::span<const std::byte> m_bytes;
    std::string m_name;
    std::uint64_t m_at = 0;
};

} // namespace kernscope::patch
