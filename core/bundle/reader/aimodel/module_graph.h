// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/container/mlir/aicode.h"
#include "core/format/coreai_operations.h"
#include "core/numeric/element_type.h"

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// The operations of a Core AI module as they feed one another: which values are constants, and who
/// reads them. Bodies that only say again what a composite operation does are left out.
namespace kernscope::aimodel {

/// A tensor's type in the words of the core. A complex element is a last axis of two.
struct TensorInfo {
    ElementType element = ElementType::Unknown;
    std::vector<std::int64_t> dims; ///< INT64_MIN where it is open
    bool complex = false;
    std::optional<Shape> shape() const;    ///< where every extent is known
    bool admits(const Shape &shape) const; ///< it may be of that shape
};

/// Of a tensor type of a module; nothing for others.
std::optional<TensorInfo> tensorInfo(const mlir::Module &module, std::uint32_t type);

struct ValueUse {
    std::uint32_t operation = 0;
    std::uint32_t operand = 0;
};

class ModuleGraph
{
public:
    explicit ModuleGraph(const mlir::Module &module);

    const mlir::Module &module() const { return m_module; }
    /// The operations dataflow.graph of the asset, in order.
    const std::vector<std::uint32_t> &graphs() const { return m_graphs; }
    const CoreAiOperation &row(std::uint32_t operation) const
    {
        return *m_rows[m_module.operations[operation].name];
    }
    /// Names of operations that the table lacks and that read nothing but constants: they may be a
    /// way to store a weight that is not known.
    std::vector<std::string> unknownOperations() const;
    /// Whether its regions are a decomposition.
    bool isComposite(std::uint32_t operation) const;
    /// Whether it lies in a decomposition.
    bool isInside(std::uint32_t operation) const { return m_inside[operation]; }
    const std::vector<ValueUse> &uses(std::uint32_t value) const { return m_uses[value]; }
    /// Made of constants alone, by operations that are steps of a form.
    bool isConstant(std::uint32_t value) const { return m_constant[value]; }
    /// The operation that makes it; nothing for arguments.
    std::optional<std::uint32_t> maker(std::uint32_t value) const;
    /// The step that makes a constant value; None for others.
    CoreAiStep step(std::uint32_t value) const;
    std::optional<TensorInfo> tensor(std::uint32_t value) const
    {
        return tensorInfo(m_module, m_module.values[value].type);
    }
    /// Constant values that are weights (coreai-format.md, section 8; README of the samples), in
    /// the order of the file.
    std::vector<std::uint32_t> weights() const;
    /// Who reads a weight, through transpose and reshape, in the order of the file; operations that
    /// are steps of another constant are none.
    std::vector<ValueUse> readers(std::uint32_t value) const;
    /// Small integers of a constant that is stored as they are; nothing for others.
    std::optional<std::vector<std::int64_t>> integers(std::uint32_t value) const;

private:
    bool makesConstant(const mlir::Operation &operation, const CoreAiOperation &row) const;
    bool isWeight(std::uint32_t value) const;
    void readConstants();
    void findReaders();

    const mlir::Module &m_module;
    std::deque<CoreAiOperation> m_made;
    std::vector<const CoreAiOperation *> m_rows; ///< by operation name
    std::vector<bool> m_unknown;                 ///< by operation name
    std::vector<std::uint32_t> m_graphs;
    std::vector<bool> m_inside;
    std::vector<std::vector<ValueUse>> m_uses;
    std::vector<bool> m_constant, m_read;
    std::vector<std::uint8_t> m_depth;
};

} // namespace kernscope::aimodel
