// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/diff/byte_alignment.h"

#include <cstdint>
#include <vector>

namespace kernscope::ui {

/// Aligned bytes laid out in rows: a title above every file and every section, then the bytes of
/// its segments, each beginning a row of its own. Costs a number per segment.
class ByteRows
{
public:
    /// Bytes of text in a row, for each byte of a row in digits: text needs no digits.
    static constexpr std::uint64_t kTextFactor = 4;

    struct Row {
        enum class Kind : std::uint8_t { FileTitle, SectionTitle, Bytes };
        Kind kind = Kind::Bytes;
        std::size_t index = 0; ///< of the file, section or segment
        /// Of the row's first byte on a side, from the start of the segment; and places in the row:
        /// as many as the longer side has there, of elements of other widths as many as its own.
        std::uint64_t offsetA = 0, bytesA = 0, offsetB = 0, bytesB = 0;
        std::uint64_t offset(bool ofA) const { return ofA ? offsetA : offsetB; }
        std::uint64_t bytes(bool ofA) const { return ofA ? bytesA : bytesB; }
    };

    ByteRows() = default;
    ByteRows(const ByteAlignment &alignment, std::uint64_t bytesPerRow);

    std::uint64_t rows() const { return m_rows; }
    std::uint64_t bytesPerRow() const { return m_bytesPerRow; }
    /// Bytes of a side in a row: of elements of other widths so many that both sides have the same
    /// elements in it.
    std::uint64_t width(const AlignedSegment &segment, bool ofA) const;
    /// `row` below rows().
    Row at(const ByteAlignment &alignment, std::uint64_t row) const;
    std::uint64_t rowOf(const ByteAlignment &alignment, std::size_t segment, std::uint64_t offset,
                        bool ofA) const;
    std::uint64_t titleOfFile(std::size_t file) const { return m_fileRows[file]; }
    std::uint64_t titleOfSection(std::size_t section) const { return m_sectionRows[section]; }

private:
    std::uint64_t m_bytesPerRow = 16, m_rows = 0;
    std::vector<std::uint64_t> m_fileRows, m_sectionRows, m_segmentRows; ///< first row of each
};

} // namespace kernscope::ui
