// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/models/slice_map.h"

#include <QStringList>
#include <QWidget>

#include <vector>

class QComboBox;
class QSpinBox;

namespace kernscope::ui {

class FlowLayout;

/// One control an axis: which axis makes the rows, and of each other axis "all" or one index.
/// Shows nothing for tensors of fewer than two axes.
class SlicePicker : public QWidget
{
    Q_OBJECT

public:
    explicit SlicePicker(QWidget *parent = nullptr);

    /// Another tensor: rows are axis 0, nothing is held. Emits nothing.
    void setShape(const Shape &shape, const QStringList &axisNames);
    /// Shows a slice of the same tensor; emits nothing.
    void setMap(const SliceMap &map);
    const SliceMap &map() const { return m_map; }

Q_SIGNALS:
    void mapChanged(const kernscope::ui::SliceMap &map); ///< by the person

private:
    void rebuild();
    QWidget *addPair(const QString &text, QWidget *control);
    void readControls();
    void updateControls();

    SliceMap m_map;
    QStringList m_names;
    FlowLayout *m_layout = nullptr;
    QComboBox *m_rows = nullptr;
    std::vector<QWidget *> m_axes;     ///< label and control of each axis
    std::vector<QSpinBox *> m_indices; ///< one an axis
    bool m_updating = false;
};

} // namespace kernscope::ui
