// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/bytes/strip_scale.h"

#include <algorithm>

namespace kernscope::ui {

double StripScale::fitBytesPerPixel() const
{
    return std::max(kLeastBytesPerPixel, static_cast<double>(m_size) / m_width);
}

void StripScale::setSize(std::uint64_t bytes)
{
    m_size = bytes;
    fit();
}

void StripScale::setWidth(double pixels)
{
    const bool whole = fitted();
    m_width = std::max(1.0, pixels);
    if (whole)
        fit();
    else
        clamp();
}

void StripScale::fit()
{
    m_begin = 0;
    m_bytesPerPixel = fitBytesPerPixel();
}

void StripScale::zoom(double factor, double pixel)
{
    const double fixed = byteAt(pixel);
    m_bytesPerPixel = std::clamp(m_bytesPerPixel / factor, kLeastBytesPerPixel, fitBytesPerPixel());
    m_begin = fixed - pixel * m_bytesPerPixel;
    clamp();
}

void StripScale::setBytesPerPixel(double bytesPerPixel)
{
    zoom(m_bytesPerPixel / std::max(bytesPerPixel, kLeastBytesPerPixel), m_width / 2);
}

void StripScale::setBegin(double offset)
{
    m_begin = offset;
    clamp();
}

void StripScale::reveal(double first, double endOffset)
{
    if (first >= begin() && endOffset <= end())
        return;
    const double shown = m_width * m_bytesPerPixel;
    if (endOffset - first > shown)
        setBegin(first - shown / 20);
    else
        setBegin((first + endOffset - shown) / 2);
}

void StripScale::clamp()
{
    m_bytesPerPixel = std::clamp(m_bytesPerPixel, kLeastBytesPerPixel, fitBytesPerPixel());
    const double last = static_cast<double>(m_size) - m_width * m_bytesPerPixel;
    m_begin = std::clamp(m_begin, 0.0, std::max(0.0, last));
}

} // namespace kernscope::ui
