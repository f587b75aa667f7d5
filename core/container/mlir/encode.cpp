// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/mlir/encode.h"

#include "core/container/mlir/cursor.h"

namespace kernscope::mlir {

namespace {

constexpr std::byte kPadding{0xCB};

bool encodeNumber(Encoder &out, const std::vector<std::uint64_t> &words, std::uint64_t bits)
{
    if (bits == 0 || (bits <= 64 && words.size() != 1))
        return false;
    if (bits <= 8) {
        out.byte(static_cast<std::uint8_t>(words.front()));
        return true;
    }
    if (bits > 64)
        out.varint(words.size());
    for (const std::uint64_t word : words)
        out.signedVarint(word);
    return true;
}

bool encodeField(Encoder &out, const FieldSpec &spec, const std::vector<std::uint64_t> &values,
                 const FieldValues &all, std::uint64_t typeBits)
{
    if (spec.list || spec.letter == 'D') {
        out.varint(spec.letter == 'D' ? values.size() / 2 : values.size());
        for (const std::uint64_t value : values)
            spec.letter == 'I' ? out.signedVarint(value) : out.varint(value);
        return true;
    }
    switch (spec.letter) {
    case 'N':
    case 'F':
        return !all.columns.front().empty() &&
               encodeNumber(out, values, all.columns.front().front());
    case 'M': return encodeNumber(out, values, typeBits);
    case 'B':
        out.varint(all.data.size());
        out.bytes(all.data);
        return true;
    case 'O':
        out.byte(values.empty() ? 0 : 1);
        if (!values.empty())
            out.varint(values.front());
        return values.size() <= 1;
    default: break;
    }
    if (values.size() != 1)
        return false;
    if (spec.letter == 'I')
        out.signedVarint(values.front());
    else if (spec.letter == 'Y')
        out.byte(static_cast<std::uint8_t>(values.front()));
    else
        out.varint(values.front());
    return true;
}

} // namespace

void Encoder::varint(std::uint64_t value)
{
    const unsigned bytes = varintBytes(value);
    if (bytes == 9)
        byte(0);
    else
        value = bytes == 8 ? value << 8 | 0x80 : (value << 1 | 1) << (bytes - 1);
    for (unsigned i = 0; i < (bytes == 9 ? 8 : bytes); ++i)
        byte(static_cast<std::uint8_t>(value >> (8 * i)));
}

void Encoder::text(std::string_view text, bool nul)
{
    bytes(std::as_bytes(std::span(text.data(), text.size())));
    if (nul)
        byte(0);
}

void Encoder::align(std::uint64_t alignment, std::uint64_t base)
{
    while ((base + m_bytes.size()) % alignment != 0)
        m_bytes.push_back(kPadding);
}

bool encodeEntry(Encoder &out, const KindRow &row, const FieldValues &values,
                 std::uint64_t typeBits)
{
    if (values.columns.size() != row.fields.size())
        return false;
    out.varint(row.code);
    for (std::size_t i = 0; i < row.fields.size(); ++i) {
        if (!encodeField(out, row.fields[i], values.columns[i], values, typeBits))
            return false;
    }
    return true;
}

FieldValues valuesOf(const Module &module, const Decoded &decoded)
{
    FieldValues values;
    values.columns.resize(decoded.row ? decoded.row->fields.size() : 0);
    for (const Field &field : decoded.fields) {
        values.columns[field.column].push_back(field.value);
        if (field.letter == 'B')
            values.data = module.bytesOf(field.range);
    }
    return values;
}

} // namespace kernscope::mlir
