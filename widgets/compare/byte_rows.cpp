// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/compare/byte_rows.h"

#include "core/bundle/bundle.h"

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

std::optional<std::uint64_t> ByteRows::Row::byteAt(bool ofA, std::uint64_t column) const
{
    if (!kept(ofA))
        return column < bytes(ofA) ? std::optional(column) : std::nullopt;
    const auto found = std::lower_bound(columns.begin(), columns.end(), column);
    if (found == columns.end() || *found != column)
        return std::nullopt;
    return static_cast<std::uint64_t>(found - columns.begin());
}

ByteRows::ByteRows(const ByteAlignment &alignment, std::uint64_t bytesPerRow,
                   std::shared_ptr<const KeptSides> kept)
    : m_kept(std::move(kept)), m_bytesPerRow(bytesPerRow)
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
                if (const KeptSide *side = keptSide(i)) {
                    m_rows += rowsFor(side->places->elements(), valuesPerRow(*side));
                    continue;
                }
                m_rows += std::max(rowsFor(segment.lengthA, width(segment, true)),
                                   rowsFor(segment.lengthB, width(segment, false)));
            }
        }
    }
}

void ByteRows::keepOnly(const ByteAlignment &alignment,
                        const std::vector<DifferenceRun> &differences)
{
    const auto keep = [this](std::uint64_t first, std::uint64_t last) {
        const std::uint64_t end = m_spans.empty() ? 0 : m_spans.back().first + m_spans.back().count;
        if (first > end || m_spans.empty())
            m_spans.push_back({first, 0, last + 1 - first});
        else if (last >= end)
            m_spans.back().count += last + 1 - end;
    };
    for (const DifferenceRun &run : differences) {
        const AlignedSegment &segment = alignment.segments()[run.segment];
        for (const std::uint64_t title : {m_fileRows[alignment.sections()[segment.section].file],
                                          m_sectionRows[segment.section]})
            keep(title, title);
        keep(rowOfAll(alignment, run.segment, run.first, segment.longerIsA()),
             rowOfAll(alignment, run.segment, run.end() - 1, segment.longerIsA()));
    }
    m_rows = 0;
    for (Span &span : m_spans) {
        span.shown = m_rows;
        m_rows += span.count;
    }
}

std::vector<ByteRows::Span>::const_iterator ByteRows::spanOf(std::uint64_t row) const
{
    return std::upper_bound(
        m_spans.begin(), m_spans.end(), row,
        [](std::uint64_t wanted, const Span &span) { return wanted < span.first + span.count; });
}

std::uint64_t ByteRows::shownRow(std::uint64_t row) const
{
    if (m_spans.empty())
        return row;
    const auto span = spanOf(row);
    return span == m_spans.end() ? m_rows - 1 : span->shown + row - std::min(row, span->first);
}

bool ByteRows::shows(const ByteAlignment &alignment, std::size_t segment, std::uint64_t offset,
                     bool ofA) const
{
    const std::uint64_t row = rowOfAll(alignment, segment, offset, ofA);
    const auto span = spanOf(row);
    return m_spans.empty() || (span != m_spans.end() && span->first <= row);
}

ByteRows::Row ByteRows::at(const ByteAlignment &alignment, std::uint64_t shown) const
{
    std::uint64_t row = shown;
    if (!m_spans.empty()) {
        const auto after = std::upper_bound(
            m_spans.begin(), m_spans.end(), shown,
            [](std::uint64_t wanted, const Span &span) { return wanted < span.shown; });
        row = (after - 1)->first + shown - (after - 1)->shown;
    }
    const std::size_t file = lastAtOrBelow(m_fileRows, row);
    if (m_fileRows[file] == row)
        return {Row::Kind::FileTitle, file};
    const std::size_t section = lastAtOrBelow(m_sectionRows, row);
    if (m_sectionRows[section] == row)
        return {Row::Kind::SectionTitle, section};
    const std::size_t index = lastAtOrBelow(m_segmentRows, row);
    const AlignedSegment &segment = alignment.segments()[index];
    const std::uint64_t line = row - m_segmentRows[index];
    if (const KeptSide *side = keptSide(index))
        return rowOfKept(segment, index, *side, line);
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

const KeptSide *ByteRows::keptSide(std::size_t segment) const
{
    if (!m_kept)
        return nullptr;
    const auto found = m_kept->find(segment);
    return found != m_kept->end() && valuesPerRow(found->second) > 0 ? &found->second : nullptr;
}

std::uint64_t ByteRows::valuesPerRow(const KeptSide &side) const
{
    return m_bytesPerRow / std::max(side.bytesA, side.bytesB);
}

ByteRows::Row ByteRows::rowOfKept(const AlignedSegment &segment, std::size_t index,
                                  const KeptSide &side, std::uint64_t line) const
{
    const bool keptIsA = side.keptIsA;
    const std::uint64_t first = line * valuesPerRow(side);
    const std::uint64_t count = std::min(
        valuesPerRow(side), side.places->elements() - std::min(first, side.places->elements()));
    const auto ends = [&](bool ofA, std::uint64_t values) { // of a damaged file there may be fewer
        return std::min(values * side.bytes(ofA), segment.lengthOn(ofA));
    };
    Row row{Row::Kind::Bytes, index};
    row.keptIsA = keptIsA;
    const std::uint64_t kept = side.bytes(keptIsA);
    row.places = count * kept;
    const std::uint64_t before = side.places->keptBefore(first);
    std::uint64_t now = before;
    const std::uint64_t offset = ends(keptIsA, before);
    for (std::uint64_t i = 0; i < count; ++i) {
        const std::uint64_t next = side.places->keptBefore(first + i + 1);
        for (std::uint64_t byte = 0; next > now && byte < kept; ++byte) {
            if (offset + row.columns.size() < segment.lengthOn(keptIsA))
                row.columns.push_back(i * kept + byte);
        }
        now = next;
    }
    (keptIsA ? row.offsetA : row.offsetB) = offset;
    (keptIsA ? row.bytesA : row.bytesB) = row.columns.size();
    const std::uint64_t other = ends(!keptIsA, first);
    (keptIsA ? row.offsetB : row.offsetA) = other;
    (keptIsA ? row.bytesB : row.bytesA) = ends(!keptIsA, first + count) - other;
    return row;
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

std::uint64_t ByteRows::rowOfAll(const ByteAlignment &alignment, std::size_t segment,
                                 std::uint64_t offset, bool ofA) const
{
    if (const KeptSide *side = keptSide(segment)) {
        const std::uint64_t value = offset / side->bytes(ofA);
        const std::uint64_t element = ofA == side->keptIsA ? side->places->elementOf(value) : value;
        const std::uint64_t last = std::max<std::uint64_t>(side->places->elements(), 1) - 1;
        return m_segmentRows[segment] + std::min(element, last) / valuesPerRow(*side);
    }
    return m_segmentRows[segment] + offset / width(alignment.segments()[segment], ofA);
}

} // namespace kernscope::ui
