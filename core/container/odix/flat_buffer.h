// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/error.h"
#include "core/base/little_endian.h"

#include <optional>

/// Private to compiled programs: a FlatBuffer read without its schema's generated code.
namespace kernscope::odix {

/// Reads tables, vectors and strings inside a window of a file. Every offset and length is checked
/// before it is used. The first fault is kept and everything after it reads as absent, so that
/// callers ask once an item (`takeFault`). What is read in all is bounded by the size of the
/// window: references can lead to one place again and again.
class FlatBuffer
{
public:
    struct Table {
        std::uint64_t at = 0; ///< from the start of the file; 0: there is none
        std::uint64_t vtable = 0;
        std::uint16_t vtableBytes = 0, bytes = 0;
        explicit operator bool() const { return at != 0; }
    };
    struct Vector {
        std::uint64_t at = 0; ///< of the first element
        std::uint32_t count = 0;
    };

    /// The FlatBuffer is [begin, end) of `file`, which holds it; its root offset stands at `begin`.
    FlatBuffer(std::span<const std::byte> file, std::uint64_t begin, std::uint64_t end,
               std::string name);

    Table root();
    bool has(const Table &table, unsigned slot) { return place(table, slot, 1, "") != 0; }
    template <std::integral T>
    T number(const Table &table, unsigned slot, std::string_view field, T absent = 0)
    {
        const std::uint64_t at = place(table, slot, sizeof(T), field);
        return at == 0 ? absent : static_cast<T>(loadLittle<std::make_unsigned_t<T>>(m_bytes, at));
    }
    /// Where a slot of `bytes` lies; 0 where it is absent.
    std::uint64_t place(const Table &table, unsigned slot, unsigned bytes, std::string_view field);
    /// Text in UTF-8; empty where it is absent.
    std::string text(const Table &table, unsigned slot, std::string_view field);
    Table table(const Table &table, unsigned slot, std::string_view field);
    Vector vector(const Table &table, unsigned slot, unsigned elementBytes, std::string_view field);

    /// An element of a vector of tables or numbers; the index lies in it.
    Table tableIn(const Vector &vector, std::uint32_t index, std::string_view field);
    /// The elements of a vector of 32-bit numbers.
    std::vector<std::uint32_t> words(const Table &table, unsigned slot, std::string_view field);
    std::uint8_t byte(const Vector &vector, std::uint32_t index) const
    {
        return std::to_integer<std::uint8_t>(m_bytes[vector.at + index]);
    }

    /// Keeps a fault of the content; the first one counts. Code "odix.content".
    void fail(std::uint64_t at, std::string_view field, std::string expected, std::string found,
              std::string message);
    /// The same where a part of `at` has a number that is not below `limit`: "one of 7 symbols" was
    /// expected, "symbol 9" found.
    void check(std::uint64_t number, std::uint64_t limit, std::uint64_t at, std::string_view field,
               std::string_view what, std::string_view limits, std::string message);
    bool failed() const { return m_fault.has_value(); }
    /// The fault since it was last asked for; reading then goes on.
    std::optional<Error> takeFault() { return std::exchange(m_fault, std::nullopt); }
    /// Moves it to the diagnostics; true where there was one.
    bool moveFault(Diagnostics &to);

private:
    std::uint64_t follow(std::uint64_t at, std::string_view field);
    Table tableAt(std::uint64_t at, std::string_view field);
    bool inside(std::uint64_t at, std::uint64_t bytes) const
    {
        return at >= m_begin && at <= m_end && bytes <= m_end - at;
    }
    bool charge(std::uint64_t bytes, std::uint64_t at, std::string_view field);
    void broken(std::uint64_t at, std::string_view field, std::string expected, std::string found);

    std::span<const std::byte> m_bytes;
    std::uint64_t m_begin, m_end;
    std::string m_name;
    std::uint64_t m_left; ///< bytes that may still be read
    std::optional<Error> m_fault;
};

} // namespace kernscope::odix
