// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/assessment/geometry.h"

#include <QStringList>
#include <QWidget>

#include <optional>

class QPainter;

namespace kernscope::ui {

/// Figure 20.1 with the numbers of one layer: output channels, their groups, the cores that they
/// are dealt to, the accumulators of a core, the reduction, the port. Lit cores are filled; the
/// table of the geometry has every number of it.
class DatapathView final : public QWidget
{
    Q_OBJECT

public:
    explicit DatapathView(QWidget *parent = nullptr);

    void setGeometryOf(const decision::LayerOperation &operation,
                       std::optional<decision::Geometry> geometry);
    /// A line a stage, as they are drawn: what a screen reader says.
    QStringList stages() const;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    void drawCores(QPainter &painter, const QRectF &row) const;

    decision::LayerOperation m_operation;
    std::optional<decision::Geometry> m_geometry;
};

} // namespace kernscope::ui
