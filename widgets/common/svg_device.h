// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QPaintDevice>
#include <QSize>

#include <memory>

namespace kernscope::ui {

class SvgEngine;

/// What is painted on it, as an SVG document: outlines, texts as texts, pictures, clipped as the
/// painter says (QSvgGenerator of Qt 6.4 does not clip). Lengths are pixels.
class SvgDevice final : public QPaintDevice
{
public:
    explicit SvgDevice(const QSize &size);
    ~SvgDevice() override;

    /// Complete once the painter has ended.
    QByteArray document() const;

    QPaintEngine *paintEngine() const override;

protected:
    int metric(PaintDeviceMetric metric) const override;

private:
    QSize m_size;
    std::unique_ptr<SvgEngine> m_engine;
};

} // namespace kernscope::ui
