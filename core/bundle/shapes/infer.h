// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/container/mil/program.h"

/// Extents that a program leaves open ("?", and the unknown dimensions of its protobuf), worked out
/// from the shapes of its inputs.
namespace kernscope::shapes {

/// The shape of one input of a function.
struct ShapeBinding {
    std::string input;              ///< "x", "FUNCTION/x" or "MODEL/FUNCTION/x"
    std::vector<std::int64_t> dims; ///< mil::kUnknownExtent leaves an extent open
};

/// "input=1,3,640,640"; "?" leaves an extent open. Errors: "cli.option" (no name, no number, an
/// extent below 1 or above 2^31 - 1).
Result<ShapeBinding> parseBinding(std::string_view text);

/// A value whose shape stays open although those of all that it is made of are known; an input
/// that was not bound beside one that was ("input").
struct Open {
    std::string function, operation, value; ///< displayName of the operation, name of its output
    std::string type;                       ///< "non_zero"
    std::string reason;                     ///< "no rule is known for it"
};

/// What inference found; counts are of values that are tensors.
struct Summary {
    std::size_t values = 0;    ///< that operations of the program make
    std::size_t open = 0;      ///< of these, with an extent that was not known
    std::size_t inferred = 0;  ///< of those, all extents known now
    std::size_t conflicts = 0; ///< operands or declared shapes that contradict what is inferred
    std::vector<Open> unknown; ///< where the rest begins, in program order
    std::vector<ShapeBinding> bound; ///< each input that was bound, by its full address
    Diagnostics diagnostics;         ///< "shape.conflict" (error), "shape.unknown" (note)
};

/// An input with extents that the program leaves open.
struct OpenInput {
    std::string input; ///< by which it is bound: "x"; where there are several functions "main/x"
    std::string type;  ///< "tensor<fp16, [1, 3, ?, ?]>"
    std::vector<std::int64_t> dims; ///< mil::kUnknownExtent where open; alone: of any rank
};
/// Those of functions that no other one calls, in the program's order.
std::vector<OpenInput> openInputs(const mil::Program &program);

/// Binds the inputs and fills every open extent of `program` that follows, function by function;
/// functions that `call` names take the shapes that it gives them. Declared extents are never
/// changed: one that contradicts what follows is a diagnostic. `file` is named in the diagnostics.
/// Errors: "cli.option" with what was expected (no such input, another number of axes, another
/// extent than the declared one, an input given twice).
Result<Summary> inferShapes(mil::Program &program, const std::vector<ShapeBinding> &bindings,
                            std::string_view file);

} // namespace kernscope::shapes
