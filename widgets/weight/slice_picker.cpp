// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/weight/slice_picker.h"

#include "widgets/common/flow_layout.h"
#include "widgets/common/number_field.h"
#include "widgets/models/theme.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QSpinBox>

#include <algorithm>
#include <limits>

namespace kernscope::ui {

SlicePicker::SlicePicker(QWidget *parent) : QWidget(parent), m_layout(new FlowLayout(this))
{
    m_layout->setContentsMargins(0, 0, 0, 0);
    m_layout->setSpacing(theme::em(this, 0.4));
    // Not of a fixed height: that would be one row, and what wraps would be cut off.
    QSizePolicy policy(QSizePolicy::Preferred, QSizePolicy::Preferred);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
    setAccessibleName(tr("Slice"));
    hide();
}

void SlicePicker::setShape(const Shape &shape, const QStringList &axisNames)
{
    m_map = SliceMap(shape);
    m_names = axisNames;
    rebuild();
}

void SlicePicker::setMap(const SliceMap &map)
{
    m_map = map;
    updateControls();
}

void SlicePicker::rebuild()
{
    while (QLayoutItem *item = m_layout->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    m_axes.clear();
    m_indices.clear();
    const auto axes = static_cast<qsizetype>(m_map.shape().size());
    setVisible(axes >= 2);
    if (axes < 2)
        return;
    m_rows = new QComboBox(this);
    m_rows->addItems(m_names.mid(0, axes));
    m_rows->setAccessibleName(tr("Rows"));
    m_rows->setToolTip(tr("The axis that makes the rows; the others make the columns."));
    m_rows->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    connect(m_rows, &QComboBox::activated, this, &SlicePicker::readControls);
    addPair(tr("Rows:"), m_rows);
    for (qsizetype axis = 0; axis < axes; ++axis) {
        const std::uint64_t extent = m_map.shape()[static_cast<std::size_t>(axis)];
        auto *index = new IntegerBox(this);
        index->setRange(
            -1, static_cast<int>(std::min<std::uint64_t>(
                    extent - std::min<std::uint64_t>(extent, 1), std::numeric_limits<int>::max())));
        index->setSpecialValueText(tr("all %1").arg(extent));
        index->setAccessibleName(tr("Index along %1").arg(m_names.value(axis)));
        index->setToolTip(tr("Index along %1; \u201Call\u201D lays the axis into the columns.")
                              .arg(m_names.value(axis)));
        connect(index, &QSpinBox::valueChanged, this, &SlicePicker::readControls);
        m_axes.push_back(addPair(m_names.value(axis) + QLatin1Char(':'), index));
        m_indices.push_back(index);
    }
    updateControls();
}

/// A label and its control, which stay beside each other.
QWidget *SlicePicker::addPair(const QString &text, QWidget *control)
{
    auto *pair = new QWidget(this);
    auto *label = new QLabel(text, pair);
    label->setBuddy(control);
    auto *layout = new QHBoxLayout(pair);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(label);
    layout->addWidget(control);
    m_layout->addWidget(pair);
    return pair;
}

void SlicePicker::updateControls()
{
    if (m_indices.empty())
        return;
    m_updating = true;
    m_rows->setCurrentIndex(static_cast<int>(m_map.rowAxis()));
    for (std::size_t axis = 0; axis < m_indices.size(); ++axis) {
        const auto held = m_map.held()[axis];
        const bool used = axis != m_map.rowAxis() && m_map.shape()[axis] > 1;
        m_indices[axis]->setValue(held ? static_cast<int>(*held) : -1);
        m_axes[axis]->setVisible(used);
    }
    m_updating = false;
}

void SlicePicker::readControls()
{
    if (m_updating)
        return;
    std::vector<std::optional<std::uint64_t>> held(m_indices.size());
    for (std::size_t axis = 0; axis < m_indices.size(); ++axis) {
        const int value = m_indices[axis]->value();
        if (value >= 0)
            held[axis] = static_cast<std::uint64_t>(value);
    }
    m_map =
        SliceMap(m_map.shape(), static_cast<std::size_t>(m_rows->currentIndex()), std::move(held));
    updateControls();
    Q_EMIT mapChanged(m_map);
}

} // namespace kernscope::ui

#include "moc_slice_picker.cpp"
