// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/container/odix/flat_buffer.h"
#include "core/format/record_fields.h"

#include <memory>
#include <unordered_set>

namespace kernscope::odix {

/// What the bytes of a compiled program's FlatBuffer are ("function 1, region 0, instruction 12:
/// operands, element 3"), by the rows of resources/tables/flatbuffer_fields.csv. The whole of it is
/// walked once; what is broken, and what no row names, stays without a name.
class FieldMap
{
public:
    /// Of a program or its debug information; null for other files. `file` is not read afterwards.
    static std::shared_ptr<const FieldMap> make(std::span<const std::byte> file);

    /// O(log fields). Nothing where no field is known.
    std::optional<format::PlacedField> at(FileOffset offset) const;

private:
    struct Row {
        std::string table, name, type, of, source;
        std::uint32_t slot = 0;
        format::Confidence confidence = format::Confidence::Assumed;
    };
    /// A table of the file: which one of which parent's.
    struct Node {
        std::uint32_t parent = 0;
        std::uint32_t index = 0; ///< in its vector; kAlone: the only one
        std::string_view table;  ///< its rows
        std::string_view name;
    };
    enum class What : std::uint8_t { Value, Offset, Count, Elements, Text, Vtable, Own, Root };
    struct Run {
        std::uint64_t at = 0, bytes = 0;
        std::uint32_t node = 0;
        const Row *row = nullptr; ///< null: of the table as a whole
        What what = What::Value;
    };
    static constexpr std::uint32_t kAlone = UINT32_MAX;

    static const std::vector<Row> &rows();
    static unsigned bytesOf(const Row &row);
    void walk(FlatBuffer &flat, std::uint64_t begin, std::string_view root);
    void addTable(FlatBuffer &flat, const FlatBuffer::Table &table, std::uint32_t node);
    void addField(FlatBuffer &flat, const FlatBuffer::Table &table, std::uint32_t node,
                  const Row &row);
    void push(const FlatBuffer::Table &table, std::uint32_t parent, std::uint32_t index,
              std::string_view rows, std::string_view name);
    std::string nameOf(const Run &run, std::uint64_t into) const;

    std::vector<Node> m_nodes;
    std::vector<Run> m_runs;                                         ///< by place
    std::vector<std::pair<FlatBuffer::Table, std::uint32_t>> m_open; ///< during the walk
    std::unordered_set<std::uint64_t> m_seen;                        ///< tables and vtables
};

} // namespace kernscope::odix
