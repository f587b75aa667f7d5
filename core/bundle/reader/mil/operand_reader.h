// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/bundle_fwd.h"
#include "core/bundle/diagnostic_log.h"
#include "core/bundle/reader/mil/blob_table.h"
#include "core/container/mil/value_graph.h"

namespace kernscope {

/// The file that has the weight is not there: the program alone says what it would have.
bool isMissingFile(const Error &fault);

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
    Error fault(const mil::Operation &operation, std::string_view code, std::string_view field,
                std::string expected, std::string found, std::string message) const;

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

} // namespace kernscope
