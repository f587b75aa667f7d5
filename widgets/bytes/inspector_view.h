// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QListView>

namespace kernscope::ui {

class InspectorModel;

/// The readings of the bytes under the cursor as cells of one width, in as many columns as there is
/// room for. Values change in place, nothing moves.
class InspectorView final : public QListView
{
    Q_OBJECT

public:
    explicit InspectorView(InspectorModel *model, QWidget *parent = nullptr);

    /// Height at which all readings are seen in that width.
    int heightFor(int width) const;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void changeEvent(QEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;

private:
    void measure();
    void fitGrid();

    int m_wide = 0; ///< of a cell, with the longest reading
};

} // namespace kernscope::ui
