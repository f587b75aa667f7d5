// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/lanes/layout.h"

/// Slices that leave zeros out, as known for H13 and H14 (resources/formats/kernel-bytes.md): a
/// plane is its biases, a 16-bit body length, then a row a step of the reduction: mask byte, the
/// numbers that are not zero in the order of the lanes, lanes / 2 - 2 zero bytes. Planes are padded
/// to 64 bytes. H13 puts a zero byte before each row; H14 one before the first row and one after
/// every mask byte, counting the same. Known for up to eight lanes only.
namespace kernscope::lanes {

enum class SparseForm : std::uint8_t { H13, H14 };
std::string_view sparseFormName(SparseForm form); ///< "H13", "H14"
/// By the generation of a descriptor version, "H13"; nothing for those whose slices no source has.
std::optional<SparseForm> sparseFormOf(std::string_view generation);
inline constexpr std::uint64_t kMaxSparseLanes = 8;

/// One plane of a slice, as its length word tells; offsets count from the start of the slice.
struct SparsePlane {
    std::uint64_t chunk = 0, engine = 0;
    std::uint64_t firstChannel = 0;
    std::uint64_t width = 0;  ///< lanes that exist
    std::uint64_t bias = 0;   ///< offset of the biases, where there are any
    std::uint64_t length = 0; ///< offset of the length word, behind the biases
    std::uint64_t body = 0;   ///< offset of the first row
    std::uint64_t end = 0;    ///< offset behind the last row
    std::uint64_t next = 0;   ///< with the padding to 64 bytes
    std::uint64_t stored = 0; ///< numbers that are not left out
};
/// The planes by engine, then chunk. Reads two bytes a plane. Errors: "lanes.sparse" (more
/// than eight lanes, several groups, a length word that does not fit), "lanes.length".
Result<std::vector<SparsePlane>> sparsePlanes(SparseForm form, const SliceLayout &layout,
                                              SliceSpans slices);

/// Which numbers are stored, and where. Its size is that of the rows that were found.
class SparseIndex
{
public:
    /// One step of a plane: a mask byte and the numbers of the lanes that it names.
    struct Row {
        std::uint32_t offset = 0; ///< of its first number, from the start of the slice
        std::uint8_t mask = 0;
    };
    /// The rows of an output channel, one a step.
    struct ChannelRows {
        std::uint64_t engine = 0;
        unsigned lane = 0;
        std::uint64_t width = 0; ///< lanes of the plane
        std::span<const std::uint32_t> offsets;
        std::span<const std::byte> masks;

        Row row(std::uint64_t step) const
        {
            return {offsets[step], std::to_integer<std::uint8_t>(masks[step])};
        }
    };
    /// Row stride in bytes of a plane of `width` lanes.
    static std::uint64_t rowGap(std::uint64_t width);

    /// Errors: those of sparsePlanes, "lanes.sparse" (a mask bit past the lanes, rows that are not
    /// as long as the length word tells).
    static Result<SparseIndex> make(SparseForm form, const SliceLayout &layout, SliceSpans slices);

    /// The rows of an output channel, which must exist.
    ChannelRows rowsOf(std::uint64_t channel) const;
    /// Byte offset in the slice of a lane's number; nothing where it is a zero that is left out.
    static std::optional<std::uint64_t> numberAt(const Row &row, unsigned lane);
    /// Byte offset in the slice of a row's mask byte; its bit `lane` is set where the lane's number
    /// is stored.
    std::uint64_t maskAt(const Row &row) const
    {
        return row.offset - (m_form == SparseForm::H13 ? 1U : 2U);
    }
    /// The row that holds a byte of a slice; nothing in biases, length words and padding.
    struct FoundRow {
        const SparsePlane *plane = nullptr;
        std::uint64_t step = 0;
        Row row;
    };
    std::optional<FoundRow> rowAt(const LanePlace &place) const;
    /// The lane whose number holds a byte of a slice; nothing where none does (mask, fill bytes).
    static std::optional<unsigned> laneAt(const Row &row, std::uint64_t offset);

private:
    SparseIndex(const SliceLayout &layout, SparseForm form) : m_layout(layout), m_form(form) {}
    Result<void> readPlane(const SparsePlane &plane, std::span<const std::byte> slice);

    SliceLayout m_layout;
    SparseForm m_form;
    std::vector<SparsePlane> m_planes;
    std::vector<std::size_t> m_planeOf;   ///< by engine x chunks + chunk
    std::vector<std::size_t> m_firstRows; ///< by plane
    std::vector<std::uint32_t> m_offsets; ///< by row
    std::vector<std::byte> m_masks;       ///< by row
};

} // namespace kernscope::lanes
