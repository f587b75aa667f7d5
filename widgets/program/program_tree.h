// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/bundle_fwd.h"
#include "core/container/mil/program.h"

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace kernscope::ui {

/// The program as rows: functions, their operations, the blocks of these with their operations.
/// Plain constants are no rows; where they are used, their value is written. Also who makes a
/// value, who reads it, and which weight it is. Built once for a bundle, off the GUI thread; holds
/// the bundle, whose program it points into.
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
        const mil::Operation *operation = nullptr; ///< Block: the one that it belongs to
        const mil::Block *block = nullptr;         ///< Block
        std::vector<std::size_t> children;
    };

    static std::shared_ptr<const ProgramTree> build(BundlePtr bundle);

    const Bundle &bundle() const { return *m_bundle; }
    const std::vector<Node> &nodes() const { return m_nodes; }
    const std::vector<std::size_t> &roots() const { return m_roots; }
    const mil::Function &functionOf(const Node &node) const
    {
        return m_program->functions[node.function];
    }
    std::size_t operations() const { return m_operations; }

    /// Row that makes a value of a function; kNone for inputs and constants.
    std::size_t definition(std::size_t function, const std::string &value) const;
    /// Rows that read it, in the order of the program.
    const std::vector<std::size_t> &uses(std::size_t function, const std::string &value) const;
    /// Weight of that name, kNone where it is none.
    std::size_t weight(std::size_t function, const std::string &value) const;
    /// A plain constant whose value is written where it is used; null for anything else.
    const mil::ProgramValue *constant(std::size_t function, const std::string &value) const;
    /// The first row that reads a weight, and the weights that a row reads.
    std::size_t readerOf(std::size_t weight) const;
    std::vector<std::size_t> weightsOf(std::size_t node) const;
    /// The innermost operation that a byte of the program file belongs to.
    std::size_t nodeAtByte(std::uint64_t offset) const;

private:
    struct Names {
        std::unordered_map<std::string, std::size_t> made, weights;
        std::unordered_map<std::string, std::vector<std::size_t>> read;
        std::unordered_map<std::string, const mil::ProgramValue *> constants;
    };
    void addBlock(const mil::Block &block, std::size_t function, std::size_t parent,
                  std::size_t &number);
    void addOperation(const mil::Operation &operation, std::size_t function, std::size_t parent,
                      std::size_t &number);
    std::size_t addNode(Node node);
    void noteReads(const mil::ProgramValue &value, std::size_t node);
    void noteWeights();

    BundlePtr m_bundle;
    std::shared_ptr<const mil::Program> m_program;
    std::vector<Node> m_nodes;
    std::vector<std::size_t> m_roots;
    std::vector<Names> m_names;         ///< one a function
    std::vector<std::size_t> m_readers; ///< weight -> row
    std::size_t m_operations = 0;
};

} // namespace kernscope::ui
