// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/bundle_fwd.h"
#include "core/bundle/weight.h"
#include "core/container/mil/program.h"

#include <cstddef>
#include <string>
#include <vector>

namespace kernscope::diff {

/// One value of an argument: a reference to what another node makes, or what is written there.
/// Literal constants count as written where they are read, wherever they are.
struct ProgramArgument {
    std::string name;
    std::string text; ///< canonical; of a reference empty, of a function's input its name
    std::size_t node = kNoIndex; ///< index of the node that makes it
    std::size_t output = 0;      ///< which of its results
};

/// An operation in canonical form: what it computes, without names and without notation.
struct ProgramNode {
    std::string path;     ///< blocks that it lies in: "" or "loop.0"
    std::string type;     ///< "conv"; "return" for the results of a block
    std::string name;     ///< of its first result
    std::string outputs;  ///< types of its results: "fp16 [1, 4]"
    bool storage = false; ///< a weight: a constant in a weight file, or a constexpr operation
    std::vector<ProgramArgument> arguments; ///< sorted by name; values of one in their order
    mil::SourceSpan span;

    /// What it computes, references left out.
    std::string signature() const;
};

/// The operations of a function, blocks within blocks included, literal constants left out.
struct ProgramNodes {
    explicit ProgramNodes(const mil::Function &function);
    std::vector<ProgramNode> nodes;
};

/// By name: "x: fp16 [1, 4], y: fp16 [4]".
std::string signatureText(const std::vector<mil::NamedType> &values);

} // namespace kernscope::diff
