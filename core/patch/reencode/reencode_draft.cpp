// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/patch/reencode/reencoder.h"

#include "core/base/error.h"
#include "core/form/form_steps.h"

#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/format.h>

namespace kernscope::patch {

namespace {

using codec::EncodedPart;
using codec::EncodedWeight;
using codec::PartRole;

constexpr unsigned kFirstNewSignature = 18;
tl::unexpected<Error> opsetFault(std::string expected, const DraftTarget &target,
                                 std::string message)
{
    return refused("encode.opset", target.output, expected, target.opset, message);
}

/// A small literal of 32-bit integers.
DraftOperand integers(std::string name, ElementType type, const Shape &shape,
                      const std::vector<std::uint64_t> &values)
{
    DraftOperand operand{std::move(name), type, shape, {}, true, {}, 0};
    for (const std::uint64_t value : values) {
        const auto narrow = static_cast<std::uint32_t>(value);
        const auto bytes = std::as_bytes(std::span(&narrow, 1));
        operand.bytes.insert(operand.bytes.end(), bytes.begin(), bytes.end());
    }
    return operand;
}

DraftOperand shapeOperand(const Shape &shape)
{
    return integers("shape", ElementType::Uint32, {shape.size()}, shape);
}

/// The operation that scales the codes of a weight, a row for each step that has one.
struct ScaledOperation {
    FormNode node;
    std::string_view type;
    unsigned opset; ///< the first that has it
    const char *weights;
    bool oldSignature, axis;
    /// In the order of their names; those that the weight does not have are left out.
    std::array<std::pair<std::string_view, PartRole>, 3> operands;
};

constexpr std::array kScaledOperations{
    ScaledOperation{FormNode::Affine,
                    "constexpr_affine_dequantize",
                    16,
                    "affine weights",
                    true,
                    true,
                    {{{"quantized_data", PartRole::Data},
                      {"scale", PartRole::Scale},
                      {"zero_point", PartRole::ZeroPoint}}}},
    ScaledOperation{
        FormNode::Blockwise,
        "constexpr_blockwise_shift_scale",
        kFirstNewSignature,
        "blockwise weights",
        false,
        false,
        {{{"data", PartRole::Data}, {"offset", PartRole::Offset}, {"scale", PartRole::Scale}}}},
};

const ScaledOperation *scaledOperation(FormNode node)
{
    const auto found =
        std::find_if(kScaledOperations.begin(), kScaledOperations.end(),
                     [node](const ScaledOperation &row) { return row.node == node; });
    return found == kScaledOperations.end() ? nullptr : &*found;
}

class Drafter
{
public:
    Drafter(const EncodedWeight &encoded, const DraftTarget &target)
        : m_encoded(encoded), m_target(target), m_opset(opsetNumber(target.opset)),
          m_old(m_opset < kFirstNewSignature)
    {
    }

    Result<std::vector<DraftOperation>> run();

private:
    const EncodedPart *part(PartRole role) const;
    DraftOperand operandOf(std::string name, const EncodedPart &part) const;
    DraftOperand flatBytes(std::string name, const EncodedPart &part) const;
    DraftOperation operation(std::string type, bool oldSignature) const;
    Result<void> requireOpset(unsigned least, const char *form) const;

    Result<DraftOperation> dense() const;
    Result<DraftOperation> scaled() const;
    Result<DraftOperation> sparse() const;
    Result<DraftOperation> palette() const;
    Result<DraftOperation> oldPalette() const;
    Result<std::vector<DraftOperation>> scaledPalette() const;
    Result<std::vector<DraftOperation>> jointSparse() const;

    const EncodedWeight &m_encoded;
    const DraftTarget &m_target;
    unsigned m_opset;
    bool m_old;
};

const EncodedPart *Drafter::part(PartRole role) const
{
    const auto at = std::find_if(m_encoded.parts.begin(), m_encoded.parts.end(),
                                 [role](const EncodedPart &p) { return p.role == role; });
    return at == m_encoded.parts.end() ? nullptr : &*at;
}

/// Few elements are written into the program, as a weight file has no record without bytes; of a
/// weight that several operations make alike only if there are none, so that they share the rest.
DraftOperand Drafter::operandOf(std::string name, const EncodedPart &part) const
{
    // Constants of at least that many elements go to the weight file
    // (resources/formats/blob-storage.md).
    constexpr std::uint64_t kSmallestBlob = 10;
    const std::uint64_t count = elementCount(part.shape).value_or(ElementCount()).value;
    const bool literal = m_target.place == DraftTarget::Place::Program ||
                         count < (m_target.place == DraftTarget::Place::Shared ? 1 : kSmallestBlob);
    return {std::move(name), part.type, part.shape, part.bytes, literal, {}, 0};
}

/// The same bytes as a flat run of uint8, as iOS 16 stores indices and masks.
DraftOperand Drafter::flatBytes(std::string name, const EncodedPart &part) const
{
    return operandOf(std::move(name),
                     {part.role, ElementType::Uint8, {part.bytes.size()}, part.bytes});
}

DraftOperation Drafter::operation(std::string type, bool oldSignature) const
{
    DraftOperation draft;
    draft.type = std::move(type);
    draft.output = m_target.output;
    draft.name = m_target.name;
    draft.resultType = m_encoded.type;
    draft.resultShape = m_encoded.shape;
    draft.oldSignature = oldSignature;
    return draft;
}

Result<void> Drafter::requireOpset(unsigned least, const char *form) const
{
    if (m_opset >= least)
        return {};
    return opsetFault(fmt::format("ios{} or later", least), m_target,
                      fmt::format("The program's operation set has no {}", form));
}

Result<DraftOperation> Drafter::dense() const
{
    if (m_target.type == ElementType::Fp32 && m_encoded.type == ElementType::Fp16) {
        DraftOperation cast = operation("constexpr_cast", true);
        const auto name = std::as_bytes(std::span(std::string_view("fp32")));
        cast.resultType = m_target.type;
        cast.operands = {
            {"output_dtype", ElementType::String, {}, {name.begin(), name.end()}, true, {}, 0},
            operandOf("source_val", m_encoded.parts.front())};
        return cast;
    }
    DraftOperation draft = operation("const", true);
    draft.operands = {operandOf("val", m_encoded.parts.front())};
    return draft;
}

Result<DraftOperation> Drafter::scaled() const
{
    const ScaledOperation *row = scaledOperation(nodeOf(*m_encoded.encoding().scaling));
    if (row == nullptr)
        return refused("encode.form", m_target.output, "a form that a program has an operation for",
                       {}, "No operation makes such a weight");
    TRY(requireOpset(row->opset, row->weights));
    if (row->node == FormNode::Affine && bitWidth(part(PartRole::Data)->type) != 8)
        return refused("encode.form", m_target.output, "int8 or uint8 codes",
                       elementTypeName(part(PartRole::Data)->type),
                       "The affine codes of a program are bytes; narrower ones are blockwise");
    DraftOperation draft = operation(std::string(row->type), row->oldSignature);
    if (row->axis)
        draft.operands.push_back(integers("axis", ElementType::Int32, {}, {m_encoded.axis}));
    for (const auto &[name, role] : row->operands) {
        const EncodedPart *stored = part(role);
        if (stored != nullptr)
            draft.operands.push_back(operandOf(std::string(name), *stored));
    }
    return draft;
}

Result<DraftOperation> Drafter::sparse() const
{
    TRY(requireOpset(16, "sparse weights"));
    DraftOperation draft = operation("constexpr_sparse_to_dense", m_old);
    const EncodedPart &mask = *part(PartRole::Mask);
    draft.operands = {m_old ? flatBytes("mask", mask) : operandOf("mask", mask),
                      operandOf("nonzero_data", *part(PartRole::NonzeroData))};
    if (m_old)
        draft.operands.push_back(shapeOperand(m_encoded.shape));
    return draft;
}

Result<DraftOperation> Drafter::oldPalette() const
{
    TRY(requireOpset(16, "palettes"));
    const auto books = elementCount(m_encoded.grid).value_or(ElementCount()).value;
    if (books != 1 || m_encoded.vector != 1 || m_encoded.entries == 8)
        return opsetFault(fmt::format("ios{} or later", kFirstNewSignature), m_target,
                          "Before iOS 18 a palette has one codebook of 2, 4, 16, 64 or 256 single "
                          "values");
    DraftOperation draft = operation("constexpr_lut_to_dense", true);
    EncodedPart lut = *part(PartRole::Lut);
    lut.shape = {m_encoded.entries};
    draft.operands = {flatBytes("indices", *part(PartRole::Indices)), operandOf("lut", lut),
                      shapeOperand(m_encoded.shape)};
    return draft;
}

Result<DraftOperation> Drafter::palette() const
{
    if (m_old)
        return oldPalette();
    DraftOperation draft = operation("constexpr_lut_to_dense", false);
    draft.operands = {operandOf("indices", *part(PartRole::Indices)),
                      operandOf("lut", *part(PartRole::Lut))};
    if (m_encoded.vector > 1)
        draft.operands.push_back(
            integers("vector_axis", ElementType::Int32, {}, {m_encoded.vectorAxis}));
    return draft;
}

/// Codes looked up first, then scaled.
Result<std::vector<DraftOperation>> Drafter::scaledPalette() const
{
    TRY(requireOpset(kFirstNewSignature, "palettes of scaled entries"));
    if (part(PartRole::Lut)->type != ElementType::Int8) {
        return refused("encode.form", m_target.output, "int8 entries",
                       elementTypeName(part(PartRole::Lut)->type),
                       "A program can scale a codebook of int8 entries only");
    }
    auto looked = TRY(palette());
    looked.output += "_codes";
    looked.name += "_codes";
    looked.resultType = part(PartRole::Lut)->type;
    DraftOperation scaled = operation("constexpr_blockwise_shift_scale", false);
    DraftOperand data;
    data.name = "data";
    data.reference = looked.output;
    scaled.operands = {std::move(data), operandOf("scale", *part(PartRole::Scale))};
    return std::vector{std::move(looked), std::move(scaled)};
}

/// Mask and survivors from one operation, and the dense weight from both.
Result<std::vector<DraftOperation>> Drafter::jointSparse() const
{
    if (auto allowed = requireOpset(kFirstNewSignature, "sparse weights of coded non-zero values");
        !allowed)
        return tl::unexpected(allowed.error());
    const EncodedPart &mask = *part(PartRole::Mask);
    const EncodedPart *lut = part(PartRole::Lut);
    DraftOperation coded = operation(lut != nullptr ? "constexpr_lut_to_sparse"
                                                    : "constexpr_sparse_blockwise_shift_scale",
                                     false);
    coded.output += "_survivors";
    coded.name += "_survivors";
    coded.maskOutput = m_target.output + "_mask";
    coded.maskShape = m_encoded.shape;
    const EncodedPart &codes = *part(lut != nullptr ? PartRole::Indices : PartRole::NonzeroData);
    coded.resultShape = codes.shape;
    if (lut != nullptr) {
        coded.operands = {operandOf("indices_mask", mask), operandOf("indices_nonzero_data", codes),
                          operandOf("lut", *lut)};
    } else {
        coded.operands = {operandOf("data_mask", mask), operandOf("nonzero_data", codes)};
        if (const EncodedPart *offset = part(PartRole::Offset))
            coded.operands.push_back(operandOf("offset", *offset));
        coded.operands.push_back(operandOf("scale", *part(PartRole::Scale)));
    }
    DraftOperation dense = operation("constexpr_sparse_to_dense", false);
    dense.operands.resize(2);
    dense.operands[0].name = "mask";
    dense.operands[0].reference = coded.maskOutput;
    dense.operands[1].name = "nonzero_data";
    dense.operands[1].reference = coded.output;
    return std::vector{std::move(coded), std::move(dense)};
}

Result<std::vector<DraftOperation>> Drafter::run()
{
    const bool lut = part(PartRole::Lut) != nullptr;
    const bool coded = lut || m_encoded.scaling;
    if (coded && part(PartRole::Mask) != nullptr)
        return jointSparse();
    if (lut && m_encoded.scaling)
        return scaledPalette();
    const auto draft = TRY([&]() -> Result<DraftOperation> {
        if (lut)
            return palette();
        if (part(PartRole::Mask) != nullptr)
            return sparse();
        return m_encoded.scaling ? scaled() : dense();
    }());
    return std::vector{std::move(draft)};
}

} // namespace

unsigned opsetNumber(std::string_view opset)
{
    unsigned number = 0;
    if (opset == "CoreAI") // has what that set has, under other names
        return kFirstNewSignature;
    if (opset.substr(0, 3) == "ios")
        std::from_chars(opset.data() + 3, opset.data() + opset.size(), number);
    return number;
}

Result<std::vector<DraftOperation>> draftOperations(const EncodedWeight &encoded,
                                                    const DraftTarget &target)
{
    return Drafter(encoded, target).run();
}

} // namespace kernscope::patch
