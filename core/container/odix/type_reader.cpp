// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/odix/type_reader.h"

#include "core/base/error_builder.h"
#include "core/format/coreai_operations.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace kernscope::odix {

namespace {

constexpr unsigned kMaxNesting = 48;
constexpr std::uint64_t kMaxRank = 32; ///< of an array; those of compilers have 8 at most

/// The loader finds types by this number (odix-format.md, section 2).
std::uint64_t fnv1a(std::string_view text)
{
    std::uint64_t hash = 0xcbf29ce484222325;
    for (const char letter : text)
        hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001b3;
    return hash;
}

std::string dimsText(const std::vector<std::int64_t> &dims)
{
    std::string text;
    for (const std::int64_t extent : dims)
        text += (text.empty() ? "" : ",") + (extent < 0 ? "?" : std::to_string(extent));
    return text;
}

} // namespace

void TypeReader::read(const FlatBuffer::Table &symbols)
{
    readAttributes(symbols);
    const auto types = m_flat.vector(symbols, 0, 4, "types");
    m_flat.moveFault(m_program.diagnostics);
    for (std::uint32_t i = 0; i < types.count; ++i) {
        const std::string field = fmt::format("type {}", i);
        const auto table = m_flat.tableIn(types, i, field);
        Type type;
        type.at = FileOffset(table.at);
        std::string name = m_flat.text(table, 0, field);
        const auto hash = m_flat.number<std::uint64_t>(table, 1, field);
        if (m_flat.has(table, 2))
            type.attribute = m_flat.number<std::uint32_t>(table, 2, field);
        const bool sound = type.attribute == kNone || type.attribute < m_program.attributes.size();
        if (!sound)
            m_flat.check(type.attribute, m_program.attributes.size(), table.at, field, "attribute",
                         "", "A type has parameters that are none.");
        if (hash != fnv1a(name))
            m_flat.fail(table.at, field, fmt::format("{:#x}, the hash of {}", fnv1a(name), name),
                        fmt::format("{:#x}", hash), "The hash of a type's name is wrong.");
        if (!sound)
            type.attribute = kNone;
        type.text = name;
        m_names.push_back(std::move(name));
        m_program.types.push_back(std::move(type));
        m_flat.moveFault(m_program.diagnostics);
    }
    checkReferences();
    m_made.assign(m_program.types.size(), false);
    for (Type &type : m_program.types)
        makeType(type);
}

void TypeReader::readAttributes(const FlatBuffer::Table &symbols)
{
    const auto kinds = m_flat.vector(symbols, 1, 1, "attribute kinds");
    const auto tables = m_flat.vector(symbols, 2, 4, "attributes");
    if (!m_flat.failed() && kinds.count != tables.count)
        m_flat.fail(kinds.at - 4, "attributes", fmt::format("{} kinds", tables.count),
                    fmt::format("{}", kinds.count),
                    "There is not one attribute kind for each attribute.");
    m_flat.moveFault(m_program.diagnostics);
    for (std::uint32_t i = 0; i < std::min(kinds.count, tables.count); ++i) {
        readAttribute(m_flat.byte(kinds, i), m_flat.tableIn(tables, i, "attribute"), i);
        m_flat.moveFault(m_program.diagnostics);
    }
}

void TypeReader::readAttribute(std::uint8_t kind, const FlatBuffer::Table &table,
                               std::uint32_t number)
{
    const std::string field = fmt::format("attribute {}", number);
    Attribute &attribute = m_program.attributes.emplace_back();
    attribute.kind = static_cast<Attribute::Kind>(kind);
    attribute.at = FileOffset(table.at);
    switch (attribute.kind) {
    case Attribute::Kind::Array: attribute.refs = m_flat.words(table, 0, field); break;
    case Attribute::Kind::Integer:
    case Attribute::Kind::Float:
        attribute.number = m_flat.number<std::int64_t>(table, 0, field);
        break;
    case Attribute::Kind::String: attribute.text = m_flat.text(table, 0, field); break;
    case Attribute::Kind::Bytes: {
        const auto bytes = m_flat.vector(table, 0, 1, field);
        attribute.bytes = {FileOffset(bytes.at), ByteCount(bytes.count)};
        break;
    }
    case Attribute::Kind::Type:
        attribute.number = m_flat.number<std::uint32_t>(table, 0, field);
        break;
    case Attribute::Kind::Dictionary: {
        const auto entries = m_flat.vector(table, 0, 4, field);
        for (std::uint32_t i = 0; i < entries.count && !m_flat.failed(); ++i) {
            const auto entry = m_flat.tableIn(entries, i, field);
            attribute.keys.push_back(m_flat.text(entry, 0, field));
            attribute.refs.push_back(m_flat.number<std::uint32_t>(entry, 1, field));
        }
        break;
    }
    case Attribute::Kind::Enum:
        attribute.number = m_flat.number<std::int64_t>(table, 0, field);
        attribute.text = m_flat.text(table, 1, field);
        break;
    case Attribute::Kind::Boolean:
        attribute.number = m_flat.number<std::uint8_t>(table, 0, field);
        break;
    default:
        if (!m_flat.failed())
            m_program.diagnostics.push_back(
                {Severity::Warning,
                 valueError({m_file, attribute.at}, "odix.attribute", field, "a kind of 1 to 9",
                            fmt::format("{}", kind), "The kind of an attribute is not known.")});
    }
}

/// Every reference leads somewhere, no part holds itself, and all of them unfold to no more than
/// the file is long.
void TypeReader::checkReferences()
{
    const std::size_t attributes = m_program.attributes.size();
    m_nodes.assign(attributes + m_program.types.size(), {});
    for (std::size_t i = 0; i < attributes; ++i) {
        const Attribute &each = m_program.attributes[i];
        const bool inside = each.kind == Attribute::Kind::Type
                                ? static_cast<std::uint64_t>(each.number) < m_program.types.size()
                                : std::ranges::all_of(each.refs, [&](std::uint32_t ref) {
                                      return ref < attributes;
                                  });
        if (!inside)
            cut(i, "references to parts that are there", "a number past the last one");
    }
    for (std::size_t i = 0; i < m_nodes.size(); ++i)
        visit(i);
}

void TypeReader::cut(std::size_t node, std::string_view expected, std::string found)
{
    m_nodes[node].height = 0;
    m_nodes[node].size = 1;
    const std::size_t attributes = m_program.attributes.size();
    const FileOffset at =
        node < attributes ? m_program.attributes[node].at : m_program.types[node - attributes].at;
    m_program.diagnostics.push_back(
        {Severity::Error, valueError({m_file, at}, "odix.reference",
                                     node < attributes ? fmt::format("attribute {}", node)
                                                       : fmt::format("type {}", node - attributes),
                                     expected, found,
                                     "A type or an attribute refers to others wrongly; it is "
                                     "left out.")});
    if (node >= attributes) {
        m_program.types[node - attributes].attribute = kNone;
        return;
    }
    Attribute cutOff;
    cutOff.at = at;
    m_program.attributes[node] = std::move(cutOff);
}

const TypeReader::Node &TypeReader::visit(std::size_t number)
{
    Node &node = m_nodes[number]; // stays where it is: the vector does not grow
    if (node.state != Node::State::New)
        return node;
    node.state = Node::State::Open;
    const std::size_t attributes = m_program.attributes.size();
    std::vector<std::size_t> parts;
    if (number >= attributes) {
        if (const std::uint32_t own = m_program.types[number - attributes].attribute; own != kNone)
            parts.push_back(own);
    } else if (m_program.attributes[number].kind == Attribute::Kind::Type) {
        parts.push_back(attributes + static_cast<std::size_t>(m_program.attributes[number].number));
    } else {
        const auto &refs = m_program.attributes[number].refs;
        parts.assign(refs.begin(), refs.end());
    }
    ++m_depth;
    for (const std::size_t part : parts) {
        const bool deep = m_depth > kMaxNesting;
        if (deep || m_nodes[part].state == Node::State::Open) {
            cut(number, fmt::format("parts nested {} deep at most", kMaxNesting),
                deep ? "more" : "a part of itself");
            break;
        }
        const Node &inner = visit(part);
        node.height = std::max(node.height, inner.height + 1);
        node.size += inner.size;
        if (node.height > kMaxNesting || node.size > m_bytes.size()) {
            cut(number, "parts that the file has room for",
                node.height > kMaxNesting ? "parts nested too deep" : "the same parts too often");
            break;
        }
    }
    --m_depth;
    node.state = Node::State::Done;
    return node;
}

const Attribute *TypeReader::parameter(const std::vector<std::uint32_t> &parameters,
                                       std::size_t index, Attribute::Kind kind) const
{
    const Attribute *attribute =
        index < parameters.size() ? &m_program.attributes[parameters[index]] : nullptr;
    return attribute != nullptr && attribute->kind == kind ? attribute : nullptr;
}

std::vector<std::int64_t> TypeReader::extents(const Attribute &bytes, unsigned width) const
{
    std::vector<std::int64_t> all;
    const std::uint64_t count = std::min(bytes.bytes.bytes.value / width, kMaxRank);
    for (std::uint64_t at = 0; at < count * width; at += width) {
        const std::uint64_t place = bytes.bytes.offset.value + at;
        all.push_back(
            width == 4
                ? std::int64_t(static_cast<std::int32_t>(loadLittle<std::uint32_t>(m_bytes, place)))
                : static_cast<std::int64_t>(loadLittle<std::uint64_t>(m_bytes, place)));
    }
    return all;
}

/// Element type and extents: parameters 0 and 1 of an array, and the same extents again as 64-bit
/// numbers in parameter 6.
void TypeReader::makeArray(Type &type, const std::vector<std::uint32_t> &parameters,
                           std::size_t first)
{
    const Attribute *scalar = parameter(parameters, first, Attribute::Kind::Type);
    const Attribute *narrow = parameter(parameters, first + 1, Attribute::Kind::Bytes);
    const Attribute *wide = parameter(parameters, first + 6, Attribute::Kind::Bytes);
    Type *element =
        scalar != nullptr ? &m_program.types[static_cast<std::size_t>(scalar->number)] : nullptr;
    if (element != nullptr)
        makeType(*element);
    if (element == nullptr || element->kind != Type::Kind::Scalar || narrow == nullptr ||
        narrow->bytes.bytes.value > kMaxRank * 4)
        return m_flat.fail(type.at.value, type.text, "an element type and extents",
                           "other parameters", "An array type has parameters of the wrong kinds.");
    auto dims = extents(*narrow, 4);
    const auto check = [&] {
        for (const std::int64_t extent : dims) {
            if (extent < -1)
                m_flat.fail(type.at.value, type.text, "extents from -1 on",
                            fmt::format("{}", extent), "An array type has a negative extent.");
        }
    };
    check();
    const auto stored = dims;
    if (wide != nullptr && wide->bytes.bytes.value == 8 * dims.size())
        dims = extents(*wide, 8);
    check();
    if (wide != nullptr && (dims != stored || wide->bytes.bytes.value != 8 * dims.size()))
        warn(type, "the same extents twice",
             dimsText(stored) + " and " + dimsText(extents(*wide, 8)),
             "The two shapes of an array type are not the same.");
    if (m_flat.failed())
        return;
    type.kind = Type::Kind::Array;
    type.bits = element->bits;
    type.element = element->element;
    type.elementText = element->text;
    type.dims = std::move(dims);
    type.text = fmt::format("{}[{}]", type.elementText, dimsText(type.dims));
    std::vector<std::int64_t> plain(type.dims.size());
    std::iota(plain.begin(), plain.end(), 0);
    std::size_t at = first + 2;
    for (const char *what : {"order", "alignment", "interleave"}) {
        const Attribute *list = parameter(parameters, at++, Attribute::Kind::Bytes);
        const auto numbers = list != nullptr ? extents(*list, 4) : std::vector<std::int64_t>();
        const bool ones = std::ranges::count(numbers, 1) == std::ptrdiff_t(numbers.size());
        if (what == std::string_view("order") ? numbers.empty() || numbers == plain : ones)
            continue;
        type.text += fmt::format(" {} {}", what, dimsText(numbers));
        warn(type, fmt::format("a plain {}", what), dimsText(numbers),
             "An array type has a layout that is not known: its values are shown as if they lay in "
             "the order of its extents.");
    }
}

void TypeReader::warn(const Type &type, std::string expected, std::string found,
                      std::string_view message)
{
    m_program.diagnostics.push_back(
        {Severity::Warning, valueError({m_file, type.at}, "odix.layout", type.text,
                                       std::move(expected), std::move(found), message)});
}

/// What the name and the parameters amount to; a type of another name keeps the name alone.
void TypeReader::makeType(Type &type)
{
    const auto index = static_cast<std::size_t>(&type - m_program.types.data());
    if (m_made[index])
        return;
    m_made[index] = true; // references were checked: no type holds itself
    const std::string &name = m_names[index];
    const Attribute *own =
        type.attribute == kNone ? nullptr : &m_program.attributes[type.attribute];
    static const std::vector<std::uint32_t> kNothing;
    const auto &parameters =
        own != nullptr && own->kind == Attribute::Kind::Array ? own->refs : kNothing;
    const auto integer = [&](std::size_t i) {
        const Attribute *number = parameter(parameters, i, Attribute::Kind::Integer);
        return number != nullptr ? number->number : 0;
    };
    const auto takeParts = [&](Type::Kind kind) {
        for (std::size_t i = 0; i < parameters.size(); ++i) {
            const Attribute *part = parameter(parameters, i, Attribute::Kind::Type);
            type.parts.push_back(part ? static_cast<std::uint32_t>(part->number) : kNone);
            if (part != nullptr)
                makeType(m_program.types[type.parts.back()]);
        }
        type.kind = kind;
    };
    if (name == "Scalar") {
        const Code *code = findCode("scalar", static_cast<std::uint32_t>(integer(0)));
        type.kind = Type::Kind::Scalar;
        type.text = code != nullptr ? code->name : fmt::format("scalar {}", integer(0));
        type.bits = code != nullptr ? code->bits : 0;
        type.element =
            code != nullptr ? anyElementTypeFromName(code->element) : ElementType::Unknown;
    } else if (name == "NDArray") {
        makeArray(type, parameters, 0);
    } else if (name == "SparseWithBitmask") {
        makeArray(type, parameters, 2); // the values that are kept
        const Attribute *dense = parameter(parameters, 1, Attribute::Kind::Bytes);
        if (type.kind == Type::Kind::Array && dense != nullptr) {
            type.kind = Type::Kind::Sparse;
            type.dims = extents(*dense, 4);
            type.text = fmt::format("sparse {} of {}", type.text, dimsText(type.dims));
        }
    } else if (name == "Meta") {
        takeParts(Type::Kind::Meta);
        type.text = fmt::format("Meta({})", type.parts.size() == 1 && type.parts[0] != kNone
                                                ? m_program.types[type.parts[0]].text
                                                : "");
    } else if (name == "Context") {
        takeParts(Type::Kind::Context);
        type.text = fmt::format("Context({})", type.parts.size());
    } else if (name == "Image") {
        type.kind = Type::Kind::Image;
        type.text = fmt::format("image {}x{} {}", integer(0), integer(1),
                                fourccText(static_cast<std::uint64_t>(integer(2))));
    }
    m_flat.moveFault(m_program.diagnostics);
}

} // namespace kernscope::odix
