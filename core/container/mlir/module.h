// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/error.h"
#include "core/format/record_fields.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// MLIR bytecode of versions 0 to 6 (mlir-bytecode.md): a module as flat lists with indices, all
/// texts and data as places in the file. What depends on a dialect (kinds of attributes and types,
/// properties of operations) are rows of resources/tables/mlir_kinds.csv and mlir_properties.csv.
namespace kernscope::mlir {

/// Where an index is missing.
inline constexpr std::uint32_t kNone = 0xFFFFFFFF;

/// Ids of sections (section 2 of mlir-bytecode.md).
enum class SectionId : std::uint8_t {
    Strings,
    Dialects,
    Entries,    ///< attributes and types, encoded
    EntrySizes, ///< their groups and sizes
    Ir,
    Resources, ///< bytes
    ResourceKeys,
    DialectVersion, ///< only inside of Dialects
    Properties,
};
inline constexpr std::size_t kSectionIds = 9;
/// "strings", "dialects", "attributes and types", …
std::string_view sectionName(SectionId id);

struct Section {
    SectionId id = SectionId::Strings;
    ByteRange header;            ///< id, length, alignment, padding
    ByteRange data;              ///< what the length counts
    std::uint64_t alignment = 0; ///< 0: none is asked for
};

/// Consecutive items of one of the module's lists.
struct Run {
    std::uint32_t first = 0;
    std::uint32_t count = 0;
};

/// A field of a row.
struct FieldSpec {
    char letter = 0;
    bool list = false; ///< a count stands before it
    std::string name;
};

/// A row of mlir_kinds.csv.
struct KindRow {
    std::string dialect;
    bool type = false; ///< else an attribute
    std::uint64_t code = 0;
    std::string name; ///< "serialization.string", "tensor_v1"
    std::vector<FieldSpec> fields;
    std::string print;   ///< how the text is written (print.h)
    std::string element; ///< notation of the element type ("fp16", "int2"), of scalar types
    unsigned bits = 0;   ///< of an element, of scalar types
};

/// A row of mlir_properties.csv.
struct PropertyRow {
    struct Property {
        std::string name;
        bool optional = false;
    };
    std::string operation;            ///< full name; one without "_v1" stands for all versions
    std::vector<Property> properties; ///< in the order in which they are stored
};

struct Dialect {
    std::uint32_t name = 0; ///< string
    bool versioned = false;
    ByteRange version; ///< where it is versioned: of its section of id 7, without the header
    const std::vector<const KindRow *> *attributeRows = nullptr; ///< by code; null: unknown dialect
    const std::vector<const KindRow *> *typeRows = nullptr;
};

struct OperationName {
    std::uint32_t dialect = 0;
    std::uint32_t name = 0; ///< string
    bool registered = false;
    const PropertyRow *row = nullptr; ///< of its properties; null: there is none
};

/// An attribute or a type as it stands in the file.
struct Entry {
    std::uint32_t dialect = 0;
    bool custom = false; ///< the dialect's encoding; else assembly text with a NUL
    ByteRange range;
};

enum class ResourceKind : std::uint8_t { Blob, Bool, String };

struct Resource {
    std::uint32_t dialect = kNone;  ///< kNone: of an external group (its group is `external`)
    std::uint32_t external = kNone; ///< key of the external group (string)
    std::uint32_t key = 0;          ///< string
    ResourceKind kind = ResourceKind::Blob;
    ByteRange entry;             ///< in section 5; empty: it is only declared
    ByteRange data;              ///< Blob: its bytes; else the value's
    std::uint64_t alignment = 0; ///< Blob
};

/// A result of an operation or an argument of a block.
struct Value {
    std::uint32_t type = kNone;
    std::uint32_t owner = kNone;    ///< operation; block where it is an argument
    std::uint32_t position = 0;     ///< among the results or arguments
    std::uint32_t location = kNone; ///< of an argument that has one (attribute)
    bool argument = false;
};

/// Operations, regions and blocks lie in the order of the file, what is inside after what holds it;
/// `end` is one past the last inside, which makes it the next one beside it (Siblings).
struct Operation {
    std::uint32_t name = 0;           ///< in operationNames
    std::uint32_t location = 0;       ///< attribute
    std::uint32_t attributes = kNone; ///< dictionary (attribute)
    std::uint32_t properties = kNone;
    std::uint32_t block = kNone; ///< that it stands in; kNone: top level
    std::uint32_t end = 0;
    Run results;    ///< in values
    Run operands;   ///< in operandValues
    Run successors; ///< in successorBlocks
    Run regions;    ///< in regions, first to one past the last inside: siblings
    bool isolated = false;
    ByteRange range;   ///< all of it, with its regions
    ByteRange head;    ///< up to its regions
    ByteRange section; ///< header of the section of its regions; empty: none
    ByteRange uses;    ///< use-list orders, inside of head; empty: none
};

struct Region {
    std::uint32_t operation = kNone;
    std::uint32_t end = 0;
    Run blocks; ///< in blocks, siblings
    Run values; ///< in values: arguments of its blocks and results in them, in file order
    ByteRange range;
};

struct Block {
    std::uint32_t region = kNone; ///< kNone: the top level
    std::uint32_t end = 0;
    std::uint32_t operationCount = 0;
    Run arguments;  ///< in values
    Run operations; ///< in operations, siblings
    ByteRange head; ///< count of operations, arguments, use-list orders
    ByteRange uses; ///< use-list orders; empty: none
};

/// One field of an attribute or type. Lists are flat: a field of the same column for each item.
struct Field {
    char letter = 0;         ///< of mlir_kinds.csv: A T S V I N F Y B R
    std::uint8_t column = 0; ///< which field of the row
    std::uint64_t value = 0; ///< index, number, or count of bytes (B); I and N in two's complement
    ByteRange range;         ///< bytes in the file; B: of the data alone
    std::int64_t integer() const { return static_cast<std::int64_t>(value); }
};

/// An attribute or a type, decoded.
struct Decoded {
    const KindRow *row = nullptr; ///< null: no row, shown as bytes; or assembly text
    std::uint64_t code = 0;       ///< as stored; 0 for assembly text
    std::string_view assembly;    ///< where the entry is text
    ByteRange range;
    std::vector<Field> fields;

    bool is(std::string_view name) const { return row && row->name == name; }
    /// The first field of that column; null where there is none.
    const Field *field(std::size_t column) const;
    /// The fields of that column.
    std::vector<Field> all(std::size_t column) const;
};

struct NamedAttribute {
    std::string_view name;
    std::uint32_t attribute = 0;
};

/// Items beside one another in a list in which `end` leads on.
template <class Item>
class Siblings
{
public:
    Siblings(const std::vector<Item> &items, Run run)
        : m_items(&items), m_first(run.first), m_end(run.first + run.count)
    {
    }
    class Iterator
    {
    public:
        Iterator(const std::vector<Item> &items, std::uint32_t at) : m_items(&items), m_at(at) {}
        std::uint32_t operator*() const { return m_at; } ///< the index
        Iterator &operator++()
        {
            m_at = (*m_items)[m_at].end;
            return *this;
        }
        bool operator!=(const Iterator &other) const { return m_at != other.m_at; }

    private:
        const std::vector<Item> *m_items;
        std::uint32_t m_at;
    };
    Iterator begin() const { return {*m_items, m_first}; }
    Iterator end() const { return {*m_items, m_end}; }

private:
    const std::vector<Item> *m_items;
    std::uint32_t m_first, m_end;
};

/// A module over the bytes of its file, which must stay where they are. What `fault` did not allow
/// to read is empty; all indices of what is there are in range, attributes and types hold no cycle
/// and nest at most kMostDepth deep.
struct Module {
    static constexpr std::uint32_t kMostDepth = 512, kMostRegions = 64;

    std::span<const std::byte> bytes;
    std::string file; ///< its name in errors
    std::uint64_t version = 0;
    std::string_view producer;
    std::optional<Error> fault; ///< why the rest was not read
    Diagnostics diagnostics;    ///< warnings: kinds without a row, another version of a dialect
    ByteRange header;           ///< magic, version, producer

    std::vector<Section> sections; ///< in file order
    std::vector<std::string_view> strings;
    std::vector<Dialect> dialects;
    std::vector<OperationName> operationNames;
    std::vector<Entry> attributes;
    std::vector<Entry> types;
    std::vector<Resource> resources; ///< external ones first; handles count the others
    std::uint32_t externalResources = 0;
    std::vector<ByteRange> properties;
    std::vector<Operation> operations;
    std::vector<Region> regions;
    std::vector<Block> blocks; ///< the first one is the top level
    std::vector<Value> values;
    std::vector<std::uint32_t> operandValues;   ///< values, by Operation::operands
    std::vector<std::uint32_t> successorBlocks; ///< positions in the region

    const Section *section(SectionId id) const;
    std::span<const std::byte> bytesOf(ByteRange range) const;
    std::string_view textOf(ByteRange range) const;

    std::string_view dialectName(std::uint32_t dialect) const;
    /// "aicode.primitive.constant_v1"
    std::string operationName(const Operation &operation) const;
    bool is(const Operation &operation, std::string_view fullName) const;

    Siblings<Operation> operationsOf(const Block &block) const;
    Siblings<Region> regionsOf(const Operation &operation) const;
    Siblings<Block> blocksOf(const Region &region) const { return {blocks, region.blocks}; }
    std::span<const std::uint32_t> operandsOf(const Operation &operation) const;
    std::span<const Value> resultsOf(const Operation &operation) const;
    /// The resource of a handle (field R).
    std::uint32_t resourceOf(std::uint64_t handle) const;

    /// On demand; the index is in range.
    Decoded attribute(std::uint32_t index) const;
    Decoded type(std::uint32_t index) const;

    /// Properties by the operation's row, then the dictionary. Properties without a row are left
    /// out (shown as bytes by who shows them).
    std::vector<NamedAttribute> attributesOf(const Operation &operation) const;
    /// Properties by a row, as far as they fit it.
    std::vector<NamedAttribute> propertiesOf(const PropertyRow &row,
                                             std::uint32_t properties) const;
    /// The one of that name; kNone: none.
    std::uint32_t attributeOf(const Operation &operation, std::string_view name) const;
    /// Text of a string attribute (aicode's or builtin's); empty for others.
    std::string_view stringOf(std::uint32_t attribute) const;
};

/// What attributes and types lead to, they themselves included.
struct Reached {
    std::vector<bool> attributes, types, strings;
};
/// kNone among them means nothing.
Reached reachedFrom(const Module &module, const std::vector<std::uint32_t> &attributes,
                    const std::vector<std::uint32_t> &types);

/// Reads a module. Never fails as a whole: Module::fault says what stopped it, with its offset.
/// Errors in it: "mlir.magic", "mlir.version", "mlir.section", "mlir.strings", "mlir.dialects",
/// "mlir.entries", "mlir.resources", "mlir.properties", "mlir.ir".
Module readModule(std::span<const std::byte> bytes, std::string file);

/// True where the first bytes are those of MLIR bytecode.
bool isModule(std::span<const std::byte> bytes);

// The tables mlir_kinds.csv and mlir_properties.csv.
//
// Fields are "name:letter", a '*' behind the letter makes a list with a count before it:
//   A attribute, T type, S string (indices), V varint, I signed varint, Y raw byte,
//   N integer and F float of the width in the first field, M a number of the width of the type in
//   the first field, B varint size and as many bytes, R resource handle, O raw byte and, where it
//   is 1, a varint, D pairs of attributes with a count before them.

std::span<const KindRow> kindRows();
/// The rows of a dialect by code, null in the gaps; null where no row names the dialect.
const std::vector<const KindRow *> *rowsByCode(std::string_view dialect, bool types);
/// The first row of that name in dialect `aicode`; null: none.
const KindRow *kindNamed(std::string_view name, bool type);

std::span<const PropertyRow> propertyRows();
/// The row of that operation, else the one of all its versions; null: none.
const PropertyRow *propertyRow(std::string_view operation);

/// What a byte of a module is: "attribute 12 (serialization.dense_elements): data", "operation 5
/// (conv2d_v1)", "string 3", "resource dense_resource: data". O(log entries), and the fields of one
/// entry. Nothing where no table says it.
std::optional<format::PlacedField> fieldAt(const Module &module, FileOffset offset);

} // namespace kernscope::mlir
