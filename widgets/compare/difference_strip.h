// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/compare/byte_rows.h"

#include <QWidget>

namespace kernscope::ui {

/// The whole of two bundles as a narrow strip from top to bottom: how densely bytes differ, A on
/// the left half and B on the right, so that what one side has alone fills half; and which part is
/// in view. Click and drag scroll; keys go from one differing place to the next.
class DifferenceStrip : public QWidget
{
    Q_OBJECT

public:
    explicit DifferenceStrip(QWidget *parent = nullptr);

    /// Places follow the rows of the view; null: nothing is known yet.
    void setDifferences(const ByteRows &rows, const AlignedBytes &bytes,
                        const ByteDifferences *differences);
    void clear();
    /// Rows in view.
    void setView(std::uint64_t top, std::uint64_t visible);

    /// Share of the bytes of a side that differ at a height, 0 to 1.
    double densityAt(int y, bool ofA) const;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

Q_SIGNALS:
    void rowWanted(quint64 row); ///< to be brought into view

protected:
    void paintEvent(QPaintEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;

private:
    bool markedAt(std::ptrdiff_t bin) const;
    void wantAt(double y);
    void step(bool down);

    std::uint64_t m_rows = 0, m_top = 0, m_visible = 0;
    /// Of A and B, by equal stretches of the rows; empty: not known.
    std::array<std::vector<float>, 2> m_density;
};

} // namespace kernscope::ui
