// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/form/form_steps.h"

#include <array>

namespace kernscope {

namespace {

constexpr std::array kBytes{ElementType::Int8, ElementType::Uint8};
constexpr std::array kBytesAndNibbles{ElementType::Int8, ElementType::Uint8, ElementType::Int4,
                                      ElementType::Uint4};
constexpr std::array kHalves{ElementType::Fp16};

// In the order of FormNode.
constexpr std::array kSteps{
    StepFacts{.node = FormNode::Dense,
              .word = "dense",
              .typed = true,
              .slices = "fp16-slices",
              .plainTypes = kHalves,
              .elements = ElementSource::Decoded,
              .elementsRank = 4,
              .tint = FormTint::Plain,
              .tintRank = 5},
    StepFacts{.node = FormNode::Affine,
              .word = "affine",
              .slices = "int8-slices",
              .operation = "affine",
              .key = "int8",
              .kind = StepKind::ChannelScales,
              .plainTypes = kBytes,
              .elementsRank = 3,
              .tint = FormTint::Data,
              .tintRank = 2},
    StepFacts{.node = FormNode::Palette,
              .word = "lut",
              .networkWord = "palette",
              .slices = "palette-slices",
              .operation = "lut",
              .key = "palette",
              .keyBits = KeyBits::Always,
              .kind = StepKind::Codebook,
              .plainTypes = kHalves,
              .elements = ElementSource::Codebook,
              .elementsRank = 0,
              .tint = FormTint::Codebook,
              .slicesTint = FormTint::Codebook,
              .tintRank = 1},
    StepFacts{.node = FormNode::Sparse,
              .word = "sparse",
              .slices = "sparse-slices",
              .operation = "sparse",
              .tint = FormTint::Mask,
              .slicesTint = FormTint::Mask,
              .tintRank = 0},
    StepFacts{.node = FormNode::Blockwise,
              .word = "blockwise",
              .operation = "blockwise",
              .key = "blockwise",
              .keyBits = KeyBits::BelowEight,
              .kind = StepKind::BlockScales,
              .plainTypes = kBytesAndNibbles,
              .elementsRank = 1,
              .tint = FormTint::Values,
              .tintRank = 3},
    StepFacts{.node = FormNode::Microscaled,
              .word = "mxfp8",
              .fp4Word = "mxfp4",
              .key = "mxfp8",
              .fp4Key = "mxfp4",
              .kind = StepKind::BlockScales,
              .elements = ElementSource::Stored,
              .elementsRank = 2,
              .tint = FormTint::Scale,
              .tintRank = 4},
    StepFacts{.node = FormNode::ActivationTable, .word = "activation-table", .tintRank = 6},
    StepFacts{.node = FormNode::Unknown, .word = "unknown", .key = "unknown", .tintRank = 7},
};

constexpr bool inOrder()
{
    for (std::size_t i = 0; i < kSteps.size(); ++i) {
        if (kSteps[i].node != static_cast<FormNode>(i))
            return false;
    }
    return kSteps.back().node == FormNode::Unknown;
}
static_assert(inOrder(), "stepFacts() finds a row by the number of its step");

} // namespace

const StepFacts &stepFacts(FormNode node)
{
    return kSteps[static_cast<std::size_t>(node)];
}

std::span<const StepFacts> allStepFacts()
{
    return kSteps;
}

FormNode nodeOf(const codec::Scaling &scaling)
{
    if (scaling.kind == codec::Scaling::Kind::Affine)
        return FormNode::Affine;
    return codec::sourceType(scaling.scale) == ElementType::Fp8E8M0 ? FormNode::Microscaled
                                                                    : FormNode::Blockwise;
}

FormNode elementsNodeOf(const StorageForm &form)
{
    const StepFacts *first = nullptr;
    for (const FormNode node : form.nodes()) {
        const StepFacts &facts = stepFacts(node);
        if (facts.elementsRank && (!first || *facts.elementsRank < *first->elementsRank))
            first = &facts;
    }
    return first ? first->node : FormNode::Unknown;
}

std::optional<FormNode> nodeOfOperation(std::string_view operation)
{
    // "sparse_blockwise" makes blocks: what its elements are comes before the mask.
    const StepFacts *found = nullptr;
    for (const StepFacts &facts : kSteps) {
        const bool named =
            !facts.operation.empty() && operation.find(facts.operation) != operation.npos;
        if (named && (!found || !found->elementsRank))
            found = &facts;
    }
    return found ? std::optional(found->node) : std::nullopt;
}

FormTint formTint(const StorageForm &form)
{
    const FormNode node =
        *std::min_element(form.nodes().begin(), form.nodes().end(), [](FormNode a, FormNode b) {
            return stepFacts(a).tintRank < stepFacts(b).tintRank;
        });
    return form.isSlices() ? stepFacts(node).slicesTint : stepFacts(node).tint;
}

std::string formWords(std::string text)
{
    const auto &[word, people] =
        std::pair(stepFacts(FormNode::Palette).word, stepFacts(FormNode::Palette).networkWord);
    for (std::size_t at = 0; (at = text.find(word, at)) != std::string::npos; at += people.size())
        text.replace(at, word.size(), people);
    return text;
}

std::string formWords(const StorageForm &form)
{
    return formWords(formText(form));
}

} // namespace kernscope
