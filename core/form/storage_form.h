// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/form/operand_place.h"

#include <algorithm>
#include <iterator>

namespace kernscope {

/// The stored operands of a weight, one behind the other. They belong to an encoding, or to the
/// list alone where there is none; either lives as long as a list of them. Immutable, safe to share
/// between threads.
class OperandList
{
public:
    class Iterator
    {
    public:
        using iterator_category = std::forward_iterator_tag;
        using value_type = codec::Operand;
        using difference_type = std::ptrdiff_t;
        using pointer = const codec::Operand *;
        using reference = const codec::Operand &;

        Iterator() = default;
        explicit Iterator(const codec::Operand *const *at) : m_at(at) {}
        reference operator*() const { return **m_at; }
        pointer operator->() const { return *m_at; }
        Iterator &operator++()
        {
            ++m_at;
            return *this;
        }
        Iterator operator++(int) { return Iterator(m_at++); }
        friend bool operator==(Iterator a, Iterator b) { return a.m_at == b.m_at; }

    private:
        const codec::Operand *const *m_at = nullptr;
    };

    OperandList() = default;
    /// Those of an encoding.
    explicit OperandList(std::shared_ptr<const codec::Encoding> encoding);
    explicit OperandList(std::vector<codec::Operand> operands);

    Iterator begin() const { return Iterator(m_all.data()); }
    Iterator end() const { return Iterator(m_all.data() + m_all.size()); }
    std::size_t size() const { return m_all.size(); }
    bool empty() const { return m_all.empty(); }
    const codec::Operand &operator[](std::size_t index) const { return *m_all[index]; }
    const codec::Operand &front() const { return *m_all.front(); }

private:
    std::vector<const codec::Operand *> m_all;
    std::shared_ptr<const void> m_owner;
};

/// A step of how a weight is stored. Combinations are lists of them, outermost first.
enum class FormNode : std::uint8_t {
    Dense,           ///< the elements themselves
    Affine,          ///< codes with a scale and a zero point: one, or one an index of an axis
    Palette,         ///< indices into codebooks
    Sparse,          ///< a mask, and the elements that it keeps
    Blockwise,       ///< codes with a scale and an offset for each block
    Microscaled,     ///< fp8 or fp4 elements with a power of two (e8m0) for each block
    ActivationTable, ///< the knots of a function, no coefficients
    Unknown,
};

/// One step of an encoding.
struct FormStep {
    FormNode node = FormNode::Unknown;
    const codec::Encoding *encoding = nullptr; ///< that takes the step; the one asked for owns it
    bool nested = false; ///< of data, a codebook or a scale that another operation makes
};
/// The steps of an encoding, outermost first: its mask, scaling, made data, codebooks, then what
/// makes its codebooks, scales and offsets. Scales an axis of a palette follow the palette. Only
/// an encoding without any other step is dense.
std::vector<FormStep> formSteps(const codec::Encoding &encoding);

/// The encoding that stores the elements: `encoding` itself, or the one that makes its payload.
const codec::Encoding &storingEncoding(const codec::Encoding &encoding);
/// What the stored elements of storingEncoding() are: Palette (indices), Affine, Blockwise or
/// Microscaled (codes with scales), Dense (values, also those that a mask keeps).
FormNode elementsNode(const codec::Encoding &encoding);

/// Value of a figure in the contract's JSON.
using DetailValue = std::variant<std::uint64_t, std::vector<std::uint64_t>, std::string>;
using Detail = std::vector<std::pair<std::string, DetailValue>>;
/// The figures of a program's form, as the contract's `detail` has them: "index_bits",
/// "codebooks", "entries", "vector", "vector_axis", "data_bits", "scales", "block".
Detail formFigures(const codec::Encoding &encoding);

/// Whose words a form's text has: programs say "lut", the neural networks before them "palette".
enum class FormWords : std::uint8_t { Program, Network };

/// How a weight is stored: the encoding, whose leaves are the operands with their places in the
/// files, which decoders and editors read, and what that amounts to as a list of steps. Of a weight
/// that is unsound: the steps and the operands alone, as far as they are known. What is immutable
/// is shared; a copy costs little.
class StorageForm
{
public:
    StorageForm() = default; ///< unknown
    explicit StorageForm(codec::Encoding encoding, FormWords words = FormWords::Program);
    /// Of a weight that cannot be decoded: one step, the type of the elements it stores, and the
    /// operands that are known.
    static StorageForm unsound(FormNode node, ElementType type,
                               std::vector<codec::Operand> known = {});
    /// Bytes of hardware slices whose order is not known: Dense (fp16), Affine (int8), Palette or
    /// Sparse. `bytes` reads them one by one.
    static StorageForm slices(FormNode node, codec::Encoding bytes);
    static StorageForm activationTable(codec::Encoding values);

    /// Structure without bytes; Bundle::decoder fills in the spans. Null where the weight is
    /// unsound.
    const std::shared_ptr<const codec::Encoding> &encoding() const { return m_encoding; }
    /// The weight turned out to be unsound: the operands that have a place stay.
    void dropEncoding();

    /// Every stored operand once: those of the encoding in the order mask, payload, codebook,
    /// scale, offset, nested ones in place; those that are known where there is no encoding.
    const OperandList &operands() const { return m_operands; }
    /// The first one of that role; null where there is none.
    const codec::Operand *operand(codec::PartRole role) const;
    /// Changes each operand, for readers that learn more of them when all weights are read.
    void changeOperands(const std::function<void(codec::Operand &)> &change);

    /// Outermost first; at least one.
    using Nodes = std::vector<FormNode>;
    const Nodes &nodes() const { return m_nodes; }
    bool has(FormNode node) const
    {
        return std::find(m_nodes.begin(), m_nodes.end(), node) != m_nodes.end();
    }
    bool isDense() const { return has(FormNode::Dense); }
    bool isSparse() const { return has(FormNode::Sparse); }
    bool isPalette() const { return has(FormNode::Palette); }
    bool isMicroscaled() const { return has(FormNode::Microscaled); }
    bool isSlices() const { return m_slices; } ///< of hardware slices in an unknown order

    FormWords words() const { return m_words; }
    /// Of the stored elements: data, indices or what the mask keeps.
    ElementType storedType() const { return m_type; }
    /// The palette step of the weight itself; null where it has none.
    const codec::Palette *palette() const;
    /// The scaling step of the weight itself; null where it has none.
    const codec::Scaling *scaling() const;
    std::uint64_t vectorAxis() const; ///< of the palette's vectors; 0 without a palette

    /// The same form by its text: steps, words, and the type of dense elements. Two palettes of
    /// different widths are the same form.
    friend bool operator==(const StorageForm &a, const StorageForm &b);

private:
    std::shared_ptr<const codec::Encoding> m_encoding;
    OperandList m_operands;
    Nodes m_nodes{FormNode::Unknown};
    ElementType m_type = ElementType::Unknown;
    FormWords m_words = FormWords::Program;
    bool m_slices = false;
};

/// "dense-fp16", "affine", "lut", "sparse+lut", "mxfp8", "sparse-slices", "activation-table",
/// "unknown": notations of the contract, for JSON, text and windows.
std::string formText(const StorageForm &form);

} // namespace kernscope
