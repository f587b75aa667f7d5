// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/compare/byte_rows.h"

#include <algorithm>

namespace kernscope::ui {

namespace {

/// Index of the last entry that is not above `row`.
std::size_t lastAtOrBelow(const std::vector<std::uint64_t> &firsts, std::uint64_t row)
{
    const auto after = std::upper_bound(firsts.begin(), firsts.end(), row);
    return static_cast<std::size_t>(after - firsts.begin()) - 1;
}

} // namespace

ByteRows::ByteRows(const ByteAlignment &alignment, std::uint64_t bytesPerRow)
    : m_bytesPerRow(bytesPerRow)
{
    for (const AlignedFile &file : alignment.files()) {
        m_fileRows.push_back(m_rows++);
        for (std::size_t s = file.firstSection; s < file.firstSection + file.sections; ++s) {
            const AlignedSection &section = alignment.sections()[s];
            m_sectionRows.push_back(m_rows++);
            for (std::size_t i = section.firstSegment; i < section.firstSegment + section.segments;
                 ++i) {
                const AlignedSegment &segment = alignment.segments()[i];
                m_segmentRows.push_back(m_rows);
                m_rows += segment.length() / width(segment) +
                          (segment.length() % width(segment) != 0 ? 1 : 0);
            }
        }
    }
}

ByteRows::Row ByteRows::at(const ByteAlignment &alignment, std::uint64_t row) const
{
    const std::size_t file = lastAtOrBelow(m_fileRows, row);
    if (m_fileRows[file] == row)
        return {Row::Kind::FileTitle, file, 0, 0};
    const std::size_t section = lastAtOrBelow(m_sectionRows, row);
    if (m_sectionRows[section] == row)
        return {Row::Kind::SectionTitle, section, 0, 0};
    const std::size_t index = lastAtOrBelow(m_segmentRows, row);
    const AlignedSegment &segment = alignment.segments()[index];
    const std::uint64_t offset = (row - m_segmentRows[index]) * width(segment);
    return {Row::Kind::Bytes, index, offset, std::min(width(segment), segment.length() - offset)};
}

std::uint64_t ByteRows::rowOf(const ByteAlignment &alignment, std::size_t segment,
                              std::uint64_t offset) const
{
    return m_segmentRows[segment] + offset / width(alignment.segments()[segment]);
}

} // namespace kernscope::ui
