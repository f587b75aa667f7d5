// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/container/odix/flat_buffer.h"
#include "core/container/odix/odix.h"

/// Private to compiled programs.
namespace kernscope::odix {

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

    void read(const FlatBuffer::Table &symbols);

private:
    struct Node {
        enum class State : std::uint8_t { New, Open, Done };
        State state = State::New;
        unsigned height = 0;
        std::uint64_t size = 1; ///< parts, those of its parts counted each time
    };

    void readAttributes(const FlatBuffer::Table &symbols);
    void readAttribute(std::uint8_t kind, const FlatBuffer::Table &table, std::uint32_t number);
    void checkReferences();
    const Node &visit(std::size_t node);
    void cut(std::size_t node, std::string_view expected, std::string found);
    void makeType(Type &type);
    void makeArray(Type &type, const std::vector<std::uint32_t> &parameters, std::size_t first);
    void warn(const Type &type, std::string expected, std::string found, std::string_view message);
    const Attribute *parameter(const std::vector<std::uint32_t> &parameters, std::size_t index,
                               Attribute::Kind kind) const;
    std::vector<std::int64_t> extents(const Attribute &bytes, unsigned width) const;

    std::span<const std::byte> m_bytes;
    std::string m_file;
    FlatBuffer &m_flat;
    Program &m_program;
    std::vector<std::string> m_names; ///< of types
    std::vector<Node> m_nodes;        ///< attributes, then types
    unsigned m_depth = 0;
    std::vector<bool> m_made;
};

} // namespace kernscope::odix
