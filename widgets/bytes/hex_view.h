// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/overlaid_file.h"
#include "core/bundle/byte_field.h"
#include "widgets/bytes/hex_rows.h"
#include "widgets/models/byte_models.h"
#include "widgets/models/session.h"

#include <QTimer>

namespace kernscope::ui {

/// The bytes of one file, of any size: offsets, hexadecimal digits, text. Reads what it paints and
/// nothing else. Bytes stand on the colour of their section's kind; changed ones have a colour and
/// an outline of their own, and their old value in the tooltip. Bytes are shown, not edited: who
/// owns the view makes an edit of what was typed().
class HexView final : public HexRows
{
    Q_OBJECT

public:
    explicit HexView(QWidget *parent = nullptr);

    /// A file of a bundle. The same file keeps position and selection (cut to its size).
    void setFile(BundlePtr bundle, std::size_t file);
    /// A file without a bundle: no colours, no fields.
    void setFile(std::shared_ptr<OverlaidFile> file);
    const BundlePtr &bundle() const { return m_bundle; }
    std::size_t file() const { return m_fileIndex; }
    std::uint64_t size() const { return m_file ? m_file->size().value : 0; }
    std::span<const std::byte> bytes() const;
    const std::shared_ptr<OverlaidFile> &overlaidFile() const { return m_file; }

    /// 8, 16 or 32.
    void setBytesPerRow(int bytes);
    int bytesPerRow() const { return m_bytesPerRow; }

    std::uint64_t cursor() const { return m_cursor; }
    ByteRange selection() const; ///< at least the byte under the cursor; empty in an empty file
    /// Selects and scrolls there; the cursor goes to the first byte. Cut to the file.
    void select(ByteRange range);
    void selectAll();
    /// Marks bits of the selected bytes by a bar under their digits; another selection forgets it.
    void markBits(std::optional<BitRun> bits);
    std::optional<BitRun> markedBits() const;

    /// The selected bytes as text; nothing where they are more than kMostBytesAsText.
    std::optional<QString> selectedText(CopyFormat format) const;

    /// Where a byte's digits are in the viewport now; empty where it is scrolled away.
    QRect cellRect(std::uint64_t offset) const;
    /// The byte at a place of the viewport, where there is one.
    std::optional<std::uint64_t> byteAt(const QPoint &pos) const;
    /// Height in pixels at which that many rows are whole.
    int heightFor(std::uint64_t rows) const;
    /// Of all columns with the scroll bar; 0: with as many bytes in a row as there are.
    int contentWidth(int bytesPerRow = 0) const;

    /// What a byte of the file is; without a bundle nothing. Keeps what it had to work out for the
    /// next question.
    ByteField fieldOf(std::uint64_t offset) const;
    /// Nothing as well for the values of a large mask that is not counted yet: wantedCounts().
    std::optional<ElementBytes> placeOf(std::size_t weight, std::uint64_t element) const;
    const BoundOrder::Wanted &wantedCounts() const { return m_order.wanted(); }
    void giveCounts(const codec::Operand &mask, std::shared_ptr<const codec::MaskIndex> ranks)
    {
        m_order.give(mask, std::move(ranks));
    }

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

Q_SIGNALS:
    void typed(QChar key);                          ///< a letter or digit, which changes nothing
    void cursorMoved();                             ///< or the selection changed
    void picked(const kernscope::ByteRange &range); ///< the user came to rest on these bytes

protected:
    std::uint64_t rowTotal() const override;
    double rowsWidth() const override { return m_layout.width(); }
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void mouseReleaseEvent(QMouseEvent *event) override;
    bool viewportEvent(QEvent *event) override;
    void relayout() override;
    void paintRow(QPainter &painter, std::uint64_t row, double top) override;
    void paintHeader(QPainter &painter) override;

private:
    struct CellLook {
        QColor ground, ink;
        bool changed = false, selected = false, faint = false;
        bool lineAbove = false, lineBelow = false; ///< edges of the selection
    };

    void forget();
    void moveCursor(std::uint64_t to, bool keepAnchor);
    void revealCursor();
    bool moveByKey(QKeyEvent *event);
    std::uint64_t nearestByte(const QPoint &pos);
    void afterCursorMove();
    QString tipAt(std::uint64_t offset) const;

    void paintBits(QPainter &painter, std::uint64_t offset, const QRectF &hex);
    void paintByte(QPainter &painter, std::uint64_t offset, const QRectF &hex, const QRectF &text,
                   const CellLook &look);
    CellLook lookOf(std::uint64_t offset, const ByteRange &selected, std::size_t &section) const;

    BundlePtr m_bundle;
    static constexpr std::uint64_t kMostCounted = std::uint64_t{1} << 23; ///< bits of a mask
    mutable BoundOrder m_order;
    std::optional<BitRun> m_bits;
    ByteRange m_bitsOf; ///< the selection that m_bits is of
    std::shared_ptr<OverlaidFile> m_file;
    std::size_t m_fileIndex = kNoIndex;
    int m_bytesPerRow = 16;
    std::uint64_t m_cursor = 0, m_anchor = 0;
    bool m_inText = false, m_dragging = false, m_anyChange = false;
    QTimer m_rest{this}; ///< after the last key, until picked() is told
};

} // namespace kernscope::ui
