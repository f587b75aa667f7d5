// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <qcustomplot.h>

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

private:
    void dropPictures();

    bool m_painting = false;
};

} // namespace kernscope::ui
