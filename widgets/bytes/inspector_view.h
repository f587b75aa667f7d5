// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QListView>

#include <vector>

namespace kernscope::ui {

class InspectorModel;

/// The readings of the bytes under the cursor as cells, in as many columns as there is room for: a
/// cell takes one column, or two where its longest value would be cut, and two lines where there is
/// but one column. Those of 64 bits, the longest, come last. Values change in place, nothing moves.
class InspectorView final : public QListView
{
    Q_OBJECT

public:
    explicit InspectorView(InspectorModel *model, QWidget *parent = nullptr);

    /// Height at which all readings are seen in that width.
    int heightFor(int width) const;
    /// Of the reading in that row of the view's own model, in the view as wide as it is.
    QSize cellSize(int row) const;
    /// Whether its value stands below its name.
    bool isTall(int row) const { return heightOf(row, roomForCells()) > rowHeight(); }
    /// Of the reading, such as "int16".
    QString nameOf(const QModelIndex &index) const;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void changeEvent(QEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;

private:
    void measure();
    void fit();
    int roomForCells() const;
    int heightOfCells(int room) const;
    int columnsOf(int width) const; ///< one, or an even number
    int widthOf(int row, int width) const;
    int heightOf(int row, int width) const;
    int rowHeight() const;

    const InspectorModel *m_readings;
    std::vector<int> m_needs; ///< pixels of each reading, with its longest value
    int m_narrow = 0;         ///< of a column that holds the short ones
    int m_wide = 0;           ///< of a cell with the longest reading
    int m_usual = 0;          ///< of a cell with the longest reading of at most 32 bits
};

} // namespace kernscope::ui
