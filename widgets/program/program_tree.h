// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/bundle_fwd.h"
#include "core/container/mil/packed_program.h"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace kernscope {
class Progress;
}

namespace kernscope::ui {

/// The program as rows: functions, their operations, the blocks of these with their operations.
/// Plain constants are no rows; where they are used, their value is written. Also who makes a
/// value, who reads it, and which weight it is. Built once for a bundle, off the GUI thread. It
/// holds numbers only, some dozens of bytes a row: an operation is unpacked when it is looked at.
class ProgramTree
{
public:
    static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

    enum class Kind : std::uint8_t { Function, Operation, Block };
    struct Node {
        Kind kind = Kind::Operation;
        std::size_t parent = kNone;
        std::size_t place = 0; ///< among the children of its parent
        std::size_t function = 0;
        std::size_t number = 0; ///< Operation: its place in the function; Block: in its operation
        std::size_t children = 0;
    };
    /// What a name means in a function.
    struct Meaning {
        std::size_t row = kNone;      ///< that makes it; kNone for inputs and constants
        std::size_t weight = kNone;   ///< of that name
        std::size_t constant = kNone; ///< a plain constant, which is no row: constantValue()
    };

    /// Null where it was cancelled.
    static std::shared_ptr<const ProgramTree> build(BundlePtr bundle, Progress *progress = nullptr);

    const Bundle &bundle() const { return *m_bundle; }
    std::size_t rows() const { return m_rows.size(); }
    std::size_t roots() const { return m_functionRows.size(); }
    std::size_t operations() const { return m_program->operations(); }
    Node node(std::size_t row) const;
    std::size_t root(std::size_t place) const { return m_functionRows[place]; }
    std::size_t child(std::size_t row, std::size_t place) const;
    const mil::Function &functionOf(std::size_t row) const; ///< without its operations
    /// Of a block the one that it belongs to; null for a function. Its blocks have no operations.
    mil::OperationPtr operation(std::size_t row) const;
    /// Where it is written; of no length where that is not known.
    const SourceSpan &span(std::size_t row) const { return m_spans[row]; }

    /// What a row reads: its references in the order in which they are written, those of lists
    /// among them.
    Meaning reference(std::size_t row, std::size_t place) const;
    /// Rows that read an output of it, in the order of the program.
    std::span<const std::uint32_t> uses(std::size_t row, std::size_t output) const;
    /// The value of a plain constant; null where it has none. Holds its page.
    std::shared_ptr<const mil::ProgramValue> constantValue(std::size_t constant) const;
    /// The first row that reads a weight, and the weights that a row reads.
    std::size_t readerOf(std::size_t weight) const;
    std::vector<std::size_t> weightsOf(std::size_t row) const;
    /// The program file that a row is written in; kNoIndex where there is none.
    std::size_t fileOf(std::size_t row) const;
    /// The innermost operation that a byte of a program file belongs to.
    std::size_t rowAtByte(std::size_t file, std::uint64_t offset) const;

private:
    class Builder;
    using Number = std::uint32_t;
    static constexpr Number kNoNumber = static_cast<Number>(-1);
    struct Row {
        Kind kind = Kind::Operation;
        Number parent = kNoNumber, place = 0, function = 0, number = 0;
        Number operation = kNoNumber; ///< of the packed program
        Number firstChild = 0;        ///< in m_children
        Number firstName = 0;         ///< in m_rowNames
        Number outputs = 0;
    };
    /// A name of a function.
    struct Name {
        Number row = kNoNumber, weight = kNoNumber, constant = kNoNumber;
        Number firstUse = 0; ///< in m_uses
    };

    static std::size_t wide(Number number) { return number == kNoNumber ? kNone : number; }

    BundlePtr m_bundle;
    std::shared_ptr<const mil::PackedProgram> m_program;
    std::vector<Row> m_rows;
    std::vector<SourceSpan> m_spans; ///< by row
    std::vector<Number> m_children, m_functionRows;
    std::vector<Number> m_rowNames; ///< of a row what it makes, then what it reads
    std::vector<Name> m_names;      ///< and one behind the last
    std::vector<Number> m_uses;
    std::vector<Number> m_readers; ///< weight -> row
};

} // namespace kernscope::ui
