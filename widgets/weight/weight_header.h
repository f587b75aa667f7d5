// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/assessment/stream.h"
#include "core/bundle/bundle_fwd.h"
#include "widgets/common/qt_fwd.h"
#include "widgets/common/tile_view.h"
#include "widgets/models/weight_reader.h"

#include <QStringList>
#include <QWidget>

namespace kernscope::ui {

/// What a picture of a weight says of one cell: `withValue` adds the cell's value to the indices of
/// its element, "[3,0,1,1]". It is not asked, and the indices stand alone, where `known` is false:
/// the tile has not come yet. Empty without a reader.
QString cellWords(const WeightReaderPtr &reader, const Cell &cell, bool known,
                  const std::function<QString(const QString &indices)> &withValue);

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

class ElidedLabel;
class Pill;

/// Name of a weight, elided in the middle, with its form and what a chip does with it beside it,
/// over a line of facts and of the ops that use it.
class WeightHeader : public QWidget
{
    Q_OBJECT

public:
    /// `withFacts` false: the name alone, for docks that show one aspect only.
    explicit WeightHeader(bool withFacts, QWidget *parent = nullptr);
    void setWeight(const Weight &weight);
    /// What the chip of that name does with the weight, and why; nothing: not judged. Only where
    /// there are facts.
    void setOutcome(std::optional<decision::Outcome> outcome, const QString &chip = {},
                    const QString &why = {});

protected:
    void resizeEvent(QResizeEvent *event) override;

private:
    void elide();

    QLabel *m_name = nullptr;
    ElidedLabel *m_facts = nullptr;
    Pill *m_form = nullptr, *m_outcome = nullptr;
    QString m_fullName;
};

} // namespace kernscope::ui
