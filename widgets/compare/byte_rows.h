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
        std::size_t index = 0;    ///< of the file, section or segment
        std::uint64_t offset = 0; ///< of the row's first byte, from the start of the segment
        std::uint64_t bytes = 0;  ///< places in the row: as many as the longer side has there
    };

    ByteRows() = default;
    ByteRows(const ByteAlignment &alignment, std::uint64_t bytesPerRow);

    std::uint64_t rows() const { return m_rows; }
    std::uint64_t bytesPerRow() const { return m_bytesPerRow; }
    std::uint64_t width(const AlignedSegment &segment) const
    {
        return segment.text ? m_bytesPerRow * kTextFactor : m_bytesPerRow;
    }
    /// `row` below rows().
    Row at(const ByteAlignment &alignment, std::uint64_t row) const;
    std::uint64_t rowOf(const ByteAlignment &alignment, std::size_t segment,
                        std::uint64_t offset) const;
    std::uint64_t titleOfFile(std::size_t file) const { return m_fileRows[file]; }
    std::uint64_t titleOfSection(std::size_t section) const { return m_sectionRows[section]; }

private:
    std::uint64_t m_bytesPerRow = 16, m_rows = 0;
    std::vector<std::uint64_t> m_fileRows, m_sectionRows, m_segmentRows; ///< first row of each
};

} // namespace kernscope::ui
