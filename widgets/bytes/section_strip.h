// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/bundle_fwd.h"
#include "core/bundle/kinds.h"
#include "core/bundle/weight.h"

#include <QAbstractScrollArea>

namespace kernscope::ui {

/// Which bytes of a file a strip of pixels shows. Positions are pixels from the strip's left edge;
/// the view never leaves the file, and never shows less than 1/32 byte a pixel.
class StripScale
{
public:
    static constexpr double kLeastBytesPerPixel = 1.0 / 32;

    /// Another file: fits it.
    void setSize(std::uint64_t bytes);
    /// Another width in pixels: a strip that showed the whole file still does.
    void setWidth(double pixels);

    std::uint64_t size() const { return m_size; }
    double width() const { return m_width; }
    double bytesPerPixel() const { return m_bytesPerPixel; }
    double begin() const { return m_begin; } ///< first byte shown, with its fraction
    double end() const { return m_begin + m_width * m_bytesPerPixel; }
    bool fitted() const { return m_bytesPerPixel >= fitBytesPerPixel(); }

    double pixelOf(double offset) const { return (offset - m_begin) / m_bytesPerPixel; }
    double byteAt(double pixel) const { return m_begin + pixel * m_bytesPerPixel; }

    void fit();
    /// Zooms in (factor above 1) or out, keeping the byte under `pixel` where it is.
    void zoom(double factor, double pixel);
    void setBegin(double offset);
    void pan(double pixels) { setBegin(m_begin + pixels * m_bytesPerPixel); }
    /// Moves as little as possible so that the bytes are shown; centres them where they were away.
    void reveal(double first, double end);

private:
    double fitBytesPerPixel() const;
    void clamp();

    std::uint64_t m_size = 0;
    double m_width = 1, m_begin = 0, m_bytesPerPixel = 1;
};

/// A stretch of pixel columns of a strip in one colour.
struct StripRun {
    double left = 0, right = 0; ///< pixels
    SectionKind kind = SectionKind::Unknown;
    std::size_t section = 0; ///< number within the file of the (first) section shown
    bool merged = false;     ///< sections thinner than a pixel; `kind` takes most of their bytes
};

/// What a strip paints: sections of a pixel and more as themselves, thinner ones merged by the kind
/// that takes most of each pixel. `sections` are those of one file, in order, covering it. The cost
/// grows with the pixels and the logarithm of the sections, not with the sections.
/// `column` is the width of a device pixel in the scale's pixels.
std::vector<StripRun> stripRuns(std::span<const Section> sections, const StripScale &scale,
                                double column);

/// Number (within `sections`) of the one that holds a byte; the last one past the end.
std::size_t stripSectionAt(std::span<const Section> sections, std::uint64_t offset);

/// One file of the bundle as a horizontal strip, its sections coloured by kind, with a ruler of
/// offsets. Wheel, keys and slots zoom and pan; a click picks a section. Every section is reached
/// by the arrow keys; the table of sections says the same in words.
class SectionStrip final : public QAbstractScrollArea
{
    Q_OBJECT

public:
    explicit SectionStrip(QWidget *parent = nullptr);

    /// Shows a file; the same file of the same size keeps position and zoom.
    void setFile(BundlePtr bundle, std::size_t file);
    std::size_t file() const { return m_file; }
    /// Low, without ruler, marks and scroll bar: a minimap of the whole file.
    void setBare(bool bare);
    bool bare() const { return m_bare; }

    /// The section that is outlined, an index into Bundle::sections(), or kNoIndex.
    void setCurrent(std::size_t section);
    std::size_t current() const { return m_current; }
    /// Index of the section shown at a place of the viewport; kNoIndex where there is none.
    std::size_t sectionAtPixel(double x) const;

    const StripScale &scale() const { return m_scale; }
    QRect band() const; ///< where the sections are painted, in the viewport

    void zoomIn();
    void zoomOut();
    void fit();
    void oneToOne() { zoomAbout(m_scale.bytesPerPixel(), anchorPixel()); } ///< a byte a pixel

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

Q_SIGNALS:
    void picked(std::size_t section);    ///< by click or arrow key
    void activated(std::size_t section); ///< by double click or Enter
    void viewChanged();                  ///< zoom or position

protected:
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void mouseReleaseEvent(QMouseEvent *event) override;
    void mouseDoubleClickEvent(QMouseEvent *event) override;
    void wheelEvent(QWheelEvent *event) override;
    bool viewportEvent(QEvent *event) override;
    void scrollContentsBy(int dx, int dy) override;

private:
    std::span<const Section> sections() const; ///< of the file
    void zoomAbout(double factor, double pixel);
    double anchorPixel() const;
    void pick(std::size_t section);
    void step(int by);
    void syncScrollBar();
    void afterScaleChange();
    void describe();
    QString tipAt(double x) const;

    void paintRuns(QPainter &painter, const QRect &band) const;
    void paintLabel(QPainter &painter, const QRectF &box, const Section &section) const;
    void paintChanges(QPainter &painter, const QRect &band) const;
    void paintCurrent(QPainter &painter, const QRect &band) const;
    void paintRuler(QPainter &painter, const QRect &band) const;

    BundlePtr m_bundle;
    std::size_t m_file = kNoIndex, m_current = kNoIndex;
    std::size_t m_first = 0, m_last = 0; ///< sections of the file
    std::vector<ByteRange> m_changes;
    StripScale m_scale;
    double m_scrollUnit = 1; ///< bytes a step of the scroll bar
    double m_pressX = 0, m_dragX = 0;
    bool m_bare = false, m_pressed = false, m_dragging = false, m_syncing = false;
};

} // namespace kernscope::ui
