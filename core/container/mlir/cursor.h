// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/error.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace kernscope::mlir {

/// What stops a reading: the first fault.
struct FaultState {
    std::string_view file;
    std::optional<Error> error;

    explicit operator bool() const { return error.has_value(); }
    /// Keeps the first one only. Always false.
    bool fail(std::string_view code, std::uint64_t offset, std::string_view field,
              std::string expected, std::string found, std::string message);
};

/// Reads the numbers of a bytecode file (mlir-bytecode.md, section 1) between two offsets. After a
/// fault every number is 0 and nothing is left, so that loops end; callers look at the state once.
class Cursor
{
public:
    /// `range` lies in `bytes`, which are those of the whole file. `code` of faults and `section`,
    /// which their messages name.
    Cursor(std::span<const std::byte> bytes, ByteRange range, FaultState &faults,
           std::string_view code, std::string_view section)
        : m_bytes(bytes), m_at(range.offset.value), m_end(range.end()), m_faults(&faults),
          m_code(code), m_section(section)
    {
    }

    std::uint64_t position() const { return m_at; }
    std::uint64_t end() const { return m_end; }
    /// Reads on to another end, inside of the file.
    void setEnd(std::uint64_t end) { m_end = end; }
    std::uint64_t left() const { return *m_faults ? 0 : m_end - m_at; }
    bool more() const { return left() > 0; }
    bool ok() const { return !*m_faults; }

    std::uint64_t varint(std::string_view field);
    std::uint64_t signedVarint(std::string_view field);
    std::uint8_t byte(std::string_view field);
    /// A varint below `limit`.
    std::uint32_t index(std::string_view field, std::uint64_t limit);
    /// The same for a number that has been read at `at`.
    std::uint32_t checkIndex(std::string_view field, std::uint64_t value, std::uint64_t limit,
                             std::uint64_t at);
    /// Whether `count` items of at least `least` bytes can lie in what is left; faults at `at`.
    bool checkCount(std::string_view field, std::uint64_t count, std::uint64_t least,
                    std::uint64_t at);
    /// A varint that counts such items.
    std::uint64_t count(std::string_view field, std::uint64_t least);
    /// The next `bytes` bytes, passed over.
    ByteRange take(std::string_view field, std::uint64_t bytes);
    /// A power of two of at most 1 MiB.
    std::uint64_t alignment(std::string_view field);
    /// Passes padding up to a multiple of `alignment` in the file.
    void align(std::string_view field, std::uint64_t alignment);
    /// A text with a NUL; without it.
    std::string_view text(std::string_view field);
    /// Faults where something is left.
    bool finish(std::string_view field);

    bool fail(std::uint64_t at, std::string_view field, std::string expected, std::string found,
              std::string message);

private:
    std::span<const std::byte> m_bytes;
    std::uint64_t m_at = 0, m_end = 0;
    FaultState *m_faults;
    std::string_view m_code, m_section;
};

/// Bytes that `value` needs as a varint: 1 to 9.
unsigned varintBytes(std::uint64_t value);

} // namespace kernscope::mlir
