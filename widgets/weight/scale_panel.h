// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/common/qt_fwd.h"
#include "widgets/models/session.h"
#include "widgets/models/task_manager.h"

#include <QWidget>

namespace kernscope {
struct ScaleData;
}

namespace kernscope::ui {

class ScaleModel;
class ScalePlot;

/// Scales and zero points of a weight: a plot along their axis over a table. Values can be edited
/// in place while patching is enabled.
class ScalePanel : public QWidget
{
    Q_OBJECT

public:
    explicit ScalePanel(Session &session, QWidget *parent = nullptr);

    /// Begins anew; null: empty. The weight must have scales.
    void setWeight(BundlePtr bundle, std::size_t weight);
    /// Marks the scale that an element is multiplied by, as far as the axis tells.
    void showElement(std::uint64_t element);
    bool working() const { return m_task.running(); }
    /// Rows to copy and to export; the plot as a table, as a picture, and its data.
    QList<QAction *> menuActions() const;
    ScaleModel &model() { return *m_model; }
    ScalePlot &plot() { return *m_plot; }
    QTableView &table() { return *m_table; }

private:
    void showScales(ScaleData content);
    Edit scaleEdit(quint64 scale, double value) const;
    Edit zeroEdit(quint64 zero, qint64 code) const;
    void editScale(quint64 scale, double value);
    void editZero(quint64 zero, qint64 code);
    void choose(int scale);

    Session &m_session;
    BundlePtr m_bundle;
    std::size_t m_weight = kNoIndex;
    Job m_task{m_session.tasks()};
    std::optional<std::uint64_t> m_element; ///< to be marked once the scales have come
    QLabel *m_state = nullptr;
    ScaleModel *m_model = nullptr;
    ScalePlot *m_plot = nullptr;
    QTableView *m_table = nullptr;
    QList<QAction *> m_tableActions;
};

} // namespace kernscope::ui
