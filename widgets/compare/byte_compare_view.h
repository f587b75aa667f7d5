// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/bytes/hex_rows.h"
#include "widgets/compare/byte_rows.h"

namespace kernscope::ui {

/// A byte of the aligned bytes: where the cursor is, on the side that it is on.
struct ByteCursor {
    std::size_t segment = kNoIndex;
    std::uint64_t offset = 0; ///< from the start of the segment on that side
    friend bool operator==(const ByteCursor &, const ByteCursor &) = default;
};

/// The bytes of two bundles side by side: digits and characters of A on the left, of B on the
/// right, scrolled together. Bytes that differ have a colour and an outline, bytes that one side
/// lacks are hatched on it. Text is shown as text. Reads what it paints and nothing else.
///
/// The cursor is on one side; the other side marks what it stores the same element in, which may
/// be more bytes, fewer, or bytes that lie elsewhere.
///
/// Keys: arrows, Home and End in the row, with Ctrl of everything, Page Up and Page Down, Tab to
/// what the other side has for the byte.
class ByteCompareView : public HexRows
{
    Q_OBJECT

public:
    explicit ByteCompareView(QWidget *parent = nullptr);

    /// Other bytes; `keep`: the same bundles after an edit, so the cursor stays where it can.
    void setBytes(AlignedBytesPtr bytes, bool keep = false);
    const AlignedBytesPtr &bytes() const { return m_bytes; }
    /// How much of each section differs, for the titles; null: not known yet.
    void setDifferences(std::shared_ptr<const ByteDifferences> differences);

    /// Leaves out the rows that have none of these; null: all rows are shown. Other bytes show all
    /// of theirs again.
    void setOnly(std::shared_ptr<const std::vector<DifferenceRun>> differences);

    const ByteCursor &cursor() const { return m_cursor; }
    bool onSideA() const { return m_sideA; }
    /// What the side without the cursor has for the byte under it.
    const ByteCounterpart &counterpart() const { return m_counterpart; }
    /// Moves the cursor and scrolls there; emits nothing. Without a side: to the one that has the
    /// byte, or has something to show there.
    void setCursor(const ByteCursor &cursor, std::optional<bool> ofA = {});
    /// Scrolls the title of a file or section to the top, the cursor to its first byte.
    void showFile(std::size_t file);
    void showSection(std::size_t section);

    const ByteRows &rows() const { return m_rows; }
    /// Where a byte's digits (of text: its character) are on one side; empty: scrolled away.
    QRect cellRect(const ByteCursor &cursor, bool ofA) const;
    /// The byte in words, on both sides.
    QString cursorText() const;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

Q_SIGNALS:
    void cursorMoved(); ///< by mouse or keys
    void scrolled();    ///< other rows are in view
    void activated();   ///< Enter or double click on a byte

protected:
    std::uint64_t rowTotal() const override { return m_rows.rows(); }
    double rowsWidth() const override { return 2 * columnsWidth(); }
    void rowsMoved() override { Q_EMIT scrolled(); }
    void relayout() override;
    void paintRow(QPainter &painter, std::uint64_t row, double top) override;
    void paintHeader(QPainter &painter) override;
    void resizeEvent(QResizeEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    bool focusNextPrevChild(bool next) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void mouseDoubleClickEvent(QMouseEvent *event) override;

private:
    struct Side {
        bool ofA = true;
        double left = 0;
        std::span<const std::byte> bytes;
        std::uint64_t first = 0; ///< offset in the file
    };
    const ByteAlignment &alignment() const { return m_bytes->alignment; }
    bool empty() const { return !m_bytes || m_bytes->alignment.empty(); }
    void layRows(std::uint64_t bytesPerRow);
    void reveal();
    void moveTo(const ByteCursor &cursor, std::optional<bool> ofA = {});
    bool moveByKey(QKeyEvent *event);
    ByteCursor stepRows(std::int64_t rows) const;
    ByteCursor stepBytes(bool forward) const;
    std::optional<ByteCursor> hit(const QPoint &position, bool &sideA) const;
    /// Finds the counterpart of the cursor's byte and tells assistive programs.
    void announce();
    double sideLeft(bool ofA) const;
    double sideWidth() const;
    /// Of the columns of one side that are shown.
    double columnsWidth() const;
    QString titleOf(std::size_t section, bool ofA, const QString &before, const QString &behind,
                    double room) const;
    QString stateOf(std::size_t section, bool ofA) const;

    void paintFileTitle(QPainter &painter, std::size_t file, double top) const;
    void paintSectionTitle(QPainter &painter, std::size_t section, double top) const;
    void paintSide(QPainter &painter, const ByteRows::Row &row, const Side &side, double top);
    void paintKept(QPainter &painter, const ByteRows::Row &row, const Side &side, double top);
    void paintValues(QPainter &painter, const ByteRows::Row &row, const Side &side, double top);
    void paintRun(QPainter &painter, const ByteRows::Row &row, const Side &side, std::uint64_t from,
                  std::uint64_t to, double top) const;
    void paintMarks(QPainter &painter, const ByteRows::Row &row, const Side &side,
                    double top) const;
    /// A frame around the bytes of a run that lie in the row.
    void paintFrame(QPainter &painter, const ByteRows::Row &row, const SegmentRun &run,
                    const Side &side, double top) const;
    void paintFrame(QPainter &painter, const ByteRows::Row &row, std::uint64_t from,
                    std::uint64_t to, const Side &side, double top) const;
    /// Rectangle of the cells [from, to) of a row: as digits (or text), or as characters.
    QRectF cells(bool text, double left, std::uint64_t from, std::uint64_t to, bool characters,
                 double top) const;
    /// As digits, and where characters are shown as those: one rectangle or two.
    std::vector<QRectF> allCells(bool text, double left, std::uint64_t from, std::uint64_t to,
                                 double top) const;

    AlignedBytesPtr m_bytes;
    ByteRows m_rows;
    ByteCursor m_cursor;
    std::shared_ptr<const ByteDifferences> m_differences;
    std::shared_ptr<const std::vector<DifferenceRun>> m_only;
    ByteCounterparts m_counterparts;
    ByteCounterpart m_counterpart;
    bool m_sideA = true;
    bool m_letters = true; ///< characters beside the digits; else the room is for more digits
};

} // namespace kernscope::ui
