// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/common/qt_fwd.h"

#include <QByteArray>
#include <QPaintDevice>
#include <QSharedPointer>
#include <QSize>

#include <qcustomplot.h>

#include <memory>

namespace kernscope::ui {

/// A plot that keeps its picture only while it is visible: those of two dozen docks would take
/// more than ten megabytes. It is drawn again when it is next painted.
class PlotCanvas final : public QCustomPlot
{
    Q_OBJECT

public:
    explicit PlotCanvas(QWidget *parent = nullptr);

    /// Of the pictures that it keeps, for tests.
    qint64 pictureBytes() const;

protected:
    void paintEvent(QPaintEvent *event) override;
    void hideEvent(QHideEvent *event) override;
    /// A plot that does not zoom leaves the wheel to the panel that it stands in.
    void wheelEvent(QWheelEvent *event) override;

private:
    void dropPictures();

    bool m_painting = false;
};

/// Ticks at whole numbers, labelled "15,000", "150k", "1.5M".
QSharedPointer<QCPAxisTicker> countTicker();
/// Powers of ten with the same labels.
QSharedPointer<QCPAxisTicker> logTicker();
/// Ticks labelled with prefixes, as "20 µs"; `unit` without a prefix.
QSharedPointer<QCPAxisTicker> quantityTicker(const QString &unit);

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
