// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/byte_text.h"
#include "core/base/error_builder.h"
#include "core/container/odix/flat_buffer.h"
#include "core/container/odix/odix.h"
#include "core/format/coreai_operations.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

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

/// Types and attributes of a symbol table. Both are stored once and refer to each other by number,
/// also before they are defined: cycles, nesting deeper than 48 and references that unfold to more
/// than the file has room for are faults, and what holds one refers to nothing afterwards.
class TypeReader
{
public:
    TypeReader(std::span<const std::byte> bytes, const std::string &file, FlatBuffer &flat,
               Program &program)
        : m_bytes(bytes), m_file(file), m_flat(flat), m_program(program)
    {
    }

    void read(const FlatBuffer::Table &symbols)
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
            const bool sound =
                type.attribute == kNone || type.attribute < m_program.attributes.size();
            if (!sound)
                m_flat.check(type.attribute, m_program.attributes.size(), table.at, field,
                             "attribute", "", "A type has parameters that are none.");
            if (hash != fnv1a(name))
                m_flat.fail(table.at, field,
                            fmt::format("{:#x}, the hash of {}", fnv1a(name), name),
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

private:
    struct Node {
        enum class State : std::uint8_t { New, Open, Done };
        State state = State::New;
        unsigned height = 0;
        std::uint64_t size = 1; ///< parts, those of its parts counted each time
    };

    void readAttributes(const FlatBuffer::Table &symbols)
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

    void readAttribute(std::uint8_t kind, const FlatBuffer::Table &table, std::uint32_t number)
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
                    {Severity::Warning, valueError({m_file, attribute.at}, "odix.attribute", field,
                                                   "a kind of 1 to 9", fmt::format("{}", kind),
                                                   "The kind of an attribute is not known.")});
        }
    }

    /// Every reference leads somewhere, no part holds itself, and all of them unfold to no more
    /// than the file is long.
    void checkReferences()
    {
        const std::size_t attributes = m_program.attributes.size();
        m_nodes.assign(attributes + m_program.types.size(), {});
        for (std::size_t i = 0; i < attributes; ++i) {
            const Attribute &each = m_program.attributes[i];
            const bool inside =
                each.kind == Attribute::Kind::Type
                    ? static_cast<std::uint64_t>(each.number) < m_program.types.size()
                    : std::ranges::all_of(each.refs,
                                          [&](std::uint32_t ref) { return ref < attributes; });
            if (!inside)
                cut(i, "references to parts that are there", "a number past the last one");
        }
        for (std::size_t i = 0; i < m_nodes.size(); ++i)
            visit(i);
    }

    const Node &visit(std::size_t number)
    {
        Node &node = m_nodes[number]; // stays where it is: the vector does not grow
        if (node.state != Node::State::New)
            return node;
        node.state = Node::State::Open;
        const std::size_t attributes = m_program.attributes.size();
        std::vector<std::size_t> parts;
        if (number >= attributes) {
            if (const std::uint32_t own = m_program.types[number - attributes].attribute;
                own != kNone)
                parts.push_back(own);
        } else if (m_program.attributes[number].kind == Attribute::Kind::Type) {
            parts.push_back(attributes +
                            static_cast<std::size_t>(m_program.attributes[number].number));
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
                    node.height > kMaxNesting ? "parts nested too deep"
                                              : "the same parts too often");
                break;
            }
        }
        --m_depth;
        node.state = Node::State::Done;
        return node;
    }

    void cut(std::size_t node, std::string_view expected, std::string found)
    {
        m_nodes[node].height = 0;
        m_nodes[node].size = 1;
        const std::size_t attributes = m_program.attributes.size();
        const FileOffset at = node < attributes ? m_program.attributes[node].at
                                                : m_program.types[node - attributes].at;
        m_program.diagnostics.push_back(
            {Severity::Error,
             valueError({m_file, at}, "odix.reference",
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

    /// What the name and the parameters amount to; a type of another name keeps the name alone.
    void makeType(Type &type)
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

    /// Element type and extents: parameters 0 and 1 of an array, and the same extents again as
    /// 64-bit numbers in parameter 6.
    void makeArray(Type &type, const std::vector<std::uint32_t> &parameters, std::size_t first)
    {
        const Attribute *scalar = parameter(parameters, first, Attribute::Kind::Type);
        const Attribute *narrow = parameter(parameters, first + 1, Attribute::Kind::Bytes);
        const Attribute *wide = parameter(parameters, first + 6, Attribute::Kind::Bytes);
        Type *element = scalar != nullptr
                            ? &m_program.types[static_cast<std::size_t>(scalar->number)]
                            : nullptr;
        if (element != nullptr)
            makeType(*element);
        if (element == nullptr || element->kind != Type::Kind::Scalar || narrow == nullptr ||
            narrow->bytes.bytes.value > kMaxRank * 4)
            return m_flat.fail(type.at.value, type.text, "an element type and extents",
                               "other parameters",
                               "An array type has parameters of the wrong kinds.");
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
                 "An array type has a layout that is not known: its values are shown as if they "
                 "lay in "
                 "the order of its extents.");
        }
    }

    void warn(const Type &type, std::string expected, std::string found, std::string_view message)
    {
        m_program.diagnostics.push_back(
            {Severity::Warning, valueError({m_file, type.at}, "odix.layout", type.text,
                                           std::move(expected), std::move(found), message)});
    }

    const Attribute *parameter(const std::vector<std::uint32_t> &parameters, std::size_t index,
                               Attribute::Kind kind) const
    {
        const Attribute *attribute =
            index < parameters.size() ? &m_program.attributes[parameters[index]] : nullptr;
        return attribute != nullptr && attribute->kind == kind ? attribute : nullptr;
    }

    std::vector<std::int64_t> extents(const Attribute &bytes, unsigned width) const
    {
        std::vector<std::int64_t> all;
        const std::uint64_t count = std::min(bytes.bytes.bytes.value / width, kMaxRank);
        for (std::uint64_t at = 0; at < count * width; at += width) {
            const std::uint64_t place = bytes.bytes.offset.value + at;
            all.push_back(
                width == 4 ? std::int64_t(static_cast<std::int32_t>(
                                 loadLittle<std::uint32_t>(m_bytes, place)))
                           : static_cast<std::int64_t>(loadLittle<std::uint64_t>(m_bytes, place)));
        }
        return all;
    }

    std::span<const std::byte> m_bytes;
    std::string m_file;
    FlatBuffer &m_flat;
    Program &m_program;
    std::vector<std::string> m_names; ///< of types
    std::vector<Node> m_nodes;        ///< attributes, then types
    unsigned m_depth = 0;
    std::vector<bool> m_made;
};

using Table = FlatBuffer::Table;
using Vector = FlatBuffer::Vector;

// Slots of the tables (odix-format.md, section 2).
enum Root : unsigned {
    kPlatform = 0,
    kSymbolTable = 1,
    kFunctions = 2,
    kNumbers = 3,
    kSegments = 6,
    kAttribute = 7,
    kRootOpId = 8,
    kEntries = 9
};

class ProgramReader
{
public:
    ProgramReader(std::span<const std::byte> bytes, const std::string &file, Program &program)
        : m_bytes(bytes), m_file(file), m_program(program),
          m_flat(bytes, program.flatBuffer.offset.value, program.flatBuffer.end(), file)
    {
    }

    Result<void> read()
    {
        const Table root = m_flat.root();
        const Table platform = m_flat.table(root, kPlatform, "platform");
        m_program.platform = m_flat.text(platform, 0, "platform");
        const Table symbols = m_flat.table(root, kSymbolTable, "symbol table");
        if (!symbols)
            m_flat.fail(root.at, "symbol table", "a symbol table", "none",
                        "The program has no symbol table.");
        if (auto fault = m_flat.takeFault())
            return tl::unexpected(std::move(*fault));
        readSegments(root);
        m_program.opId = m_flat.number<std::uint32_t>(root, kRootOpId, "op id");
        readSymbols(symbols);
        if (m_flat.has(root, kAttribute))
            m_program.attribute = m_flat.number<std::uint32_t>(root, kAttribute, "attribute");
        if (m_program.attribute != kNone && m_program.attribute >= m_program.attributes.size()) {
            m_flat.fail(root.at, "attribute", fmt::format("one of {}", m_program.attributes.size()),
                        fmt::format("{}", m_program.attribute), "The program's attribute is none.");
            m_program.attribute = kNone;
        }
        m_flat.moveFault(m_program.diagnostics);
        readFunctions(root);
        m_program.functionNumbers = m_flat.words(root, kNumbers, "function numbers");
        m_flat.moveFault(m_program.diagnostics);
        readEntries(root);
        findConstants();
        return {};
    }

private:
    void readSegments(const Table &root)
    {
        const Vector segments = m_flat.vector(root, kSegments, 4, "segments");
        std::uint64_t end = m_program.dataBegin;
        for (std::uint32_t i = 0; i < segments.count && !m_flat.failed(); ++i) {
            const Table table = m_flat.tableIn(segments, i, "segment");
            const auto offset = m_flat.number<std::uint64_t>(table, 0, "segment");
            const auto length = m_flat.number<std::uint64_t>(table, 1, "segment");
            const auto begin = checkedAdd(m_program.dataBegin, offset);
            const ByteRange range{FileOffset(begin.value_or(UINT64_MAX)), ByteCount(length)};
            if (!fitsInside(range, ByteCount(m_bytes.size()))) {
                m_flat.fail(table.at, "segment", fmt::format("a file of {} bytes", m_bytes.size()),
                            fmt::format("{} bytes at {} + {}", length, m_program.dataBegin, offset),
                            "A data segment passes the end of the file.");
                m_flat.moveFault(m_program.diagnostics);
            } else {
                end = std::max(end, range.end());
            }
            m_program.segments.push_back(
                fitsInside(range, ByteCount(m_bytes.size())) ? range : ByteRange());
        }
        m_flat.moveFault(m_program.diagnostics);
        if (end < m_bytes.size())
            m_program.diagnostics.push_back(
                {Severity::Warning,
                 valueError({m_file, FileOffset(end)}, "odix.trailing", {},
                            fmt::format("{} bytes", end), fmt::format("{} bytes", m_bytes.size()),
                            "Bytes lie after the last data segment.")});
    }

    void readSymbols(const Table &table)
    {
        TypeReader(m_bytes, m_file, m_flat, m_program).read(table);
        const Vector symbols = m_flat.vector(table, 3, 4, "symbols");
        m_flat.moveFault(m_program.diagnostics);
        for (std::uint32_t i = 0; i < symbols.count; ++i) {
            const std::string field = fmt::format("symbol {}", i);
            const Table each = m_flat.tableIn(symbols, i, field);
            Symbol symbol;
            symbol.at = FileOffset(each.at);
            symbol.kernel = m_flat.number<std::uint8_t>(each, 0, field) != 0;
            symbol.name = m_flat.text(each, 1, field);
            symbol.inputs = m_flat.words(each, 2, field);
            symbol.outputs = m_flat.words(each, 3, field);
            const Vector intents = m_flat.vector(each, 4, 1, field);
            for (std::uint32_t k = 0; k < intents.count; ++k)
                symbol.intents.push_back(m_flat.byte(intents, k));
            symbol.intents.resize(symbol.outputs.size());
            if (m_flat.has(each, 5))
                symbol.attribute = m_flat.number<std::uint32_t>(each, 5, field);
            const std::size_t types = m_program.types.size();
            for (auto *all : {&symbol.inputs, &symbol.outputs}) {
                for (std::uint32_t &type : *all) {
                    if (type < types)
                        continue;
                    m_flat.check(type, types, each.at, field, "type", " types",
                                 "A symbol names a type that is none.");
                    type = kNone;
                }
            }
            if (symbol.attribute != kNone && symbol.attribute >= m_program.attributes.size()) {
                m_flat.fail(each.at, field, fmt::format("one of {}", m_program.attributes.size()),
                            fmt::format("attribute {}", symbol.attribute),
                            "A symbol names an attribute that is none.");
                symbol.attribute = kNone;
            }
            if (m_flat.moveFault(m_program.diagnostics)) { // keeps its number, says nothing
                symbol = {};
                symbol.at = FileOffset(each.at);
            }
            m_program.symbols.push_back(std::move(symbol));
        }
    }

    void readFunctions(const Table &root)
    {
        const Vector functions = m_flat.vector(root, kFunctions, 4, "functions");
        m_flat.moveFault(m_program.diagnostics);
        for (std::uint32_t i = 0; i < functions.count; ++i) {
            const std::string field = fmt::format("function {}", i);
            const Table each = m_flat.tableIn(functions, i, field);
            Function function;
            function.at = FileOffset(each.at);
            function.symbol = m_flat.number<std::uint32_t>(each, 0, field);
            const auto registers = m_flat.words(each, 1, field);
            function.registerCount = registers.empty() ? 0 : registers.front();
            function.opId = m_flat.number<std::uint32_t>(each, 4, field);
            m_flat.check(function.symbol, m_program.symbols.size(), each.at, field, "symbol",
                         " symbols", "A function names a symbol that is none.");
            const bool named = !m_flat.failed();
            const Vector regions = m_flat.vector(each, 2, 4, field);
            for (std::uint32_t r = 0; named && r < regions.count && !m_flat.failed(); ++r)
                readCode(m_flat.tableIn(regions, r, field), function, i);
            if (m_flat.moveFault(m_program.diagnostics) && !named)
                return; // numbers of functions would mean others from here on
            m_program.functions.push_back(std::move(function));
        }
    }

    void readCode(const Table &region, Function &function, std::size_t number)
    {
        const Vector code = m_flat.vector(region, 0, 4, fmt::format("function {}", number));
        for (std::uint32_t i = 0; i < code.count; ++i) {
            if (!readInstruction(m_flat.tableIn(code, i, "instruction"), function, number,
                                 code.count))
                return;
        }
    }

    bool readInstruction(const Table &table, Function &function, std::size_t number,
                         std::uint32_t count)
    {
        const std::string name =
            fmt::format("function {} instruction {}", number, function.code.size());
        Instruction instruction;
        instruction.at = FileOffset(table.at);
        instruction.opcode = m_flat.number<std::uint8_t>(table, 0, name);
        instruction.opId = m_flat.number<std::uint32_t>(table, 6, name);
        const auto operands = m_flat.words(table, 2, name), results = m_flat.words(table, 3, name);
        instruction.operands = static_cast<std::uint32_t>(operands.size());
        instruction.results = static_cast<std::uint32_t>(results.size());
        readBody(table, instruction, count, name);
        for (const auto *all : {&operands, &results}) {
            for (const std::uint32_t each : *all)
                m_flat.check(each, function.registerCount, table.at, name, "register", "",
                             "An instruction names a register that the function does not have.");
        }
        const Symbol *callee = m_flat.failed() ? nullptr : m_program.callee(instruction);
        if (callee != nullptr && !callee->name.empty() &&
            (operands.size() != callee->inputs.size() || results.size() != callee->outputs.size()))
            m_flat.fail(table.at, name,
                        fmt::format("{} operands and {} results, as {} has", callee->inputs.size(),
                                    callee->outputs.size(), callee->name),
                        fmt::format("{} and {}", operands.size(), results.size()),
                        "A call does not have the operands of its symbol.");
        if (m_flat.failed())
            return false;
        instruction.first = static_cast<std::uint32_t>(function.registers.size());
        function.registers.insert(function.registers.end(), operands.begin(), operands.end());
        function.registers.insert(function.registers.end(), results.begin(), results.end());
        function.code.push_back(instruction);
        return true;
    }

    void readBody(const Table &table, Instruction &instruction, std::uint32_t count,
                  const std::string &name)
    {
        const Table body = m_flat.table(table, 1, name);
        const auto within = [&](std::uint64_t limit, std::string_view what) {
            m_flat.check(static_cast<std::uint64_t>(instruction.value), limit, body.at, name, what,
                         "", "An instruction refers to something that is not there.");
        };
        switch (static_cast<Opcode>(instruction.opcode)) {
        case Opcode::Jump:
        case Opcode::Branch:
            instruction.value = m_flat.number<std::uint32_t>(body, 0, name);
            within(count, "instruction");
            break;
        case Opcode::Move: break;
        case Opcode::LoadImm: instruction.value = m_flat.number<std::int64_t>(body, 0, name); break;
        case Opcode::LoadDs: {
            instruction.segment = m_flat.number<std::uint32_t>(body, 0, name);
            const auto offset = m_flat.number<std::uint64_t>(body, 1, name);
            const bool known = instruction.segment < m_program.segments.size();
            const std::uint64_t bytes =
                known ? m_program.segments[instruction.segment].bytes.value : 0;
            if (!known || offset > bytes)
                m_flat.fail(body.at, name, fmt::format("an offset in a segment of {} bytes", bytes),
                            fmt::format("offset {} in segment {}", offset, instruction.segment),
                            "A constant lies outside of its data segment.");
            instruction.value = static_cast<std::int64_t>(offset);
            break;
        }
        case Opcode::Call:
            instruction.value = m_flat.number<std::uint32_t>(body, 0, name);
            within(m_program.symbols.size(), "symbol");
            break;
        case Opcode::GetContext:
        case Opcode::SetContext:
            instruction.value = m_flat.number<std::uint32_t>(body, 0, name);
            break;
        default:
            if (!m_flat.failed())
                m_program.diagnostics.push_back(
                    {Severity::Warning, valueError({m_file, FileOffset(table.at)}, "odix.opcode",
                                                   name, "an instruction that is known",
                                                   fmt::format("{}", instruction.opcode),
                                                   "The kind of an instruction is not known.")});
        }
    }

    void readEntries(const Table &root)
    {
        const Vector entries = m_flat.vector(root, kEntries, 4, "entries");
        for (std::uint32_t i = 0; i < entries.count && !m_flat.failed(); ++i) {
            const Table each = m_flat.tableIn(entries, i, "entry");
            std::string name = m_flat.text(each, 0, "entry");
            auto functions = m_flat.words(each, 1, "entry");
            for (const std::uint32_t function : functions)
                m_flat.check(function, m_program.functions.size(), each.at, name, "function",
                             " functions", "An entry names a function that is none.");
            if (!m_flat.failed())
                m_program.entries.emplace_back(std::move(name), std::move(functions));
        }
        m_flat.moveFault(m_program.diagnostics);
    }

    /// A constant is the offset of a load_ds and the type of the array that is made of it.
    void findConstants()
    {
        for (std::uint32_t f = 0; f < m_program.functions.size(); ++f) {
            const Function &function = m_program.functions[f];
            std::map<std::uint32_t, const Instruction *> loads; // by register
            for (std::uint32_t i = 0; i < function.code.size(); ++i) {
                const Instruction &each = function.code[i];
                const auto operands = function.operandsOf(each), results = function.resultsOf(each);
                if (each.is(Opcode::LoadDs) && results.size() == 1)
                    loads[results[0]] = &each;
                const Symbol *callee = m_program.callee(each);
                if (callee == nullptr || callee->name != "NDArray.alloc_const" ||
                    operands.size() != 1 || callee->outputs.size() != 1)
                    continue;
                const auto load = loads.find(operands[0]);
                if (load != loads.end() && callee->outputs[0] != kNone)
                    addConstant(f, i, *load->second, callee->outputs[0]);
            }
        }
        order();
    }

    void addConstant(std::uint32_t function, std::uint32_t at, const Instruction &load,
                     std::uint32_t type)
    {
        const auto offset = static_cast<std::uint64_t>(load.value);
        const auto index = m_known.find({load.segment, offset, type});
        if (index != m_known.end()) {
            m_program.constants[index->second].loadedBy.emplace_back(function, at);
            return;
        }
        const ByteRange &segment = m_program.segments[load.segment];
        const auto bytes = m_program.types[type].bytes();
        const bool known = m_program.types[type].bits > 0;
        if (!bytes || bytes->value > segment.bytes.value - offset) {
            m_program.diagnostics.push_back(
                {Severity::Error,
                 valueError(
                     {m_file, m_program.functions[function].code[at].at}, "odix.constant",
                     fmt::format("function {} instruction {}", function, at),
                     known ? fmt::format("a segment of {} bytes that holds it", segment.bytes.value)
                           : std::string("a type of element that is known"),
                     fmt::format("{} at {}", m_program.types[type].text, offset),
                     known ? "A constant passes the end of its data segment, or has no size."
                           : "The type of a constant's elements is not known.")});
            return;
        }
        m_known[{load.segment, offset, type}] = m_program.constants.size();
        m_program.constants.push_back({load.segment,
                                       type,
                                       offset,
                                       {FileOffset(segment.offset.value + offset), *bytes},
                                       {},
                                       {{function, at}}});
    }

    /// By place; an empty one comes before the one that it shares its offset with, and of two empty
    /// ones the one that is loaded last.
    void order()
    {
        auto &all = m_program.constants;
        const auto place = [](const Constant &each) {
            return std::tuple(each.segment, each.offset, each.bytes.bytes.value);
        };
        std::ranges::reverse(all);
        std::ranges::stable_sort(
            all, [&](const Constant &a, const Constant &b) { return place(a) < place(b); });
        std::uint64_t end = 0;
        for (std::size_t i = all.size(); i-- > 0;) {
            const bool last = i + 1 == all.size() || all[i + 1].segment != all[i].segment;
            const std::uint64_t segment = m_program.segments[all[i].segment].bytes.value;
            if (last)
                end = segment;
            else if (all[i + 1].offset > all[i].offset)
                end = all[i + 1].offset;
            all[i].room = ByteCount(end - all[i].offset);
        }
    }

    std::span<const std::byte> m_bytes;
    std::string m_file;
    Program &m_program;
    FlatBuffer m_flat;
    std::map<std::tuple<std::uint32_t, std::uint64_t, std::uint32_t>, std::size_t> m_known;
};

} // namespace

bool isOdix(std::span<const std::byte> bytes)
{
    return textInBytes(bytes).starts_with("odix");
}

Result<Program> readProgram(std::span<const std::byte> bytes, const std::string &file)
{
    const auto refuse = [&file](std::uint64_t at, std::string_view field, std::string expected,
                                std::string found, std::string_view message) {
        return refused({file, FileOffset(at)}, field == "version" ? "odix.version" : "odix.header",
                       field, expected, found, message);
    };
    if (bytes.size() >= 4 && !isOdix(bytes))
        return refuse(0, "magic", "odix", "something else",
                      "The file does not begin as a compiled program does.");
    if (bytes.size() < kHeaderBytes)
        return refuse(bytes.size(), "header", fmt::format("{} bytes", kHeaderBytes),
                      fmt::format("{} bytes", bytes.size()),
                      "The file is shorter than its header.");
    Program program;
    program.major = loadLittle<std::uint16_t>(bytes, 4);
    program.minor = loadLittle<std::uint16_t>(bytes, 6);
    if (program.major != kMajor || program.minor > kMinor)
        return refuse(4, "version", fmt::format("at most {}.{}", kMajor, kMinor),
                      fmt::format("{}.{}", program.major, program.minor),
                      "This version of compiled programs is not known.");
    const auto begin = loadLittle<std::uint64_t>(bytes, 8);
    program.dataBegin = loadLittle<std::uint64_t>(bytes, 16);
    if (begin < kHeaderBytes || begin > bytes.size())
        return refuse(8, "FlatBuffer",
                      fmt::format("an offset in [{}, {}]", kHeaderBytes, bytes.size()),
                      fmt::format("{}", begin), "The FlatBuffer does not begin inside the file.");
    if (program.dataBegin < begin || program.dataBegin > bytes.size())
        return refuse(16, "data", fmt::format("an offset in [{}, {}]", begin, bytes.size()),
                      fmt::format("{}", program.dataBegin),
                      "The data do not begin inside the file.");
    program.flatBuffer = {FileOffset(begin), ByteCount(program.dataBegin - begin)};
    TRY(ProgramReader(bytes, file, program).read());
    return program;
}

} // namespace kernscope::odix
