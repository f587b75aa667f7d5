// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/bundle_fwd.h"
#include "core/container/mil/program.h"

#include <QAbstractItemModel>
#include <QString>

namespace kernscope {
class Progress;
}

namespace kernscope::ui {

/// The program as rows: functions, their operations, the blocks of these with their operations.
/// Plain constants are no rows; where they are used, their value is written. Also who makes a
/// value, who reads it, and which weight it is. Built once for a bundle, off the GUI thread.
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
        std::size_t row = kNone;    ///< that makes it; kNone for inputs and constants
        std::size_t weight = kNone; ///< of that name
        const mil::ProgramValue *constant = nullptr; ///< value of a plain constant, which is no row
    };

    /// Null where it was cancelled.
    static std::shared_ptr<const ProgramTree> build(BundlePtr bundle, Progress *progress = nullptr);

    const Bundle &bundle() const { return *m_bundle; }
    std::size_t rows() const { return m_rows.size(); }
    std::size_t roots() const { return m_functionRows.size(); }
    std::size_t operations() const { return m_operations; }
    Node node(std::size_t row) const;
    std::size_t root(std::size_t place) const { return m_functionRows[place]; }
    std::size_t child(std::size_t row, std::size_t place) const;
    const mil::Function &functionOf(std::size_t row) const;
    /// Of a block the one that it belongs to; null for a function.
    const mil::Operation *operation(std::size_t row) const { return m_rows[row].operation; }
    /// Where it is written; of no length where that is not known.
    SourceSpan span(std::size_t row) const
    {
        const mil::Operation *of = operation(row);
        return of ? of->span : SourceSpan();
    }

    /// What a row reads: its references in the order in which they are written, those of lists
    /// among them.
    Meaning reference(std::size_t row, std::size_t place) const;
    /// Rows that read an output of it, in the order of the program.
    std::span<const std::uint32_t> uses(std::size_t row, std::size_t output) const;
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
        const mil::Operation *operation = nullptr;
        Number firstChild = 0; ///< in m_children
        Number firstName = 0;  ///< in m_rowNames
        Number outputs = 0;
    };
    /// A name of a function.
    struct Name {
        Number row = kNoNumber, weight = kNoNumber;
        const mil::ProgramValue *constant = nullptr;
        Number firstUse = 0; ///< in m_uses
    };

    static std::size_t wide(Number number) { return number == kNoNumber ? kNone : number; }

    BundlePtr m_bundle;
    std::size_t m_operations = 0;
    std::vector<Row> m_rows;
    std::vector<Number> m_children, m_functionRows;
    std::vector<Number> m_rowNames; ///< of a row what it makes, then what it reads
    std::vector<Name> m_names;      ///< and one behind the last
    std::vector<Number> m_uses;
    std::vector<Number> m_readers; ///< weight -> row
};

/// A run of one row's text: how it is coloured, and where it leads.
struct ProgramSpan {
    enum class Kind : std::uint8_t {
        Plain,
        Keyword, ///< the type of an operation
        Name,    ///< what the row makes
        Value,   ///< a value that another row makes
        Weight,
        Literal,
        Faint, ///< types, counts
    };
    QString text;
    Kind kind = Kind::Plain;
    std::size_t node = ProgramTree::kNone;   ///< the row that a link leads to
    std::size_t weight = ProgramTree::kNone; ///< the weight that it leads to

    bool isLink() const { return node != ProgramTree::kNone || weight != ProgramTree::kNone; }
};

/// What an operation is given under one name.
struct ProgramOperand {
    QString name;
    std::vector<ProgramSpan> spans; ///< its value
    bool attribute = false;         ///< a plain constant, such as strides
};
/// Of an operation: values and weights first (x, then weight, then bias), attributes after them, in
/// the order of the program. Of a `constexpr_` operation its parts, wherever they are written.
std::vector<ProgramOperand> programOperands(const ProgramTree &tree, std::size_t row);

/// The text of a row: "conv y (x = x_1, weight = w, strides = [1])   fp16 [1, 8, 4]".
std::vector<ProgramSpan> programSpans(const ProgramTree &tree, std::size_t row);
QString programText(const std::vector<ProgramSpan> &spans);
/// "fp16 [1, 8, ?]"
QString programType(const mil::ValueType &type);
/// "[1, 1]", "0.5", "\"same\"", "[0, 1, 2, …] (512 values)": at most eight values.
QString programLiteral(const mil::Literal &literal);

/// The rows of a program: number and statement.
class ProgramModel final : public QAbstractItemModel
{
    Q_OBJECT

public:
    enum Column { Statement, ColumnCount };

    explicit ProgramModel(QObject *parent = nullptr);

    void setTree(std::shared_ptr<const ProgramTree> tree);
    const std::shared_ptr<const ProgramTree> &tree() const { return m_tree; }
    std::size_t nodeOf(const QModelIndex &index) const { return index.internalId(); }
    QModelIndex indexOf(std::size_t node) const; ///< invalid where there is none
    std::vector<ProgramSpan> spans(const QModelIndex &index) const;
    /// "41" of the 41st operation; empty for functions and blocks.
    QString numberText(const QModelIndex &index) const;

    QModelIndex index(int row, int column, const QModelIndex &parent = {}) const override;
    QModelIndex parent(const QModelIndex &index) const override;
    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &) const override { return ColumnCount; }
    QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;

private:
    std::shared_ptr<const ProgramTree> m_tree;
};

} // namespace kernscope::ui
