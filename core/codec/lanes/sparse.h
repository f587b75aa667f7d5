// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/codec/lanes/slices.h"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

/// Slices that leave zeros out, as known for H13 and H14 (hwx-generations.md, 4.6): a plane is its
/// biases, a 16-bit body length, then a row a step of the reduction: mask byte, the numbers that
/// are not zero in the order of the lanes, lanes / 2 - 2 zero bytes. Planes are padded to 64 bytes.
/// H13 puts a zero byte before each row; H14 one before the first row and one after every mask
/// byte, counting the same. Known for up to eight lanes only.
namespace kernscope::lanes {

enum class SparseForm : std::uint8_t { H13, H14 };
std::string_view sparseFormName(SparseForm form); ///< "H13", "H14"
inline constexpr std::uint64_t kMaxSparseLanes = 8;

/// Errors: "lanes.sparse" (more than eight lanes, several groups, a body past 65535 bytes),
/// "lanes.length". Both zeros are left out, so -0 comes back as +0.
Result<std::vector<Slice>> encodeSparse(SparseForm form, const SliceLayout &layout,
                                        std::span<const std::uint16_t> weights,
                                        std::span<const std::uint16_t> bias);
/// Errors: "lanes.sparse" (a length word, a mask bit past the lanes or a fill byte that does not
/// fit), "lanes.length".
Result<Halves> decodeSparse(SparseForm form, const SliceLayout &layout, SliceSpans slices);

/// Which numbers are stored, and where. Its size is that of the rows that were found.
class SparseIndex
{
public:
    /// Errors: those of decodeSparse.
    static Result<SparseIndex> make(SparseForm form, const SliceLayout &layout, SliceSpans slices);

    /// Nothing where the number is a zero that is left out.
    std::optional<Place> placeOf(std::uint64_t channel, std::uint64_t step) const;
    Place biasPlace(std::uint64_t channel) const;
    /// The number, as channel x steps + step, that a byte of a slice belongs to; nothing in
    /// biases, masks and padding.
    std::optional<std::uint64_t> elementAt(const Place &place) const;
    std::uint64_t usedBytes(std::uint64_t engine) const { return m_used[engine]; }
    std::uint64_t stored() const { return m_stored; } ///< numbers that are not left out
    const SliceLayout &layout() const { return m_layout; }

private:
    explicit SparseIndex(const SliceLayout &layout, SparseForm form)
        : m_layout(layout), m_form(form)
    {
    }
    Result<void> readPlane(const Plane &plane, std::span<const std::byte> slice, std::uint64_t &at);
    std::size_t planeNumber(std::uint64_t chunk, std::uint64_t engine) const;

    struct Row {
        std::uint32_t offset = 0; ///< of its first number
        std::uint8_t mask = 0;
    };
    SliceLayout m_layout;
    SparseForm m_form;
    std::vector<std::uint64_t> m_planeOffsets; ///< of the biases, by plane number
    std::vector<std::size_t> m_firstRows;      ///< by plane number
    std::vector<Row> m_rows;
    std::vector<std::uint64_t> m_used;
    std::uint64_t m_stored = 0;
};

} // namespace kernscope::lanes
