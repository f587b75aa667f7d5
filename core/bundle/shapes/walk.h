// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/shapes/infer.h"
#include "core/bundle/shapes/rules.h"

#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace kernscope::shapes {

/// Follows the shapes of one function from its inputs to its outputs.
class Walk
{
public:
    /// What a call in this function gives back: the called function's outputs.
    using Call = std::function<RuleResult(const OperationView &)>;

    Walk(const mil::Function &function, std::string_view file, Summary &summary, Call call);

    /// Goes through the function with its declared types, `inputs` in place of those that are
    /// known better (one each, in order).
    void run(const std::vector<Tensor> &inputs);
    /// Of the body's outputs.
    std::vector<Tensor> results() const;
    /// Writes what is known into the open extents of the function's types.
    void fill(mil::Function &function);

private:
    void walkBlock(const mil::Block &block);
    void walkOperation(const mil::Operation &operation);
    RuleResult outcomeOf(const mil::Operation &operation, const OperationView &view);
    RuleResult branches(const mil::Operation &operation);
    void walkBodies(const mil::Operation &operation, const std::vector<Tensor> &variables);
    RuleResult loop(const mil::Operation &operation, const OperationView &view);
    std::vector<Tensor> outputsOf(const mil::Block &block) const;
    void set(const mil::NamedType &output, Tensor tensor);
    Tensor merged(const mil::Operation &operation, const mil::NamedType &output, Tensor inferred,
                  bool &conflict);
    void report(const mil::Operation &operation, const OperationView &view,
                const RuleResult &outcome, const std::vector<bool> &open);
    void reportConflict(const mil::Operation &operation, const std::string &field,
                        const std::string &expected, const std::string &found);
    void fillBlock(mil::Block &block);
    void fillType(mil::NamedType &named);

    const mil::Function &m_function;
    std::string m_file;
    Summary &m_summary;
    Call m_call;
    ValueGraph m_graph;
    std::vector<Tensor> m_tensors; ///< one a definition of the graph
    std::unordered_map<const mil::ValueType *, std::size_t> m_definitions;
    std::unordered_map<std::string_view, std::size_t> m_byName; ///< the last one of each name
    int m_loops = 0;                                            ///< around the operation at hand
    int m_silent = 0; ///< within a body that is gone through again: nothing is reported
};

} // namespace kernscope::shapes
