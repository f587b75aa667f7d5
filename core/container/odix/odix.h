// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/error.h"
#include "core/numeric/element_type.h"

#include <cstdint>
#include <optional>
#include <utility>

/// Compiled Core AI programs (.odix): what a file says, without what it means for weights
/// (resources/formats/odix.md). Numbers of types, attributes, symbols and functions are places in
/// the vectors below.
namespace kernscope::odix {

inline constexpr std::uint64_t kHeaderBytes = 64, kAlignment = 64; ///< constants, from the data on
inline constexpr std::uint16_t kMajor = 0, kMinor = 5;             ///< newest version that is known
inline constexpr std::uint32_t kNone = UINT32_MAX;

/// A row of resources/tables/odix_codes.csv: what a number of the file stands for.
struct Code {
    std::string set; ///< "scalar", "opcode", "intent"
    std::uint32_t code = 0;
    std::string name;       ///< "f16", "call", "inout"
    std::uint32_t bits = 0; ///< of a scalar
    std::string element;    ///< our name of it; empty where there is none
};
/// Null for a number that is not in the table.
const Code *findCode(std::string_view set, std::uint32_t code);

enum class Opcode : std::uint8_t {
    Jump = 1,
    Branch = 2,
    Move = 4,
    LoadImm = 5,
    LoadDs = 6,
    Call = 7,
    GetContext = 9,
    SetContext = 10,
};

struct Type {
    enum class Kind : std::uint8_t { Unknown, Scalar, Array, Sparse, Meta, Context, Image };
    Kind kind = Kind::Unknown;
    std::uint32_t bits = 0; ///< of an element
    ElementType element = ElementType::Unknown;
    std::vector<std::int64_t> dims;   ///< of an array, of a sparse one's dense form; -1: dynamic
    std::vector<std::uint32_t> parts; ///< types: of a context one a slot, of a meta the one
    std::string elementText;          ///< "f16"
    std::string text;                 ///< "f16[1,16]", "Context(14)", "sparse f16[256] of 16,32"
    FileOffset at;
    std::uint32_t attribute = kNone;

    /// Of an array: the bytes that its packed elements take; nothing where an extent is dynamic or
    /// the number does not fit.
    std::optional<ByteCount> bytes() const;
};

struct Attribute {
    enum class Kind : std::uint8_t {
        Array = 1,
        Integer,
        Float,
        String,
        Bytes,
        Type,
        Dictionary,
        Enum,
        Boolean
    };
    Kind kind = Kind::Array;
    std::int64_t number = 0;         ///< integer, enum, boolean; the number of a type
    std::string text;                ///< string; name of an enum
    ByteRange bytes;                 ///< of the file
    std::vector<std::uint32_t> refs; ///< attributes of an array, or one a key
    std::vector<std::string> keys;   ///< of a dictionary
    FileOffset at;
};

struct Symbol {
    bool kernel = false;
    std::string name;
    std::vector<std::uint32_t> inputs, outputs; ///< types
    std::vector<std::uint8_t> intents;          ///< one an output: 0 out, 1 inout, 2 return
    std::uint32_t attribute = kNone;            ///< dictionary
    FileOffset at;
    /// Allocation, types and shape rules: what serves memory and not the model.
    bool isPlumbing() const;
};

struct Instruction {
    std::uint8_t opcode = 0;
    std::uint32_t operands = 0, results = 0; ///< how many
    std::uint32_t first = 0; ///< of its operands in Function::registers, then its results
    std::int64_t value = 0;  ///< target, number, offset in the segment, symbol or slot
    std::uint32_t segment = 0, opId = 0;
    FileOffset at;

    bool is(Opcode wanted) const { return opcode == static_cast<std::uint8_t>(wanted); }
};

struct Function {
    std::uint32_t symbol = 0, opId = 0;
    std::uint32_t registerCount = 0; ///< as stored: nothing is allocated by it
    std::vector<Instruction> code;
    std::vector<std::uint32_t> registers; ///< operands and results of all instructions
    FileOffset at;

    std::span<const std::uint32_t> operandsOf(const Instruction &instruction) const
    {
        return std::span(registers).subspan(instruction.first, instruction.operands);
    }
    std::span<const std::uint32_t> resultsOf(const Instruction &instruction) const
    {
        return std::span(registers).subspan(instruction.first + instruction.operands,
                                            instruction.results);
    }
};

/// A constant of a data segment. There is no table of them: instructions load them.
struct Constant {
    std::uint32_t segment = 0, type = 0;
    std::uint64_t offset = 0; ///< in its segment
    ByteRange bytes;          ///< of the file
    ByteCount room;           ///< up to the next one, or to the end of the segment
    std::vector<std::pair<std::uint32_t, std::uint32_t>> loadedBy; ///< function, instruction
};

struct Program {
    std::uint16_t major = 0, minor = 0;
    ByteRange flatBuffer;
    std::uint64_t dataBegin = 0;
    std::string platform;
    std::vector<Type> types;
    std::vector<Attribute> attributes;
    std::vector<Symbol> symbols;
    std::vector<Function> functions;
    std::vector<std::uint32_t> functionNumbers;
    std::vector<ByteRange> segments; ///< of the file
    std::uint32_t attribute = kNone, opId = 0;
    std::vector<std::pair<std::string, std::vector<std::uint32_t>>> entries; ///< with functions
    std::vector<Constant> constants; ///< by place: the record numbers of the debug information
    Diagnostics diagnostics;         ///< of parts that are left out, and warnings

    const Symbol &symbolOf(const Function &function) const { return symbols[function.symbol]; }
    /// The symbol that an instruction calls; null where it calls none.
    const Symbol *callee(const Instruction &instruction) const;
    /// A member of a symbol's dictionary; null where it has none of that name.
    const Attribute *member(std::uint32_t dictionary, std::string_view key) const;
    /// The texts of an array: names of inputs or outputs.
    std::vector<std::string> texts(std::uint32_t dictionary, std::string_view key) const;
    /// An attribute in a line; the beginning where that is long.
    std::string attributeText(std::uint32_t number) const;
    /// "body", "initialiser", "initialiser with buffers" or "shapes".
    std::string_view roleOf(const Function &function) const;
};

bool isOdix(std::span<const std::byte> bytes);

/// Errors: "odix.header", "odix.version", "odix.flatbuffer" and "odix.content" where there is no
/// program to show. Faults of one function, type or symbol are diagnostics, and the rest is there.
Result<Program> readProgram(std::span<const std::byte> bytes, const std::string &file);

} // namespace kernscope::odix
