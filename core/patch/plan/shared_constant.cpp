// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/patch/plan/shared_constant.h"

#include "core/base/error_builder.h"
#include "core/base/overlaid_file.h"
#include "core/bundle/bundle.h"
#include "core/container/mlir/aicode.h"
#include "core/format/coreai_operations.h"

#include <fmt/format.h>

namespace kernscope::patch {

namespace {

constexpr std::size_t kMostNamed = 6;

/// The constants whose bytes begin there.
std::string readersAt(const Bundle &bundle, FileOffset offset)
{
    const BundleFile &file = bundle.files()[bundle.programFile()];
    const mlir::Module module = mlir::readModule(file.file->bytes(), file.path);
    std::vector<std::uint32_t> sharing;
    for (std::uint32_t i = 0; i < module.operations.size(); ++i) {
        const mlir::Operation &operation = module.operations[i];
        if (!module.is(operation, "aicode.primitive.constant_v1"))
            continue;
        const auto data = mlir::constantBytes(module, module.attributeOf(operation, "value"));
        if (data && data->data.offset == offset)
            sharing.push_back(i);
    }
    return constantReaders(module, mlir::kNone, sharing);
}

} // namespace

std::string constantReaders(const mlir::Module &module, std::uint32_t constant,
                            const std::vector<std::uint32_t> &sharing)
{
    std::string text;
    std::size_t named = 0;
    for (std::uint32_t i = 0; i < module.operations.size(); ++i) {
        const mlir::Operation &operation = module.operations[i];
        const auto operands = module.operandsOf(operation);
        for (std::size_t k = 0; k < operands.size(); ++k) {
            const mlir::Value &value = module.values[operands[k]];
            if (value.argument || value.owner == constant ||
                !std::binary_search(sharing.begin(), sharing.end(), value.owner))
                continue;
            if (++named > kMostNamed)
                continue;
            const CoreAiOperation row = coreAiOperationOrMade(module.operationName(operation));
            text += fmt::format("{}{} of {} at {:#x}", text.empty() ? "" : ", ",
                                row.operand(k).name, row.stored, operation.range.offset.value);
        }
    }
    return named > kMostNamed ? fmt::format("{} and {} more", text, named - kMostNamed) : text;
}

codec::PartRole editedPart(const Edit &edit)
{
    switch (edit.kind) {
    case Edit::Kind::Scale: return codec::PartRole::Scale;
    case Edit::Kind::Codebook: return codec::PartRole::Lut;
    case Edit::Kind::SetStored: return edit.part;
    default: return codec::PartRole::Data;
    }
}

Result<void> checkEditedPart(const Bundle &bundle, const Weight &weight, const Edit &edit)
{
    const codec::PartRole role = editedPart(edit);
    const codec::Operand *operand = weight.operand(role);
    for (const auto other : {codec::PartRole::Indices, codec::PartRole::NonzeroData}) {
        if (!operand && role == codec::PartRole::Data)
            operand = weight.operand(other);
    }
    return operand ? checkOwnBytes(bundle, weight, *operand) : Result<void>();
}

Result<void> checkOwnBytes(const Bundle &bundle, const Weight &weight,
                           const codec::Operand &operand)
{
    if (bundle.kind() != BundleKind::Aimodel || bundle.programFile() == kNoIndex)
        return {};
    const OperandPlace &place = *operand.place;
    const auto whole =
        packedBytes(elementCount(operand.declaredShape()).value_or(ElementCount()), operand.type);
    const bool splat = place.isLiteral() || (whole && place.bytes < *whole);
    if (!place.shared && !splat)
        return {};
    ErrorBuilder error("patch.shared");
    error.file(bundle.files()[bundle.programFile()].path)
        .field(std::string(codec::partRoleName(operand.role)))
        .expected("bytes of this weight alone")
        .message("The bytes of " + weight.findableName() +
                 (splat ? " stand for all its elements, or are written elsewhere"
                        : " are those of another constant too") +
                 ": --output writes a copy in which they are its own");
    if (splat)
        return error.found("one element that stands for all").unexpected();
    return error.at(place.dataOffset).found(readersAt(bundle, place.dataOffset)).unexpected();
}

} // namespace kernscope::patch
