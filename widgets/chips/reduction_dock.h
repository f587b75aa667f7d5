// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/common/dock.h"

class QAction;
class QComboBox;
class QLabel;
class QLineEdit;

namespace kernscope::ui {

class ReductionPlot;

/// Typed values through the engine's reduction (chapter 20): sums of the tiles, accumulator, output
/// port, what is contested, and where the rounding falls. Needs no bundle.
class ReductionDock final : public Dock
{
    Q_OBJECT

public:
    explicit ReductionDock(Session &session, QWidget *parent = nullptr);

    QList<QAction *> menuActions() const { return m_actions; }
    QLineEdit &values() { return *m_values; }
    QComboBox &examples() { return *m_examples; }
    QComboBox &narrow() { return *m_narrow; } ///< fp16, E4M3, E5M2
    QLabel &result() { return *m_result; }
    ReductionPlot &plot() { return *m_plot; }

protected:
    void refresh() override;

private:
    void fillExamples();

    QLineEdit *m_values = nullptr;
    QComboBox *m_examples = nullptr, *m_narrow = nullptr;
    QLabel *m_result = nullptr;
    ReductionPlot *m_plot = nullptr;
    QList<QAction *> m_actions;
};

} // namespace kernscope::ui
