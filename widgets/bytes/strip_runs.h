// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/bundle_fwd.h"
#include "core/bundle/kinds.h"

#include <cstdint>
#include <span>
#include <vector>

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
    /// `bytesPerPixel` under the middle of the strip; 1 is "100 %".
    void setBytesPerPixel(double bytesPerPixel);
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

} // namespace kernscope::ui
