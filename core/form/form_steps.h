// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/form/storage_form.h"

/// What is known of each step of a form, a row a step, for everyone who asks: words, keys, colours,
/// what the chip's encoder calls it. Who only needs a fact reads it here and does not switch over
/// FormNode.
namespace kernscope {

/// What the step does to the stored numbers, as the encoder of a chip tells them apart.
enum class StepKind : std::uint8_t {
    Values,        ///< they are the elements
    Codebook,      ///< they are looked up
    ChannelScales, ///< one scale for the tensor or for each index of an axis
    BlockScales,   ///< one scale for each block
};

/// Which colour a form is shown in. Of several steps the one of the lowest `tintRank` decides.
enum class FormTint : std::uint8_t { Mask, Codebook, Indices, Data, Values, Scale, Plain };

/// When the name of a form in tables of measurements ends with the width of its codes.
enum class KeyBits : std::uint8_t { Never, BelowEight, Always };

/// Where the type of the stored elements is looked up in a weight that is unsound.
enum class ElementSource : std::uint8_t {
    Declared, ///< what the program declares for the data
    Codebook, ///< for the codebook; its size says how wide the indices are
    Stored,   ///< the form knows it
    Decoded,  ///< the weight's own
};

struct StepFacts {
    FormNode node = FormNode::Unknown;
    /// In the text of a form: "affine". Followed by the type of the elements where `typed`.
    std::string_view word = {};
    std::string_view networkWord = {}; ///< of FormWords::Network; empty: `word`
    std::string_view fp4Word = {};     ///< of fp4 elements; empty: `word`
    bool typed = false;
    std::string_view slices =
        {}; ///< word of hardware slices; empty: none are known, called fp16-slices
    /// Part of the names of operations that make it; empty: none.
    std::string_view operation = {};
    /// In the tables of measurements (WeightForm::key); empty: by the type of the elements.
    std::string_view key = {};
    std::string_view fp4Key = {}; ///< of fp4 elements; empty: `key`
    KeyBits keyBits = KeyBits::Never;
    StepKind kind = StepKind::Values;
    /// Types of stored elements that the chapters' tables speak of.
    std::span<const ElementType> plainTypes = {};
    ElementSource elements = ElementSource::Declared;
    /// Of several steps of an unsound weight, the lowest is what its elements are; empty: none.
    std::optional<unsigned> elementsRank = {};
    FormTint tint = FormTint::Indices;
    FormTint slicesTint = FormTint::Indices;
    unsigned tintRank = 0;
};

/// The row of a step; each has one.
const StepFacts &stepFacts(FormNode node);
/// All rows, in the order of FormNode.
std::span<const StepFacts> allStepFacts();

/// The step that a scaling is: by its kind and the type of its scales.
FormNode nodeOf(const codec::Scaling &scaling);
/// Of the steps that a weight has, the one that its stored elements are; Unknown where none is.
FormNode elementsNodeOf(const StorageForm &form);
/// Of an operation that makes weights, by the words of its name; nothing where it has none.
std::optional<FormNode> nodeOfOperation(std::string_view operation);
FormTint formTint(const StorageForm &form);

/// What formText() says, in the words for people: "sparse+lut" is "sparse+palette" in every file.
std::string formWords(std::string text);
std::string formWords(const StorageForm &form);

} // namespace kernscope
