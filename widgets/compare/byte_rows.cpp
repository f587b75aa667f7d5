// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/compare/byte_rows.h"

#include "core/bundle/bundle.h"
#include "widgets/common/qt.h"
#include "widgets/models/theme.h"

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

namespace {

constexpr std::size_t kBins = 2048;

std::size_t binOf(std::uint64_t row, std::uint64_t rows)
{
    const double share = static_cast<double>(row) / static_cast<double>(rows);
    return std::min(kBins - 1, static_cast<std::size_t>(share * static_cast<double>(kBins)));
}

} // namespace

DifferenceStrip::DifferenceStrip(QWidget *parent) : QWidget(parent)
{
    setFocusPolicy(Qt::StrongFocus);
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Expanding);
    setAccessibleName(tr("Overview of the differences"));
    setToolTip(tr("Where bytes differ. Click to go there; Up and Down go from place to place."));
}

void DifferenceStrip::setDifferences(const ByteRows &rows, const AlignedBytes &bytes,
                                     const ByteDifferences *differences)
{
    m_rows = rows.rows();
    for (auto &side : m_density)
        side.assign(differences && m_rows > 0 ? kBins : 0, 0.0f);
    for (std::size_t i = 0; !m_density[0].empty() && i < differences->blocks().size(); ++i) {
        const ByteDifferences::Block &block = differences->blocks()[i];
        const AlignedSegment &segment = bytes.alignment.segments()[block.segment];
        const std::uint64_t firstRow =
            rows.rowOf(bytes.alignment, block.segment, block.first, segment.longerIsA());
        const std::uint64_t lastRow = rows.rowOf(
            bytes.alignment, block.segment, block.first + block.length - 1, segment.longerIsA());
        const float density =
            static_cast<float>(block.different) / static_cast<float>(block.length);
        for (std::size_t bin = binOf(firstRow, m_rows); bin <= binOf(lastRow, m_rows); ++bin) {
            if (segment.stretched() || block.first < segment.lengthA)
                m_density[0][bin] = std::max(m_density[0][bin], density);
            if (segment.stretched() || block.first < segment.lengthB)
                m_density[1][bin] = std::max(m_density[1][bin], density);
        }
    }
    std::size_t marked = 0;
    for (std::ptrdiff_t bin = 0; bin < static_cast<std::ptrdiff_t>(kBins); ++bin)
        marked += markedAt(bin) ? 1 : 0;
    setAccessibleDescription(
        tr("%1 % of the rows lie near a difference")
            .arg(100.0 * static_cast<double>(marked) / static_cast<double>(kBins), 0, 'f', 1));
    update();
}

bool DifferenceStrip::markedAt(std::ptrdiff_t bin) const
{
    if (bin < 0 || static_cast<std::size_t>(bin) >= m_density[0].size())
        return false;
    const auto at = static_cast<std::size_t>(bin);
    return m_density[0][at] > 0 || m_density[1][at] > 0;
}

void DifferenceStrip::clear()
{
    m_rows = 0;
    for (auto &side : m_density)
        side.clear();
    update();
}

void DifferenceStrip::setView(std::uint64_t top, std::uint64_t visible)
{
    m_top = top;
    m_visible = visible;
    update();
}

double DifferenceStrip::densityAt(int y, bool ofA) const
{
    const std::vector<float> &side = m_density[ofA ? 0 : 1];
    if (side.empty() || y < 0 || y >= height())
        return 0;
    // A pixel shows the densest of the stretches that fall on it.
    const auto tall = static_cast<std::size_t>(height());
    const std::size_t first = static_cast<std::size_t>(y) * kBins / tall;
    const std::size_t end = std::max(first + 1, static_cast<std::size_t>(y + 1) * kBins / tall);
    const auto begin = side.begin() + static_cast<std::ptrdiff_t>(first);
    return static_cast<double>(
        *std::max_element(begin, side.begin() + static_cast<std::ptrdiff_t>(std::min(end, kBins))));
}

void DifferenceStrip::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.fillRect(rect(), palette().color(QPalette::Base));
    const bool dark = theme::isDark(palette());
    const int half = width() / 2;
    for (const bool ofA : {true, false}) {
        QColor ink = theme::color(ofA ? Token::DiffLess : Token::DiffMore, dark);
        const int left = ofA ? 1 : half;
        for (int y = 0; y < height(); ++y) {
            const double density = densityAt(y, ofA);
            if (density <= 0)
                continue;
            // One byte in a thousand must still be seen.
            ink.setAlphaF(static_cast<float>(0.35 + 0.65 * std::sqrt(density)));
            painter.fillRect(QRect(left, y, half - 1, 1), ink);
        }
    }
    painter.setPen(palette().color(QPalette::Mid));
    painter.drawRect(rect().adjusted(0, 0, -1, -1));
    if (m_rows == 0)
        return;
    const double scale = static_cast<double>(height()) / static_cast<double>(m_rows);
    const double top = static_cast<double>(m_top) * scale;
    const double tall = std::max(3.0, static_cast<double>(m_visible) * scale);
    painter.setPen(QPen(palette().color(QPalette::Text), hasFocus() ? 2 : 1));
    painter.drawRect(QRectF(0.5, std::min(top, height() - tall) + 0.5, width() - 1, tall - 1));
}

void DifferenceStrip::wantAt(double y)
{
    if (m_rows == 0 || height() <= 0)
        return;
    const double share = std::clamp(y / height(), 0.0, 1.0);
    const auto row = static_cast<std::uint64_t>(share * static_cast<double>(m_rows));
    Q_EMIT rowWanted(row - std::min(row, m_visible / 2));
}

void DifferenceStrip::mousePressEvent(QMouseEvent *event)
{
    if (event->button() == Qt::LeftButton)
        wantAt(event->position().y());
}

void DifferenceStrip::mouseMoveEvent(QMouseEvent *event)
{
    if (event->buttons() & Qt::LeftButton)
        wantAt(event->position().y());
}

/// To the start of the next run of differing stretches.
void DifferenceStrip::step(bool down)
{
    if (m_rows == 0)
        return;
    const auto here = static_cast<std::ptrdiff_t>(binOf(m_top + m_visible / 2, m_rows));
    for (std::ptrdiff_t bin = here + (down ? 1 : -1);
         bin >= 0 && bin < static_cast<std::ptrdiff_t>(kBins); bin += down ? 1 : -1) {
        if (markedAt(bin) && !markedAt(bin - 1)) {
            wantAt((static_cast<double>(bin) + 0.5) * height() / static_cast<double>(kBins));
            return;
        }
    }
}

void DifferenceStrip::keyPressEvent(QKeyEvent *event)
{
    switch (event->key()) {
    case Qt::Key_Up: step(false); break;
    case Qt::Key_Down: step(true); break;
    case Qt::Key_Home: wantAt(0); break;
    case Qt::Key_End: wantAt(height()); break;
    default: QWidget::keyPressEvent(event);
    }
}

QSize DifferenceStrip::sizeHint() const
{
    return {theme::em(this, 1.1), theme::em(this, 10)};
}

QSize DifferenceStrip::minimumSizeHint() const
{
    return {theme::em(this, 0.8), theme::em(this, 3)};
}

} // namespace kernscope::ui

#include "moc_byte_rows.cpp"
