// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/container/mil/program.h"

namespace kernscope::network {

/// A network as the function of a program (NeuralNetwork.proto of coremltools): a layer is an
/// operation of its kind whose name attribute is the layer's name, with the operands "input" in
/// their order and what else the layer says (network_fields.csv) as attributes; the networks of
/// `branch` and `loop` are its blocks. A layer states the extents of its values and no element
/// type. What is read and never made is an input, what is made and never read an output. What a
/// network within a layer makes is visible around the layer: the operation has those values as
/// results as well, where something reads them.
///
/// A damaged message gives the layers before the fault: the reader of the bundle has reported it.
mil::Function networkFunction(std::span<const std::byte> model, mil::SourceSpan content,
                              std::string_view fileName);

/// Those of the models of a program's file that are networks, each with its model's path.
mil::Program networkProgram(const mil::Program &program, std::span<const std::byte> model,
                            std::string_view fileName);

/// Inputs of a function of layers: names that are read before anything makes them. Its outputs:
/// names that nothing reads.
void addEnds(mil::Function &function);

} // namespace kernscope::network
