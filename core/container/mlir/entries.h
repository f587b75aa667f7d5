// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/container/mlir/cursor.h"
#include "core/container/mlir/writer.h"

namespace kernscope::mlir {

/// Bits of an operation's mask (mlir-bytecode.md, section 4).
constexpr unsigned kHasAttributes = 0x01, kHasResults = 0x02, kHasOperands = 0x04,
                   kHasSuccessors = 0x08, kHasRegions = 0x10, kHasUses = 0x20,
                   kHasProperties = 0x40;

/// The row of an entry whose code is `code`; null: none.
const KindRow *rowOf(const Module &module, const Entry &entry, bool type, std::uint64_t code);

/// Reads the fields of a row from `cursor` and calls `take(Field)` for each, in file order. Checks
/// that indices are in range and that numbers fit their width.
template <class Take>
void readFields(const Module &module, const KindRow &row, Cursor &cursor, Take take);

/// Reads every entry once, without recursion: sets Module::fault where one is malformed, where
/// attributes and types hold one another in a circle, or deeper than Module::kMostDepth. Kinds
/// without a row become warnings.
void checkEntries(Module &module);

/// Bits of a number whose width is that of a type (letter M); 0: not known.
std::uint64_t numberBits(const Module &module, std::uint32_t type);

/// Bytes from which on integers are written as words: a number above is refused.
inline constexpr std::uint64_t kMostIntegerBits = std::uint64_t{1} << 24;

template <class Take>
void readFields(const Module &module, const KindRow &row, Cursor &cursor, Take take)
{
    std::uint64_t first = 0; // the value of the first field, which is the width of some
    for (std::size_t column = 0; column < row.fields.size() && cursor.ok(); ++column) {
        const FieldSpec &spec = row.fields[column];
        Field field;
        field.letter = spec.letter;
        field.column = static_cast<std::uint8_t>(column);
        const auto put = [&](std::uint64_t begin, std::uint64_t value) {
            if (!cursor.ok())
                return;
            field.value = value;
            field.range = {FileOffset(begin), ByteCount(cursor.position() - begin)};
            take(field);
        };
        const auto number = [&](std::uint64_t bits, std::uint64_t at) {
            if (bits == 0 || bits > kMostIntegerBits) {
                cursor.fail(at, spec.name, "1 to " + std::to_string(kMostIntegerBits) + " bits",
                            std::to_string(bits), "A number has no such width");
            } else if (bits <= 8) {
                const std::uint64_t value = cursor.byte(spec.name);
                if (value >> bits != 0)
                    cursor.fail(at, spec.name, "below 2^" + std::to_string(bits),
                                std::to_string(value), "A number is wider than its type");
                put(at, value);
            } else if (bits <= 64) {
                put(at, cursor.signedVarint(spec.name));
            } else {
                const std::uint64_t words = cursor.count(spec.name, 1);
                if (words > (bits + 63) / 64)
                    cursor.fail(at, spec.name, "at most " + std::to_string((bits + 63) / 64),
                                std::to_string(words), "A number has more words than its width");
                for (std::uint64_t i = 0; i < words && cursor.ok(); ++i) {
                    const std::uint64_t begin = cursor.position();
                    put(begin, cursor.signedVarint(spec.name));
                }
            }
        };
        const auto item = [&](char letter) {
            const std::uint64_t at = cursor.position();
            switch (letter) {
            case 'A': put(at, cursor.index(spec.name, module.attributes.size())); break;
            case 'T': put(at, cursor.index(spec.name, module.types.size())); break;
            case 'S': put(at, cursor.index(spec.name, module.strings.size())); break;
            case 'R':
                put(at,
                    cursor.index(spec.name, module.resources.size() - module.externalResources));
                break;
            case 'V': put(at, cursor.varint(spec.name)); break;
            case 'I': put(at, cursor.signedVarint(spec.name)); break;
            case 'Y': put(at, cursor.byte(spec.name)); break;
            case 'N':
            case 'F': number(first, at); break;
            case 'M': number(numberBits(module, static_cast<std::uint32_t>(first)), at); break;
            case 'B': {
                const ByteRange data = cursor.take(spec.name, cursor.varint(spec.name));
                put(data.offset.value, data.bytes.value);
                break;
            }
            case 'O':
                if (const std::uint8_t has = cursor.byte(spec.name); has > 1)
                    cursor.fail(at, spec.name, "0 or 1", std::to_string(has), "No truth value");
                else if (has != 0) {
                    const std::uint64_t begin = cursor.position();
                    put(begin, cursor.varint(spec.name));
                }
                break;
            default:
                cursor.fail(at, spec.name, "a letter of kinds.h", std::string(1, letter),
                            "The row of the kind cannot be read");
            }
            if (column == 0)
                first = field.value;
        };
        if (spec.letter == 'D') {
            const std::uint64_t pairs = cursor.count(spec.name, 2);
            field.letter = 'A';
            for (std::uint64_t i = 0; i < 2 * pairs && cursor.ok(); ++i)
                item('A');
        } else if (spec.list) {
            const std::uint64_t count = cursor.count(spec.name, 1);
            for (std::uint64_t i = 0; i < count && cursor.ok(); ++i)
                item(spec.letter);
        } else {
            item(spec.letter);
        }
    }
}

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
