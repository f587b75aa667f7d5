// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/error.h"
#include "core/container/mil/backend_notes.h"
#include "core/container/mil/model_description.h"

#include <map>
#include <variant>

/// The ML program, the same model for `model.mil` text and for the protobuf of an .mlpackage
/// (resources/formats/programs.md). Every place that a patch may rewrite carries its span.
namespace kernscope::mil {

using kernscope::SourceSpan;

inline constexpr std::int64_t kUnknownExtent = -1; ///< "?" or a variadic dimension

struct ValueType {
    enum class Kind : std::uint8_t { Tensor, Buffer, List, Tuple, Dictionary, State, Unknown };
    Kind kind = Kind::Unknown;
    /// Of tensors, buffers and states of tensors; of lists and dictionaries that of their scalar
    /// members or values.
    ElementType element = ElementType::Unknown;
    std::vector<std::int64_t> dims;   ///< empty: scalar
    std::vector<SourceSpan> dimSpans; ///< one a dim: digits of the text, varint of the wire
    std::string text;                 ///< as written, for kinds other than Tensor
    /// Buffers (`tensor_buffer<…>`): elements from one index to the next and interleave factor of
    /// each axis, as written; empty where they are not given.
    std::vector<std::int64_t> strides, interleave;
    /// Of a tensor: where its element type is written, a word of the text or a number of the wire.
    std::uint64_t elementOffset = 0;

    /// A tensor, or a buffer with a tensor's element type and extents.
    bool isTensor() const { return kind == Kind::Tensor || kind == Kind::Buffer; }
    /// The extents, where all are known and positive or zero.
    std::optional<Shape> shape() const;
};

/// Payload in a weight file, named by path and by the offset of its METADATA record.
struct BlobReference {
    std::string path; ///< as written, with "@model_path"
    std::uint64_t offset = 0;
    SourceSpan offsetSpan;
};

/// A value written out in the program.
struct Literal {
    ElementType element = ElementType::Unknown;
    bool packedSpan = false; ///< the one span of `elementSpans` covers `bytes` as they are
    std::uint64_t count = 0;
    std::vector<std::byte> bytes;     ///< packed as in a weight file; empty for strings
    std::vector<std::string> strings; ///< string tensors
    /// Where each element is written in text (at most kMaxElementSpans of them, else none), or one
    /// span over the packed bytes of a protobuf field.
    std::vector<SourceSpan> elementSpans;
    static constexpr std::size_t kMaxElementSpans = 4096;
};

/// Name of another value of the same function.
struct Reference {
    std::string name;
    SourceSpan span;
};

struct ProgramValue;
using Values = std::vector<ProgramValue>;

struct ProgramValue {
    ValueType type;
    std::variant<std::monostate, Reference, BlobReference, Literal, Values> content;
    SourceSpan span;

    const Reference *reference() const { return std::get_if<Reference>(&content); }
    const BlobReference *blob() const { return std::get_if<BlobReference>(&content); }
    const Literal *literal() const { return std::get_if<Literal>(&content); }
};

/// `name = value`; a variadic argument such as concat's `values` has several.
struct Argument {
    std::string name;
    Values values;
};

struct NamedType {
    std::string name;
    ValueType type;
    SourceSpan span{}; ///< of the name
};

struct Block;

struct Operation {
    std::string type;  ///< "conv", "constexpr_lut_to_dense", "const", …
    std::string opset; ///< "ios17" of `conv<ios17>(…)`; empty: that of the function
    std::vector<Argument> inputs;
    std::vector<Argument> attributes;
    std::vector<NamedType> outputs;
    std::vector<Block> blocks; ///< bodies of cond and while_loop
    SourceSpan span;

    const Argument *input(std::string_view name) const;
    const Argument *attribute(std::string_view name) const;
    /// The operand of that name (inputs first, then attributes).
    const ProgramValue *operand(std::string_view name) const;
    /// attributes["name"], or the first output's name.
    std::string displayName() const;
};

struct Block {
    std::vector<NamedType> inputs;
    std::vector<Operation> operations;
    std::vector<std::string> outputs;
    std::vector<SourceSpan> outputSpans; ///< one an output
};

struct Function {
    std::string name;
    SourceSpan nameSpan; ///< where the name is written; empty where no file has it
    std::string model;   ///< of a pipeline: "detector", "outer/inner"; empty: the model itself
    std::string opset;   ///< "ios18"
    std::vector<NamedType> inputs;
    std::vector<Argument> attributes;
    Block body;
};

/// A model of a serialised Model message: the outermost one, and of pipelines each within it.
struct ModelNode {
    std::string path;        ///< "detector", "outer/inner"; empty: the outermost one
    std::uint32_t field = 0; ///< number of the field that says its kind: 502; 0: none
    std::string kind;        ///< "mlProgram", "nonMaximumSuppression", …; "field N" if not known
    SourceSpan span;         ///< the Model message
    SourceSpan content;      ///< content of that field
    std::string specification; ///< version, as a number

    static constexpr std::uint32_t kPipelineField = 202, kProgramField = 502;
    bool isPipeline() const { return field >= 200 && field <= kPipelineField; }
    bool isProgram() const { return field == kProgramField; }
    bool isClassifier() const { return field >= 400 && field <= 404; } ///< with labels of its own
    bool isNetwork() const { return field == 303 || field == 403 || field == 500; }
};

struct Program {
    std::string version; ///< "1.3"; of a protobuf, its version number
    std::vector<Argument> attributes;
    std::vector<Function> functions;
    std::vector<ModelNode> models; ///< of a serialised Model, from the outermost one inwards
    std::vector<ModelDescription> descriptions; ///< of the models that have one
};

/// The notes of one operation; `segment` is the backend of the function that holds it.
BackendNotes backendNotes(const Operation &operation, const std::string &segment);
/// Numbers among the attributes of a function, in order: such as "Launch_ane_ms".
std::vector<std::pair<std::string, double>> numberAttributes(const Function &function);

/// What could be read and what was wrong. A fault in one statement leaves the others readable.
struct ParsedProgram {
    Program program;
    Diagnostics diagnostics;
    std::string specification; ///< .mlpackage: specification version; "" for text
};

/// A value that no file has written out: a text, or a number of 64 bits.
ProgramValue textValue(std::string text);
ProgramValue numberValue(std::int64_t number);

/// Number of operations of a block and of everything nested in it.
std::size_t operationCount(const Block &block);

/// `text`, or its beginning and "..." where it is long.
std::string shortened(std::string_view text);

/// A type as the compact program text writes it: "tensor<fp16, [1, ?]>", "list<string, 2>".
std::string typeText(const ValueType &type);
/// Element type and extents: "fp16 [1, ?, 8]".
std::string shapedTypeText(const ValueType &type);

/// By the numbers of protobuf programs (resources/tables/program_types.csv), which are not those of
/// weight files: Unknown, or 0, where there is none.
ElementType programType(std::uint64_t code);
std::uint64_t programTypeCode(ElementType type);

} // namespace kernscope::mil

namespace kernscope {

/// Integers, booleans and unsigned integers of a literal, one a element; empty for other types.
std::vector<std::int64_t> literalIntegers(const mil::Literal &literal);

} // namespace kernscope

namespace kernscope::mil {

/// The backend of each segment: what `call(…)[backend = …, function = …]` in another function of
/// the same model runs it on. Made once for a program: it looks at every operation.
class SegmentBackends
{
public:
    explicit SegmentBackends(const Program &program);
    const std::string &of(const Function &function) const; ///< empty where nothing calls it

private:
    std::map<std::pair<std::string, std::string>, std::string> m_backends; ///< by model and name
};

} // namespace kernscope::mil
