// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/mlir/entries.h"

#include "core/base/error_builder.h"
#include "core/base/find.h"

#include <algorithm>
#include <set>
#include <tuple>

namespace kernscope::mlir {

namespace {

constexpr std::string_view kEntryCode = "mlir.entries";
constexpr std::size_t kMostWarnings = 32;

/// The graph of attributes and types: which entries hold which, walked depth first.
class EntryCheck
{
public:
    explicit EntryCheck(Module &module)
        : m_module(module), m_faults{module.file, {}},
          m_depths(module.attributes.size() + module.types.size(), 0)
    {
    }

    void run()
    {
        for (std::size_t i = 0; i < m_depths.size() && !m_faults; ++i) {
            if (m_depths[i] == 0)
                walkFrom(static_cast<std::uint32_t>(i));
        }
        m_module.fault = std::move(m_faults.error);
        if (m_unknown.size() > kMostWarnings)
            m_module.diagnostics.push_back(
                {Severity::Warning,
                 ErrorBuilder("mlir.kind")
                     .file(m_module.file)
                     .message(std::to_string(m_unknown.size() - kMostWarnings) +
                              " further kinds of attributes and types have no row in the tables")});
    }

private:
    static constexpr std::uint16_t kBusy = UINT16_MAX;

    struct Frame {
        std::uint32_t node = 0;
        std::size_t next = 0, end = 0; ///< of what it holds, in m_held
        std::uint16_t depth = 1;
    };

    bool isType(std::uint32_t node) const { return node >= m_module.attributes.size(); }
    const Entry &entryOf(std::uint32_t node) const
    {
        return isType(node) ? m_module.types[node - m_module.attributes.size()]
                            : m_module.attributes[node];
    }
    std::string nameOf(std::uint32_t node) const
    {
        return isType(node) ? "type " + std::to_string(node - m_module.attributes.size())
                            : "attribute " + std::to_string(node);
    }

    /// Reads an entry; what it holds goes to the end of m_held.
    void enter(std::uint32_t node)
    {
        const Entry &entry = entryOf(node);
        Frame frame;
        frame.node = node;
        frame.next = m_held.size();
        m_name = nameOf(node);
        Cursor cursor(m_module.bytes, entry.range, m_faults, kEntryCode, m_name);
        if (!entry.custom) {
            cursor.text("assembly text");
            cursor.finish("assembly text");
        } else {
            const std::uint64_t code = cursor.varint("kind");
            if (const KindRow *row = rowOf(m_module, entry, isType(node), code)) {
                readFields(m_module, *row, cursor, [this](const Field &field) {
                    if (field.letter == 'A' || field.letter == 'T')
                        m_held.push_back(static_cast<std::uint32_t>(
                            field.value + (field.letter == 'T' ? m_module.attributes.size() : 0)));
                });
                cursor.finish(row->name);
            } else if (cursor.ok()) {
                warnOf(entry, isType(node), code);
            }
        }
        frame.end = m_held.size();
        m_depths[node] = kBusy;
        m_frames.push_back(frame);
    }

    void warnOf(const Entry &entry, bool type, std::uint64_t code)
    {
        if (!m_unknown.insert({entry.dialect, type, code}).second ||
            m_unknown.size() > kMostWarnings)
            return;
        m_module.diagnostics.push_back(
            {Severity::Warning,
             valueError({m_module.file, entry.range.offset, entry.range.bytes}, "mlir.kind", m_name,
                        {},
                        std::string(m_module.dialectName(entry.dialect)) + " " +
                            (type ? "type" : "attribute") + " kind " + std::to_string(code),
                        "A kind without a row in the tables is shown as bytes")});
    }

    void walkFrom(std::uint32_t root)
    {
        enter(root);
        while (!m_frames.empty() && !m_faults) {
            Frame &top = m_frames.back();
            if (top.next < top.end) {
                const std::uint32_t held = m_held[top.next++];
                if (m_depths[held] == kBusy)
                    refuse(top.node, "A chain of attributes and types ends in itself", "no circle",
                           nameOf(held));
                else if (m_depths[held] != 0)
                    deepen(top, m_depths[held]);
                else if (m_frames.size() >= Module::kMostDepth)
                    refuseDepth(held);
                else
                    enter(held);
                continue;
            }
            const Frame done = top;
            m_depths[done.node] = done.depth;
            m_frames.pop_back();
            m_held.resize(m_frames.empty() ? 0 : m_frames.back().end);
            if (!m_frames.empty())
                deepen(m_frames.back(), done.depth);
        }
    }

    void deepen(Frame &frame, std::uint16_t held)
    {
        frame.depth = std::max<std::uint16_t>(frame.depth, static_cast<std::uint16_t>(held + 1));
        if (frame.depth > Module::kMostDepth)
            refuseDepth(frame.node);
    }

    void refuseDepth(std::uint32_t node)
    {
        refuse(node, "Attributes and types lie inside of one another",
               "at most " + std::to_string(Module::kMostDepth) + " deep", nameOf(node));
    }

    void refuse(std::uint32_t node, std::string message, std::string expected, std::string found)
    {
        m_faults.fail(kEntryCode, entryOf(node).range.offset.value, nameOf(node),
                      std::move(expected), std::move(found), std::move(message));
    }

    Module &m_module;
    FaultState m_faults;
    std::vector<std::uint16_t> m_depths; ///< 0: not read; kBusy: on the way to here
    std::vector<std::uint32_t> m_held;
    std::vector<Frame> m_frames;
    std::set<std::tuple<std::uint32_t, bool, std::uint64_t>> m_unknown;
    std::string m_name;
};

Decoded decodeEntry(const Module &module, const Entry &entry, bool type)
{
    Decoded decoded;
    decoded.range = entry.range;
    FaultState faults{module.file, {}};
    Cursor cursor(module.bytes, entry.range, faults, kEntryCode, {});
    if (!entry.custom) {
        decoded.assembly = cursor.text("assembly text");
        return decoded;
    }
    decoded.code = cursor.varint("kind");
    decoded.row = rowOf(module, entry, type, decoded.code);
    if (decoded.row)
        readFields(module, *decoded.row, cursor,
                   [&decoded](const Field &field) { decoded.fields.push_back(field); });
    if (faults) // the bytes changed after they were checked (patched, or the file was rewritten)
        decoded.row = nullptr;
    return decoded;
}

} // namespace

const KindRow *rowOf(const Module &module, const Entry &entry, bool type, std::uint64_t code)
{
    const Dialect &dialect = module.dialects[entry.dialect];
    const auto *rows = type ? dialect.typeRows : dialect.attributeRows;
    return rows && code < rows->size() ? (*rows)[static_cast<std::size_t>(code)] : nullptr;
}

std::uint64_t numberBits(const Module &module, std::uint32_t type)
{
    const Entry &entry = module.types[type];
    FaultState faults{module.file, {}};
    Cursor cursor(module.bytes, entry.range, faults, kEntryCode, {});
    const std::uint64_t code = entry.custom ? cursor.varint("kind") : 0;
    const KindRow *row = entry.custom ? rowOf(module, entry, true, code) : nullptr;
    if (!row)
        return 0;
    return row->dialect == "builtin" && row->name == "integer" ? cursor.varint("width") >> 2
                                                               : row->bits;
}

void checkEntries(Module &module)
{
    EntryCheck(module).run();
}

Decoded Module::attribute(std::uint32_t index) const
{
    return decodeEntry(*this, attributes[index], false);
}

Decoded Module::type(std::uint32_t index) const
{
    return decodeEntry(*this, types[index], true);
}

Reached reachedFrom(const Module &module, const std::vector<std::uint32_t> &attributes,
                    const std::vector<std::uint32_t> &types)
{
    Reached reached{std::vector<bool>(module.attributes.size()),
                    std::vector<bool>(module.types.size()),
                    std::vector<bool>(module.strings.size())};
    std::vector<std::pair<bool, std::uint32_t>> pending; // a type, else an attribute
    const auto reach = [&](bool type, std::uint32_t index) {
        std::vector<bool> &seen = type ? reached.types : reached.attributes;
        if (index >= seen.size() || seen[index])
            return;
        seen[index] = true;
        pending.emplace_back(type, index);
    };
    for (const std::uint32_t attribute : attributes)
        reach(false, attribute);
    for (const std::uint32_t type : types)
        reach(true, type);
    while (!pending.empty()) {
        const auto [type, index] = pending.back();
        pending.pop_back();
        const Decoded decoded = type ? module.type(index) : module.attribute(index);
        for (const Field &field : decoded.fields) {
            if (field.letter == 'S')
                reached.strings[field.value] = true;
            else if (field.letter == 'A' || field.letter == 'T')
                reach(field.letter == 'T', static_cast<std::uint32_t>(field.value));
        }
    }
    return reached;
}

const Field *Decoded::field(std::size_t column) const
{
    return findBy(fields, &Field::column, column);
}

std::vector<Field> Decoded::all(std::size_t column) const
{
    std::vector<Field> found;
    std::copy_if(fields.begin(), fields.end(), std::back_inserter(found),
                 [column](const Field &each) { return each.column == column; });
    return found;
}

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
