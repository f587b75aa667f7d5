// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/bundle_fwd.h"
#include "core/bundle/diagnostic_log.h"
#include "core/bundle/reader/mil/blob_table.h"
#include "core/container/mil/value_graph.h"
#include "core/form/encoding.h"

namespace kernscope {

/// Reads the operands of the ops that make weights: stored ones, checked against their records, and
/// the numbers written in the program.
class OperandReader
{
public:
    OperandReader(const ValueGraph &graph, BlobTable &blobs, std::string_view programFile,
                  DiagnosticLog &log)
        : m_graph(graph), m_blobs(blobs), m_programFile(programFile), m_log(log)
    {
    }

    /// What is stored for an operand of an op, with its place: a blob or a literal, or the const op
    /// that it names. Type and number of elements must be those that the program declares; a record
    /// of another type whose bytes hold the elements of the program's type, and not those of its
    /// own, is read as the program says, with a warning ("blob.type").
    /// Errors: "mil.operand" (neither), "mil.type", "mil.shape", "blob.type", "blob.elements",
    /// those of BlobTable::find.
    Result<codec::Operand> stored(const mil::Operation &operation, std::string_view operand,
                                  codec::PartRole role);
    /// The same for a value that is no operand of a constexpr op.
    Result<codec::Operand> stored(const mil::Operation &operation, std::string_view field,
                                  const mil::ProgramValue &value, codec::PartRole role);

    /// Integers of a literal operand. Errors: "mil.operand", "mil.type".
    Result<std::vector<std::int64_t>> integers(const mil::Operation &operation,
                                               std::string_view operand) const;

    /// A fault of an operation of the program: file, offset of the op and field are filled in.
    tl::unexpected<Error> fault(const mil::Operation &operation, std::string_view code,
                                std::string_view field, std::string_view expected,
                                std::string_view found, std::string_view message) const;

    const ValueGraph &graph() const { return m_graph; }

    /// From now on an operand in a file that is not there is what the program declares: of no file
    /// and without a literal.
    void takeDeclared(bool declared) { m_takesDeclared = declared; }

private:
    Result<void> fillFromBlob(OperandPlace &place, ElementType type, const Shape &shape,
                              const mil::BlobReference &blob);

    const ValueGraph &m_graph;
    BlobTable &m_blobs;
    std::string m_programFile;
    DiagnosticLog &m_log;
    bool m_takesDeclared = false;
    /// One copy of each literal, however many weights name it.
    std::unordered_map<const mil::Literal *, std::shared_ptr<const mil::Literal>> m_literals;
};

/// A value as the ops that make it say.
struct ReadValue {
    codec::Encoding encoding;                ///< its operands have places, and no bytes
    ElementType type = ElementType::Unknown; ///< as declared; wider than the encoding's by a cast
};

/// True for the joint ops, which make a mask and the values that it leaves.
bool makesSurvivors(const mil::Operation &operation);
/// True for the ops that only make weights: "constexpr_…".
bool isConstexpr(const mil::Operation &operation);

/// The operand, whose extents the program repeats at further places.
codec::Operand withCounts(codec::Operand operand, const std::vector<SourceSpan> &spans);
/// The compacted values of a joint op, whose count the declared type of its output repeats.
codec::Operand survivorsOf(const mil::Operation &operation, codec::Operand operand);

/// The survivors of a mask: one dimension, no more than the mask has elements.
/// Errors: "codec.mask".
Result<void> checkSurvivors(const OperandReader &operands, const mil::Operation &operation,
                            const Shape &survivors, const Shape &mask);

/// Turns constants and chains of constexpr ops into one encoding (resources/formats/forms.md).
/// Only the tables are looked at: every shape, type, count and length, no payload.
class FormReader
{
public:
    explicit FormReader(OperandReader &operands) : m_operands(operands) {}

    /// Errors: those of OperandReader, "codec.type", "codec.shape", "codec.codebook",
    /// "codec.scale", "codec.mask", "mil.unsupported" (an op or a nesting that is not known).
    Result<ReadValue> read(const mil::Operation &operation)
    {
        return readAs(operation, codec::PartRole::Data);
    }
    /// The value of a const op.
    Result<ReadValue> readConst(const mil::Operation &operation);
    /// A constant on its own; `field` names it in errors.
    Result<ReadValue> readDense(const mil::Operation &operation, std::string_view field,
                                const mil::ProgramValue &value, codec::PartRole role);
    /// The operands that were read, also those before a fault.
    std::vector<codec::Operand> takeKnown() { return std::move(m_known); }

    using Outcome = Result<ReadValue>;
    using PartRole = codec::PartRole;

    // What the readers of operations are made of (kOperations of form_reader.cpp).

    /// An operand: stored, or the result of another op.
    struct Source {
        codec::OperandSource source;
        ElementType type = ElementType::Unknown;
        Shape shape;
        std::shared_ptr<const codec::Encoding> made; ///< where another op makes it
    };
    Result<Source> source(const mil::Operation &operation, std::string_view name, PartRole role);
    /// An operand that must be stored.
    Result<codec::Operand> stored(const mil::Operation &operation, std::string_view name,
                                  PartRole role, std::initializer_list<ElementType> types);
    Result<void> checkType(const mil::Operation &operation, std::string_view name, ElementType type,
                           std::initializer_list<ElementType> types) const;
    OperandReader &operands() { return m_operands; }

    Outcome affine(const mil::Operation &operation, PartRole role);
    Outcome blockwise(const mil::Operation &operation, PartRole role);
    Outcome lutToDense(const mil::Operation &operation, PartRole role);
    Outcome sparse(const mil::Operation &operation, PartRole role);
    Outcome lutToSparse(const mil::Operation &operation, PartRole role);
    Outcome sparseBlockwise(const mil::Operation &operation, PartRole role);
    Outcome cast(const mil::Operation &operation, PartRole role);

private:
    /// As OperandReader::fault.
    template <class... Words>
    tl::unexpected<Error> fault(const Words &...words) const
    {
        return m_operands.fault(words...);
    }
    Outcome readAs(const mil::Operation &operation, PartRole role);
    Outcome dispatch(const mil::Operation &operation, PartRole role);
    Outcome palette(const mil::Operation &operation);
    Outcome paletteOfBytes(const mil::Operation &operation);
    Outcome sparseMasked(const mil::Operation &operation, ReadValue inner);
    Result<Shape> shapeOperand(const mil::Operation &operation);
    Result<std::uint64_t> axisOperand(const mil::Operation &operation, std::string_view name,
                                      std::size_t rank);
    Result<void> checkOutput(const mil::Operation &operation, const ReadValue &form) const;
    Result<void> addPalette(const mil::Operation &operation, ReadValue &form,
                            const Shape &indexShape, unsigned width);
    Result<void> addBlocks(const mil::Operation &operation, ReadValue &form, ElementType dataType);
    Result<void> sameMask(const mil::Operation &operation, std::string_view name,
                          const ReadValue &inner, const mil::Operation &maker);
    const mil::Operation *compactMaker(const mil::Operation &operation) const;

    OperandReader &m_operands;
    std::vector<codec::Operand> m_known;
    unsigned m_depth = 0;
};

} // namespace kernscope
