// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/container/mlir/writer.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace kernscope::mlir {

/// Numbers of bytecode as they are written shortest (mlir-bytecode.md, section 1).
class Encoder
{
public:
    void varint(std::uint64_t value);
    void signedVarint(std::uint64_t value) { varint(value << 1 ^ (~(value >> 63) + 1)); }
    void flagged(std::uint64_t value, bool flag) { varint(value << 1 | (flag ? 1 : 0)); }
    void byte(std::uint8_t value) { m_bytes.push_back(static_cast<std::byte>(value)); }
    void bytes(std::span<const std::byte> bytes)
    {
        m_bytes.insert(m_bytes.end(), bytes.begin(), bytes.end());
    }
    void text(std::string_view text, bool nul);
    /// Padding up to a multiple of `alignment`, counted from `base` before the first byte.
    void align(std::uint64_t alignment, std::uint64_t base = 0);

    std::size_t size() const { return m_bytes.size(); }
    const std::vector<std::byte> &all() const { return m_bytes; }
    std::vector<std::byte> take() { return std::move(m_bytes); }

private:
    std::vector<std::byte> m_bytes;
};

/// Where nothing says the width of a number (letter M).
inline constexpr std::uint64_t kNoWidth = 0;

/// The code and fields of an entry. `typeBits`: width of the number of letter M. False where the
/// columns are not those of the row.
bool encodeEntry(Encoder &out, const KindRow &row, const FieldValues &values,
                 std::uint64_t typeBits);
/// Fields as they were decoded, to be encoded again.
FieldValues valuesOf(const Module &module, const Decoded &decoded);

} // namespace kernscope::mlir
