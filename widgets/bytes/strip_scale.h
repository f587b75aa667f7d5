// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

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

} // namespace kernscope::ui
