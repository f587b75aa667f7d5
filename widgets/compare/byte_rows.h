// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/compare/byte_differences.h"

#include <QWidget>

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

        /// Of kept values, which stand under the elements that they are: the side that has them,
        /// the columns that it has there, and that of each of its bytes, ascending.
        std::optional<bool> keptIsA = std::nullopt;
        std::uint64_t places = 0;
        std::vector<std::uint64_t> columns = {};
        bool kept(bool ofA) const { return keptIsA == ofA; }
        /// Column of a byte of the row, counted from its first one; and the byte of a column:
        /// nothing where there is a gap.
        std::uint64_t column(bool ofA, std::uint64_t byte) const
        {
            return kept(ofA) ? columns[byte] : byte;
        }
        std::optional<std::uint64_t> byteAt(bool ofA, std::uint64_t column) const;
    };

    ByteRows() = default;
    /// `kept`: of the alignment; null where kept values need not stand under their elements.
    ByteRows(const ByteAlignment &alignment, std::uint64_t bytesPerRow,
             std::shared_ptr<const KeptSides> kept = nullptr);

    /// Leaves out the rows that have none of these differences, which come in order, but for the
    /// titles above them. All others stand one after the other. Call once; with at least one.
    void keepOnly(const ByteAlignment &alignment, const std::vector<DifferenceRun> &differences);

    std::uint64_t rows() const { return m_rows; }
    std::uint64_t bytesPerRow() const { return m_bytesPerRow; }
    /// Bytes of a side in a row: of elements of other widths the number at which both sides have
    /// the same elements in it.
    std::uint64_t width(const AlignedSegment &segment, bool ofA) const;
    /// `row` below rows().
    Row at(const ByteAlignment &alignment, std::uint64_t row) const;
    /// Of a row that is left out: the next one that is not.
    std::uint64_t rowOf(const ByteAlignment &alignment, std::size_t segment, std::uint64_t offset,
                        bool ofA) const
    {
        return shownRow(rowOfAll(alignment, segment, offset, ofA));
    }
    std::uint64_t titleOfFile(std::size_t file) const { return shownRow(m_fileRows[file]); }
    std::uint64_t titleOfSection(std::size_t section) const
    {
        return shownRow(m_sectionRows[section]);
    }
    /// Whether the row of a byte is not left out.
    bool shows(const ByteAlignment &alignment, std::size_t segment, std::uint64_t offset,
               bool ofA) const;

private:
    /// Rows that stand one after the other among all and among those that are shown.
    struct Span {
        std::uint64_t first = 0, shown = 0, count = 0;
    };
    std::uint64_t rowOfAll(const ByteAlignment &alignment, std::size_t segment,
                           std::uint64_t offset, bool ofA) const;
    std::uint64_t shownRow(std::uint64_t row) const;
    /// The first one that does not end before a row of all; m_spans.end(): none.
    std::vector<Span>::const_iterator spanOf(std::uint64_t row) const;

    /// Null for a segment of anything else, and where no row holds a value.
    const KeptSide *keptSide(std::size_t segment) const;
    std::uint64_t valuesPerRow(const KeptSide &side) const;
    Row rowOfKept(const AlignedSegment &segment, std::size_t index, const KeptSide &side,
                  std::uint64_t line) const;

    std::shared_ptr<const KeptSides> m_kept;
    std::uint64_t m_bytesPerRow = 16, m_rows = 0;
    std::vector<std::uint64_t> m_fileRows, m_sectionRows, m_segmentRows; ///< first row of each
    std::vector<Span> m_spans; ///< empty: all rows are shown
};

/// The whole of two bundles as a narrow strip from top to bottom: how densely bytes differ, A on
/// the left half and B on the right, so that what one side has alone fills half; and which part is
/// in view. Click and drag scroll; keys go from one differing place to the next.
class DifferenceStrip : public QWidget
{
    Q_OBJECT

public:
    explicit DifferenceStrip(QWidget *parent = nullptr);

    /// Places follow the rows of the view; null: nothing is known yet.
    void setDifferences(const ByteRows &rows, const AlignedBytes &bytes,
                        const ByteDifferences *differences);
    void clear();
    /// Rows in view.
    void setView(std::uint64_t top, std::uint64_t visible);

    /// Share of the bytes of a side that differ at a height, 0 to 1.
    double densityAt(int y, bool ofA) const;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

Q_SIGNALS:
    void rowWanted(quint64 row); ///< to be brought into view

protected:
    void paintEvent(QPaintEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;

private:
    bool markedAt(std::ptrdiff_t bin) const;
    void wantAt(double y);
    void step(bool down);

    std::uint64_t m_rows = 0, m_top = 0, m_visible = 0;
    /// Of A and B, by equal stretches of the rows; empty: not known.
    std::array<std::vector<float>, 2> m_density;
};

} // namespace kernscope::ui
