// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/element_place.h"
#include "core/codec/decode/grid_map.h"

namespace kernscope {

/// Which elements of a weight differ from the disk: in their mask bit, their stored code, their
/// codebook entry, or their scale and offset. Compares bits, not whole bytes, so that the other
/// half of a byte stays unmarked; where the mask changed, codes are compared with those that the
/// element had on disk. Elements of a part in pieces are read where its order has them; which of
/// them are stored never changes there.
///
/// Holds references: make one under a BundleReadLock and drop it before the lock.
class ElementChanges
{
public:
    ElementChanges(const Bundle &bundle, std::size_t weight, const codec::Decoder &decoder);

    /// False where no byte of the weight's parts differs: nothing else need be asked.
    bool any() const { return m_any; }
    bool changed(std::uint64_t element) const;

private:
    std::uint64_t bits(const codec::Operand &operand, std::uint64_t index, bool onDisk) const;
    const codec::ElementOrder *orderOf(const codec::Operand &operand) const;
    std::uint64_t firstBit(const codec::Operand &operand, std::uint64_t index) const;
    bool differs(const codec::Operand &operand, std::uint64_t index, std::uint64_t diskIndex) const;
    bool literalChanged(const codec::Operand &operand, std::uint64_t index) const;
    bool operandChanged(const codec::Operand &operand) const;
    unsigned widthOf(const codec::Operand &operand) const;
    /// Positions are those of the index tensor: of an element, or of a vector of them.
    bool maskBit(std::uint64_t position, bool onDisk) const;
    std::uint64_t diskRank(std::uint64_t position) const;
    std::uint64_t indexPosition(std::uint64_t element) const;
    bool codebookChanged(std::uint64_t element) const;
    bool scaleChanged(const codec::Operand &operand, std::uint64_t element) const;
    void noteMaskChanges();

    const Bundle &m_bundle;
    const Weight &m_weight;
    const codec::Decoder &m_decoder;
    const std::size_t m_programFile; ///< that writes the weight
    const codec::Operand *m_mask = nullptr, *m_payload = nullptr, *m_lut = nullptr;
    std::vector<const codec::Operand *> m_scales; ///< scale, zero point, offset: those that changed
    std::uint64_t m_vector = 1, m_entries = 0;
    unsigned m_codeBits = 0; ///< of a palette's index; 0: no palette
    bool m_any = false, m_lutChanged = false, m_payloadChanged = false, m_maskChanged = false;
    /// Changed bytes of the mask: (byte, set bits on disk less those now, up to and with it).
    std::vector<std::pair<std::uint64_t, std::int64_t>> m_maskDeltas;
};

/// One element as a build stores it: what a comparison shows of either side.
struct StoredElement {
    double value = 0;   ///< decoded, at the precision of its type
    bool stored = true; ///< false: a zero that the mask leaves out
    /// Index of a palette, integer of affine and blockwise forms; empty for plain values and where
    /// the element is not stored.
    std::optional<std::int64_t> code;
    /// Of palettes: the codebook, and the value that the entry has for the element's lane before
    /// any scale.
    std::optional<std::uint64_t> codebook;
    std::optional<double> entry;
    /// Where its bits lie, and those bytes; empty for what the program writes as a literal.
    std::optional<ElementBytes> place;
    std::vector<std::byte> bytes;
};

/// `decoder`: that of the weight; `element` must lie in the tensor. Hold the files for reading.
StoredElement readStoredElement(const Bundle &bundle, std::size_t weight,
                                const codec::Decoder &decoder, std::uint64_t element);

} // namespace kernscope
