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

std::uint64_t rowsFor(std::uint64_t bytes, std::uint64_t width)
{
    return bytes / width + (bytes % width != 0 ? 1 : 0);
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
                m_rows += std::max(rowsFor(segment.lengthA, width(segment, true)),
                                   rowsFor(segment.lengthB, width(segment, false)));
            }
        }
    }
}

ByteRows::Row ByteRows::at(const ByteAlignment &alignment, std::uint64_t row) const
{
    const std::size_t file = lastAtOrBelow(m_fileRows, row);
    if (m_fileRows[file] == row)
        return {Row::Kind::FileTitle, file};
    const std::size_t section = lastAtOrBelow(m_sectionRows, row);
    if (m_sectionRows[section] == row)
        return {Row::Kind::SectionTitle, section};
    const std::size_t index = lastAtOrBelow(m_segmentRows, row);
    const AlignedSegment &segment = alignment.segments()[index];
    const std::uint64_t line = row - m_segmentRows[index];
    Row found{Row::Kind::Bytes, index};
    const auto left = [&](bool ofA, std::uint64_t length) {
        const std::uint64_t offset = line * width(segment, ofA);
        return offset < length ? std::min(width(segment, ofA), length - offset) : 0;
    };
    // Byte against byte a side has places for what the other one has beyond its end.
    const bool byElements = width(segment, true) != width(segment, false);
    const std::uint64_t lengthA = byElements ? segment.lengthA : segment.length();
    const std::uint64_t lengthB = byElements ? segment.lengthB : segment.length();
    found.offsetA = line * width(segment, true);
    found.offsetB = line * width(segment, false);
    found.bytesA = left(true, lengthA);
    found.bytesB = left(false, lengthB);
    return found;
}

std::uint64_t ByteRows::width(const AlignedSegment &segment, bool ofA) const
{
    if (segment.text)
        return m_bytesPerRow * kTextFactor;
    const std::uint64_t larger = std::max(segment.unitA, segment.unitB);
    if (larger > m_bytesPerRow) // no row holds a whole unit
        return m_bytesPerRow;
    return segment.stretched() ? m_bytesPerRow / larger * (ofA ? segment.unitA : segment.unitB)
                               : m_bytesPerRow;
}

std::uint64_t ByteRows::rowOf(const ByteAlignment &alignment, std::size_t segment,
                              std::uint64_t offset, bool ofA) const
{
    return m_segmentRows[segment] + offset / width(alignment.segments()[segment], ofA);
}

} // namespace kernscope::ui
