// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/format/catalogue.h"

/// The operations of Core AI programs: what programs of Core ML call them, and what each operand is
/// for (resources/tables/coreai_ops.csv). A version of an operation is a row of its own.
namespace kernscope {

/// What an operation does to a constant on its way to a weight.
enum class CoreAiStep : std::uint8_t {
    None,
    Constant,
    LutToDense,
    LutToSparse,
    ShiftScale,
    BuildSparse,
    SparseToDense,
    Dequantize,
    Cast,
    Reshape,
    Transpose,
};

struct CoreAiOperand {
    std::string name;       ///< as programs of Core ML call it: "weight"
    std::string role;       ///< in names of weights: "bias" of add's y; empty: `name`
    bool parameter = false; ///< a shape, an axis, a count: never a weight
    bool list = false;      ///< all operands from here on
};

struct CoreAiOperation {
    std::string stored; ///< without the dialect: "primitive.conv2d_v1"
    std::string type;   ///< "conv"
    CoreAiStep step = CoreAiStep::None;
    std::vector<CoreAiOperand> operands;
    format::Confidence confidence = format::Confidence::Assumed;

    /// Of operand number `index`; where the row has none, made up: "x", "y", "operand2".
    CoreAiOperand operand(std::size_t index) const;
};

/// The row of "aicode.primitive.conv2d_v1", or of a kernel of that name; null where there is none.
const CoreAiOperation *coreAiOperation(std::string_view stored);
/// The row, or one made of the name: its last part without version and "broadcasting_".
CoreAiOperation coreAiOperationOrMade(std::string_view stored);

/// The same for a kernel of a compiled program, which has no version: the newest row of
/// "coreai.conv2d", "coreai.decomposable.broadcasting_add".
CoreAiOperation coreAiKernel(std::string_view name);

/// "Conv2d$2" as "Conv2d_2": '$' means something to shells, '/', '.' and spaces in names of
/// weights. At most 200 bytes.
std::string plainName(std::string_view text);
/// "Net_1/Conv2d_2" of the frames of a call stack, innermost first.
std::string scopeOf(const std::vector<std::string> &frames);
/// A value of metadata in debug information; texts and numbers at its leaves.
struct MetaValue {
    std::uint64_t number = 0;
    std::string text;
    std::string name; ///< of a part of a dictionary
    std::vector<MetaValue> parts;

    /// The part of that name; null where there is none.
    const MetaValue *part(std::string_view key) const;
};

/// What an entry of metadata says of an operation.
struct DebugEntry {
    std::vector<std::uint32_t> sourceOps; ///< operations of the package
    std::string name;                     ///< given by the author: "layer.0.weight"
    std::vector<std::string> callStack;   ///< innermost first: "Conv2d$1", "Tiny$1"
    std::string node;                     ///< of the framework's graph: "convolution"
};
/// What is known of an entry of that name; the rest is left out.
DebugEntry debugEntry(std::string_view name, const MetaValue &value);

/// How the pixels of an image lie: a row of resources/tables/image_formats.csv.
struct ImageFormat {
    std::uint64_t code = 0;
    std::string name;   ///< "RGB24"
    std::string vendor; ///< as the platform's own printer writes it: "k24RGB"
};
/// Null for a code that has no row.
const ImageFormat *imageFormat(std::uint64_t code);
/// The format of an image: its name, the four letters that a code is ("420v"), else the number.
std::string fourccText(std::uint64_t code);

} // namespace kernscope
