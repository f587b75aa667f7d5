// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/odix/flat_buffer.h"

#include "core/base/byte_text.h"
#include "core/base/error_builder.h"
#include "core/base/text.h"

#include <fmt/format.h>

namespace kernscope::odix {

namespace {

/// Sound files name no part more often: vtables, which they share, are not counted.
constexpr std::uint64_t kReadsOfAByte = 3;
constexpr std::uint64_t kTableBytes = 8; ///< counted for a table beside what its vectors hold

} // namespace

FlatBuffer::FlatBuffer(std::span<const std::byte> file, std::uint64_t begin, std::uint64_t end,
                       std::string name)
    : m_bytes(file), m_begin(begin), m_end(end), m_name(std::move(name)),
      m_left(kReadsOfAByte * (end - begin))
{
}

void FlatBuffer::fail(std::uint64_t at, std::string_view field, std::string expected,
                      std::string found, std::string message)
{
    if (m_fault)
        return;
    m_fault = valueError({m_name, FileOffset(at)}, "odix.content", field, expected, found, message);
}

void FlatBuffer::check(std::uint64_t number, std::uint64_t limit, std::uint64_t at,
                       std::string_view field, std::string_view what, std::string_view limits,
                       std::string message)
{
    if (!m_fault && number >= limit)
        fail(at, field, fmt::format("one of {}{}", limit, limits),
             fmt::format("{} {}", what, number), std::move(message));
}

bool FlatBuffer::moveFault(Diagnostics &to)
{
    const bool failed = m_fault.has_value();
    if (failed)
        to.push_back({Severity::Error, *takeFault()});
    return failed;
}

void FlatBuffer::broken(std::uint64_t at, std::string_view field, std::string expected,
                        std::string found)
{
    if (m_fault)
        return;
    fail(at, field, std::move(expected), std::move(found),
         "The FlatBuffer refers to bytes that it does not hold.");
    m_fault->code = "odix.flatbuffer";
}

bool FlatBuffer::charge(std::uint64_t bytes, std::uint64_t at, std::string_view field)
{
    if (bytes <= m_left) {
        m_left -= bytes;
        return true;
    }
    broken(at, field, "parts that fit the file", "the same parts again and again");
    return false;
}

std::uint64_t FlatBuffer::follow(std::uint64_t at, std::string_view field)
{
    const std::uint64_t offset = loadLittle<std::uint32_t>(m_bytes, at);
    if (offset >= 4 && inside(at + offset, 4))
        return at + offset;
    broken(at, field, fmt::format("an offset inside [{}, {})", m_begin, m_end),
           fmt::format("{}", offset));
    return 0;
}

FlatBuffer::Table FlatBuffer::tableAt(std::uint64_t at, std::string_view field)
{
    if (at == 0 || m_fault || !charge(kTableBytes, at, field))
        return {};
    const auto back = static_cast<std::int64_t>(
        static_cast<std::int32_t>(loadLittle<std::uint32_t>(m_bytes, at)));
    // Files have fewer than 2^63 bytes, so that the difference does not wrap.
    const std::int64_t vtable = static_cast<std::int64_t>(at) - back;
    Table table{at, static_cast<std::uint64_t>(vtable), 0, 0};
    if (vtable < 0 || !inside(table.vtable, 4)) {
        broken(at, field, fmt::format("a vtable inside [{}, {})", m_begin, m_end),
               fmt::format("{}", vtable));
        return {};
    }
    table.vtableBytes = loadLittle<std::uint16_t>(m_bytes, table.vtable);
    table.bytes = loadLittle<std::uint16_t>(m_bytes, table.vtable + 2);
    if (table.vtableBytes < 4 || !inside(table.vtable, table.vtableBytes) || table.bytes < 4 ||
        !inside(at, table.bytes)) {
        broken(table.vtable, field, "a table and a vtable inside the FlatBuffer",
               fmt::format("{} and {} bytes", table.bytes, table.vtableBytes));
        return {};
    }
    return table;
}

FlatBuffer::Table FlatBuffer::root()
{
    if (!inside(m_begin, 4)) {
        broken(m_begin, "root", "4 bytes", fmt::format("{} bytes", m_end - m_begin));
        return {};
    }
    return tableAt(follow(m_begin, "root"), "root");
}

std::uint64_t FlatBuffer::place(const Table &table, unsigned slot, unsigned bytes,
                                std::string_view field)
{
    const std::uint64_t entry = 4 + 2 * std::uint64_t(slot);
    if (!table || m_fault || entry + 2 > table.vtableBytes)
        return 0;
    const std::uint64_t offset = loadLittle<std::uint16_t>(m_bytes, table.vtable + entry);
    if (offset == 0 || (offset >= 4 && offset + bytes <= table.bytes))
        return offset == 0 ? 0 : table.at + offset;
    broken(table.vtable + entry, field, fmt::format("a slot in a table of {} bytes", table.bytes),
           fmt::format("slot {} at {}", slot, offset));
    return 0;
}

FlatBuffer::Table FlatBuffer::table(const Table &table, unsigned slot, std::string_view field)
{
    const std::uint64_t at = place(table, slot, 4, field);
    return at == 0 ? Table() : tableAt(follow(at, field), field);
}

FlatBuffer::Vector FlatBuffer::vector(const Table &table, unsigned slot, unsigned elementBytes,
                                      std::string_view field)
{
    const std::uint64_t entry = place(table, slot, 4, field);
    const std::uint64_t at = entry == 0 ? 0 : follow(entry, field);
    if (at == 0)
        return {};
    const Vector vector{at + 4, loadLittle<std::uint32_t>(m_bytes, at)};
    const std::uint64_t bytes = std::uint64_t(vector.count) * elementBytes;
    if (!inside(vector.at, bytes)) {
        broken(at, field, "elements inside the FlatBuffer",
               fmt::format("{} elements of {} bytes", vector.count, elementBytes));
        return {};
    }
    return charge(bytes, at, field) ? vector : Vector();
}

std::vector<std::uint32_t> FlatBuffer::words(const Table &table, unsigned slot,
                                             std::string_view field)
{
    const Vector all = vector(table, slot, 4, field);
    std::vector<std::uint32_t> words(all.count);
    for (std::uint32_t i = 0; i < all.count; ++i)
        words[i] = loadLittle<std::uint32_t>(m_bytes, all.at + 4 * std::uint64_t(i));
    return words;
}

FlatBuffer::Table FlatBuffer::tableIn(const Vector &vector, std::uint32_t index,
                                      std::string_view field)
{
    return m_fault ? Table() : tableAt(follow(vector.at + 4 * std::uint64_t(index), field), field);
}

std::string FlatBuffer::text(const Table &table, unsigned slot, std::string_view field)
{
    const Vector letters = vector(table, slot, 1, field);
    if (letters.count == 0)
        return {};
    std::string text(textInBytes(m_bytes.subspan(letters.at, letters.count)));
    const std::size_t bad = findInvalidUtf8(text);
    if (bad == std::string::npos)
        return text;
    fail(letters.at + bad, field, "UTF-8", excerpt(text), "A text is not UTF-8.");
    return {};
}

} // namespace kernscope::odix
